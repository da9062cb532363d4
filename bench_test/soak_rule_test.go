package bench_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// rule holds what was found to the plan.
func (r *soakRun) rule() *ruling {
	v := &ruling{gate: "soak", subject: r.suite.subject.Name}
	r.ruleCalls(v)
	r.ruleGrowth(v)
	r.ruleRest(v)
	r.ruleLatency(v)
	return v
}

func leastOf(m soakMoment) (float64, bool) { return float64(m.least), true }

func goalOf(m soakMoment) (float64, bool) {
	if m.goal == nil {
		return 0, false
	}
	return float64(*m.goal), true
}

// ruleCalls holds the outcomes of all calls to what they must be.
func (r *soakRun) ruleCalls(v *ruling) {
	all := r.total()
	v.passes("calls", all.failed+all.refused+all.cut == 0,
		fmt.Sprintf("%d failed, %d refused and %d without an answer of %d%s", all.failed, all.refused, all.cut, all.calls, all.why()), "none of either")
	sent := stat.Pass
	if float64(all.unsent) > r.plan.Unsent*float64(all.calls+all.unsent) {
		sent = stat.Inconclusive
	}
	v.hold("calls unsent", sent, fmt.Sprint(all.unsent), fmt.Sprintf("at most %.0f%%", 100*r.plan.Unsent))
}

// soakTotal is what became of calls.
type soakTotal struct {
	calls, failed, refused, cut, unsent int64
	reasons                             map[string]int64
}

func (t *soakTotal) add(path string, p *load.Phase) {
	t.calls += p.Calls()
	t.failed += p.Failed()
	t.refused += p.Refused()
	t.cut += p.Cut
	t.unsent += p.Unsent
	for _, m := range p.Methods {
		for reason, n := range m.Reasons {
			t.reasons[path+": "+mcp.Category(reason)] += n
		}
	}
}

// maxWhy is how many characters of reasons a verdict has room for.
const maxWhy = 300

func (t *soakTotal) why() string {
	if len(t.reasons) == 0 {
		return ""
	}
	why := countedReasons(t.reasons)
	return ": " + why[:min(len(why), maxWhy)]
}

// count adds all calls of the path, in whichever load.
func (p *soakPath) count(t *soakTotal) {
	for _, phase := range slices.Concat(p.openings, p.phases) {
		t.add(p.Name, phase)
	}
}

func (r *soakRun) total() *soakTotal {
	t := &soakTotal{reasons: make(map[string]int64)}
	for _, p := range r.paths {
		p.count(t)
	}
	return t
}

// leak is the growth of what the readings of the first load say.
func (r *soakRun) leak(of func(soakMoment) (float64, bool)) (stat.Leak, error) {
	var points []stat.XY
	for _, m := range r.moments {
		if y, ok := of(m); ok && m.phase == phaseLoad {
			points = append(points, stat.XY{X: m.second, Y: y})
		}
	}
	return soakRule(r.plan).Judge(points)
}

// soakRule is by what a soak tells a leak.
func soakRule(plan scenarios.Soak) stat.LeakRule { return stat.LeakRule{Tolerance: plan.Growth} }

// ruleGrowth holds the resident set to what it may grow by. The heap's goal is not held to anything: it is read too
// seldom for that, and what it would show is seen more closely in the live heap at rest.
func (r *soakRun) ruleGrowth(v *ruling) {
	const what = "resident set under load"
	bound := fmt.Sprintf("surely below %.4g MiB/h", r.plan.Growth/stat.MiBPerHour)
	l, err := r.leak(leastOf)
	switch {
	case err != nil:
		v.hold(what, stat.Inconclusive, err.Error(), bound)
	case !l.Interval:
		v.hold(what, l.Verdict, l.Because, bound)
	default:
		found := fmt.Sprintf("%+.2f MiB/h, interval %+.2f to %+.2f", l.Growth/stat.MiBPerHour, l.Lo/stat.MiBPerHour, l.Hi/stat.MiBPerHour)
		if l.Because != "" {
			found += ", " + l.Because
		}
		v.hold(what, l.Verdict, found, bound)
	}
}

