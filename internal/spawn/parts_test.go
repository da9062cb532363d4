package spawn

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", tailBytes)
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"nothing":          {nil, ""},
		"pieces of a line": {[]string{"a", "b\n", "c\n"}, "ab\nc"},
		"more lines":       {[]string{strings.Repeat("a\n", 100)}, strings.TrimSuffix(strings.Repeat("a\n", tailLines), "\n")},
		"a long line":      {[]string{"lost", long}, "…" + long},
		"a longer write":   {[]string{"lost" + long}, "…" + long},
		"no text":          {[]string{"\xff\xfe!"}, "\uFFFD!"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tail tail
			for _, w := range test.writes {
				n, err := tail.Write([]byte(w))
				require.NoError(t, err)
				assert.Len(t, w, n)
			}
			assert.Equal(t, test.want, tail.String())
		})
	}
}

func TestParseCPUs(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{"0": "0", "3,1,2": "1-3", "0-1, 1,5": "0-1,5"} {
		cpus, err := ParseCPUs(list)
		require.NoError(t, err)
		assert.Equal(t, want, FormatCPUs(cpus))
	}
	for _, list := range []string{"", "a", "1-", "2-1", "-1", "1024", "0,,1"} {
		_, err := ParseCPUs(list)
		require.Error(t, err, list)
	}
	assert.Empty(t, FormatCPUs(nil))
}

func TestPinSelf(t *testing.T) {
	t.Parallel()
	all, err := CPUs()
	require.NoError(t, err)
	last := FormatCPUs(all[len(all)-1:])
	p := start(t, spec("pin", last))
	fields := strings.Fields(line(t, p))
	stop(t, p)
	require.Len(t, fields, 5, fields)
	assert.Equal(t, []string{"1", last, "false", "2"}, fields[1:])

	p = start(t, spec("pin", "1023"))
	assert.Contains(t, line(t, p), "confine to CPUs 1023: ")
	stop(t, p)

	s := spec("pin", last)
	s.Env = append(s.Env, pinned+"=1")
	p = start(t, s)
	says := line(t, p)
	stop(t, p)
	if len(all) > 1 {
		assert.Equal(t, "pin to CPUs "+last+": the process is still on "+FormatCPUs(all), says)
	}
	require.NoError(t, PinSelf(all))
	assert.ErrorContains(t, PinSelf(nil), "none given")
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	got, err := parseStat([]byte("12 (a) b (c) S 7 9 9 0 -1 1\n"))
	require.NoError(t, err)
	assert.Equal(t, procStat{state: 'S', parent: 7, group: 9}, got)
	for _, text := range []string{"", "12 (a", "12 (a) S", "12 (a) S x 1", "12 (a) S 1 x"} {
		_, err := parseStat([]byte(text))
		assert.Error(t, err, text)
	}
}

func TestLeftovers(t *testing.T) {
	child := exec.Command("/bin/sh", "-c", "exit 0")
	require.NoError(t, child.Start())
	left, err := Leftovers()
	require.NoError(t, err)
	assert.Contains(t, left, child.Process.Pid)
	require.NoError(t, child.Wait())
	left, err = Leftovers()
	require.NoError(t, err)
	assert.NotContains(t, left, child.Process.Pid)
}

// What cannot be seen is not taken for gone.
func TestLeftoversWithoutDescriptors(t *testing.T) {
	var limit, none syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none = limit
	none.Cur = 0
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	_, err := Leftovers()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.ErrorIs(t, err, syscall.EMFILE)
}

func TestFreePorts(t *testing.T) {
	t.Parallel()
	ports, err := FreePorts("127.0.0.1", 200)
	require.NoError(t, err)
	slices.Sort(ports)
	assert.Positive(t, ports[0])
	assert.Len(t, slices.Compact(ports), 200, "no port twice")
	_, err = FreePorts("no.such.host.invalid", 1)
	require.Error(t, err)
	require.NoError(t, checkFree(""))
	_, err = os.Stat("/proc/self/exe")
	require.NoError(t, err)
}
