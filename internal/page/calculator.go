package page

import (
	"fmt"
	"path"
	"strings"
	"time"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// Headroom is what a memory limit is, over the upper end of the peak to expect.
// That a quarter is enough is a judgement and no measurement. The rounds of a
// record need not have met the worst moment, and a process that meets its limit
// is killed with every call in flight. And the collector's own limit, which is
// SoftLimit of it, has to stay above the peak, or the collector would work
// without pause: so it is at an eighth more than the peak.
const Headroom = 1.25

// SoftLimit is the share of a memory limit that GOMEMLIMIT is set to. What is
// left is for memory that the Go runtime does not count, such as the pages of
// the binary.
const SoftLimit = 0.9

// A Calculator sizes a server for any crowd on the surfaces that the record has
// a model of. Its JSON is what a page computes the same with as Need does:
// figures are in base units and rounded to nothing.
type Calculator struct {
	Host      string         `json:"host"` // that it speaks for
	Build     string         `json:"build"`
	CPUs      int            `json:"cpus"`     // that the server could use; 0 where that is not known
	Measured  string         `json:"measured"` // the day
	Record    []string       `json:"record"`   // names of the files
	Crowded   float64        `json:"crowded"`
	Headroom  float64        `json:"headroom"`
	SoftLimit float64        `json:"softLimit"`
	Finest    float64        `json:"finest"` // what reads "under" rather than with zeros
	Surfaces  []SizedSurface `json:"surfaces"`
	// LargeAnswers says what calls with large answers were seen to take, which no load that the models come from has; ""
	// where the record does not say.
	LargeAnswers string `json:"-"`
}

// A SizedSurface is a transport and surface of a subject with its model.
type SizedSurface struct {
	Transport string      `json:"transport"`
	Surface   string      `json:"surface"`
	Command   []string    `json:"command,omitempty"` // that starts it, where it is known how
	Clients   string      `json:"clients,omitempty"` // flag that bounds the credentials held, likewise
	Loads     []SizedLoad `json:"loads"`             // in the order in which a rate is tried on them
	NoLoad    string      `json:"noLoad"`            // why a rate fits into none
	Memory    SizedMemory `json:"memory"`
	// Together says what a process was seen to take that serves other surfaces beside this one; "" where the record does
	// not say.
	Together string `json:"-"`

	crowd crowd
}

// A crowd is a model that sizes a server for one.
type crowd interface {
	Need(people int, every time.Duration) Need
	Serving(credentials, calling int) Need
	extrapolate(n Need, times float64) Need
}

// A SizedLoad is a measured load that a rate of calls may fit into.
type SizedLoad struct {
	Words     string        `json:"words"` // what it was
	PerSecond float64       `json:"perSecond"`
	Latency   time.Duration `json:"latency"` // the mean, in nanoseconds
	CPU       SizedFigure   `json:"cpu"`     // nanoseconds a call
	P99       SizedFigure   `json:"p99"`     // nanoseconds, of tools/call
	Refs      []string      `json:"refs"`    // file:line of the results it comes from, files by their names
}

// A SizedFigure is an amount over the rounds, or the reason why there is none.
type SizedFigure struct {
	Range
	Why string `json:"why,omitempty"`
}

// A SizedMemory is a model of the peak, in bytes: Process for each person; or
// Base, Held for each person and Call for each call in flight; or the lightest
// of Steps with as many calls in flight, and Held for each person beyond its
// credentials; or the reason why there is none.
type SizedMemory struct {
	Why            string       `json:"why,omitempty"`
	Process        *Range       `json:"process,omitempty"`
	Base           *Range       `json:"base,omitempty"`
	Held           *Range       `json:"held,omitempty"`
	Call           *Range       `json:"call,omitempty"`
	Steps          []SizedStep  `json:"steps,omitempty"`
	Beyond         []SizedStep  `json:"beyond,omitempty"`   // likewise for more people than it was measured up to
	Floors         []SizedFloor `json:"floors,omitempty"`   // by people, rising; the first holds for fewer as well
	Refs           []string     `json:"refs,omitempty"`     // file:line of the results of Process, or Held, Base and Call
	People         int          `json:"people,omitempty"`   // that it was measured up to
	InFlight       float64      `json:"inFlight,omitempty"` // likewise; steps have their own
	BeyondPeople   string       `json:"beyondPeople,omitempty"`
	BeyondInFlight string       `json:"beyondInFlight,omitempty"`
	BeyondTimes    string       `json:"beyondTimes,omitempty"` // why waits say nothing of more people
}

// A SizedFloor is what admitting so many people was seen to take, below which no
// memory is given for as many or more.
type SizedFloor struct {
	People int     `json:"people"`
	Bytes  float64 `json:"bytes"` // at most
	Least  float64 `json:"least"`
}

// A SizedStep is the peak that a step of a series was seen to have.
type SizedStep struct {
	People   int      `json:"people"`
	InFlight float64  `json:"inFlight"`
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
	CPU      *Range   `json:"cpu,omitempty"` // nanoseconds a call, of a step past the lines
	Refs     []string `json:"refs"`
}

// sizedStep is a step with its peak.
func sizedStep(s *Scenario) SizedStep {
	peak := s.Figure("peak-RSS-bytes")
	return SizedStep{People: s.Credentials, InFlight: s.Figure("inflight").Median, Lo: peak.Min, Hi: peak.Max, Refs: located(peak.Refs)}
}

// calculator is that of the series and, beside them, of the processes on stdio.
// Without a series there is no model, and it is nil.
func (v *View) calculator() *Calculator {
	sizers, _ := v.sizers()
	if len(sizers) == 0 {
		return nil
	}
	c := &Calculator{Host: v.any.About(record.KeyHost), Build: v.any.About(record.KeyBuild), CPUs: cpus(v.any.About(record.KeySubjectCPUs)), Record: v.files(),
		Crowded: stat.Crowded, Headroom: Headroom, SoftLimit: SoftLimit, Finest: finest, LargeAnswers: v.Sized.largeAnswers()}
	if len(v.Dates) > 0 {
		c.Measured = day(v.Dates[len(v.Dates)-1])
	}
	for _, s := range sizers {
		of := sized(s.place(), s.loads(), s.memoryModel(), s)
		of.Together = v.Sized.together(of.Surface)
		c.Surfaces = append(c.Surfaces, of)
	}
	for _, s := range having(v.believed("stdio", false), "peak-RSS-bytes", "clients") {
		if s.Figure("clients").Median >= 1 {
			o := newOneEach(s)
			c.Surfaces = append(c.Surfaces, sized(s, o.loads(), SizedMemory{Process: &o.process, Refs: located(o.process.Refs)}, o))
		}
	}
	return c
}

// Free says what waits were measured with, which is more than their calls take
// and what they need: "1 CPU". It is empty where the record does not say.
func (c *Calculator) Free() string {
	if c.CPUs == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", c.CPUs, plural(c.CPUs, "CPU"))
}

// Together says what a process was seen to take that serves other surfaces
// beside the one named, or nothing.
func (c *Calculator) Together(surface, transport string) string {
	of, _ := c.find(surface, transport) // the zero value says nothing
	return of.Together
}

// Need sizes the server for people who each call once in a period, as the
// planning table does. It fails where the record has no model of the surface,
// and where nobody calls or nobody ever.
func (c *Calculator) Need(surface, transport string, people int, every time.Duration) (Need, error) {
	if people < 1 || every <= 0 {
		return Need{}, fmt.Errorf("%d people calling every %v: want one or more, and a period above zero", people, every)
	}
	of, err := c.find(surface, transport)
	if err != nil {
		return Need{}, err
	}
	return of.crowd.Need(people, every), nil
}

// sized is a model as data.
func sized(of *Scenario, loads []*Load, memory SizedMemory, by crowd) SizedSurface {
	out := SizedSurface{Transport: of.Transport, Surface: of.Surface, Loads: []SizedLoad{},
		NoLoad: noRoom(loads, of.Surface), Memory: memory, crowd: by}
	for _, l := range loads {
		out.Loads = append(out.Loads, l.sized())
	}
	out.Command, out.Clients = command(of.Subject, of.Transport, of.Surface)
	return out
}

// located are refs without the folders of their files, and of results that were
// read from a file, so that a record gives the same wherever it is read from.
func located(refs []string) []string {
	out := []string{}
	for _, ref := range refs {
		if base := path.Base(ref); !strings.HasPrefix(ref, ":") {
			out = append(out, base)
		}
	}
	return out
}

// memoryModel is what Memory computes with.
func (s *Sizer) memoryModel() SizedMemory {
	if s.noHeld != "" {
		return SizedMemory{Why: s.noHeld}
	}
	held := s.holds()
	m := SizedMemory{Held: &held, People: s.held.Last, Floors: s.floors(), Refs: located(held.Refs),
		BeyondPeople: s.beyondPeople(), BeyondInFlight: beyondInFlight(s.Surface), BeyondTimes: s.timesBeyond()}
	for _, step := range s.stepsBeyond() {
		cpu, sized := step.Figure("cpu-ns/call").rounds(), sizedStep(step)
		sized.CPU = &cpu
		m.Beyond = append(m.Beyond, sized)
	}
	if s.NoModel == "" {
		m.Base, m.Call, m.InFlight = &s.Model.Base, &s.Model.Call, s.mostInFlight()
		m.Refs = located(s.Model.At(1, 1).Refs)
		return m
	}
	for _, step := range s.stepsWithPeaks() {
		m.Steps = append(m.Steps, sizedStep(step))
	}
	return m
}

func (l *Load) sized() SizedLoad {
	cpu := l.Figure("cpu-ns/call")
	return SizedLoad{Words: l.words(), PerSecond: l.PerSecond, Latency: l.Latency, CPU: SizedFigure{cpu.rounds(), cpu.Absent},
		P99: SizedFigure(l.P99), Refs: located(withAll(cpu.Refs, l.P99.Refs))}
}

// words say what a load was.
func (l *Load) words() string {
	switch l.Kind {
	case record.Open:
		return fmt.Sprintf("%s calls a second, coming at random", significant(l.PerSecond))
	case record.Series:
		return l.Title() + " calling without pause"
	}
	n := l.Figure("clients").Median
	return significant(n) + plural(int(n), " client") + " calling without pause, each with a process of their own"
}

// oneEach is a point scenario on stdio, where everybody has a process of their
// own, as a model of any number of these.
type oneEach struct {
	*Scenario
	process Range // the peak of one, in bytes
}

// newOneEach divides the peak among the processes. Its middle is the largest
// of all rounds, since a limit has to clear that.
func newOneEach(s *Scenario) *oneEach {
	peak, n := s.Figure("peak-RSS-bytes"), s.Figure("clients").Median
	return &oneEach{s, Range{Lo: peak.Min / n, Middle: peak.Max / n, Hi: peak.Max / n, Refs: peak.Refs}}
}

// loads is the scenario itself as a closed loop, if it says how much was done.
func (o *oneEach) loads() []*Load {
	cores, cpu := o.Figure("loaded-cpu-cores"), o.Figure("cpu-ns/call")
	if !cores.Known() || !cpu.Known() || cores.Median <= 0 || cpu.Median <= 0 {
		return nil
	}
	return rising([]*Load{closedLoop(o.Scenario, o.Figure("clients").Median, cores.Median/cpu.Median*float64(time.Second))})
}

// Need sizes the processes of people who each call once in a period.
func (o *oneEach) Need(people int, every time.Duration) Need {
	n := needFor(people, every, o.loads(), o.Surface)
	n.Processes, n.Memory = people, o.process.times(float64(people))
	return n
}

// command starts the subject whose flags are known, which is that of this
// repository, and names the flag that bounds the credentials held.
func command(subject, transport, surface string) (args []string, clients string) {
	if subject != "gitlab-mcp" {
		return nil, ""
	}
	args = []string{"gitlab-mcp-server", "--tool-surface", surface}
	if transport != "http" {
		return args, ""
	}
	return append(args, "--http"), "--max-http-clients"
}