// ruleRest holds what there is after the second load to what there was after the first, and before any.
func (r *soakRun) ruleRest(v *ruling) {
	fresh, after, again := r.rests[restFresh], r.rests[restAfter], r.rests[restAgain]
	if after.heap != nil && again.heap != nil {
		grown := float64(*again.heap - *after.heap)
		v.passes("live heap at rest", grown <= r.plan.Slack, fmt.Sprintf("%+.0f KiB in the second load", grown/1024), fmt.Sprintf("at most %+.0f KiB", r.plan.Slack/1024))
	}
	v.hold("resident set at rest", r.restVerdict(after, again), fmt.Sprintf("%.1f MiB, and %.1f after the second load", after.rss/mib, again.rss/mib),
		fmt.Sprintf("at most %.0f%% more", 100*r.plan.SlackShare))
	for _, of := range []struct {
		what                string
		fresh, after, again int
	}{
		{"descriptors", fresh.descriptors, after.descriptors, again.descriptors},
		{"goroutines", fresh.goroutines, after.goroutines, again.goroutines},
		// A runtime ends no thread that it once needed.
		{"threads", after.threads, after.threads, again.threads},
	} {
		if of.again < 0 {
			continue // the subject offers no way to count them
		}
		least := min(of.fresh, of.after)
		v.passes(of.what, of.again-least <= r.plan.Spare, fmt.Sprintf("%d, %d and %d at rest", of.fresh, of.after, of.again),
			fmt.Sprintf("at last at most %d more than before", r.plan.Spare))
	}
}

func (r *soakRun) restVerdict(after, again soakRest) stat.Verdict {
	switch {
	case again.rss <= after.rss*(1+r.plan.SlackShare):
		return stat.Pass
	case !after.rested || !again.rested:
		return stat.Inconclusive // it was still on its way
	}
	return stat.Fail
}

// ruleLatency holds each path's last fifth to its first. The verdict names the path that comes off worst.
func (r *soakRun) ruleLatency(v *ruling) {
	if r.plan.Slower == 0 {
		return
	}
	const what = "p99 in the last fifth"
	bound := fmt.Sprintf("at most %v × that in the first, on every path", r.plan.Slower)
	var verdicts []stat.Verdict
	worst, found := 0.0, ""
	for _, p := range r.paths {
		first, ok1 := p.p99(0)
		last, ok2 := p.p99(soakFifths - 1)
		if !ok1 || !ok2 {
			v.hold(what, stat.Inconclusive, "too few calls in a fifth of the load on "+p.Name, bound)
			return
		}
		verdicts = append(verdicts, slower(first, last, r.plan.Slower))
		if times := last.at / first.at; times > worst {
			worst, found = times, fmt.Sprintf("%.2f × on %s, %s after %s", times, p.Name, last, first)
		}
	}
	v.hold(what, stat.Together(verdicts...), found, bound)
}

// quantiled is a percentile in ns with its interval.
type quantiled struct{ at, lo, hi float64 }

func (w quantiled) String() string { return time.Duration(w.at).Round(10 * time.Microsecond).String() }

// slower passes what is not slower by the factor, and fails what surely is.
func slower(first, last quantiled, factor float64) stat.Verdict {
	switch {
	case last.at <= factor*first.at:
		return stat.Pass
	case last.lo > factor*first.hi:
		return stat.Fail
	}
	return stat.Inconclusive
}

// p99 is the path's 99th percentile in one fifth of the first load, if there were calls enough.
func (p *soakPath) p99(fifth int) (quantiled, bool) {
	if fifth >= len(p.phases) {
		return quantiled{}, false
	}
	return quantile(p.phases[fifth].Methods[p.Name], 0.99)
}

func quantile(m *load.Method, p float64) (quantiled, bool) {
	if m == nil {
		return quantiled{}, false
	}
	n := int(m.Latency.TotalCount())
	lo, hi, ok := stat.PercentileRanks(n, p, stat.Confidence)
	if !ok {
		return quantiled{}, false
	}
	return quantiled{atRank(m, stat.Rank(n, p)), atRank(m, lo), atRank(m, hi)}, true
}

