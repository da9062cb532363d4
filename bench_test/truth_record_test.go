package bench_test

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// measure runs the experiment and its base in each round, and takes the median of what the rounds found.
func (e experiment) measure(t *testing.T) truthTable {
	t.Helper()
	found := make([][]float64, len(e.costs))
	for round := range max(1, e.run.rounds) {
		less, more := e.round(t, round)
		for i, c := range e.costs {
			amount := c.find(t, more)
			if c.base != nil {
				amount -= c.base(t, less)
			}
			found[i] = append(found[i], amount)
		}
	}
	var table truthTable
	for i, c := range e.costs {
		table = append(table, truthRow{c.what, c.set, c.want, medianOf(t, found[i]), c.within, c.show, found[i]})
	}
	return table
}

// round runs the base, if there is one, and what is held against it; every other round the other way around, so that
// what changes on the host with time adds to either.
func (e experiment) round(t *testing.T, round int) (base, rec *record.Record) {
	t.Helper()
	run := e.run
	run.step = cmp.Or(run.base, run.step)
	switch {
	case !slices.ContainsFunc(e.costs, func(c knownCost) bool { return c.base != nil }):
		return nil, e.trials.measure(t, e.run, e.args)
	case round%2 == 0:
		base = e.trials.measure(t, run, e.base)
		return base, e.trials.measure(t, e.run, e.args)
	default:
		rec = e.trials.measure(t, e.run, e.args)
		return e.trials.measure(t, run, e.base), rec
	}
}

// experiments lists what is set in the server and found in the record.
func experiments(trials *truthTrials) []truthPart {
	var list []experiment
	for _, bytes := range []int{10 << 10, 50 << 10, 1 << 20} {
		list = append(list, retained(bytes))
	}
	list = append(list, burned(100*time.Microsecond, 9), burned(time.Millisecond, 3), burned(10*time.Millisecond, 3), burnedByMethod(),
		tree(), upstreamCosts(), spike())
	for _, how := range []string{"503", "429", "rpc"} {
		list = append(list, refusedEvery(how), refusedAbove(how))
	}
	for _, awake := range []bool{true, false} {
		for _, d := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
			list = append(list, delayed(d, awake))
		}
		list = append(list,
			latencies("bimodal:10ms@0.95,100ms@0.05", modes(10e6, 100e6), awake), latencies("lognormal:20ms,0.8", lognormal(20e6, 0.8), awake))
	}
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
// costs more than where there is none, since others' work has taken its place in the caches. What else a call costs
// differs by some microseconds from one process to the next, which takes many of them to find little.
func burned(d time.Duration, rounds int) experiment {
	return experiment{
		name: fmt.Sprintf("burn %v", d), base: []string{"-cpu-call=1ms"}, args: []string{"-cpu-call=" + (d + time.Millisecond).String()},
		run:   truthRun{rounds: rounds},
		costs: []knownCost{burnedMore("CPU a call", d, "call-cpu-ns/call")},
	}
}

func burnedMore(what string, d time.Duration, unit string) knownCost {
	return knownCost{
		what: what, set: d.String() + " more", want: float64(d), within: cpuWithin, find: figure(unit), base: figure(unit), show: inTime,
	}
}

// burnedByMethod has each listing burn something else than a call.
func burnedByMethod() experiment {
	return experiment{
		name: "burn by method", base: []string{"-cpu-call=1ms", "-cpu-list=1ms"}, args: []string{"-cpu-call=4ms", "-cpu-list=2ms"},
		run: truthRun{rounds: 3},
		costs: []knownCost{
			burnedMore("CPU a listing, calls taking another time", time.Millisecond, "list-cpu-ns/call"),
			burnedMore("CPU a call, listings taking another time", 3*time.Millisecond, "call-cpu-ns/call"),
		},
	}
}

// tree has two children hold memory, and burn processor time.
func tree() experiment {
	return experiment{
		name: "tree", base: []string{"-children=2", "-child-cpu=1ms"}, args: []string{"-children=2", "-child-cpu=2ms", "-child-bytes=64MiB"},
		run: truthRun{rounds: 3, rests: true},
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
		run: truthRun{pattern: "Series/surface=upstream/creds="},
		costs: []knownCost{
			{what: "tools in the record", set: "100", want: 100, find: figure("tools"), show: inNumber},
			{what: "listing in the record", set: "100000 B and the id", want: 100000 + idDigits, find: figure("list-bytes"), show: inBytes},
			{what: "upstream requests a call in the record", set: "3", want: 3, find: figure("upstream-requests/call"), show: inNumber},
		},
	}
}

