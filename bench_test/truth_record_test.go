package bench_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// experiment is one or several costs that are set in runs of the suite, of which each is a user's.
type experiment struct {
	name   string
	trials *truthTrials
	// args are given to the calibrator, and base to the one that it is held against: a cost is found as the
	// difference to the same server without it, where the server itself has a part in the figure.
	args, base []string
	run        truthRun
	costs      []knownCost
}

// knownCost is what one figure of the record has to be.
type knownCost struct {
	what, set string
	want      float64
	within    tolerance
	find      func(*testing.T, *record.Record) float64
	show      func(float64) string
	// base finds what is taken off, in the record of the base; nothing where the server has no part in the figure.
	base func(*testing.T, *record.Record) float64
}

// measure runs the experiment, in each round after its base, and takes the median of what the rounds found.
func (e experiment) measure(t *testing.T) truthTable {
	t.Helper()
	found := make([][]float64, len(e.costs))
	for round := range max(1, e.run.rounds) {
		for i, c := range e.costs {
			less := 0.0
			if c.base != nil {
				less = c.base(t, e.trials.measure(t, round, e.run, e.base))
			}
			found[i] = append(found[i], c.find(t, e.trials.measure(t, round, e.run, e.args))-less)
		}
	}
	var table truthTable
	for i, c := range e.costs {
		table = append(table, truthRow{c.what, c.set, c.want, medianOf(t, found[i]), c.within, c.show})
	}
	return table
}

// experiments lists what is set in the server and found in the record.
func experiments(trials *truthTrials) []truthPart {
	var list []experiment
	for _, bytes := range []int{10 << 10, 50 << 10, 1 << 20} {
		list = append(list, retained(bytes))
	}
	for _, d := range []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
		list = append(list, burned(d))
	}
	list = append(list, tree(), upstreamCosts())
	for _, d := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
		list = append(list, delayed(d))
	}
	list = append(list, latencies("bimodal:10ms@0.95,100ms@0.05", modes(10e6, 100e6)), latencies("lognormal:20ms,0.8", lognormal(20e6, 0.8)))
	var parts []truthPart
	for _, e := range list {
		e.trials = trials
		parts = append(parts, truthPart{e.name, e.measure})
	}
	return parts
}

// retained has each credential retain memory.
func retained(bytes int) experiment {
	return experiment{
		name: fmt.Sprintf("retain %d", bytes), args: []string{fmt.Sprintf("-retain-credential=%d", bytes)},
		run: truthRun{creds: "1,40,80"},
		costs: []knownCost{{
			what: "retained a credential", set: inBytes(float64(bytes)), want: float64(bytes), within: retainedWithin,
			find: slope("closed-heap-bytes"), base: slope("closed-heap-bytes"), show: inBytes,
		}},
	}
}

// burned has each call burn processor time, on top of a millisecond that it burns anyway: what is around a burn
// costs more than where there is none, since others' work has taken its place in the caches.
func burned(d time.Duration) experiment {
	return experiment{
		name: fmt.Sprintf("burn %v", d), base: []string{"-cpu-call=1ms"}, args: []string{"-cpu-call=" + (d + time.Millisecond).String()},
		run: truthRun{rounds: 3},
		costs: []knownCost{{
			what: "CPU a call", set: d.String() + " more", want: float64(d), within: cpuWithin,
			find: figure("call-cpu-ns/call"), base: figure("call-cpu-ns/call"), show: inTime,
		}},
	}
}

// tree has two children hold memory, and burn processor time.
func tree() experiment {
	return experiment{
		name: "tree", base: []string{"-children=2", "-child-cpu=1ms"}, args: []string{"-children=2", "-child-cpu=2ms", "-child-bytes=64MiB"},
		run: truthRun{rounds: 3},
		costs: []knownCost{
			{
				what: "resident set of a tree of three", set: "2 × 64 MiB", want: 128 * mib, within: residentWithin,
				find: figure("rest-RSS-bytes"), base: figure("rest-RSS-bytes"), show: inMiB,
			},
			{
				what: "CPU of a tree of three a call", set: "2 × 1 ms more", want: 2e6, within: cpuWithin,
				find: figure("call-cpu-ns/call"), base: figure("call-cpu-ns/call"), show: inTime,
			},
		},
	}
}

