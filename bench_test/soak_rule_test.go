package bench_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// rule holds what was found to the plan.
func (r *soakRun) rule() *ruling {
	v := &ruling{gate: "soak", subject: r.suite.subject.Name, without: r.without}
	if r.broke != nil {
		v.brokeOff(r.processes, r.broke)
		return v
	}
	r.ruleCalls(v)
	r.ruleConnections(v)
	r.ruleGitLab(v)
	r.ruleGrowth(v)
	r.ruleRest(v)
	r.ruleLatency(v)
	v.passes("end", r.unclean == "", cmp.Or(r.unclean, "clean"), "clean when told to")
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
	if tooManyUnsent(all.unsent, all.calls, r.plan) {
		sent = stat.Inconclusive
	}
	v.hold("calls unsent", sent, fmt.Sprint(all.unsent), fmt.Sprintf("at most %.0f%%", 100*r.plan.Unsent))
}

// ruleConnections wants connections that many calls share to stay: a call that was sent again on another looks like any
// other.
func (r *soakRun) ruleConnections(v *ruling) {
	lost := r.reconnects()
	v.passes("connections", lost == 0, fmt.Sprintf("%d lost and opened again", lost), "none of those that calls share")
}

func (r *soakRun) reconnects() (n int64) {
	for _, p := range r.paths {
		n += p.reconnects
	}
	return n
}

// ruleGitLab holds the requests that reached GitLab to what the calls must have caused.
func (r *soakRun) ruleGitLab(v *ruling) {
	least, most := r.mustAsk()
	unknown := r.gitlab.Unknown()
	got, found := r.gitlab.Total(), ""
	if found = fmt.Sprint(got); len(unknown) > 0 {
		found += ", some of them for " + strings.Join(unknown, ", ")
	}
	bound := fmt.Sprintf("%d, by the calls and the credentials", least)
	if most > least {
		bound += fmt.Sprintf(", and up to %d more by calls that came to nothing", most-least)
	}
	v.passes("requests to GitLab", least <= got && got <= most && len(unknown) == 0, found, bound)
}

// mustAsk is how many requests GitLab must have had: of calls that were not answered it is not known.
func (r *soakRun) mustAsk() (least, most int64) {
	for _, p := range r.paths {
		if p.How != scenarios.Health {
			least += int64(r.suite.subject.Transports[scenarios.HTTP].AdmissionRequests)
		}
	}
	most = least
	for _, p := range r.paths {
		if p.Method != "tools/call" {
			continue
		}
		t := &soakTotal{reasons: make(map[string]int64)}
		p.count(t)
		each := int64(r.suite.subject.Surfaces[p.Surface].Calls[scenarios.CallRead].Upstream)
		least += each * (t.calls - t.failed - t.refused)
		most += each * (t.calls + t.cut)
	}
	return least, most
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
	fresh, opened, after, again := r.rests[restFresh], r.rests[restOpened], r.rests[restAfter], r.rests[restAgain]
	if opened.heap == nil || after.heap == nil || again.heap == nil {
		// The resident set, which is another finding, says nothing of few bytes, or of a goroutine that waits.
		v.hold("live heap and goroutines", stat.Inconclusive, noHeap, "both as before the loads")
	} else {
		r.ruleHeap(v, float64(*opened.heap), float64(*after.heap), float64(*again.heap))
		r.spare(v, "goroutines", fresh.goroutines, after.goroutines, again.goroutines)
	}
	v.hold("resident set at rest", r.restVerdict(after, again), fmt.Sprintf("%.1f MiB, and %.1f after the second load", after.rss/mib, again.rss/mib),
		fmt.Sprintf("at most %.0f%% more", 100*r.plan.SlackShare))
	r.spare(v, "descriptors", fresh.descriptors, after.descriptors, again.descriptors)
	// A runtime ends no thread that it once needed.
	r.spare(v, "threads", after.threads, after.threads, again.threads)
}

// ruleHeap holds the live heap to what it was. What is built for the first call of a surface or a credential, and then
// shared, is there when each connection was opened once.
func (r *soakRun) ruleHeap(v *ruling, opened, after, again float64) {
	for _, of := range []struct {
		what, since   string
		grown, atMost float64
	}{
		{"live heap, second load", "in the second load", again - after, r.plan.Slack},
		{"live heap, all loads", "in all", again - opened, r.plan.Kept},
	} {
		v.passes(of.what, of.grown <= of.atMost, fmt.Sprintf("%+.0f KiB %s", of.grown/1024, of.since), fmt.Sprintf("at most %+.0f KiB", of.atMost/1024))
	}
}

// spare holds a count to the least that it was at rest before.
func (r *soakRun) spare(v *ruling, what string, fresh, after, again int) {
	v.passes(what, again-min(fresh, after) <= r.plan.Spare, fmt.Sprintf("%d, %d and %d at rest", fresh, after, again),
		fmt.Sprintf("at last at most %d more than before", r.plan.Spare))
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
