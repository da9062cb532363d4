package main

import (
	"os"
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
		const times = 20
		before, said := cpu(t, os.Getpid()), b.total()
		for range times {
			b.burn(d)
		}
		said = b.total() - said
		found := cpu(t, os.Getpid()) - before
		assert.InEpsilon(t, float64(times*d), float64(said), 0.02, "%v by its own account", d)
		assert.InEpsilon(t, float64(times*d), float64(found), 0.02, "%v by the process's", d)
	}
}

// TestCPUOfCalls compares two processes, one that burns and one that does not: the best of some batches, since a
// crowded machine makes the same work cost more.
func TestCPUOfCalls(t *testing.T) {
	const calls, d = 10, 10 * time.Millisecond
	cost := func(text string, args ...string) time.Duration {
		p, addr := startHTTP(t, args...)
		best := time.Hour
		for range 6 {
			before := cpu(t, p.Process.Pid)
			for range calls {
				post(t, addr, text)
			}
			best = min(best, cpu(t, p.Process.Pid)-before)
		}
		return best
	}
	for flag, text := range map[string]string{
		"-cpu-call=10ms": callMessage(1, ""),
		"-cpu-list=10ms": message(1, "tools/list", ""),
	} {
		plain, burning := cost(text), cost(text, flag)
		t.Logf("%s: %v without, %v with", flag, plain/calls, burning/calls)
		assert.InEpsilon(t, float64(calls*d), float64(burning-plain), 0.02, flag)
	}
}
