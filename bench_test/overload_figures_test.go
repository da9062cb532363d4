package bench_test

import (
	"net/http"
	"slices"
	"time"

	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// overloadFigures are what a variant came to, in numbers.
type overloadFigures struct {
	plan scenarios.Overload
	// capacity is what the bound admits before and after the overload, and capacityDuring what it admits meanwhile.
	capacity, capacityDuring float64
	tried                    *float64
	before, admitted, after  float64 // calls answered a second
	rejected                 float64 // calls refused a second, during
	demand                   float64 // calls a second that credentials make during, where there are many
	admissions               float64 // requests to GitLab a second, during, that were none of a call

	asked                             int // calls of the phases
	failed, unanswered                int
	refused, byBusy, byRate, untold   int
	refusedBefore, refusedAfter       int              // of these
	reasons                           map[string]int64 // of the failed
	refusal                           sortedTimes
	busyBefore, busyDuring, busyAfter sortedTimes
	probeBefore, probeDuring          sortedTimes
	probe, health                     answered
	crowd                             answered // admitted calls, during
	recovery                          *time.Duration

	rssBefore, rssFirst, rssSecond, rssAfter float64
	cores, suiteCores                        float64
	descriptors                              [3]int // before, the most during, after
	silence                                  *silence
	refusing                                 *refusing

	// doubts are what others had a part in the phases with: what takes time is then not the subject's alone.
	doubts []string
}

// answered says how calls went that nothing should come between.
type answered struct {
	calls, wrong, late int
	cut                int // by the end, before they were late; of no account
	longest            time.Duration
	why                string
}

// patience is how long past the time that GitLab takes a caller waits who is not the busy one.
const patience = time.Second

// judge counts how calls went, of which one that was cut counts only if its caller had lost patience.
func judge(all []heard, limit time.Duration) answered {
	var a answered
	for _, h := range all {
		if h.outcome == mcp.Cut && h.latency <= limit {
			a.cut++
			continue
		}
		a.calls++
		a.longest = max(a.longest, h.latency)
		switch {
		case h.latency > limit && (h.outcome == mcp.OK || h.outcome == mcp.Cut):
			a.late++
		case h.outcome != mcp.OK:
			a.wrong++
			a.why = h.outcome.String() + ", " + h.why
		}
	}
	return a
}

// figures makes numbers of what was found.
func (r *overloadRun) figures() overloadFigures {
	f, o := overloadFigures{plan: r.plan, reasons: map[string]int64{}}, &r.found
	slow := r.latency * time.Duration(r.plan.Slower)
	f.capacity, f.capacityDuring, f.tried = r.plan.Capacity(r.latency), r.plan.Capacity(slow), o.tried
	f.before, f.after = o.before.rate(mcp.OK), o.after.rate(mcp.OK)
	f.admitted, f.rejected = o.during.rate(mcp.OK), o.during.rate(mcp.Refused)
	f.admissions = float64(o.during.others) / o.during.wall.Seconds()
	f.count(o.before, o.during, o.after)
	f.refusedBefore, f.refusedAfter = len(those(o.before.heard, mcp.Refused)), len(those(o.after.heard, mcp.Refused))
	f.refusal = latenciesOf(those(o.during.even(), mcp.Refused))
	each := slow * time.Duration(r.upstream())
	if r.plan.Credentials > 0 { // any call may be the one that a credential is admitted for
		each += slow * time.Duration(r.suite.subject.Transports[scenarios.HTTP].AdmissionRequests)
		f.demand = r.plan.Demand(each)
	}
	f.crowd = judge(append(those(o.during.heard, mcp.OK), those(o.during.heard, mcp.Cut)...), each+patience)
	f.busyBefore, f.busyAfter = latenciesOf(those(o.before.even(), mcp.OK)), latenciesOf(those(o.after.even(), mcp.OK))
	f.busyDuring = latenciesOf(those(o.during.even(), mcp.OK))
	f.probeBefore = latenciesOf(those(during(o.probe, o.before.from, o.before.to), mcp.OK))
	f.probeDuring = latenciesOf(those(during(o.probe, o.during.from, o.during.to), mcp.OK))
	f.probe, f.health = judge(o.probe, slow+patience), judge(o.health, patience)
	f.recovery = recovery(o.after.heard, o.during.ended, r.plan.Bound, f.busyBefore.percentile(0.5))
	f.state(o)
	for _, p := range []overloadPhase{o.before, o.during, o.after} {
		f.doubts = append(f.doubts, p.doubts...)
	}
	f.silence, f.refusing = o.silence, o.refusing
	return f
}

// count counts what became of the calls of all phases.
func (f *overloadFigures) count(phases ...overloadPhase) {
	for _, p := range phases {
		f.asked += len(p.heard)
		for _, h := range p.heard {
			switch h.outcome {
			case mcp.Refused:
				f.countRefusal(h)
			case mcp.Failed:
				f.failed++
				f.reasons[h.why]++
			case mcp.Cut:
				f.unanswered++
			}
		}
	}
}

func (f *overloadFigures) countRefusal(h heard) {
	f.refused++
	if h.status == http.StatusTooManyRequests {
		f.byRate++
	} else {
		f.byBusy++
	}
	if !h.told {
		f.untold++
	}
}

// state takes in what the process was like.
func (f *overloadFigures) state(o *overloadFound) {
	half := o.during.from.Add(o.during.to.Sub(o.during.from) / 2)
	f.rssBefore = meanRSS(o.readings, o.before.from, o.before.to)
	f.rssFirst, f.rssSecond = meanRSS(o.readings, o.during.from, half), meanRSS(o.readings, half, o.during.to)
	f.rssAfter = meanRSS(o.readings, o.after.from, o.after.to)
	f.cores = o.during.spent.cpu.Seconds() / o.during.wall.Seconds()
	f.suiteCores = o.during.spent.suite.Seconds() / o.during.wall.Seconds()
	f.descriptors = [3]int{o.descriptorsBefore, mostDescriptors(o.readings, o.during.from, o.during.ended), o.descriptorsAfter}
}

func mostDescriptors(all []meter.Reading, from, to time.Time) int {
	most := 0
	for _, r := range all {
		if !r.At.Before(from) && r.At.Before(to) {
			most = max(most, r.Descriptors)
		}
	}
	return most
}

// equalWithin is how much longer calls may take after the overload than before it, to be as good as equal: less than
// half of that separates two quiet phases of one run.
const equalWithin = 0.05

// recovery is the time from a moment until n answers in a row, none of them refused, had a median time no longer than
// what counts as equal to that before; nil if none had.
func recovery(after []heard, from time.Time, n int, before ranked) *time.Duration {
	limit := time.Duration(float64(before.at) * (1 + equalWithin))
	all := slices.SortedFunc(slices.Values(after), func(a, b heard) int { return a.at.Compare(b.at) })
	for i := 0; i+n <= len(all); i++ {
		row := all[i : i+n]
		if len(those(row, mcp.OK)) < n {
			continue
		}
		if l := latenciesOf(row); l[stat.Rank(n, 0.5)-1] <= limit {
			d := row[n-1].at.Sub(from)
			return &d
		}
	}
	return nil
}
