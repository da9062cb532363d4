package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/mcp"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// caught tries the short form on a calibrator with the given arguments in place of, or besides, its own.
func caught(t *testing.T, args ...string) map[string]stat.Verdict {
	t.Helper()
	s := shortSuite(t, variant(t, append([]string{"-upstream=1"}, args...)...), "")
	plans, _ := scenarios.Overloads(s.subject)
	plan := plans[0].Short()
	plan.Bound, plan.Connections, plan.Refusals = 4, 60, 400
	plan.Before, plan.Ramp, plan.During, plan.After = time.Second/2, time.Second/2, time.Second, time.Second/2
	ruled := judgeOverload(t, s, plan, "one: why")
	t.Logf("\n%s", ruled.table())
	return verdictsOf(ruled)
}

func verdictsOf(r *ruling) map[string]stat.Verdict {
	all := map[string]stat.Verdict{"": r.verdict()}
	for _, f := range r.findings {
		all[f.what] = f.verdict
	}
	return all
}

// TestOverloadCatches has a server whose faults are known be overloaded: one that does all right, and then ones that
// do one thing wrong each. None of what is caught is a matter of how busy the machine is.
func TestOverloadCatches(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		for what, verdict := range caught(t) {
			assert.NotEqual(t, stat.Fail, verdict, what)
		}
	})
	for _, tt := range []struct {
		fault string
		args  []string
		what  string
	}{
		// The surface's arguments come last, so that the bound of each credential can be undone.
		{"a queue", []string{"-refuse-above-each=-1", "-serve-at-once=4"}, "everything else refused"},
		{"a bound for all", []string{"-refuse-above-each=-1", "-refuse-above=1"}, "probe"},
		{"a bound too high", []string{"-refuse-above-each=32"}, "admitted"},
		{"no word when to come back", []string{"-refuse-silently"}, "Retry-After"},
		{"bytes kept", []string{"-retain-refusal=256KiB"}, "memory of the second half"},
		{"few bytes kept", []string{"-retain-refusal=1KiB"}, "kept of refusals"},
		{"slow refusals", []string{"-refuse-after=30ms"}, "refused at once"},
		{"failures", []string{"-fault=error-200:50"}, "everything else refused"},
		{"sockets kept", []string{"-leak-descriptors=1"}, "descriptors"},
		{"sockets kept of health checks", []string{"-keep=health:socket"}, "descriptors"},
		{"refusals without need", []string{"-refuse-every=10"}, "none refused before and after"},
		{"an end", []string{"-fault=exit-mid-load:100"}, "process"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel() // for what is caught it does not matter
			found := caught(t, tt.args...)
			assert.Equal(t, stat.Fail, found[tt.what], "%s", tt.what)
			assert.Equal(t, stat.Fail, found[""])
		})
	}
}

// passing are figures of which nothing is wrong.
func passing() overloadFigures {
	even := func(d time.Duration) sortedTimes {
		all := make(sortedTimes, 1000)
		for i := range all {
			all[i] = d + time.Duration(i)*time.Microsecond
		}
		return all
	}
	grown, recovered := int64(0), time.Second
	return overloadFigures{
		plan: scenarios.Overload{
			Variant: scenarios.OverloadRequests, Bound: 64, Latency: 50 * time.Millisecond, Connections: 2000, Slower: 1, During: time.Minute,
		},
		capacity: 1280, capacityDuring: 1280, before: 1250, admitted: 1250, after: 1250,
		asked: 2000, refused: 1000, byBusy: 1000,
		refusal:    even(time.Millisecond),
		busyBefore: even(50 * time.Millisecond), busyDuring: even(50 * time.Millisecond), busyAfter: even(50 * time.Millisecond),
		probe: answered{calls: 100}, health: answered{calls: 100},
		recovery: &recovered,
		rssFirst: 100 * mib, rssSecond: 100 * mib,
		descriptors: [3]int{100, 100, 100},
		refusing:    &refusing{refused: 100_000, cpu: time.Second, grown: &grown},
	}
}

