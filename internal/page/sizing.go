package page

import (
	"fmt"
	"slices"
	"time"

	"mcpbench/internal/stat"
)

// A Range is an amount and what it may be as well.
type Range struct {
	Lo, Middle, Hi float64
	Refs           []string // file:line of the results it comes from
}

// A Need is what a crowd takes of a server. A part that the record cannot
// carry has a reason in its place.
type Need struct {
	People    int
	Every     time.Duration
	PerSecond float64
	Load      *Load // measured and like it; nil if there is none
	Mean      float64
	Most      int // calls in flight at once, not exceeded at stat.Crowded of all moments
	NoLoad    string
	Memory    Range // bytes
	NoMemory  string
}

// A Load is a measured one that a rate of calls fits into.
type Load struct {
	*Scenario
	Latency time.Duration // the mean over both methods, or what stands in for it
}

// need sizes a server for people who each call once in a period.
func (l *Ladder) need(people int, every time.Duration) Need {
	n := Need{People: people, Every: every, PerSecond: float64(people) / every.Seconds()}
	n.Load, n.NoLoad = l.loadFor(n.PerSecond)
	if n.Load == nil {
		n.NoMemory = n.NoLoad
		return n
	}
	mean, most, err := stat.InFlight(people, every, n.Load.Latency)
	if err != nil {
		n.NoLoad, n.NoMemory, n.Load = err.Error(), err.Error(), nil
		return n
	}
	n.Mean, n.Most = mean, most
	n.Memory, n.NoMemory = l.memoryFor(people, most)
	return n
}

// roomy is the share of a closed loop's throughput up to which its latency
// stands for that of callers who do not wait for each other. A closed loop
// never queues more calls than it has in flight, so near its throughput it
// says too little.
const roomy = 0.5

// loadFor finds a load that a rate fits into: the least of the open loops that
// kept up, or else the lightest step of the closed loop with room to spare.
func (l *Ladder) loadFor(perSecond float64) (*Load, string) {
	most := 0.0
	for _, s := range l.Open {
		offered := s.Figure("offered-calls/s")
		ns, ok := cautious(s)
		if !kept(s) || !offered.Known() || !ok {
			continue
		}
		if offered.Median >= perSecond {
			return &Load{s, time.Duration(ns)}, ""
		}
		most = max(most, offered.Median)
	}
	for _, s := range believedOf(l.main()) {
		rate, inflight := s.Figure("calls/s"), s.Figure("inflight")
		if !rate.Known() || !inflight.Known() {
			continue
		}
		if roomy*rate.Median >= perSecond {
			// Little's law: what is in flight, over what is done in a second.
			return &Load{s, time.Duration(inflight.Median / rate.Median * float64(time.Second))}, ""
		}
		most = max(most, roomy*rate.Median)
	}
	if most == 0 {
		return nil, "no load on " + l.Surface + " says how long a call takes"
	}
	return nil, fmt.Sprintf("beyond the %s calls a second at which %s was seen to keep up", significant(most), l.Surface)
}

// held is what one credential more takes while it does not call: the steepest
// of the lines through memory that no call is using. The live heap alone would
// say too little where a collector lets garbage stand beside it.
func (l *Ladder) held() (Trend, bool) {
	var best Trend
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		if t := trend(unit, l.main()); t.Reliable() && (!best.Known() || best.Unit == "" || t.Slope > best.Slope) {
			best = t
		}
	}
	return best, best.Unit != ""
}

// memoryFor is the peak that people take who hold a credential each, with some
// calls in flight at once: from the lines over credentials where they are
// straight, and else from a step that was measured.
func (l *Ladder) memoryFor(people, inflight int) (Range, string) {
	held, ok := l.held()
	if !ok {
		return Range{}, "no straight line says what a credential more takes on " + l.Surface
	}
	if people > held.Last {
		return Range{}, fmt.Sprintf("beyond the %s credentials measured on %s", significant(float64(held.Last)), l.Surface)
	}
	if peak := trend("peak-RSS-bytes", l.main()); peak.Reliable() {
		return l.alongLines(peak, held, people, inflight)
	}
	return l.fromStep(held, people, inflight)
}

// alongLines is base and catalog, which is the peak's line at no credential,
// and for each credential what holding takes, and for each call in flight what
// the peak grows by beyond that. Put otherwise, the peak of as many credentials
// as have the calls in flight, and the others held.
func (l *Ladder) alongLines(peak, held Trend, people, inflight int) (Range, string) {
	each, ok := l.inFlightEach()
	calling := float64(inflight) / each
	if !ok || calling > float64(peak.Last) {
		return Range{}, fmt.Sprintf("beyond the calls in flight measured on %s", l.Surface)
	}
	quiet := max(float64(people)-calling, 0)
	return Range{
		Lo:     peak.Intercept + calling*peak.Lo + quiet*held.Lo,
		Middle: peak.At(calling) + quiet*held.Slope,
		Hi:     peak.Intercept + calling*peak.Hi + quiet*held.Hi,
		Refs:   slices.Concat(peak.Refs, held.Refs),
	}, ""
}

// fromStep is the largest peak of the lightest step with as many calls in
// flight, and what the people beyond its credentials hold.
func (l *Ladder) fromStep(held Trend, people, inflight int) (Range, string) {
	for _, s := range believedOf(l.main()) {
		peak, load := s.Figure("peak-RSS-bytes"), s.Figure("inflight")
		if !peak.Known() || !load.Known() || load.Median < float64(inflight) {
			continue
		}
		quiet := max(float64(people-s.Credentials), 0)
		return Range{
			Lo:     peak.Min + quiet*held.Lo,
			Middle: peak.Max + quiet*held.Slope,
			Hi:     peak.Max + quiet*held.Hi,
			Refs:   slices.Concat(peak.Refs, held.Refs),
		}, ""
	}
	return Range{}, fmt.Sprintf("beyond the calls in flight measured on %s", l.Surface)
}

// inFlightEach is how many requests a credential of the series keeps in flight.
func (l *Ladder) inFlightEach() (float64, bool) {
	for _, s := range l.main() {
		if f := s.Figure("inflight"); f.Known() && s.Credentials > 0 && f.Median > 0 {
			return f.Median / float64(s.Credentials), true
		}
	}
	return 0, false
}
