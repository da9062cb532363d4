package main

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBurn compares with the clock of the whole process, in which nothing else runs.
func TestBurn(t *testing.T) {
	b, err := newBurner()
	require.NoError(t, err)
	b.burn(0)
	require.Zero(t, b.total())
	for _, d := range []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
		const whole = 100 * time.Millisecond
		found := time.Hour
		for range 3 { // the best: a crowded machine makes the same work cost more
			before, said := cpu(t, os.Getpid()), b.total()
			for range whole / d {
				b.burn(d)
			}
			found = min(found, cpu(t, os.Getpid())-before)
			assert.InDelta(t, whole, b.total()-said, float64(300*time.Microsecond), "%v by its own account", d)
		}
		assert.InEpsilon(t, float64(whole), float64(found), 0.02, "%v by the process's clock", d)
	}
}

// TestCPUOfCalls compares two processes, one that burns and one that does not. It burns for long, because handling a
// call costs more when the last was long ago: some tenths of a millisecond on a virtual machine. It takes the best of
// some batches, since a crowded machine makes the same work cost more.
func TestCPUOfCalls(t *testing.T) {
	const calls, d = 2, 100 * time.Millisecond
	cost := func(args ...string) time.Duration {
		p, addr := startHTTP(t, args...)
		best := time.Hour
		for range 4 {
			before := cpu(t, p.Process.Pid)
			for range calls {
				post(t, addr, callMessage(1, ""))
			}
			best = min(best, cpu(t, p.Process.Pid)-before)
		}
		return best
	}
	plain, burning := cost(), cost("-cpu-call=100ms")
	t.Logf("a call takes %v, %v when it burns", plain/calls, burning/calls)
	assert.InEpsilon(t, float64(calls*d), float64(burning-plain), 0.02)
}

// TestCPUIsAccountedFor has calls and listings burn at the same time.
func TestCPUIsAccountedFor(t *testing.T) {
	s, addr := newTestHTTP(t, "-cpu-call=2ms", "-cpu-list=1ms")
	var asking sync.WaitGroup
	for range 10 {
		asking.Go(func() { _, _ = tryPost(t, addr, callMessage(1, "")) })
		asking.Go(func() { _, _ = tryPost(t, addr, message(1, "tools/list", "")) })
	}
	asking.Wait()
	assert.InDelta(t, 30*time.Millisecond, s.totals().BurnedNS, float64(time.Millisecond))
}

// The ids of threads begin at the bottom again after the greatest there is.
func TestFollows(t *testing.T) {
	for _, tt := range []struct {
		process int
		ids     []int
		want    int
	}{
		{100, []int{103, 101, 102}, 101},
		{100, []int{101}, 101},
		{32766, []int{301, 32767, 300}, 32767},
		{32767, []int{302, 300, 301}, 300},
	} {
		assert.Equal(t, tt.want, follows(tt.process, tt.ids), "%v", tt)
	}
}
