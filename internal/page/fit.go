package page

import (
	"cmp"
	"errors"
	"fmt"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// A Trend is how one metric grows over the steps of a group.
type Trend struct {
	Unit string
	stat.Line
	Absent   string // why there is no line; "" if there is one
	Straight bool   // whether the line may be relied on
	Bent     string // if not: why
	Refs     []string
	Last     int // the largest population it rests on
}

// trend fits a metric over the believed rounds of steps that were loaded alike.
func trend(unit string, steps []*Scenario) Trend {
	t := Trend{Unit: unit, Absent: "no step is to be believed"}
	var points []stat.XY
	for _, s := range believedOf(steps) {
		f := s.Figure(unit)
		if !f.Known() {
			t.Absent = f.Absent
			continue
		}
		for _, r := range s.Results {
			if amount, ok := r.Value(unit); ok {
				points = append(points, stat.XY{X: float64(s.Credentials), Y: amount})
			}
		}
		t.Refs = append(t.Refs, f.Refs...)
		t.Last = s.Credentials
	}
	if len(points) == 0 {
		return t
	}
	line, err := stat.Fit(points)
	switch {
	case errors.Is(err, stat.ErrOneStep):
		t.Absent = "a slope needs a second step"
	case err != nil:
		t.Absent = err.Error()
	default:
		t.Line, t.Absent = line, ""
		t.Straight, t.Bent = stat.Linear(points, line)
	}
	return t
}

// Known reports whether there is a line.
func (t Trend) Known() bool { return t.Absent == "" }

// few reports whether the line goes through too few steps to be judged.
func (t Trend) few() bool { return t.Steps < stat.MinFit }

// bent says why the line may not be relied on, or nothing.
func (t Trend) bent() string {
	switch {
	case t.few():
		return "not shown to be linear: " + t.Bent
	case !t.Straight:
		return "not linear: " + t.Bent
	case !t.Interval:
		return "too few of the steps are far enough apart"
	}
	return ""
}

// Reliable reports whether a sentence may be built on the line.
func (t Trend) Reliable() bool { return t.Known() && t.bent() == "" }

// fitted are the metrics that are laid a line through.
var fitted = []struct{ unit, words string }{
	{"peak-RSS-bytes", "Peak, all calling"},
	{"all-RSS-bytes", "Resident set, admitted and not yet calling"},
	{"rest-RSS-bytes", "Resident set at rest, connected"},
	{"rest-heap-bytes", "Live heap at rest, connected"},
	{"closed-heap-bytes", "Live heap at rest, disconnected"},
}

// fitTable says what one credential more costs, group by group.
func (l *Ladder) fitTable() *Table {
	m := &tableMaker{notesAt: notesOfSection, table: Table{Names: 1, Head: []string{"Memory", "Credentials", "One credential more", "95% interval",
		"The line at none, MiB", "Half of the rounds are closer than", "Values", "Straight line?"}}}
	for i, g := range l.Groups {
		for _, metric := range fitted {
			m.fitRow(metric.words, g, i > 0, trend(metric.unit, g.Steps))
		}
	}
	return m.finish()
}

// fitRow adds a line, unless it is of a group too small to have one.
func (m *tableMaker) fitRow(words string, g Group, aside bool, t Trend) {
	if aside && !t.Known() {
		return
	}
	name := Cell{Text: words}
	if aside {
		name.Mark = asideMark
	}
	span := between(significant(float64(g.Steps[0].Credentials)), significant(float64(g.Steps[len(g.Steps)-1].Credentials)))
	if aside {
		m.setAside(g.Steps[0].Aside, span)
	}
	row := []Cell{name, {Text: span}}
	if !t.Known() {
		for range 6 {
			row = append(row, m.none(t.Absent))
		}
		m.table.Rows = append(m.table.Rows, row)
		return
	}
	known := func(text string, value float64) Cell {
		return Cell{Text: text, Value: value, Known: true, Refs: t.Refs}
	}
	scale := scaleOf(t.Unit, t.Slope)
	interval := known(between(scale.figure(t.Lo), scale.figure(t.Hi)), t.Hi)
	residual := known(amount(t.Unit, t.Residual), t.Residual)
	switch {
	case t.few():
		interval = m.none(fmt.Sprintf("it takes %d steps; a line through fewer runs close to all of them whatever they are", stat.MinFit))
		residual = interval
	case !t.Interval:
		interval = m.none(t.bent())
	}
	m.table.Rows = append(m.table.Rows, append(row,
		known(scale.with(t.Slope), t.Slope), interval,
		known(mib.figure(t.Intercept), t.Intercept), residual,
		known(fmt.Sprintf("%d over %d steps", t.N, t.Steps), float64(t.N)),
		Cell{Text: escape(cmp.Or(t.bent(), "yes"))}))
}

// methodsInTurn are those that series and open loops mix.
func methodsInTurn() []record.Method { return []record.Method{record.Call, record.List} }
