package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// The crowds that the table sizes for.
var (
	crowds  = []int{10, 100, 1000, 10_000}
	periods = []time.Duration{10 * time.Second, time.Minute}
)

// mostAsked is the largest crowd that has a row where the record does not reach
// it, so that a reader sees that it does not.
const mostAsked = 1000

// planningHeading is that of the section that a reader sizes a server by, which
// is where a page for browsers has its calculator.
const planningHeading = "What to plan for"

// planning is what that section has.
func (v *View) planning() []Block {
	sizers, without := v.sizers()
	if len(sizers) == 0 {
		return nil
	}
	blocks := []Block{text(fmt.Sprintf("That many people over HTTP, each with a credential of their own and each calling once in that many seconds, a `tools/call` or "+
		"a `tools/list` in turn. In flight is how many calls are being answered at once, on average and at most at %.0f%% of all moments: by Little's law calls a second times the mean time of a call. "+
		"Memory is the peak to expect, in brackets the interval of the lines it comes from, and never below what admitting as many was seen to take; a limit needs more than that. "+
		"Cores are calls a second times processor time a call. Times are those of the lightest load measured that the calls fit into, and never below those of a lighter one; in brackets they are from the least of the rounds to the most. "+
		"What lies beyond the measured is withheld.%s", 100*stat.Crowded, v.freeCPUs()))}
	blocks = append(blocks, tables(needTable(sizers))...)
	for _, why := range without {
		blocks = append(blocks, text(why))
	}
	blocks = append(blocks, text("For a crowd of another size, memory is the first column here, and for each person the second, and for each call in flight the third. "+
		"A credential is held here with as many connections open as it had requests in flight, which differs between series; one with a single connection takes less:"))
	blocks = append(blocks, tables(modelTable(sizers))...)
	for _, note := range []string{heldNote(sizers), steppedNote(sizers), beyondNote(sizers)} {
		if note != "" {
			blocks = append(blocks, text(note))
		}
	}
	if len(v.Scenarios) > 0 {
		blocks = append(blocks, text("What the series came to:"))
		blocks = append(blocks, v.overview()...)
	}
	return blocks
}

// freeCPUs says that waits are of a server that may use more than its calls take.
func (v *View) freeCPUs() string {
	n := cpus(v.any.About(record.KeySubjectCPUs))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" Times were measured with %d %s free for the server at all times: one that may use no more than the cores of its row makes callers wait longer.", n, plural(n, "CPU"))
}

// sizers are those of the series of which a load can be believed, and a
// sentence for each of the others.
func (v *View) sizers() (sizers []*Sizer, without []string) {
	for _, l := range v.Ladders {
		if len(l.Steps) == 0 {
			continue
		}
		s := newSizer(l)
		if load, why := s.Load(0); load == nil {
			without = append(without, fmt.Sprintf("No rows for %s: %s.", escape(l.Title()), escape(why)))
			continue
		}
		sizers = append(sizers, s)
	}
	return sizers, without
}

// needTable has a row for each crowd and period on each surface.
func needTable(sizers []*Sizer) *Table {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Surface", "People", "Seconds between calls", "Calls a second",
		"In flight, mean", "At most", "Memory, MiB", "Cores", "`tools/call` p50, ms", "p99, ms"}}}
	for _, s := range sizers {
		for _, people := range crowds {
			for _, every := range periods {
				if people <= max(s.reach(), mostAsked) {
					m.needRow(s, s.Need(people, every))
				}
			}
		}
	}
	return m.finish()
}

func (m *tableMaker) needRow(s *Sizer, n Need) {
	row := []Cell{{Text: escape(s.Title())}, counted(float64(n.People)), counted(n.Every.Seconds()), counted(n.PerSecond)}
	if n.Load == nil {
		for len(row) < len(m.table.Head) {
			row = append(row, m.none(n.NoLoad))
		}
		m.table.Rows = append(m.table.Rows, row)
		return
	}
	refs := n.Load.Figure("calls/s").Refs
	row = append(row, counted(n.Mean, refs...), counted(float64(n.Most), refs...))
	if n.NoMemory == "" {
		row = append(row, rangeCell(mib, n.Memory))
	} else {
		row = append(row, m.none(n.NoMemory))
	}
	m.table.Rows = append(m.table.Rows, append(row,
		m.busy(n), m.waits(n.P50()), m.waits(n.P99())))
}

// waits is how long a call takes at most, and in brackets in single rounds.
func (m *tableMaker) waits(r Range, why string) Cell {
	if why != "" {
		return m.none(why)
	}
	return rangeOf(callP99, millis, r)
}

// finest is the least that a reader plans by: a hundredth of a core, or of a
// call in flight.
const finest = 0.01

// counted is the cell of a figure that was computed rather than measured.
func counted(v float64, refs ...string) Cell {
	c := Cell{Text: significant(v), Value: v, Known: true, Refs: refs}
	if v > 0 && v < finest {
		c.Text = "under " + strconv.FormatFloat(finest, 'f', -1, 64)
	}
	return c
}

// modelTable has the terms of each series' model.
func modelTable(sizers []*Sizer) *Table {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Surface", "Process and catalog, MiB", "A credential held", "A call in flight"}}}
	for _, s := range sizers {
		m.modelRow(s)
	}
	return m.finish()
}