// spike has memory be resident for a fifth of the time between two looks at it: it is in the peak all the same. It
// comes with the first call, so that there is to be no other after it, which the server's own peak would be of.
func spike() experiment {
	return experiment{
		name: "spike", args: []string{"-spike=200MiB:20ms"},
		run: truthRun{pattern: "Sweep/setting=single/value=1", step: time.Second, rounds: 3},
		costs: []knownCost{{
			what: "peak resident set of a spike in the record", set: "200 MiB for 20 ms", want: 200 * mib, within: residentWithin,
			find: figure("peak-RSS-bytes"), base: figure("peak-RSS-bytes"), show: inMiB,
		}},
	}
}

// refusedEvery has every tenth of 200 calls refused.
func refusedEvery(how string) experiment {
	e := refusals("every 10th", how, 200, 20, "-refuse-every=10")
	e.run.pattern = "Sweep/setting=often/value=1"
	return e
}

// refusedAbove has 20 callers call once, all before the first is answered, and five of them admitted.
func refusedAbove(how string) experiment {
	e := refusals("above 5 at once", how, 20, 15, "-refuse-above=5", "-latency=const:3s")
	e.run.pattern = "Sweep/setting=once/value=1"
	return e
}

// refusals have some of the calls refused, of which the others ask GitLab once each.
func refusals(which, how string, calls, refused float64, args ...string) experiment {
	set := fmt.Sprintf("%s of %.0f, as %s", which, calls, how)
	return experiment{
		name: "refuse " + set, args: append(args, "-refuse-status="+how),
		run: truthRun{step: time.Second, refuses: true},
		costs: []knownCost{
			{what: "calls in the record", set: set, want: calls, find: figure("calls"), show: inNumber},
			{what: "calls refused in the record", set: set, want: refused, find: figure("refused-calls"), show: inNumber},
			{what: "of these, in the record as what they are", set: set, want: refused, find: refusedAs(how), show: inNumber},
			{what: "calls failed in the record", set: set, want: 0, find: figure("failed-calls"), show: inNumber},
			{what: "upstream requests a call in the record", set: set, want: (calls - refused) / calls, find: figure("upstream-requests/call"), show: inNumber},
		},
	}
}

// delayed has the start and the first listing take a time longer.
func delayed(d time.Duration, awake bool) experiment {
	return experiment{
		name: "delay " + d.String() + onHost(awake), args: []string{"-list-delay=" + d.String(), "-start-delay=" + d.String()},
		run: truthRun{rounds: 3, step: time.Second, awake: awake},
		costs: []knownCost{
			{what: "start" + onHost(awake), set: d.String() + " more", want: float64(d), within: startWithin, find: figure("ready-ns"), base: figure("ready-ns"), show: inTime},
			{what: "first listing" + onHost(awake), set: d.String(), want: float64(d), within: startWithin, find: figure("first-list-ns"), show: inTime},
		},
	}
}

// onHost is what sets a quantity apart that was measured as all that is published is, with nothing done to the host.
func onHost(awake bool) string {
	if awake {
		return ""
	}
	return hostAsIs
}

const hostAsIs = ", host as it is"

// latencies has calls take times of a distribution with the given quantiles. What waking up and the loopback interface take is the same
// whatever was set: it is found where all calls take the same time, as what their median is above it.
func latencies(distribution string, q quantiles, awake bool) experiment {
	const constant = 10 * time.Millisecond
	wire := func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		return figure("call-p50-ns")(t, rec) - float64(constant)
	}
	rounds := 3
	if awake { // which the others are held against
		rounds = 5
	}
	e := experiment{
		name: distribution + onHost(awake), args: []string{"-latency=" + distribution}, base: []string{"-latency=const:" + constant.String()},
		run: truthRun{rounds: rounds, step: 10 * time.Second, base: 3 * time.Second, awake: awake},
	}
	for _, c := range []struct {
		what, unit string
		want       float64
	}{{"p50", "call-p50-ns", q.p50}, {"p99", "call-p99-ns", q.p99}, {"max", "call-max-ns", q.max}} {
		e.costs = append(e.costs, knownCost{
			what: c.what + onHost(awake), set: distribution, want: c.want, within: latencyWithin, find: figure(c.unit), base: wire, show: inTime,
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

// refusedAs finds how many calls the record says were refused in a way.
func refusedAs(how string) func(*testing.T, *record.Record) float64 {
	reason := "status " + how
	if how == "rpc" {
		reason = "json-rpc -32005"
	}
	refusal := regexp.MustCompile(`(\d+) × ` + reason + ":")
	return func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		n := 0.0
		for _, count := range refusal.FindAllStringSubmatch(strings.Join(rec.Results[0].Certificate, "\n"), -1) {
			amount, err := strconv.ParseFloat(count[1], 64)
			require.NoError(t, err)
			n += amount
		}
		return n
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
