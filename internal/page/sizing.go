package page

import (
	"fmt"
	"slices"
)

// A Range is an amount and what it may be as well.
type Range struct {
	Lo     float64  `json:"lo"`
	Middle float64  `json:"middle"`
	Hi     float64  `json:"hi"`
	Refs   []string `json:"-"` // file:line of the results it comes from
}

// above is the greater of two ranges, end by end.
func (r Range) above(other Range) Range {
	out := Range{Lo: max(r.Lo, other.Lo), Middle: max(r.Middle, other.Middle), Hi: max(r.Hi, other.Hi)}
	for _, of := range []Range{r, other} {
		if of.Lo == out.Lo || of.Middle == out.Middle || of.Hi == out.Hi {
			out.Refs = withAll(out.Refs, of.Refs)
		}
	}
	return out
}

// withAll adds those of the refs that are not among them.
func withAll(refs, more []string) []string {
	for _, ref := range more {
		refs = withNew(refs, ref)
	}
	return refs
}

// times is the range of so many.
func (r Range) times(n float64) Range {
	return Range{Lo: n * r.Lo, Middle: n * r.Middle, Hi: n * r.Hi, Refs: r.Refs}
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
		Refs:   withAll(m.Base.Refs, m.Held.Refs),
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
	for _, step := range having(believedOf(s.Steps), "all-RSS-bytes") {
		all := step.Figure("all-RSS-bytes")
		floors = append(floors, SizedFloor{People: step.Credentials, Bytes: all.Max, Least: all.Min})
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
		r, _, why := s.fromStepBeyond(people, inflight)
		return r, why
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

// fromStepBeyond is what more people take at most than the lines go to: the
// largest peak of the lightest step with as many credentials and as many calls
// in flight, whatever its settings. All of its credentials called at once, with
// as many connections each as they had requests in flight, and it is no less
// than what fewer people take by the lines. What admitting as many was seen to
// take is the least that it can be.
func (s *Sizer) fromStepBeyond(people, inflight int) (Range, *Scenario, string) {
	step := s.stepBeyond(people, inflight)
	if step == nil {
		return Range{}, nil, s.beyondPeople()
	}
	peak := step.Figure("peak-RSS-bytes")
	r := Range{Middle: peak.Max, Hi: peak.Max, Refs: peak.Refs}
	if fewer, why := s.loaded(s.held.Last, inflight); why == "" {
		r.Middle, r.Hi = max(r.Middle, fewer.Hi), max(r.Hi, fewer.Hi)
	}
	for _, f := range s.floors() {
		if f.People <= people {
			r.Lo = max(r.Lo, f.Least)
		}
	}
	r.Lo = min(r.Lo, r.Middle)
	return r, step, ""
}

// stepBeyond is the lightest step past the lines that holds a crowd, or nil.
func (s *Sizer) stepBeyond(people, inflight int) *Scenario {
	for _, step := range s.stepsBeyond() {
		if step.Credentials >= people && step.Figure("inflight").Median >= float64(inflight) {
			return step
		}
	}
	return nil
}

// stepsBeyond are the believed steps past the lines, which were loaded otherwise
// than most, or they would be in them.
func (s *Sizer) stepsBeyond() []*Scenario {
	return slices.DeleteFunc(having(believedOf(s.Steps), "peak-RSS-bytes", "inflight", "cpu-ns/call"), func(step *Scenario) bool {
		return step.Credentials <= s.held.Last
	})
}

// reach is how many people the record says anything of.
func (s *Sizer) reach() int {
	most := s.held.Last
	for _, step := range s.stepsBeyond() {
		most = max(most, step.Credentials)
	}
	return most
}

// stepsWithPeaks are those that memory is taken from where there is no line.
func (s *Sizer) stepsWithPeaks() []*Scenario {
	return having(believedOf(s.main()), "peak-RSS-bytes", "inflight")
}

// mostInFlight is how many calls in flight the line of the peaks was measured
// with at most.
func (s *Sizer) mostInFlight() float64 { return s.each * float64(s.held.Last) }

func (s *Sizer) beyondPeople() string {
	if reach := s.reach(); reach > s.held.Last {
		return fmt.Sprintf("beyond the %s credentials, or the calls in flight, of any step on %s", significant(float64(reach)), s.Surface)
	}
	return fmt.Sprintf("beyond the %s credentials that the lines on %s go to", significant(float64(s.held.Last)), s.Surface)
}

func beyondInFlight(surface string) string {
	return "beyond the calls in flight measured on " + surface
}
