package page

import (
	"fmt"
	"time"

	"mcpbench/internal/stat"
)

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
	// Extrapolated says how far the lines were measured that memory is from, if
	// they were followed further.
	Extrapolated string

	beyond  *Scenario // the step past the lines that memory is from, if it is
	noTimes string    // why the waits of the load say nothing of the crowd, if they do not
}

// Need sizes the server for people who each call once in a period.
func (s *Sizer) Need(people int, every time.Duration) Need {
	n := needFor(people, every, s.loads(), s.Surface)
	if n.NoMemory = n.NoLoad; n.Load != nil {
		n.Memory, n.NoMemory = s.Memory(people, n.Most)
	}
	if s.noHeld == "" && people > s.held.Last {
		n.beyond, n.noTimes = s.stepBeyond(people, n.Most), s.timesBeyond()
	}
	return n
}

// timesBeyond is why waits are withheld beyond the people that the lines go to.
func (s *Sizer) timesBeyond() string {
	return fmt.Sprintf("how long a call takes that comes now and then is not measured on %s with more than %s credentials held",
		s.Surface, significant(float64(s.held.Last)))
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

// Cores is how many cores the calls keep busy, from the least to the most of
// the rounds, or why that is not known. Past the lines a call is taken to cost
// no less than with as many credentials held.
func (n Need) Cores() (Range, string) {
	if n.Load == nil {
		return Range{}, n.NoLoad
	}
	f := n.Load.Figure("cpu-ns/call")
	if !f.Known() {
		return Range{}, f.Absent
	}
	cpu := f.rounds()
	if n.beyond != nil {
		cpu = cpu.above(n.beyond.Figure("cpu-ns/call").rounds())
	}
	return cpu.times(n.PerSecond / float64(time.Second)), ""
}

// P50 is how long half of the tools/call take at most, in nanoseconds, or why
// that is not known.
func (n Need) P50() (Range, string) { return n.wait(func(l *Load) Wait { return l.P50 }) }

// P99 is how long a tools/call takes at most in 99 of 100 cases, in nanoseconds,
// or why that is not known.
func (n Need) P99() (Range, string) { return n.wait(func(l *Load) Wait { return l.P99 }) }

// wait is one of the load that the calls fit into.
func (n Need) wait(of func(*Load) Wait) (Range, string) {
	switch {
	case n.Load == nil:
		return Range{}, n.NoLoad
	case n.noTimes != "":
		return Range{}, n.noTimes
	}
	w := of(n.Load)
	return w.Range, w.Why
}

// Limit is the memory to grant each process, in bytes, or why there is none to
// be given.
func (n Need) Limit() (float64, string) {
	return Headroom * n.Memory.Hi / float64(n.Processes), n.NoMemory
}
