package bench_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/load"
	"mcpbench/internal/meter"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

const (
	// leakPace is how long an hour takes: a leak of 50 MiB/h is made of 50 MiB in that time.
	leakPace = 20 * time.Second
	// leakRuns is how often each leak is judged, and leakAtOnce how many of the runs go on at a time.
	leakRuns, leakAtOnce = 20, 10
	// leakReadings are as few as the rule can well do with, since each reading leaves something behind.
	leakReadings = 75
)

// gateRule is by what the published soak tells a leak.
func gateRule() stat.LeakRule { return soakRule(scenarios.NewSoak(30 * time.Minute)) }

// rightVerdict is that of the gate on a leak of bytes an hour.
func rightVerdict(perHour float64) stat.Verdict {
	if perHour > gateRule().Tolerance*time.Hour.Seconds() {
		return stat.Fail
	}
	return stat.Pass
}

// leaksPerHour are MiB: none, and some on either side of the eight that the gate tolerates, one of them close to it.
func leaksPerHour() []float64 { return []float64{0, 0.5, 5, 9, 50} }

// leakRows judges leaks, by the gate's rule, in processes that serve calls and make garbage meanwhile, by the live
// heap after two collections, in hours of leakPace.
func leakRows(t *testing.T) truthTable {
	t.Helper()
	var table truthTable
	for _, perHour := range leaksPerHour() {
		var leaks []stat.Leak
		for len(leaks) < leakRuns {
			leaks = append(leaks, leaksAtOnce(t, perHour)...)
		}
		table = append(table, leakVerdicts(perHour, rightVerdict(perHour*mib), leaks)...)
	}
	return table
}

// leaksAtOnce judges some processes at the same time.
func leaksAtOnce(t *testing.T, perHour float64) []stat.Leak {
	t.Helper()
	perMinute := perHour * mib * float64(time.Minute) / float64(leakPace)
	runs := make([]leakRun, leakAtOnce)
	for i := range runs {
		c := calibrate(t, fmt.Sprintf("-leak-rate=%.0f", perMinute), "-garbage=64KiB", "-latency=const:40ms")
		runs[i] = leakRun{c, c.callers(t, 1)}
	}
	leaks := make([]stat.Leak, len(runs))
	require.NoError(t, load.Each(t.Context(), len(runs), len(runs), func(ctx context.Context, i int) (err error) {
		leaks[i], err = runs[i].judge(ctx)
		return err
	}))
	for _, run := range runs {
		exit, err := run.instance.process.Stop(t.Context())
		require.NoError(t, err)
		assert.True(t, exit.Clean(), "%v", exit)
	}
	return leaks
}

// leakVerdicts are the rows of one leak: the slope that is furthest off, and how often the verdict was right.
func leakVerdicts(perHour float64, want stat.Verdict, leaks []stat.Leak) truthTable {
	set, within := setLeak(perHour), tolerance{part: 0.1}
	if perHour == 0 {
		within = tolerance{amount: 0.05 * mib} // a tenth of the least leak
	}
	worst, right := perHour*mib, 0.0
	for _, l := range leaks {
		if growth := l.Growth / stat.MiBPerHour * mib; math.Abs(growth-perHour*mib) >= math.Abs(worst-perHour*mib) {
			worst = growth
		}
		if l.Verdict == want {
			right++
		}
	}
	runs := float64(len(leaks))
	return truthTable{
		rowOf(fmt.Sprintf("leak, the furthest off of %.0f runs", runs), set, perHour*mib, worst, within, inMiBPerHour),
		rowOf(fmt.Sprintf("verdict %s on a leak, of %.0f runs", want, runs), set, runs, right, tolerance{}, inNumber),
	}
}

// setLeak says how much of a leak is set, in MiB/h.
func setLeak(perHour float64) string {
	if perHour == 0 {
		return "none"
	}
	return fmt.Sprintf("%g MiB/h", perHour)
}

// leakRun is a process that leaks, and who calls it.
type leakRun struct {
	*calibrated
	callers []load.Worker
}

// judge reads the settled heap for an hour, under load, and judges it.
func (r leakRun) judge(ctx context.Context) (stat.Leak, error) {
	calling, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() {
		_, err := load.Closed(calling, r.callers, load.Options{Duration: time.Hour})
		served <- err
	}()
	// The first readings each leave half a KiB behind in the process, and the four hundredth nothing any more.
	_, err := r.heapOver(ctx, time.Second, 400)
	if err != nil {
		return stat.Leak{}, err
	}
	readings, err := r.heapOver(ctx, leakPace, leakReadings)
	stop()
	if ended := <-served; !errors.Is(ended, context.Canceled) {
		err = errors.Join(err, fmt.Errorf("the load ended too soon: %w", ended))
	}
	if err != nil {
		return stat.Leak{}, err
	}
	return gateRule().Judge(readings)
}

// heapOver reads the live heap n times, each after two collections, over a time that is told as an hour.
func (c *calibrated) heapOver(ctx context.Context, hour time.Duration, n int) ([]stat.XY, error) {
	var readings []stat.XY
	begun := time.Now()
	tick := time.NewTicker(hour / time.Duration(n))
	defer tick.Stop()
	for range n {
		<-tick.C
		at := time.Since(begun)
		live, err := meter.LiveHeap(ctx, c.instance.heap)
		if err != nil {
			return nil, err
		}
		readings = append(readings, stat.XY{X: at.Seconds() / hour.Seconds() * time.Hour.Seconds(), Y: float64(*live.Live)})
	}
	return readings, nil
}

func inMiBPerHour(v float64) string { return fmt.Sprintf("%.3f MiB/h", v/mib) }

// TestLeakVerdicts sees the rows of leaks fail.
func TestLeakVerdicts(t *testing.T) {
	leak := func(perHour float64, v stat.Verdict) stat.Leak {
		return stat.Leak{Growth: perHour * stat.MiBPerHour, Verdict: v}
	}
	for _, tt := range []struct {
		leaks        []stat.Leak
		slope, right bool
	}{
		{[]stat.Leak{leak(5, stat.Fail), leak(5.4, stat.Fail), leak(4.6, stat.Fail)}, true, true},
		{[]stat.Leak{leak(5, stat.Fail), leak(5.6, stat.Fail)}, false, true},
		{[]stat.Leak{leak(4.4, stat.Fail), leak(5, stat.Fail)}, false, true},
		{[]stat.Leak{leak(5, stat.Fail), leak(5, stat.Inconclusive)}, true, false},
	} {
		rows := leakVerdicts(5, stat.Fail, tt.leaks)
		assert.Equal(t, tt.slope, rows[0].holds(), "%v", tt.leaks)
		assert.Equal(t, tt.right, rows[1].holds(), "%v", tt.leaks)
	}
	assert.False(t, leakVerdicts(0, stat.Pass, []stat.Leak{leak(0.06, stat.Pass)})[0].holds())
	assert.True(t, leakVerdicts(0, stat.Pass, []stat.Leak{leak(-0.04, stat.Pass)})[0].holds())
}
