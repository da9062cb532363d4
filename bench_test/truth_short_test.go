package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/load"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// shortParts are the parts of the short form.
func shortParts() []truthPart {
	return []truthPart{
		{"retained", retainedRows}, {"cpu", cpuRows}, {"tree", treeRows}, {"spike", spikeRows}, {"counts", countRows},
		{"start", startRows}, {"latency", latencyRows}, {"stall of an open loop", openStallRows}, {"stall of a closed loop", closedStallRows},
		{"leak verdicts", leakVerdictRows},
	}
}

// shortStall has nothing answered for half of the time that the load takes.
const shortStall = "-stall=1s:2s"

// openStallRows has half of 400 calls be due in a stall of 2 s, of which each waits as long as is left of it. The four
// that wait longest are one in a hundred of all, and a fiftieth of those: they wait longer than all but a fiftieth of it.
func openStallRows(t *testing.T) truthTable {
	t.Helper()
	const stall = float64(2 * time.Second)
	c := calibrate(t, shortStall)
	open, err := load.Open(t.Context(), c.callers(t, 400), 100, load.Options{Duration: 4 * time.Second})
	require.NoError(t, err)
	m := open.Methods[string(record.Call)]
	require.Zero(t, m.Failed, "%v", m.Reasons)
	return truthTable{rowOf("p99 of an open loop, 100 calls/s", "2 s stall in 4 s", 0.98*stall, atRank(m, int(m.OK)*99/100), stallWithin, inTime)}
}

// closedStallRows has a caller who waits for each answer, and so meets the stall once.
func closedStallRows(t *testing.T) truthTable {
	t.Helper()
	const stall = float64(2 * time.Second)
	c := calibrate(t, shortStall)
	closed, err := load.Closed(t.Context(), c.callers(t, 1), load.Options{Duration: 4 * time.Second})
	require.NoError(t, err)
	m := closed.Methods[string(record.Call)]
	require.Zero(t, m.Failed, "%v", m.Reasons)
	return truthTable{rowOf("p99 of a closed loop, which is blind to it", "2 s stall in 4 s", 0, atRank(m, int(m.OK)*99/100), tolerance{amount: stall / 20}, inTime)}
}

// leakVerdictRows judges leaks of readings that were made up: of a heap that collections let fall back to what is
// kept, which the leak adds to, in the half hour and as often as the soak reads it.
func leakVerdictRows(t *testing.T) truthTable {
	t.Helper()
	var table truthTable
	for _, perHour := range leaksPerHour() {
		var leaks []stat.Leak
		for seed := range uint64(leakRuns) {
			leak, err := gateRule().Judge(madeUpReadings(perHour, seed))
			require.NoError(t, err)
			leaks = append(leaks, leak)
		}
		table = append(table, leakVerdicts(perHour, rightVerdict(perHour*mib), leaks)...)
	}
	return table
}

// madeUpReadings leak so many MiB an hour, below garbage of up to 4 MiB, and some KiB of whatever else.
func madeUpReadings(perHour float64, seed uint64) []stat.XY {
	rnd := rand.New(rand.NewPCG(seed, 5))
	plan := scenarios.NewSoak(30 * time.Minute)
	readings := make([]stat.XY, scenarios.SoakReadings)
	for i := range readings {
		at := time.Duration(i) * plan.Every
		garbage := float64(i%5) * mib
		kept := 60*mib + perHour*mib*at.Hours() + 4096*rnd.NormFloat64()
		readings[i] = stat.XY{X: at.Seconds(), Y: kept + garbage}
	}
	return readings
}

// retainedRows has credentials come, and reads the live heap once they are gone.
func retainedRows(t *testing.T) truthTable {
	t.Helper()
	const credentials = 40
	var table truthTable
	for _, bytes := range []int{10 << 10, 50 << 10, 1 << 20} {
		c := calibrate(t, fmt.Sprintf("-retain-credential=%d", bytes), "-goroutines=500")
		c.admit(t, 0, 1) // which has the server's own structures made
		before := c.settledHeap(t)
		c.admit(t, 1, credentials)
		each := (c.settledHeap(t) - before) / credentials
		table = append(table, rowOf("retained a credential", inBytes(float64(bytes)), float64(bytes), each, retainedWithin, inBytes))
	}
	return table
}

// admit has n credentials from the given one on each list once.
func (c *calibrated) admit(t *testing.T, from, n int) {
	t.Helper()
	for i := range n {
		conn := c.dial(t, from+i)
		c.list(t, conn)
		require.NoError(t, conn.Close())
	}
}

// settledHeap is the live heap when no connection is left.
func (c *calibrated) settledHeap(t *testing.T) float64 {
	t.Helper()
	last := -1
	require.Eventually(t, func() bool {
		n, err := c.instance.heap.Goroutines(t.Context())
		require.NoError(t, err)
		settled := n == last
		last = n
		return settled
	}, time.Minute, 20*time.Millisecond)
	live, err := meter.LiveHeap(t.Context(), c.instance.heap)
	require.NoError(t, err)
	return float64(*live.Live)
}

