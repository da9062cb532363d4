package meter

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return text
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	got, err := parseStat(fixture(t, "stat"))
	require.NoError(t, err)
	assert.Equal(t, procStat{
		state: 'S', parent: 4711, reaped: 170 * time.Millisecond, threads: 11,
	}, got)
	assert.False(t, got.dead())
	for _, text := range []string{"", "1 (a", "1 (a) S 1", "1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 x 1 20 0 3 0 9 0"} {
		_, err := parseStat([]byte(text))
		assert.Error(t, err, text)
	}
}

func TestParseStatm(t *testing.T) {
	t.Parallel()
	got, err := parseStatm([]byte("310247 2048 1433 512 0 35120 0\n"))
	require.NoError(t, err)
	assert.Equal(t, int64(2048*os.Getpagesize()), got)
	for _, text := range []string{"", "1", "1 x"} {
		_, err := parseStatm([]byte(text))
		assert.Error(t, err, text)
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	sizes, err := parseKB(fixture(t, "status"))
	require.NoError(t, err)
	assert.Equal(t, int64(20480<<10), sizes["VmHWM"])
	assert.Nil(t, optional(sizes, "Threads"), "a count is no size")
	_, err = parseKB([]byte("VmHWM:\t x kB\n"))
	require.Error(t, err)
	_, err = required(sizes, "VmNone")
	assert.ErrorContains(t, err, "does not report VmNone")
}

func TestParseSmaps(t *testing.T) {
	t.Parallel()
	got, err := parseSmaps(fixture(t, "smaps_rollup"))
	require.NoError(t, err)
	want := Memory{
		RSS: 8192 << 10, PSS: 7000 << 10, Swap: 12 << 10,
		Anon: bytes64(5000 << 10), File: bytes64(1990 << 10), Shmem: bytes64(10 << 10), AnonRSS: bytes64(5000 << 10),
	}
	assert.Equal(t, want, got)

	old, err := parseSmaps([]byte("Rss: 1 kB\nPss: 1 kB\nSwap: 0 kB\n")) // Linux before 5.4
	require.NoError(t, err)
	assert.Nil(t, old.Anon)
	assert.Nil(t, old.FileRSS(), "what the kernel does not tell is not zero")
	assert.Equal(t, bytes64(192<<10), Memory{RSS: 8192 << 10, AnonRSS: bytes64(8000 << 10)}.FileRSS())
	sum := sumMemory([]Process{{Memory: got}, {Memory: old}})
	assert.Equal(t, int64(8193<<10), sum.RSS)
	assert.Nil(t, sum.Anon, "a sum without one of its parts is none")

	_, err = parseSmaps([]byte("Rss: 1 kB\n"))
	require.Error(t, err)
	_, err = parseSmaps([]byte("Rss: x kB\n"))
	require.Error(t, err)
}

func TestParseChildren(t *testing.T) {
	t.Parallel()
	got, err := parseChildren([]byte("12 345 "))
	require.NoError(t, err)
	assert.Equal(t, []int{12, 345}, got)
	got, err = parseChildren(nil)
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = parseChildren([]byte("x"))
	assert.Error(t, err)
}

func TestParseMemStats(t *testing.T) {
	t.Parallel()
	got, err := parseMemStats(fixture(t, "heap.txt"))
	require.NoError(t, err)
	want := HeapReading{
		Live: bytes64(33554432), InUse: bytes64(34000896), Idle: bytes64(275000000), Released: bytes64(270000000),
		Stacks: bytes64(425984), Runtime: bytes64(163200 + 15600 + 1445000 + 9000000 + 1100000), Sys: bytes64(321000000), Goal: bytes64(68000000),
		Allocated: bytes64(320000000), Allocations: bytes64(7100), Collections: bytes64(9),
	}
	assert.Equal(t, want, got)

	_, err = parseMemStats([]byte("heap profile: 0: 0 [0: 0] @ heap/1048576\n"))
	require.Error(t, err)
	none, err := parseMemStats([]byte("# runtime.MemStats\n# HeapAlloc = 7\n"))
	require.NoError(t, err)
	assert.Equal(t, HeapReading{Live: bytes64(7)}, none, "what is not told is absent")
}