// record writes the soak, and each of its paths.
func (r *soakRun) record(v *ruling) error {
	for _, p := range r.paths {
		if err := r.recordPath(p); err != nil {
			return err
		}
	}
	s := newSheet(r.name(record.Soak), r.config(), r.suite.identity())
	v.identify(&s.result)
	if len(r.without) > 0 {
		s.result.Identity["without"] = strings.Join(r.without, "; ")
	}
	all := r.total()
	s.set("soak-load-ns", float64(r.plan.Load))
	s.set("soak-again-ns", float64(r.plan.Again))
	for unit, n := range map[string]int64{
		"soak-calls": all.calls, "soak-failed-calls": all.failed, "soak-refused-calls": all.refused,
		"soak-cut-calls": all.cut, "soak-unsent-calls": all.unsent,
	} {
		s.set(unit, float64(n))
	}
	s.set("soak-cpu-cores", r.spent.cpu.Seconds()/r.took.Seconds())
	r.writeGrowth(s, "growth-RSS", leastOf)
	r.writeGrowth(s, "growth-goal", goalOf)
	for _, name := range slices.Sorted(maps.Keys(r.rests)) {
		r.rests[name].write(s, "soak-"+name+"-")
	}
	certify(s, &loadTotal{wall: r.took, spent: r.spent, calls: all.calls}, r.suite.cpus)
	return r.suite.keep(s.result)
}

func (r *soakRun) writeGrowth(s *sheet, unit string, of func(soakMoment) (float64, bool)) {
	units := []string{unit + "-bytes/s", unit + "-lo-bytes/s", unit + "-hi-bytes/s"}
	l, err := r.leak(of)
	switch {
	case err != nil:
		s.absent(err.Error(), units...)
	case !l.Interval:
		s.absent(l.Because, units...)
	default:
		for i, amount := range []float64{l.Growth, l.Lo, l.Hi} {
			s.set(units[i], amount)
		}
	}
}

func (at soakRest) write(s *sheet, prefix string) {
	s.set(prefix+"RSS-bytes", at.rss)
	s.optional(prefix+"heap-bytes", at.heap, noHeap)
	s.set(prefix+"descriptors", float64(at.descriptors))
	s.set(prefix+"threads", float64(at.threads))
	if at.goroutines < 0 {
		s.absent(noHeap, prefix+"goroutines")
		return
	}
	s.set(prefix+"goroutines", float64(at.goroutines))
}

func (r *soakRun) recordPath(p *soakPath) error {
	s := newSheet(r.name(record.SoakPath, "path="+p.Name), r.config(), r.suite.identity())
	s.result.Identity["how"] = string(p.How)
	t := &soakTotal{reasons: make(map[string]int64)}
	var begun time.Duration
	var inLoad int64
	whole := &load.Phase{Methods: map[string]*load.Method{}}
	p.count(t)
	for _, phase := range p.phases[:soakFifths] {
		begun += phase.Begun
		inLoad += phase.Calls()
		whole.Add(phase)
	}
	s.set("path-calls", float64(t.calls))
	s.set("path-failed-calls", float64(t.failed))
	s.set("path-refused-calls", float64(t.refused))
	s.set("path-calls/s", float64(inLoad)/math.Max(begun.Seconds(), 1e-9))
	p50, ok50 := quantile(whole.Methods[p.Name], 0.5)
	p99, ok99 := quantile(whole.Methods[p.Name], 0.99)
	first, okFirst := p.p99(0)
	last, okLast := p.p99(soakFifths - 1)
	for _, q := range []struct {
		unit string
		at   quantiled
		ok   bool
	}{{"path-p50-ns", p50, ok50}, {"path-p99-ns", p99, ok99}, {"path-first-p99-ns", first, okFirst}, {"path-last-p99-ns", last, okLast}} {
		if q.ok {
			s.set(q.unit, q.at.at)
		} else {
			s.absent("too few calls for an interval", q.unit)
		}
	}
	return r.suite.keep(s.result)
}
