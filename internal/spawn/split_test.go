package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		siblings       map[int]string
		cpus           string
		suite, subject string
		sharing        Sharing
	}{
		{"one CPU", nil, "3", "3", "3", SameCPU},
		{"two cores", nil, "0-1", "0", "1", Apart},
		{"three cores", nil, "0-2", "0", "1-2", Apart},
		{"some of many cores", nil, "0,2,4,6-7", "0,2", "4,6-7", Apart},
		{"one core of two threads", map[int]string{0: "0-1\n", 1: "0-1\n"}, "0-1", "0", "1", SameCore},
		{"threads side by side", map[int]string{0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}, "0-3", "0-1", "2-3", Apart},
		{"threads half the CPUs away", map[int]string{0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}, "0-3", "0,2", "1,3", Apart},
		{"a thread of another's core", map[int]string{0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}, "1-3", "1", "2-3", Apart},
		{"a list without the CPU itself", map[int]string{0: "1", 1: "1"}, "0-1", "0", "1", Apart},
		{"no list", map[int]string{0: "none", 1: ""}, "0-1", "0", "1", Apart},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cpus, err := ParseCPUs(test.cpus)
			require.NoError(t, err)
			got := splitCores(cores(topologyOf(t, test.siblings), cpus))
			assert.Equal(t, test.suite, FormatCPUs(got.Suite))
			assert.Equal(t, test.subject, FormatCPUs(got.Subject))
			assert.Equal(t, test.sharing, got.Sharing)
		})
	}
}

// Whatever this host is like, every CPU goes to one side, or the only one to both.
func TestSplitOfThisHost(t *testing.T) {
	t.Parallel()
	cpus, err := CPUs()
	require.NoError(t, err)
	got := SplitCPUs(cpus)
	if len(cpus) == 1 {
		assert.Equal(t, Split{cpus, cpus, SameCPU}, got)
		return
	}
	assert.ElementsMatch(t, cpus, append(got.Suite, got.Subject...))
}

// topologyOf writes lists of siblings as the kernel shows them.
func topologyOf(t *testing.T, siblings map[int]string) string {
	t.Helper()
	dir := t.TempDir()
	for cpu, list := range siblings {
		topology := filepath.Join(dir, fmt.Sprintf("cpu%d", cpu), "topology")
		require.NoError(t, os.MkdirAll(topology, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(topology, "thread_siblings_list"), []byte(list), 0o600))
	}
	return dir
}
