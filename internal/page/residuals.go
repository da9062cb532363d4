package page

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mcpbench/internal/record"
)

// fitsHeading is that of the section that holds the model against what was
// measured.
const fitsHeading = "How close the model comes"

// A residual is what the model says of a load that was measured, beside what
// was measured.
type residual struct {
	*Scenario
	said Need
	own  bool // the model takes its memory from this very step, and can be off by nothing but the rounds
}

// residuals are those of every step of the series that is believed, and then of
// every open loop, from which no memory of the model comes.
func (s *Sizer) residuals() []residual {
	var all []residual
	for _, step := range having(believedOf(s.Steps), "peak-RSS-bytes", "inflight") {
		calling := int(math.Round(step.Figure("inflight").Median))
		own := s.NoModel != "" || step.Credentials > s.held.Last
		all = append(all, residual{step, s.Serving(step.Credentials, calling), own})
	}
	for _, open := range having(believedOf(s.Open), "peak-RSS-bytes", "clients", "offered-calls/s") {
		people, rate := open.Figure("clients").Median, open.Figure("offered-calls/s").Median
		every := time.Duration(math.Ceil(people / rate * float64(time.Second)))
		all = append(all, residual{open, s.Need(int(people), every), false})
	}
	return all
}

// off is the fraction by which the median of the rounds is above what the model
// says of memory, or below it.
func (r residual) off() (float64, bool) {
	if r.said.NoMemory != "" || r.said.Memory.Middle <= 0 {
		return 0, false
	}
	return r.Figure("peak-RSS-bytes").Median/r.said.Memory.Middle - 1, true
}

// used is the fraction of the limit that the largest of the rounds took.
func (r residual) used() (float64, bool) {
	limit, why := r.said.Limit()
	if why != "" || limit <= 0 {
		return 0, false
	}
	return r.Figure("peak-RSS-bytes").Max / limit, true
}

// fits holds the model against every load: of the series, whose peaks it is made
// of, and of the open loops, whose peaks it is not.
func (v *View) fits() []Block {
	sizers, _ := v.sizers()
	m := &tableMaker{table: Table{Names: 3, Head: []string{"Surface", "Credentials", "Load", "In flight by the model", "Peak measured, MiB",
		"Peak by the model, MiB", "Off by, memory", "Largest, of the limit", "Cores measured", "Cores by the model", "Off by, cores"}}}
	var said []string
	for _, s := range sizers {
		all := s.residuals()
		for _, r := range all {
			m.residualRow(r)
		}
		said = append(said, furthest(s, all)...)
	}
	if len(m.table.Rows) == 0 {
		return nil
	}
	return slices.Concat([]Block{text("What the model above says of every load that was measured and is believed, beside what was measured: of the steps of the series, with all their requests in flight at all times, " +
		"and of the open loops, asked for as many people as there were credentials, who call as often. The memory of the model is made of the steps and not of the open loops, which put it to the test. Off by is the median of the rounds over what the model says: above zero, more was taken. " +
		fmt.Sprintf("The largest of all rounds is held against the limit, which is %s times the upper end of what the model says; above 100%% the process would have been killed.", significant(Headroom)))},
		tables(m.finish()), []Block{list(said...)})
}

func (m *tableMaker) residualRow(r residual) {
	clients := r.Figure("clients")
	row := []Cell{{Text: escape(r.Surface)}, counted(clients.Median, clients.Refs...), {Text: r.load()}}
	if r.said.Most > 0 {
		row = append(row, counted(float64(r.said.Most)))
	} else {
		row = append(row, m.none(r.said.NoLoad))
	}
	m.table.Rows = append(m.table.Rows, slices.Concat(row, m.memoryOff(r), m.coresOff(r)))
}

// memoryOff are the cells of memory.
func (m *tableMaker) memoryOff(r residual) []Cell {
	peak := r.Figure("peak-RSS-bytes")
	measured := m.cell(peak, mib, Figure.spread)
	off, ok := r.off()
	if !ok {
		none := m.none(r.said.NoMemory)
		return []Cell{measured, none, none, none}
	}
	said := rangeCell(mib, r.said.Memory)
	if r.own {
		said.Mark = m.mark("the largest peak of this very step, or what fewer credentials are said to take where that is more; no forecast")
	}
	return []Cell{measured, said, percent(withSignOf(100*off), off, peak), percent(fixed(100*taken(r), 1), taken(r), peak)}
}

// coresOff are the cells of cores.
func (m *tableMaker) coresOff(r residual) []Cell {
	cores := r.Figure("loaded-cpu-cores")
	measured := m.cell(cores, plain, Figure.spread)
	of, why := r.said.Cores()
	if why != "" {
		return []Cell{measured, m.none(why), m.none(why)}
	}
	said := rangeOf("loaded-cpu-cores", plain, of)
	if r.said.Load.Scenario == r.Scenario {
		said.Mark = m.mark("by the processor time a call of this very load; no forecast")
	}
	if !cores.Known() || of.Middle <= 0 {
		return []Cell{measured, said, m.none(cores.Absent)}
	}
	off := cores.Median/of.Middle - 1
	return []Cell{measured, said, percent(withSignOf(100*off), off, cores)}
}

// load says in what way calls came.
func (r residual) load() string {
	if r.Kind != record.Open {
		return "without pause"
	}
	return significant(r.Figure("offered-calls/s").Median) + " calls a second"
}

// percent is the cell of a fraction that was computed from a figure.
func percent(text string, fraction float64, of Figure) Cell {
	return Cell{Text: text + "%", Value: fraction, Known: true, Refs: of.Refs}
}

// withSignOf writes one decimal, and a sign unless it is zero.
func withSignOf(v float64) string {
	text := fixed(v, 1)
	if v > 0 && text != "0.0" {
		return "+" + text
	}
	return text
}

// furthest says where the memory of a model is furthest off, and where least of
// its limit was left.
func furthest(s *Sizer, all []residual) []string {
	all = slices.DeleteFunc(slices.Clone(all), func(r residual) bool { _, ok := r.off(); return !ok })
	if len(all) == 0 {
		return nil
	}
	worst, fullest := all[0], all[0]
	for _, r := range all[1:] {
		if apart(r) > apart(worst) {
			worst = r
		}
		if taken(r) > taken(fullest) {
			fullest = r
		}
	}
	off, _ := worst.off()
	return []string{fmt.Sprintf("`%s`: over %d loads the memory of the model is off most at %s, by %s%%; the most that was taken of a limit is %s%%, at %s.",
		s.Surface, len(all), worst.place(), withSignOf(100*off), fixed(100*taken(fullest), 1), fullest.place())}
}

func apart(r residual) float64 {
	off, _ := r.off()
	return math.Abs(off)
}

func taken(r residual) float64 {
	used, _ := r.used()
	return used
}

// place is what a sentence calls the load.
func (r residual) place() string {
	n := r.Figure("clients").Median
	return significant(n) + plural(int(n), " credential") + ", " + r.load()
}