// upstreamCosts are exact.
func upstreamCosts() experiment {
	return experiment{
		name: "listing and upstream", args: []string{"-tools=100", "-listing-bytes=100000", "-upstream=3"},
		run: truthRun{surface: "upstream"},
		costs: []knownCost{
			{what: "tools in the record", set: "100", want: 100, find: figure("tools"), show: inNumber},
			{what: "listing in the record", set: "100000 B and the id", want: 100000 + idDigits, find: figure("list-bytes"), show: inBytes},
			{what: "upstream requests a call in the record", set: "3", want: 3, find: figure("upstream-requests/call"), show: inNumber},
		},
	}
}

// delayed has the start and the first listing take a time longer.
func delayed(d time.Duration) experiment {
	return experiment{
		name: "delay " + d.String(), args: []string{"-list-delay=" + d.String(), "-start-delay=" + d.String()},
		run: truthRun{rounds: 5, step: time.Second, awake: true},
		costs: []knownCost{
			{what: "start", set: d.String() + " more", want: float64(d), within: startWithin, find: figure("ready-ns"), base: figure("ready-ns"), show: inTime},
			{what: "first listing", set: d.String(), want: float64(d), within: startWithin, find: figure("first-list-ns"), show: inTime},
		},
	}
}

// latencies has calls take times of a distribution with the given quantiles. What waking up and the loopback interface take is the same
// whatever was set: it is found where all calls take the same time, as what their median is above it.
func latencies(distribution string, q quantiles) experiment {
	const constant = 10 * time.Millisecond
	wire := func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		return figure("call-p50-ns")(t, rec) - float64(constant)
	}
	e := experiment{
		name: distribution, args: []string{"-latency=" + distribution}, base: []string{"-latency=const:" + constant.String()},
		run: truthRun{rounds: 5, step: 10 * time.Second, awake: true},
	}
	for _, c := range []struct {
		what, unit string
		want       float64
	}{{"p50", "call-p50-ns", q.p50}, {"p99", "call-p99-ns", q.p99}, {"max", "call-max-ns", q.max}} {
		e.costs = append(e.costs, knownCost{
			what: c.what, set: distribution, want: c.want, within: latencyWithin, find: figure(c.unit), base: wire, show: inTime,
		})
	}
	return e
}

// quantiles of a distribution, in ns. The longest of a thousand draws is its quantile at 0.9995.
type quantiles struct{ p50, p99, max float64 }

func modes(low, high float64) quantiles { return quantiles{low, high, high} }

// lognormal is given by the mean and the standard deviation of the logarithm. z of 0.99 and 0.9995 are of tables of the
// standard normal distribution.
func lognormal(mean, sigma float64) quantiles {
	at := func(z float64) float64 { return mean * math.Exp(-sigma*sigma/2+sigma*z) }
	return quantiles{at(0), at(2.32635), at(3.29053)}
}

// Bounds of what is found.
var (
	retainedWithin = tolerance{part: 0.02, amount: 1 << 10}
	residentWithin = tolerance{part: 0.02}
	cpuWithin      = tolerance{part: 0.02}
	latencyWithin  = tolerance{part: 0.02, amount: 0.2e6}
	startWithin    = tolerance{amount: 5e6}
	stallWithin    = tolerance{part: 0.05}
)

// figure finds a metric of the step of the least credentials.
func figure(unit string) func(*testing.T, *record.Record) float64 {
	return func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		r := rec.Results[0]
		amount, ok := r.Value(unit)
		require.True(t, ok, "%s: %s", unit, r.Absent[unit])
		return amount
	}
}

// slope finds what a metric grows by for each credential.
func slope(unit string) func(*testing.T, *record.Record) float64 {
	return func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		var points []stat.XY
		for _, r := range rec.Results {
			clients, _ := r.Value("clients")
			amount, ok := r.Value(unit)
			require.True(t, ok, "%s: %s", unit, r.Absent[unit])
			points = append(points, stat.XY{X: clients, Y: amount})
		}
		line, err := stat.Fit(points)
		require.NoError(t, err)
		return line.Slope
	}
}
