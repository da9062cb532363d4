package bench_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpbench/internal/spawn"
)

// keepAwake keeps every processor from sleeping until the returned function is called, by a thread on each that gives
// way to all others (SCHED_IDLE, sched(7)). A processor that nothing runs on for long wakes late, a virtual one by up to
// some milliseconds after a second: that is the host's, and neither the server's that waits nor the suite's.
func keepAwake(t *testing.T) (end func()) {
	t.Helper()
	cpus, err := spawn.CPUs()
	require.NoError(t, err)
	var over atomic.Bool
	var idlers sync.WaitGroup
	failed := make(chan error, len(cpus))
	for _, cpu := range cpus {
		idlers.Go(func() {
			// Never unlocked, so that the thread ends with the goroutine.
			runtime.LockOSThread()
			err := idleOn(cpu)
			failed <- err
			for err == nil && !over.Load() {
			}
		})
	}
	for range cpus {
		require.NoError(t, <-failed)
	}
	return func() {
		over.Store(true)
		idlers.Wait()
	}
}

// idleOn confines the calling thread to a CPU, and has it run there only when nothing else does.
func idleOn(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}
