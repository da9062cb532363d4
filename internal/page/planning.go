package page

import (
	"fmt"
	"time"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// The crowds that the table sizes for.
var (
	crowds  = []int{10, 30, 100, 300, 1000}
	periods = []time.Duration{10 * time.Second, time.Minute}
)

// planning is the section that a reader sizes a server by.
func (v *View) planning() []Block {
	var sized []*Ladder
	for _, l := range v.Ladders {
		if len(l.Steps) > 0 {
			sized = append(sized, l)
		}
	}
	if len(sized) == 0 {
		return nil
	}
	blocks := []Block{text(planningWords())}
	blocks = append(blocks, tables(needTable(sized))...)
	if note := steppedNote(sized); note != "" {
		blocks = append(blocks, text(note))
	}
	if len(v.Scenarios) > 0 {
		blocks = append(blocks, v.overview()...)
	}
	return blocks
}

func planningWords() string {
	return "That many people over HTTP, each with a credential of their own and each calling once in that many seconds, half of the calls a `tools/call` and " +
		"half a `tools/list`. In flight is how many calls are being answered at once, on average and at most at " +
		fmt.Sprintf("%.0f%% of all moments. ", 100*stat.Crowded) +
		"Memory is the peak to expect: what the process takes whoever calls, what each credential holds and what each call in flight takes on top, with " +
		"the interval of the lines it comes from in brackets; a limit needs more than that. Cores are calls a second times processor time a call; a CPU of the " +
		"host measured is meant. What lies beyond the measured is withheld."
}

// needTable has a row for each crowd and period on each surface.
func needTable(ladders []*Ladder) *Table {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Surface", "People", "Seconds between calls", "Calls a second",
		"In flight, mean", "At most", "Memory, MiB", "Cores", "Cores, `tools/call` alone", "`tools/call` p99, ms"}}}
	for _, l := range ladders {
		for _, people := range crowds {
			for _, every := range periods {
				m.needRow(l, l.need(people, every))
			}
		}
	}
	return m.finish()
}

func (m *tableMaker) needRow(l *Ladder, n Need) {
	figure := func(v float64, refs ...string) Cell {
		return Cell{Text: significant(v), Value: v, Known: true, Refs: refs}
	}
	row := []Cell{{Text: escape(l.Title())}, figure(float64(n.People)), figure(n.Every.Seconds()), figure(n.PerSecond)}
	if n.Load == nil {
		for len(row) < len(m.table.Head) {
			row = append(row, m.none(n.NoLoad))
		}
		m.table.Rows = append(m.table.Rows, row)
		return
	}
	memory := m.none(n.NoMemory)
	if n.NoMemory == "" {
		memory = Cell{Text: rangeText(n.Memory), Value: n.Memory.Middle, Known: true, Refs: n.Memory.Refs}
	}
	m.table.Rows = append(m.table.Rows, append(row, figure(n.Mean, n.Load.refs()...), figure(float64(n.Most), n.Load.refs()...), memory,
		m.busy(n.Load.Figure("cpu-ns/call"), n.PerSecond), m.busy(l.callAlone(), n.PerSecond),
		m.cell(n.Load.Figure(callP99), millis, Figure.middle)))
}

// none is the cell of a figure that is withheld.
func (m *tableMaker) none(why string) Cell { return Cell{Text: "n/a", Mark: m.mark(why)} }

// busy is the cores that calls keep busy at a rate.
func (m *tableMaker) busy(cpu Figure, perSecond float64) Cell {
	if !cpu.Known() {
		return m.none(cpu.Absent)
	}
	cores := cpu.Median * perSecond / float64(time.Second)
	return Cell{Text: significant(cores), Value: cores, Known: true, Refs: cpu.Refs}
}

// callAlone is processor time of a tools/call in the lightest believed step.
func (l *Ladder) callAlone() Figure {
	unit := record.Call.Unit("cpu-ns/call")
	for _, s := range having(believedOf(l.main()), unit) {
		return s.Figure(unit)
	}
	return Figure{Unit: unit, Absent: unexplained}
}

// refs are the results that a load was measured by.
func (load *Load) refs() []string { return load.Figure("calls/s").Refs }

// rangeText is memory for a table: the middle, and its range in brackets.
func rangeText(r Range) string {
	middle, lo, hi := mib.figure(r.Middle), mib.figure(r.Lo), mib.figure(r.Hi)
	if lo == middle && hi == middle {
		return middle
	}
	return fmt.Sprintf("%s (%s)", middle, between(lo, hi))
}

// steppedNote says on which surfaces memory comes from steps and not lines.
func steppedNote(ladders []*Ladder) string {
	var names []string
	for _, l := range ladders {
		if _, ok := l.held(); ok && !trend("peak-RSS-bytes", l.main()).Reliable() {
			names = append(names, "`"+l.Surface+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("On %s no straight line runs through the peaks, so memory there is the largest peak of the lightest step with as many calls in flight, "+
		"and what the people beyond its credentials hold: more than it would be, and in steps.", enumerate(names))
}

// overview has a row for each series: what there is to know of it at once.
func (v *View) overview() []Block {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Series", "Most credentials", "Largest peak, MiB",
		"Live heap, one credential more held", "Peak, one credential more calling", "Most calls a second", "Stops growing at, in flight", "CPU a call, one credential"}}}
	for _, l := range v.Ladders {
		if len(l.Steps) > 0 {
			m.overviewRow(l)
		}
	}
	if len(m.table.Rows) == 0 {
		return nil
	}
	return tables(m.finish())
}

func (m *tableMaker) overviewRow(l *Ladder) {
	steps := believedOf(l.Steps)
	if len(steps) == 0 {
		return
	}
	last := steps[len(steps)-1]
	row := []Cell{{Text: escape(l.Title())},
		{Text: significant(float64(last.Credentials)), Value: float64(last.Credentials), Known: true},
		m.cell(highest(steps, "peak-RSS-bytes"), mib, Figure.largest),
		m.slope(trend("rest-heap-bytes", l.main())), m.slope(trend("peak-RSS-bytes", l.main()))}
	k, err := l.knee()
	switch {
	case err != nil:
		row = append(row, m.none(err.Error()), m.none(err.Error()))
	case !k.Found:
		row = append(row, Cell{Text: significant(k.PerSecond), Value: k.PerSecond, Known: true}, m.none(k.Reason))
	default:
		row = append(row, Cell{Text: significant(k.PerSecond), Value: k.PerSecond, Known: true},
			Cell{Text: significant(k.InFlight), Value: k.InFlight, Known: true})
	}
	m.table.Rows = append(m.table.Rows, append(row, m.cell(steps[0].Figure("cpu-ns/call"), fitting, func(f Figure, _ Scale) string { return f.String() })))
}

// slope is what a credential more takes, if the line may be relied on.
func (m *tableMaker) slope(t Trend) Cell {
	switch {
	case !t.Known():
		return m.none(t.Absent)
	case !t.Reliable():
		return m.none("not linear: " + t.Bent)
	}
	return Cell{Text: amount(t.Unit, t.Slope), Value: t.Slope, Known: true, Refs: t.Refs}
}

// highest is the figure of the scenario in which a metric was largest.
func highest(scenarios []*Scenario, unit string) Figure {
	top := scenarios[0].Figure(unit)
	for _, s := range scenarios[1:] {
		if f := s.Figure(unit); f.Known() && (!top.Known() || f.Max > top.Max) {
			top = f
		}
	}
	return top
}