// TestOverloadRules has one figure at a time be just good enough, and then not.
func TestOverloadRules(t *testing.T) {
	require.Equal(t, stat.Pass, verdictsOf(ruleOf(passing()))[""])
	grown := func(n int64) *int64 { return &n }
	later := func(d time.Duration) sortedTimes {
		all := passing().busyBefore
		for i := range all {
			all[i] += d
		}
		return all
	}
	for _, tt := range []struct {
		what   string
		change func(*overloadFigures)
		want   stat.Verdict
	}{
		{"admitted", func(f *overloadFigures) { f.admitted = 1153 }, stat.Pass},
		{"admitted", func(f *overloadFigures) { f.admitted = 1151 }, stat.Fail},
		{"admitted", func(f *overloadFigures) { f.admitted = 1409 }, stat.Fail},
		{"admitted", func(f *overloadFigures) { f.admitted, f.before = 1151, 1151 }, stat.Inconclusive},
		{"admitted", func(f *overloadFigures) { f.admitted, f.before = 1409, 1151 }, stat.Fail},
		{"admitted", func(f *overloadFigures) { f.admitted, f.doubts = 1151, []string{"others"} }, stat.Inconclusive},
		{"admitted", func(f *overloadFigures) { f.admitted, f.doubts = 1409, []string{"others"} }, stat.Fail},
		{"everything else refused", func(f *overloadFigures) { f.refused = 0 }, stat.Fail},
		{"everything else refused", func(f *overloadFigures) { f.failed = 1 }, stat.Fail},
		{"everything else refused", func(f *overloadFigures) { f.unanswered = 1 }, stat.Fail},
		{"everything answered", func(f *overloadFigures) { f.plan.Connections, f.refused = 0, 0 }, stat.Pass},
		{"everything answered", func(f *overloadFigures) { f.plan.Connections, f.refused = 0, 1 }, stat.Fail},
		{"Retry-After", func(f *overloadFigures) { f.untold = 1 }, stat.Fail},
		{"refused at once", func(f *overloadFigures) { f.refusal = nil }, stat.Inconclusive},
		{"refused at once", func(f *overloadFigures) { f.refusal = append(f.refusal[:1:1], later(0)...) }, stat.Fail},
		{"refused at once", func(f *overloadFigures) {
			f.refusal, f.doubts = append(f.refusal[:1:1], later(0)...), []string{"others"}
		}, stat.Inconclusive},
		{"refused at once", func(f *overloadFigures) { f.refusal, f.doubts = later(0), []string{"others"} }, stat.Fail},
		{"admitted", func(f *overloadFigures) { f.plan.Credentials, f.demand, f.admitted = 200, 180, 162 }, stat.Pass},
		{"admitted", func(f *overloadFigures) { f.plan.Credentials, f.demand, f.admitted = 200, 180, 161 }, stat.Fail},
		{"admitted", func(f *overloadFigures) {
			f.plan.Credentials, f.demand, f.admitted, f.doubts = 200, 180, 161, []string{"others"}
		}, stat.Inconclusive},
		{"admitted", func(f *overloadFigures) {
			f.plan.Credentials, f.demand, f.admitted, f.before = 200, 180, 161, 1151
		}, stat.Inconclusive},
		{"answered in time", func(f *overloadFigures) { f.crowd.late = 1 }, stat.Fail},
		{"answered in time", func(f *overloadFigures) { f.crowd.late, f.doubts = 1, []string{"others"} }, stat.Inconclusive},
		{"refused at once", func(f *overloadFigures) { f.refusal[989] = 26 * time.Millisecond }, stat.Fail},
		{"refused at once", func(f *overloadFigures) { f.refusal = f.refusal[:300] }, stat.Pass},
		{"refused at once", func(f *overloadFigures) { // GitLab being slower is no excuse
			f.refusal, f.plan.Slower, f.capacityDuring = append(f.refusal[:1:1], later(0)...), 3, 427
		}, stat.Fail},
		{"processor time of a refusal", func(f *overloadFigures) { f.refusing.cpu = 99_999 * time.Millisecond }, stat.Pass},
		{"processor time of a refusal", func(f *overloadFigures) { f.refusing.cpu = 100 * time.Second }, stat.Fail},
		{"processor time of a refusal", func(f *overloadFigures) {
			f.refusing.cpu, f.doubts = 100*time.Second, []string{"others"}
		}, stat.Inconclusive},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.grown = nil }, stat.Inconclusive},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.grown = grown(799_999) }, stat.Pass},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.grown = grown(800_000) }, stat.Fail},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.refused, f.refusing.grown = 10, grown(262_144) }, stat.Fail},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.other = 1 }, stat.Fail},
		{"kept of refusals", func(f *overloadFigures) { f.refusing.refused = 0 }, stat.Fail},
		{"kept of refusals", func(f *overloadFigures) { f.refusing = nil }, stat.Fail},
		{"memory of the second half", func(f *overloadFigures) { f.rssSecond = 104.9 * mib }, stat.Pass},
		{"memory of the second half", func(f *overloadFigures) { f.rssSecond = 106 * mib }, stat.Fail},
		{"memory of the second half", func(f *overloadFigures) { f.rssFirst = 0 }, stat.Fail},
		{"memory of the second half", func(f *overloadFigures) {
			f.rssFirst, f.rssSecond, f.plan.During = 30*mib, 33*mib, time.Second
		}, stat.Inconclusive},
		{"memory of the second half", func(f *overloadFigures) {
			f.rssFirst, f.rssSecond, f.plan.During = 30*mib, 34*mib, time.Second
		}, stat.Fail},
		{"memory of the second half", func(f *overloadFigures) {
			f.rssFirst, f.rssSecond, f.doubts = 30*mib, 33*mib, []string{"others"}
		}, stat.Inconclusive},
		{"memory of the second half", func(f *overloadFigures) {
			f.rssFirst, f.rssSecond, f.doubts = 30*mib, 34*mib, []string{"others"}
		}, stat.Fail},
		{"descriptors", func(f *overloadFigures) { f.descriptors[2] = 104 }, stat.Pass},
		{"descriptors", func(f *overloadFigures) { f.descriptors[2] = 105 }, stat.Fail},
		{"connections that ask nothing", func(f *overloadFigures) {
			f.plan.Idle, f.silence = 10, &silence{opened: 10, longest: 30 * time.Second}
		}, stat.Pass},
		{"connections that ask nothing", func(f *overloadFigures) {
			f.plan.Idle, f.silence = 10, &silence{opened: 10, longest: 31 * time.Second}
		}, stat.Fail},
		{"connections that ask nothing", func(f *overloadFigures) { f.plan.Idle, f.silence = 10, &silence{opened: 9} }, stat.Fail},
		{"credentials admitted again", func(f *overloadFigures) { f.plan.Credentials, f.admissions = 200, 626 }, stat.Pass},
		{"credentials admitted again", func(f *overloadFigures) { f.plan.Credentials, f.admissions = 200, 625 }, stat.Fail},
		{"probe", func(f *overloadFigures) { f.probe.wrong = 1 }, stat.Fail},
		{"probe", func(f *overloadFigures) { f.probe.calls = 0 }, stat.Fail},
		{"probe", func(f *overloadFigures) { f.probe.late = 1 }, stat.Fail},
		{"probe", func(f *overloadFigures) { f.probe.late, f.doubts = 1, []string{"others"} }, stat.Inconclusive},
		{"health", func(f *overloadFigures) { f.health.wrong = 1 }, stat.Fail},
		{"health", func(f *overloadFigures) { f.health.late = 1 }, stat.Fail},
		{"none refused before and after", func(f *overloadFigures) { f.refusedBefore = 1 }, stat.Fail},
		{"none refused before and after", func(f *overloadFigures) { f.refusedAfter = 1 }, stat.Fail},
		{"rate after", func(f *overloadFigures) { f.after = 1126 }, stat.Pass},
		{"rate after", func(f *overloadFigures) { f.after = 1124 }, stat.Fail},
		{"rate after", func(f *overloadFigures) { f.after, f.doubts = 640, []string{"others"} }, stat.Inconclusive},
		{"rate after", func(f *overloadFigures) { f.before, f.after = 0, 0 }, stat.Fail},
		{"median after", func(f *overloadFigures) { f.busyAfter = later(2 * time.Millisecond) }, stat.Pass},
		{"median after", func(f *overloadFigures) { f.busyAfter = later(2500 * time.Microsecond) }, stat.Inconclusive},
		{"median after", func(f *overloadFigures) { f.busyAfter = later(3 * time.Millisecond) }, stat.Fail},
		{"median after", func(f *overloadFigures) { f.busyAfter = f.busyAfter[:3] }, stat.Inconclusive},
		{"recovery", func(f *overloadFigures) { f.recovery = nil }, stat.Fail},
	} {
		f := passing()
		tt.change(&f)
		assert.Equal(t, tt.want, verdictsOf(ruleOf(f))[tt.what], "%s", ruleOf(f).table())
	}
}

