package page

import (
	"fmt"
	"slices"
	"time"

	"mcpbench/internal/stat"
)

// A Range is an amount and what it may be as well.
type Range struct {
	Lo     float64  `json:"lo"`
	Middle float64  `json:"middle"`
	Hi     float64  `json:"hi"`
	Refs   []string `json:"-"` // file:line of the results it comes from
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
// steepest of what memory that no call is using grows by. The live heap alone
// would say too little where a collector lets garbage stand beside it, and to
// pass over what lies on no line would be to take the least for the most.
func (l *Ladder) holding() (best Trend, why string) {
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		t := trend(unit, l.main())
		if !t.Known() || t.few() {
			continue
		}
		if !t.Reliable() {
			t = grown(t, l.main())
		}
		if best.Unit == "" || t.Slope > best.Slope {
			best = t
		}
	}
	if best.Unit == "" {
		return best, "no steps on " + l.Surface + " say what a credential takes that does not call"
	}
	return best, ""
}

// far is the part of a ladder from which on growth since its foot is told from
// noise.
const far = 0.1

// grown puts growth since the first step in the place of a line that is none:
// what it is to the last step and, as its range, the least and the most of what
// it is to any that is far enough.
func grown(t Trend, steps []*Scenario) Trend {
	each, first, last := meanGrowth(t.Unit, steps)
	t.Slope, t.Lo, t.Hi = each, each, each
	for _, s := range having(believedOf(steps), t.Unit) {
		distance := float64(s.Credentials - first.Credentials)
		if distance < far*float64(last.Credentials) {
			continue
		}
		growth := (s.Figure(t.Unit).Median - first.Figure(t.Unit).Median) / distance
		t.Lo, t.Hi = min(t.Lo, growth), max(t.Hi, growth)
	}
	return t
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
// many calls in flight at once, or why it is withheld. It is never below what
// admitting as many was seen to take, which is no part of the peak of a load.
func (s *Sizer) Memory(people, inflight int) (Range, string) {
	r, why := s.loaded(people, inflight)
	if why != "" {
		return Range{}, why
	}
	for _, f := range s.floors() {
		if f.People <= max(people, s.leastAdmitted()) {
			r.Middle, r.Hi = max(r.Middle, f.Bytes), max(r.Hi, f.Bytes)
		}
	}
	return r, ""
}

// floors are what admitting the credentials of each step was seen to take at
// most.
func (s *Sizer) floors() []SizedFloor {
	var floors []SizedFloor
	for _, step := range having(believedOf(s.main()), "all-RSS-bytes") {
		floors = append(floors, SizedFloor{People: step.Credentials, Bytes: step.Figure("all-RSS-bytes").Max})
	}
	return floors
}

// leastAdmitted is the least number of credentials whose admission was seen.
func (s *Sizer) leastAdmitted() int {
	if floors := s.floors(); len(floors) > 0 {
		return floors[0].People
	}
	return 0
}

// loaded is the peak of a load, as the model or the steps have it.
func (s *Sizer) loaded(people, inflight int) (Range, string) {
	switch {
	case s.noHeld != "":
		return Range{}, s.noHeld
	case people > s.held.Last:
		return Range{}, s.beyondPeople()
	case s.NoModel != "":
		return s.fromStep(people, inflight)
	case float64(inflight) > s.mostInFlight():
		return Range{}, beyondInFlight(s.Surface)
	}
	return s.Model.At(people, inflight), ""
}

// fromStep is the largest peak of the lightest step with as many calls in
// flight, and what the people beyond its credentials hold.
func (s *Sizer) fromStep(people, inflight int) (Range, string) {
	for _, step := range s.stepsWithPeaks() {
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

// stepsWithPeaks are those that memory is taken from where there is no line.
func (s *Sizer) stepsWithPeaks() []*Scenario {
	return having(believedOf(s.main()), "peak-RSS-bytes", "inflight")
}

// mostInFlight is how many calls in flight the line of the peaks was measured
// with at most.
func (s *Sizer) mostInFlight() float64 { return s.each * float64(s.held.Last) }

func (s *Sizer) beyondPeople() string {
	return fmt.Sprintf("beyond the %s credentials that the lines on %s go to", significant(float64(s.held.Last)), s.Surface)
}

func beyondInFlight(surface string) string {
	return "beyond the calls in flight measured on " + surface
}

// A Load is a measured one that a rate of calls fits into.
type Load struct {
	*Scenario
	PerSecond float64       // calls a second up to which it stands for callers who do not wait for each other
	Latency   time.Duration // the mean over the calls
}

// roomy is the share of a closed loop's throughput up to which its latency
// stands for that of callers who do not wait for each other. A closed loop
// never queues more calls than it has in flight, so near its throughput it
// says too little.
const roomy = 0.5

// closedLoop is the load of so many calls in flight at so many a second.
func closedLoop(s *Scenario, inflight, rate float64) *Load {
	// Little's law: what is in flight, over what is done in a second.
	return &Load{s, roomy * rate, time.Duration(inflight / rate * float64(time.Second))}
}

// loads are those that may be believed, in the order in which a rate is tried
// on them: the open loops that kept up, then the closed loop from its lightest
// step on.
func (s *Sizer) loads() []*Load {
	var loads []*Load
	for _, o := range having(s.Open, "offered-calls/s") {
		if ns, ok := meanLatency(o); ok && kept(o) {
			loads = append(loads, &Load{o, o.Figure("offered-calls/s").Median, time.Duration(ns)})
		}
	}
	for _, step := range having(believedOf(s.main()), "calls/s", "inflight") {
		if rate := step.Figure("calls/s").Median; rate > 0 {
			loads = append(loads, closedLoop(step, step.Figure("inflight").Median, rate))
		}
	}
	return loads
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

// A Need is what a crowd takes of a server. A part that the record cannot carry
// has a reason in its place.
type Need struct {
	People    int
	Every     time.Duration
	PerSecond float64
	Processes int   // that serve them: one each on stdio, and else one
	Load      *Load // nil if there is none
	NoLoad    string
	Mean      float64 // calls in flight
	Most      int     // not exceeded at stat.Crowded of all moments, and never less than one
	Memory    Range   // bytes, of all processes
	NoMemory  string
}

// Need sizes the server for people who each call once in a period.
func (s *Sizer) Need(people int, every time.Duration) Need {
	n := needFor(people, every, s.loads(), s.Surface)
	if n.NoMemory = n.NoLoad; n.Load != nil {
		n.Memory, n.NoMemory = s.Memory(people, n.Most)
	}
	return n
}

// needFor is what the calls of a crowd come to, whatever they take of memory.
func needFor(people int, every time.Duration, loads []*Load, surface string) Need {
	n := Need{People: people, Every: every, PerSecond: float64(people) / every.Seconds(), Processes: 1}
	load, why := roomFor(n.PerSecond, loads, surface)
	if load == nil {
		n.NoLoad = why
		return n
	}
	mean, most, err := stat.InFlight(people, every, load.Latency)
	if err != nil {
		n.NoLoad = err.Error()
		return n
	}
	n.Load, n.Mean, n.Most = load, mean, max(most, 1)
	return n
}

// Cores is how many cores the calls keep busy, or why that is not known.
func (n Need) Cores() (float64, string) {
	cpu, why := n.of("cpu-ns/call")
	return cpu * n.PerSecond / float64(time.Second), why
}

// P99 is how long a tools/call takes at most in 99 of 100 cases, in nanoseconds,
// or why that is not known.
func (n Need) P99() (float64, string) { return n.of(callP99) }

// of is a figure of the load that the calls fit into.
func (n Need) of(unit string) (float64, string) {
	if n.Load == nil {
		return 0, n.NoLoad
	}
	f := n.Load.Figure(unit)
	return f.Median, f.Absent
}

// Limit is the memory to grant each process, in bytes, or why there is none to
// be given.
func (n Need) Limit() (float64, string) {
	return Headroom * n.Memory.Hi / float64(n.Processes), n.NoMemory
}