// modelRow adds a series. What a credential takes that does not call is known
// even where the peaks lie on no line.
func (m *tableMaker) modelRow(s *Sizer) {
	base, held, call := rangeCell(mib, s.Model.Base), rangeCell(fitting, s.holds()), rangeCell(fitting, s.Model.Call)
	if s.NoModel != "" {
		base, call = m.none(s.NoModel), m.none(s.NoModel)
	}
	if s.noHeld != "" {
		held = m.none(s.noHeld)
	}
	m.table.Rows = append(m.table.Rows, []Cell{{Text: escape(s.Title())}, base, held, call})
}

// rangeCell shows bytes: the middle, and its range in brackets.
func rangeCell(scale Scale, r Range) Cell {
	return rangeOf("peak-RSS-bytes", scale, r)
}

// rangeOf shows an amount of a metric and its range in brackets.
func rangeOf(unit string, scale Scale, r Range) Cell {
	f := Figure{Unit: unit, Summary: stat.Summary{Median: r.Middle, Min: r.Lo, Max: r.Hi}}
	return Cell{Text: f.spread(scale), Value: r.Middle, Known: true, Refs: r.Refs}
}

// busy is the cores that calls keep busy.
func (m *tableMaker) busy(n Need) Cell {
	cores, why := n.Cores()
	if why != "" {
		return m.none(why)
	}
	return counted(cores.Middle, cores.Refs...)
}

// heldNote says on which surfaces what a credential held takes is no line's.
func heldNote(sizers []*Sizer) string {
	var names []string
	for _, s := range sizers {
		if s.noHeld == "" && !s.held.Reliable() {
			names = append(names, "`"+s.Surface+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("On %s what a credential held takes lies on no straight line: it is the growth from the first step to the last, in brackets the least "+
		"and the most of the growth to any step from a tenth of the ladder on.", enumerate(names))
}

// steppedNote says on which surfaces memory comes from steps and not lines.
func steppedNote(sizers []*Sizer) string {
	var names []string
	for _, s := range sizers {
		if s.noHeld == "" && s.NoModel != "" {
			names = append(names, "`"+s.Surface+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("On %s no straight line runs through the peaks, so memory there is the largest peak of the lightest step with as many calls in flight, "+
		"and what the people beyond its credentials hold: more than it would be, and in steps.", enumerate(names))
}

// beyondNote says on which surfaces there is more to say of than the lines go to.
func beyondNote(sizers []*Sizer) string {
	var said []string
	for _, s := range sizers {
		if steps := s.stepsBeyond(); s.noHeld == "" && len(steps) > 0 {
			said = append(said, fmt.Sprintf("%s people on `%s`, to %s", significant(float64(s.held.Last)), s.Surface, significant(float64(s.reach()))))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("Beyond %s, memory is what the crowd takes at most: the largest peak of the lightest step with as many credentials, all of them calling at once with as many "+
		"connections as that step had requests in flight, in brackets from what admitting as many was seen to take. Who has more connections takes more. Cores are no fewer than a call costs in that step. "+
		"How long a call takes that comes now and then was not measured with so many credentials held.", enumerate(said))
}

// overview has a row for each series: what there is to know of it at once.
func (v *View) overview() []Block {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Series", "Most credentials", "Largest peak, MiB",
		"Live heap, one credential more held", "Peak, one credential more calling", "Most calls a second, median of the three highest steps", "Stops growing at, in flight", "CPU a call, one credential"}}}
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
	row := []Cell{{Text: escape(l.Title())}, counted(float64(last.Credentials)),
		m.cell(highest(steps, "peak-RSS-bytes"), mib, Figure.largest),
		m.slope("rest-heap-bytes", l.main()), m.slope("peak-RSS-bytes", l.main())}
	k, err := l.knee()
	switch {
	case err != nil:
		row = append(row, m.none(err.Error()), m.none(err.Error()))
	case !k.Found:
		most := counted(l.most(), l.refs("calls/s")...)
		most.Mark = m.mark("of the highest step, since the series shows no plateau")
		row = append(row, most, m.none(k.Reason))
	default:
		cell := counted(k.InFlight, l.refs("inflight")...)
		if k.AtFoot {
			cell.Text = "at or below " + cell.Text
		}
		row = append(row, counted(k.PerSecond, l.refs("calls/s")...), cell)
	}
	m.table.Rows = append(m.table.Rows, append(row, m.cell(steps[0].Figure("cpu-ns/call"), fitting, func(f Figure, _ Scale) string { return f.String() })))
}

// slope is what a credential more takes: by the line if it may be relied on,
// and else on average between the ends of the ladder, which says less and is
// marked with what is wrong with the line.
func (m *tableMaker) slope(unit string, steps []*Scenario) Cell {
	t := trend(unit, steps)
	switch {
	case !t.Known():
		return m.none(t.Absent)
	case t.Reliable():
		return Cell{Text: amount(unit, t.Slope), Value: t.Slope, Known: true, Refs: t.Refs}
	}
	each, first, last := meanGrowth(unit, steps)
	return Cell{
		Text: fmt.Sprintf("%s on average to %s", amount(unit, each), significant(float64(last.Credentials))), Mark: m.mark(t.bent()),
		Value: each, Known: true, Refs: slices.Concat(first.Figure(unit).Refs, last.Figure(unit).Refs),
	}
}

// meanGrowth is what a metric grew by, for each credential, from the first
// believed step to the last. There are two, or there would be no line.
func meanGrowth(unit string, steps []*Scenario) (each float64, first, last *Scenario) {
	known := having(believedOf(steps), unit)
	first, last = known[0], known[len(known)-1]
	grown := last.Figure(unit).Median - first.Figure(unit).Median
	return grown / float64(last.Credentials-first.Credentials), first, last
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