// cpuRows compares calls that burn with calls that burn more, in turn.
func cpuRows(t *testing.T) truthTable {
	t.Helper()
	var table truthTable
	for _, tt := range []struct {
		d     time.Duration
		calls int
	}{{time.Millisecond, 10}, {10 * time.Millisecond, 3}} {
		less, more := onOneCPU(t, "-cpu-call=1ms"), onOneCPU(t, "-cpu-call="+(tt.d+time.Millisecond).String())
		found := difference(t, less, more, 40, tt.calls)
		table = append(table, rowOf("CPU a call", tt.d.String()+" more", float64(tt.d), found, cpuWithin, inTime))
	}
	return table
}

// onOneCPU starts a calibrator on one CPU. On several, what its runtime does to find work for the others while a call
// burns would be a part of what the call costs.
func onOneCPU(t *testing.T, args ...string) *calibrated {
	t.Helper()
	cpus, err := spawn.CPUs()
	require.NoError(t, err)
	return calibrateAs(t, launch{surface: "plain", cpus: cpus[len(cpus)-1:]}, args...)
}

// difference is what a call costs more at one server than at another. Each serves some calls, first the one and then the
// other, and so on, a few at a time, so that some of it is not disturbed; of either the cheapest time counts, to which others' work in the caches and on the CPU has added least.
func difference(t *testing.T, less, more *calibrated, rounds, calls int) float64 {
	t.Helper()
	callers := map[*calibrated][]load.Worker{less: less.callers(t, 1), more: more.callers(t, 1)}
	cheapest := map[*calibrated]float64{less: math.Inf(1), more: math.Inf(1)}
	for range rounds {
		for _, c := range []*calibrated{less, more} {
			before := c.read(t).CPU
			c.run(t, callers[c], calls)
			cheapest[c] = min(cheapest[c], float64(c.read(t).CPU-before)/float64(calls))
		}
	}
	return cheapest[more] - cheapest[less]
}

// treeRows compares a tree of three processes with one that holds and burns less.
func treeRows(t *testing.T) truthTable {
	t.Helper()
	less := onOneCPU(t, "-children=2", "-child-cpu=1ms")
	more := onOneCPU(t, "-children=2", "-child-cpu=11ms", "-child-bytes=64MiB")
	cpu := difference(t, less, more, 25, 3)
	return truthTable{
		rowOf("resident set of a tree of three", "2 × 64 MiB", 128*mib, float64(more.read(t).RSS-less.read(t).RSS), residentWithin, inMiB),
		rowOf("CPU of a tree of three a call", "2 × 10 ms more", 20e6, cpu, cpuWithin, inTime),
	}
}

// startRows compares starts with those without a delay: of either the fastest, which others' work did least to.
func startRows(t *testing.T) truthTable {
	t.Helper()
	const delay, rounds = 500 * time.Millisecond, 7
	least := func(args ...string) (start, listing float64) {
		start, listing = math.Inf(1), math.Inf(1)
		for range rounds {
			c := calibrate(t, args...)
			start = min(start, float64(c.instance.process.ReadyAfter()))
			listing = min(listing, c.firstListing(t))
		}
		return start, listing
	}
	start, listing := least()
	lateStart, lateListing := least("-start-delay="+delay.String(), "-list-delay="+delay.String())
	return truthTable{
		rowOf("start", delay.String()+" more", float64(delay), lateStart-start, startWithin, inTime),
		rowOf("first listing", delay.String()+" more", float64(delay), lateListing-listing, startWithin, inTime),
	}
}

func (c *calibrated) firstListing(t *testing.T) float64 {
	t.Helper()
	conn := c.dial(t, 0)
	defer func() { assert.NoError(t, conn.Close()) }()
	reply := c.list(t, conn)
	return float64(reply.Latency())
}

func medianOf(t *testing.T, values []float64) float64 {
	t.Helper()
	s, err := stat.Summarize(values)
	require.NoError(t, err)
	return s.Median
}

// latencyRows draws a distribution of long times to its end. The longest is not held to anything: it is that of one
// call, and there is always one that had to wait for others' work.
func latencyRows(t *testing.T) truthTable {
	t.Helper()
	const distribution, callers, each = "bimodal:200ms@0.95,800ms@0.05", 50, 20
	c := calibrate(t, "-latency="+distribution)
	p, err := load.Closed(t.Context(), c.callers(t, callers), load.Options{Calls: each, Spread: 200 * time.Millisecond})
	require.NoError(t, err)
	m := p.Methods[string(record.Call)]
	require.EqualValues(t, callers*each, m.OK, "%v", m.Reasons)
	return truthTable{
		rowOf("p50", distribution, 200e6, atRank(m, 500), latencyWithin, inTime),
		rowOf("p99", distribution, 800e6, atRank(m, 990), latencyWithin, inTime),
	}
}
