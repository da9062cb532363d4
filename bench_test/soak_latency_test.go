package bench_test

import (
	"fmt"
	"strings"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// pace is how long the slowest hundredth of a path's calls took in a part of the load, and what may be said against it.
type pace struct {
	quantiled
	// known is whether there were calls enough.
	known bool
	// unsent is whether more calls than may went unsent, which are those that would have waited longest.
	unsent bool
	// doubts are why others than the subject may have had a part in it.
	doubts []string
}

// quantiled is a percentile in ns with its interval.
type quantiled struct{ at, lo, hi float64 }

func (w quantiled) String() string { return time.Duration(w.at).Round(10 * time.Microsecond).String() }

// ruleLatency holds each path's last fifth to its first. Paths that fail are named first, and if none does or is in
// doubt the one that comes nearest to it.
func (r *soakRun) ruleLatency(v *ruling) {
	const what = "p99 in the last fifth"
	if r.plan.Slower == 0 {
		v.leaveOut(what, "other tests use the same processors")
		return
	}
	said := make(map[stat.Verdict][]string)
	var verdicts []stat.Verdict
	worst, nearest := 0.0, ""
	for _, p := range r.paths {
		first, last := r.pace(p, 0), r.pace(p, soakFifths-1)
		verdict, why := slower(first, last, r.plan)
		verdicts, said[verdict] = append(verdicts, verdict), append(said[verdict], p.Name+": "+why)
		if times := last.at / first.at; verdict == stat.Pass && times > worst {
			worst, nearest = times, p.Name+": "+why
		}
	}
	found := append(said[stat.Fail], said[stat.Inconclusive]...)
	if len(found) == 0 {
		found = []string{nearest}
	}
	v.hold(what, stat.Together(verdicts...), inALine(strings.Join(found, ", ")),
		fmt.Sprintf("on every path at most %v × that in the first, or %v more", r.plan.Slower, r.plan.SlowerBy))
}

// slower passes a last fifth that is slower than the first by no more than it may, and fails one that surely is. Others
// can only have made calls take longer: where they may have, a first fifth says nothing, and of a last one only what is
// good enough all the same.
func slower(first, last pace, plan scenarios.Soak) (stat.Verdict, string) {
	if !first.known || !last.known {
		return stat.Inconclusive, "too few calls in a fifth"
	}
	bound := func(than float64) float64 { return max(plan.Slower*than, than+float64(plan.SlowerBy)) }
	found := fmt.Sprintf("%s after %s", last, first)
	switch {
	case len(first.doubts) > 0:
		return stat.Inconclusive, found + ", but " + first.doubts[0] + " in the first fifth"
	case first.unsent:
		return stat.Inconclusive, found + ", but calls went unsent in the first fifth"
	case last.at <= bound(first.at) && last.unsent:
		return stat.Inconclusive, found + ", but calls went unsent in the last fifth"
	case last.at <= bound(first.at):
		return stat.Pass, found
	case len(last.doubts) > 0:
		return stat.Inconclusive, found + ", but " + last.doubts[0] + " in the last fifth"
	case last.lo > bound(first.hi):
		return stat.Fail, found
	}
	return stat.Inconclusive, found + ", which may be chance"
}

// pace is a path's in one fifth of the first load.
func (r *soakRun) pace(p *soakPath, fifth int) pace {
	var at pace
	at.quantiled, at.known = quantile(p.phases[fifth].Methods[p.Name], 0.99)
	phase := p.phases[fifth]
	at.unsent = tooManyUnsent(phase.Unsent, phase.Calls(), r.plan)
	var s sheet
	certify(&s, r.stretches[fifth], r.suite.cpus)
	at.doubts = s.result.Certificate
	return at
}

// tooManyUnsent reports whether the load was not the one that was meant.
func tooManyUnsent(unsent, calls int64, plan scenarios.Soak) bool {
	return float64(unsent) > plan.Unsent*float64(calls+unsent)
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
