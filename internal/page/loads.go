package page

import (
	"fmt"
	"time"

	"mcpbench/internal/record"
)

// A Load is a measured one that a rate of calls fits into.
type Load struct {
	*Scenario
	PerSecond float64       // calls a second up to which it stands for callers who do not wait for each other
	Latency   time.Duration // the mean over the calls
	P50, P99  Wait          // of a tools/call
}

// A Wait is how long a call takes at most in so many of a hundred cases, in
// nanoseconds: the median of the rounds, from the least to the most of them. It
// is never less than under a lighter load, since who shares a server with more
// calls waits no less; that a heavier one was seen to take less says how far
// rounds lie apart.
type Wait struct {
	Range
	Why string // there is none; "" if there is one
}

// roomy is the share of a closed loop's throughput up to which its latency
// stands for that of callers who do not wait for each other. A closed loop
// never queues more calls than it has in flight, so near its throughput it
// says too little.
const roomy = 0.5

// closedLoop is the load of so many calls in flight at so many a second.
func closedLoop(s *Scenario, inflight, rate float64) *Load {
	// Little's law: what is in flight, over what is done in a second.
	return &Load{Scenario: s, PerSecond: roomy * rate, Latency: time.Duration(inflight / rate * float64(time.Second))}
}

// loads are those that may be believed, in the order in which a rate is tried
// on them: the open loops that kept up, then the closed loop from its lightest
// step on.
func (s *Sizer) loads() []*Load {
	var loads []*Load
	for _, o := range having(s.Open, "offered-calls/s") {
		if ns, ok := meanLatency(o); ok && kept(o) {
			loads = append(loads, &Load{Scenario: o, PerSecond: o.Figure("offered-calls/s").Median, Latency: time.Duration(ns)})
		}
	}
	return rising(append(loads, s.closed()...))
}

// closed are the closed loops of the steps that may be believed, from the
// lightest on.
func (s *Sizer) closed() []*Load {
	var loads []*Load
	for _, step := range having(believedOf(s.main()), "calls/s", "inflight") {
		if rate := step.Figure("calls/s").Median; rate > 0 {
			loads = append(loads, closedLoop(step, step.Figure("inflight").Median, rate))
		}
	}
	return loads
}

// rising gives loads their waits, none of which is less than one before it. A
// rate is tried on one load after the other, so those before are lighter.
func rising(loads []*Load) []*Load {
	var p50, p99 Range
	var mean time.Duration
	for _, l := range loads {
		mean = max(mean, l.Latency)
		l.Latency = mean
		l.P50, l.P99 = l.wait(record.Call.Unit("p50-ns"), &p50), l.wait(callP99, &p99)
	}
	return loads
}

// wait is a percentile of the load, and no less than the most so far, which it
// adds to.
func (l *Load) wait(unit string, most *Range) Wait {
	f := l.Figure(unit)
	if !f.Known() {
		return Wait{Why: f.Absent}
	}
	*most = most.above(f.rounds())
	return Wait{Range: *most}
}

// Load finds a load that a rate fits into: the least of the open loops, or else
// the lightest step with room to spare.
func (s *Sizer) Load(perSecond float64) (*Load, string) {
	return roomFor(perSecond, s.loads(), s.Surface)
}

// roomFor finds the first load that a rate fits into, or says why there is none.
func roomFor(perSecond float64, loads []*Load, surface string) (*Load, string) {
	for _, l := range loads {
		if l.PerSecond >= perSecond {
			return l, ""
		}
	}
	return nil, noRoom(loads, surface)
}

// noRoom says why a rate fits into none of the loads.
func noRoom(loads []*Load, surface string) string {
	if len(loads) == 0 {
		return "no load on " + surface + " that is to be believed says how long a call takes"
	}
	most := 0.0
	for _, l := range loads {
		most = max(most, l.PerSecond)
	}
	return fmt.Sprintf("beyond the %s calls a second at which %s was seen to keep up", significant(most), surface)
}