func ruleOf(f overloadFigures) *ruling { return f.rule("s") }

func TestJudge(t *testing.T) {
	second := func(d time.Duration, o mcp.Outcome) heard { return heard{latency: d, outcome: o, why: "why"} }
	got := judge([]heard{
		second(time.Millisecond, mcp.OK), second(time.Second, mcp.OK), second(2*time.Second, mcp.OK),
		second(time.Millisecond, mcp.Refused), second(time.Millisecond, mcp.Failed),
		second(time.Millisecond, mcp.Cut), second(3*time.Second, mcp.Cut),
	}, time.Second)
	assert.Equal(t, answered{calls: 6, wrong: 2, late: 2, cut: 1, longest: 3 * time.Second, why: "failed, why"}, got,
		"one that the end cut is nobody's fault, unless it had waited too long by then")
}

func TestRecovery(t *testing.T) {
	begun := time.Unix(1000, 0)
	row := func(answers ...heard) []heard {
		for i := range answers {
			answers[i].at = begun.Add(time.Duration(i+1) * time.Second)
		}
		return answers
	}
	quick, slow, refused := heard{latency: 105 * time.Millisecond}, heard{latency: 106 * time.Millisecond}, heard{outcome: mcp.Refused}
	before := ranked{at: 100 * time.Millisecond}
	for _, tt := range []struct {
		after []heard
		want  time.Duration
	}{
		{row(quick, quick, quick), 3 * time.Second},
		{row(slow, slow, quick, quick, quick), 4 * time.Second},
		{row(quick, quick, refused, quick, quick, slow), 6 * time.Second},
		{row(quick, quick), 0},
		{row(slow, slow, slow, slow), 0},
	} {
		got := recovery(tt.after, begun, 3, before)
		if tt.want == 0 {
			assert.Nil(t, got)
			continue
		}
		require.NotNil(t, got)
		assert.Equal(t, tt.want, *got)
	}
}

func TestBackOff(t *testing.T) {
	for range 100 {
		told := backOff(&mcp.Reply{Told: true, RetryAfter: 2 * time.Second})
		assert.GreaterOrEqual(t, told, 2*time.Second)
		assert.Less(t, told, 2600*time.Millisecond)
		assert.GreaterOrEqual(t, backOff(&mcp.Reply{}), untoldWait)
		assert.GreaterOrEqual(t, backOff(&mcp.Reply{Told: true}), time.Duration(0))
	}
}
