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

// A Model is the memory of a process by who uses it: the base, and what each
// credential and each call in flight adds to that. All in bytes.
type Model struct {
	Base, Held, Call Range
}

// At is the peak with so many credentials held and so many calls in flight.
func (m Model) At(people, inflight int) Range {
	p, c := float64(people), float64(inflight)
	return Range{
		Lo:     m.Base.Lo + p*m.Held.Lo + c*m.Call.Lo,
		Middle: m.Base.Middle + p*m.Held.Middle + c*m.Call.Middle,
		Hi:     m.Base.Hi + p*m.Held.Hi + c*m.Call.Hi,
		Refs:   slices.Concat(m.Base.Refs, m.Held.Refs),
	}
}

// A Sizer says what a crowd takes of a server, as far as a ladder shows it.
type Sizer struct {
	*Ladder
	Model   Model
	NoModel string // why there is none, so that memory comes from steps; "" if there is one
	held    Trend
	noHeld  string
	each    float64 // requests in flight a credential, in the steps that the lines go through
}

// newSizer derives the model from the lines over credentials.
//
// The line of the peaks grows with the credentials, of which each is held and
// keeps its requests in flight; what of it is not holding is divided among
// these. Where it says nothing, at no credential at all, it says what the
// process takes whoever calls, its catalog included.
func newSizer(l *Ladder) *Sizer {
	s := &Sizer{Ladder: l}
	if s.held, s.noHeld = l.holding(); s.noHeld != "" {
		s.NoModel = s.noHeld
		return s
	}
	peak := trend("peak-RSS-bytes", l.main())
	each, ok := l.inFlightEach()
	switch s.each = each; {
	case !ok:
		s.NoModel = "the record does not say how many calls were in flight"
	case !peak.Known():
		s.NoModel = peak.Absent
	case !peak.Reliable():
		s.NoModel = peak.bent()
	default:
		s.Model = Model{
			Base: Range{peak.Intercept - peak.Residual, peak.Intercept, peak.Intercept + peak.Residual, peak.Refs},
			Held: s.holds(),
			Call: Range{(peak.Lo - s.held.Hi) / each, (peak.Slope - s.held.Slope) / each, (peak.Hi - s.held.Lo) / each, peak.Refs},
		}
	}
	return s
}

// holds is what one credential more takes that does not call, if that is known.
func (s *Sizer) holds() Range { return Range{s.held.Lo, s.held.Slope, s.held.Hi, s.held.Refs} }

// holding is what one credential more takes while it does not call: the
// steepest of the lines through memory that no call is using. The live heap
// alone would say too little where a collector lets garbage stand beside it.
func (l *Ladder) holding() (best Trend, why string) {
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		if t := trend(unit, l.main()); t.Reliable() && (best.Unit == "" || t.Slope > best.Slope) {
			best = t
		}
	}
	if best.Unit == "" {
		return best, "no straight line on " + l.Surface + " says what a credential takes that does not call"
	}
	return best, ""
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

// Memory is the peak with so many people, who hold a credential each, and so
// many calls in flight at once, or why it is withheld.
func (s *Sizer) Memory(people, inflight int) (Range, string) {
	switch {
	case s.noHeld != "":
		return Range{}, s.noHeld
	case people > s.held.Last:
		return Range{}, fmt.Sprintf("beyond the %s credentials measured on %s", significant(float64(s.held.Last)), s.Surface)
	case s.NoModel != "":
		return s.fromStep(people, inflight)
	case float64(inflight) > s.each*float64(s.held.Last):
		return Range{}, beyondInFlight(s.Surface)
	}
	return s.Model.At(people, inflight), ""
}

// fromStep is the largest peak of the lightest step with as many calls in
// flight, and what the people beyond its credentials hold.
func (s *Sizer) fromStep(people, inflight int) (Range, string) {
	for _, step := range having(believedOf(s.main()), "peak-RSS-bytes", "inflight") {
		if step.Figure("inflight").Median < float64(inflight) {
			continue
		}
		peak, quiet := step.Figure("peak-RSS-bytes"), float64(max(people-step.Credentials, 0))
		return Range{
			Lo:     peak.Min + quiet*s.held.Lo,
			Middle: peak.Max + quiet*s.held.Slope,
			Hi:     peak.Max + quiet*s.held.Hi,
			Refs:   slices.Concat(peak.Refs, s.held.Refs),
		}, ""
	}
	return Range{}, beyondInFlight(s.Surface)
}

func beyondInFlight(surface string) string {
	return "beyond the calls in flight measured on " + surface
}

// A Load is a measured one that a rate of calls fits into.
type Load struct {
	*Scenario
	Latency time.Duration // the mean over the calls of both methods
}

// roomy is the share of a closed loop's throughput up to which its latency
// stands for that of callers who do not wait for each other. A closed loop
// never queues more calls than it has in flight, so near its throughput it
// says too little.
const roomy = 0.5

// Load finds a load that a rate fits into: the least of the open loops that
// kept up, or else the lightest step of the closed loop with room to spare.
func (s *Sizer) Load(perSecond float64) (*Load, string) {
	most := 0.0
	for _, o := range having(s.Open, "offered-calls/s") {
		offered := o.Figure("offered-calls/s").Median
		ns, ok := meanLatency(o)
		if !kept(o) || !ok {
			continue
		}
		if offered >= perSecond {
			return &Load{o, time.Duration(ns)}, ""
		}
		most = max(most, offered)
	}
	for _, step := range having(believedOf(s.main()), "calls/s", "inflight") {
		rate, inflight := step.Figure("calls/s").Median, step.Figure("inflight").Median
		if roomy*rate >= perSecond {
			// Little's law: what is in flight, over what is done in a second.
			return &Load{step, time.Duration(inflight / rate * float64(time.Second))}, ""
		}
		most = max(most, roomy*rate)
	}
	if most == 0 {
		return nil, "no load on " + s.Surface + " that is to be believed says how long a call takes"
	}
	return nil, fmt.Sprintf("beyond the %s calls a second at which %s was seen to keep up", significant(most), s.Surface)
}

// A Need is what a crowd takes of a server. A part that the record cannot carry
// has a reason in its place.
type Need struct {
	People    int
	Every     time.Duration
	PerSecond float64
	Load      *Load // nil if there is none
	NoLoad    string
	Mean      float64 // calls in flight
	Most      int     // not exceeded at stat.Crowded of all moments, and never less than one
	Memory    Range   // bytes
	NoMemory  string
}

// Need sizes the server for people who each call once in a period.
func (s *Sizer) Need(people int, every time.Duration) Need {
	n := Need{People: people, Every: every, PerSecond: float64(people) / every.Seconds()}
	if n.Load, n.NoLoad = s.Load(n.PerSecond); n.Load == nil {
		return n
	}
	mean, most, err := stat.InFlight(people, every, n.Load.Latency)
	if err != nil {
		return Need{People: people, Every: every, PerSecond: n.PerSecond, NoLoad: err.Error()}
	}
	n.Mean, n.Most = mean, max(most, 1)
	n.Memory, n.NoMemory = s.Memory(people, n.Most)
	return n
}
