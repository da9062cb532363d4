package bench_test

import (
	"fmt"
	"slices"
	"time"

	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// What the gate allows.
const (
	// rateWithin is how far the rate of admitted calls may be from what the bound admits.
	rateWithin = 0.10
	// memoryWithin is how much more the second half of the overload may take than the first.
	memoryWithin = 0.05
	// soon is the part of the time asked of GitLab in which a refusal has to come, however slow GitLab is made then: one
	// that takes longer has waited for something.
	soon = 0.5
	// cheap is what a refusal has to take less of in processor time: at a millisecond, 2000 clients that come back every
	// second would keep two processors busy with being refused.
	cheap = time.Millisecond
	// leastObject is the least that anything of the heap takes in Go, and heapNoise what a heap changes by with
	// nothing kept: pools fill, and tables grow.
	leastObject, heapNoise = 8, 256 << 10
	// fairHalf is how long a half has to be for its mean to be over many collections, and leastHeap what Go's runtime
	// lets a heap grow to before the first (GOGC, package runtime).
	fairHalf, leastHeap = 10 * time.Second, 4 * mib
	// moreDescriptors is how many more descriptors may be open after the overload: what a runtime opens once.
	moreDescriptors = 4
)

// rule holds a variant to what must be so.
func (f *overloadFigures) rule(subject string) *ruling {
	r := &ruling{gate: "overload/" + f.plan.Variant, subject: subject}
	f.ruleRate(r)
	f.ruleOutcomes(r)
	f.ruleWaits(r)
	if f.plan.Refuses() {
		f.ruleRefusals(r)
	}
	f.ruleState(r)
	f.ruleOthers(r)
	f.ruleAfter(r)
	return r
}

// inTime is the verdict on something that takes time: where others had a part in it, it says nothing against the
// subject.
func (f *overloadFigures) inTime(ok bool) stat.Verdict {
	switch {
	case ok:
		return stat.Pass
	case len(f.doubts) > 0:
		return stat.Inconclusive
	default:
		return stat.Fail
	}
}

// disturbed is what is said beside a finding that others had a part in.
func (f *overloadFigures) disturbed(found string, v stat.Verdict) string {
	if v != stat.Inconclusive || len(f.doubts) == 0 {
		return found
	}
	doubts := f.distinctDoubts()
	return found + ", but " + doubts[len(doubts)-1]
}

// distinctDoubts are the doubts, each once.
func (f *overloadFigures) distinctDoubts() []string {
	return slices.Compact(slices.Sorted(slices.Values(f.doubts)))
}

// timed adds a finding about something that takes time.
func (f *overloadFigures) timed(r *ruling, what string, ok bool, found, bound string) {
	v := f.inTime(ok)
	r.hold(what, v, f.disturbed(found, v), bound)
}

// ruleRate wants as many calls admitted as the bound lets through, which takes a subject whose processors come to
// that by themselves.
func (f *overloadFigures) ruleRate(r *ruling) {
	const what = "admitted"
	if f.plan.Credentials > 0 {
		f.ruleDemand(r, what)
		return
	}
	bound := fmt.Sprintf("within %.0f%% of the %.0f/s that %d in progress come to", 100*rateWithin, f.capacityDuring, f.plan.Bound)
	found := fmt.Sprintf("%.1f/s; before, %.1f/s of %.0f", f.admitted, f.before, f.capacity)
	part := f.admitted / f.capacityDuring
	switch {
	case part > 1+rateWithin:
		r.passes(what, false, found, bound)
	case f.before < (1-rateWithin)*f.capacity && f.plan.Refuses():
		r.hold(what, stat.Inconclusive, f.disturbed(found+": it is not the bound that held calls back", stat.Inconclusive), bound)
	default:
		f.timed(r, what, part >= 1-rateWithin, found, bound)
	}
}

// ruleDemand wants calls that nothing bounds to be answered as fast as they are made, if each takes no longer than GitLab.
func (f *overloadFigures) ruleDemand(r *ruling, what string) {
	bound := fmt.Sprintf("at least %.0f%% of the %.0f/s that %d credentials ask which pause for %v", 100*(1-rateWithin), f.demand, f.plan.Credentials, f.plan.Pause)
	found := fmt.Sprintf("%.1f/s; before, %.1f/s of %.0f", f.admitted, f.before, f.capacity)
	if f.before < (1-rateWithin)*f.capacity {
		r.hold(what, stat.Inconclusive, f.disturbed(found+": the subject was slow before", stat.Inconclusive), bound)
		return
	}
	f.timed(r, what, f.admitted >= (1-rateWithin)*f.demand, found, bound)
}

// ruleWaits wants calls that are admitted to be answered when GitLab has been, and not to wait in a queue.
func (f *overloadFigures) ruleWaits(r *ruling) {
	found := fmt.Sprintf("%d of %d late, longest %v", f.crowd.late, f.crowd.calls, f.crowd.longest.Round(time.Millisecond/10))
	f.timed(r, "answered in time", f.crowd.late == 0, found, fmt.Sprintf("within %v of what GitLab takes", patience))
}

// ruleOutcomes wants everything else to be refused, and nothing else.
func (f *overloadFigures) ruleOutcomes(r *ruling) {
	found := fmt.Sprintf("%d refused, %d failed, %d without answer and given up, of %d", f.refused, f.failed, f.unanswered, f.asked)
	if f.failed > 0 {
		found += " (" + countedReasons(f.reasons) + ")"
	}
	if f.plan.Refuses() {
		r.passes("everything else refused", f.refused > 0 && f.failed+f.unanswered == 0, found, "some, 0, 0")
		return
	}
	r.passes("everything answered", f.refused+f.failed+f.unanswered == 0, found, "0, 0, 0")
}

// ruleRefusals wants refusals to come at once, say when to come back, and leave nothing behind.
func (f *overloadFigures) ruleRefusals(r *ruling) {
	r.passes("Retry-After", f.refused > 0 && f.untold == 0, fmt.Sprintf("missing on %d of %d", f.untold, f.refused), "on each")
	f.rulePrompt(r)
	f.ruleCost(r)
	f.ruleKept(r)
}

// rulePrompt wants all but a hundredth of refusals to come at once, or half of them where there are too few to tell.
func (f *overloadFigures) rulePrompt(r *ruling) {
	const what = "refused at once"
	limit := time.Duration(soon * float64(f.plan.Latency))
	bound := fmt.Sprintf("99%% within %v, half of what is asked of GitLab", limit)
	most, name := f.refusal.percentile(0.99), "p99"
	if !most.known {
		most, name = f.refusal.percentile(0.5), "too few for p99, median"
	}
	found := fmt.Sprintf("%s %v, shortest %v", name, most.at.Round(time.Microsecond), f.refusal.shortest().Round(time.Microsecond))
	switch {
	case !most.known:
		r.hold(what, stat.Inconclusive, fmt.Sprintf("%d refusals", most.n), bound)
	case f.refusal.shortest() > limit: // nobody else makes the shortest of all wait
		r.passes(what, false, found, bound)
	default:
		f.timed(r, what, most.at <= limit, found, bound)
	}
}

// ruleCost wants refusals to take next to no processor time. Where there were none alone, another finding says so.
func (f *overloadFigures) ruleCost(r *ruling) {
	if k := f.refusing; k != nil && k.refused > 0 {
		each := k.cpu / time.Duration(k.refused)
		f.timed(r, "processor time of a refusal", each < cheap, each.String(), fmt.Sprintf("below %v", cheap))
	}
}

func (f *overloadFigures) ruleKept(r *ruling) {
	const what = "kept of refusals"
	k := f.refusing
	switch {
	case k == nil || k.refused == 0:
		r.passes(what, false, "no call was refused while the bound was filled", "refusals alone")
	case k.other > 0:
		r.passes(what, false, fmt.Sprintf("%d of %d were not refused while the bound was filled", k.other, k.other+k.refused), "refusals alone")
	case k.grown == nil: // the resident set, which is another finding, says nothing of few bytes
		r.hold(what, stat.Inconclusive, noHeap, fmt.Sprintf("below %d bytes an object", leastObject))
	default:
		limit := max(leastObject*k.refused, heapNoise)
		r.passes(what, *k.grown < limit, fmt.Sprintf("%d bytes of heap by %d", *k.grown, k.refused),
			fmt.Sprintf("below %d: an object each, or what a heap changes by", limit))
	}
}

// ruleState wants the resident set to stay where it was, and connections to be given back.
func (f *overloadFigures) ruleState(r *ruling) {
	f.ruleMemory(r)
	r.passes("descriptors", f.descriptors[2] <= f.descriptors[0]+moreDescriptors,
		fmt.Sprintf("%d before, up to %d, %d after", f.descriptors[0], f.descriptors[1], f.descriptors[2]),
		fmt.Sprintf("up to %d more than before", moreDescriptors))
	if s := f.silence; s != nil {
		r.passes("connections that ask nothing", s.opened >= f.plan.Idle+f.plan.Trickling && s.longest <= scenarios.GiveUp,
			fmt.Sprintf("%d opened, %d ended by the server, kept up to %v", s.opened, s.ended, s.longest.Round(time.Second/10)),
			fmt.Sprintf("none longer than %v", scenarios.GiveUp))
	}
	if f.plan.Credentials > 0 {
		r.passes("credentials admitted again", f.admissions > 0.5*f.admitted,
			fmt.Sprintf("%.0f/s in %.0f calls/s", f.admissions, f.admitted), "for most calls, or none was over the pool's bound")
	}
}

// ruleMemory wants the second half to take no more than the first. Halves that are too short for a mean over
// collections, or in which others slowed calls down so that more were in progress, tell no growth from what a
// collection frees.
func (f *overloadFigures) ruleMemory(r *ruling) {
	grown := f.rssSecond/f.rssFirst - 1
	verdict := stat.Fail
	switch {
	case f.rssFirst > 0 && grown <= memoryWithin:
		verdict = stat.Pass
	case f.rssFirst > 0 && (f.plan.During < 2*fairHalf || len(f.doubts) > 0) && f.rssSecond-f.rssFirst < leastHeap:
		verdict = stat.Inconclusive
	}
	r.hold("memory of the second half", verdict, fmt.Sprintf("%+.1f%% on %.1f MiB", 100*grown, f.rssFirst/mib),
		fmt.Sprintf("up to %.0f%% more than the first", 100*memoryWithin))
}

// ruleOthers wants others to be served all the while.
func (f *overloadFigures) ruleOthers(r *ruling) {
	for _, o := range []struct {
		what string
		answered
	}{{"probe", f.probe}, {"health", f.health}} {
		found := fmt.Sprintf("%d of %d wrong, %d late, %d more cut by the end, longest %v", o.wrong, o.calls, o.late, o.cut, o.longest.Round(time.Millisecond/10))
		bound := fmt.Sprintf("all right, and within %v of what GitLab takes", patience)
		if o.wrong > 0 || o.calls == 0 {
			r.passes(o.what, false, found+" ("+o.why+")", bound)
			continue
		}
		f.timed(r, o.what, o.late == 0, found, bound)
	}
}

// ruleAfter wants all to be after the overload as it was before.
func (f *overloadFigures) ruleAfter(r *ruling) {
	r.passes("none refused before and after", f.refusedBefore+f.refusedAfter == 0,
		fmt.Sprintf("%d before, %d after", f.refusedBefore, f.refusedAfter), "0, 0: no more call than the bound admits")
	f.timed(r, "rate after", f.before > 0 && f.after >= (1-rateWithin)*f.before,
		fmt.Sprintf("%.1f/s; before, %.1f/s", f.after, f.before), fmt.Sprintf("at most %.0f%% less than before", 100*rateWithin))
	f.ruleMedian(r)
	if f.recovery == nil {
		f.timed(r, "recovery", false, "never", "a row of calls as before")
		return
	}
	f.timed(r, "recovery", true, f.recovery.Round(time.Millisecond).String(), "a row of calls as before")
}

// ruleMedian wants calls to take as long after the overload as before it. Equal is what the two intervals say at
// their ends: that the median has surely not grown by more than equalWithin. If they allow both, that is not known.
func (f *overloadFigures) ruleMedian(r *ruling) {
	before, after := f.busyBefore.percentile(0.5), f.busyAfter.percentile(0.5)
	bound := fmt.Sprintf("up to %.0f%% more than before, whatever the intervals hold", 100*equalWithin)
	if !before.known || !after.known {
		r.hold("median after", stat.Inconclusive, fmt.Sprintf("%d calls before, %d after", before.n, after.n), bound)
		return
	}
	least, most := float64(after.lo)/float64(before.hi)-1, float64(after.hi)/float64(before.lo)-1
	found := fmt.Sprintf("%+.1f to %+.1f%% on %v", 100*least, 100*most, before.at.Round(time.Microsecond))
	verdict := stat.Inconclusive
	switch {
	case most <= equalWithin:
		verdict = stat.Pass
	case least > equalWithin:
		verdict = f.inTime(false)
	}
	r.hold("median after", verdict, f.disturbed(found, verdict), bound)
}
