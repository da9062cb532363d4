package meter

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadHost(t *testing.T) {
	t.Parallel()
	h, err := ReadHost()
	require.NoError(t, err)
	assert.Equal(t, "linux", h.OS)
	assert.Equal(t, runtime.GOARCH, h.Arch)
	assert.NotEmpty(t, h.Kernel)
	assert.GreaterOrEqual(t, h.LogicalCPUs, runtime.NumCPU())
	assert.Greater(t, h.MemoryTotal, h.MemoryAvailable)
	name, err := os.Hostname()
	require.NoError(t, err)
	if len(name) > 4 { // a shorter one may be part of any word
		assert.NotContains(t, h.Label(), name)
	}

	available, err := AvailableMemory()
	require.NoError(t, err)
	assert.Positive(t, available)
	all := make([]int, runtime.NumCPU())
	for i := range all {
		all[i] = i
	}
	before, err := HostCPU(all)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, before.Steal, time.Duration(0))
	spent := burn(t, 100*time.Millisecond)
	after, err := HostCPU(all)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, after.Processes-before.Processes, spent/2, "what this process burned is in it, sampled by ticks")
	_, err = HostCPU([]int{1 << 20})
	require.ErrorContains(t, err, "cpu1048576")
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz": "linux-amd64-2cpu-24gib-intel-xeon-platinum-8259cl",
		"AMD EPYC 7R13 48-Core Processor":                "linux-amd64-2cpu-24gib-amd-epyc-7r13",
		"":                                               "linux-amd64-2cpu-24gib",
	} {
		h := Host{OS: "linux", Arch: "amd64", LogicalCPUs: 2, MemoryTotal: 24<<30 - 300<<20, CPUModel: model}
		assert.Equal(t, want, h.Label())
	}
}

// burn keeps a CPU busy until this process has used d more of it, and returns what it used.
func burn(t *testing.T, d time.Duration) time.Duration {
	t.Helper()
	start, err := SelfCPU()
	require.NoError(t, err)
	for {
		now, err := SelfCPU()
		require.NoError(t, err)
		if now-start >= d {
			return now - start
		}
	}
}
