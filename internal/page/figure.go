package page

import (
	"errors"
	"fmt"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// A Figure is one metric of one scenario over its rounds, or the reason why
// there is none.
type Figure struct {
	Unit string
	stat.Summary
	Absent string   // why there is no figure; "" if there is one
	Refs   []string // file:line of the results it comes from
}

// unexplained is the reason for a figure that a record leaves out in silence.
const unexplained = "not in the record, which does not say why"

// figureOf summarises one metric over results.
func figureOf(unit string, results []record.Result) Figure {
	f := Figure{Unit: unit, Absent: unexplained}
	var amounts []float64
	for _, r := range results {
		if amount, ok := r.Value(unit); ok {
			amounts = append(amounts, amount)
			f.Refs = append(f.Refs, refOf(r))
		} else if reason := r.Absent[unit]; reason != "" {
			f.Absent = reason
		}
	}
	summary, err := stat.Summarize(amounts)
	switch {
	case err == nil:
		f.Summary, f.Absent = summary, ""
	case !errors.Is(err, stat.ErrNoValues):
		f.Absent = err.Error()
	}
	return f
}

// refOf is where a result stands in the record.
func refOf(r record.Result) string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// rounds is the median, from the least to the most of the rounds.
func (f Figure) rounds() Range { return Range{Lo: f.Min, Middle: f.Median, Hi: f.Max, Refs: f.Refs} }

// Known reports whether there is a figure.
func (f Figure) Known() bool { return f.Absent == "" }

// String is the median with its unit, scaled for prose.
func (f Figure) String() string { return amount(f.Unit, f.Median) }

// amount writes an amount of a metric for prose.
func amount(unit string, v float64) string { return scaleOf(unit, v).with(v) }

// middle is the median in the given scale.
func (f Figure) middle(s Scale) string { return s.in(f.Unit, f.Median).figure(f.Median) }

// largest is the largest of all rounds in the given scale.
func (f Figure) largest(s Scale) string { return s.in(f.Unit, f.Max).figure(f.Max) }

// behind is the amount that a text shows, to sort by: the median, unless it is
// the largest that reads like this.
func (f Figure) behind(text string, s Scale) float64 {
	if text == f.largest(s) && text != f.middle(s) {
		return f.Max
	}
	return f.Median
}

// spread is the median in the given scale and, in brackets, the interval where
// there is one and else the smallest and largest, unless they read the same. A
// scale that fits the figure stands beside it.
func (f Figure) spread(s Scale) string {
	lo, hi := f.Min, f.Max
	if f.Interval {
		lo, hi = f.Lo, f.Hi
	}
	scale := s.in(f.Unit, f.Median)
	middle, from, to := scale.figure(f.Median), scale.figure(lo), scale.figure(hi)
	shown := middle
	if s == fitting {
		shown = scale.with(f.Median)
	}
	if from == middle && to == middle {
		return shown
	}
	return shown + " (" + between(from, to) + ")"
}

// between writes a range, in words where a sign would be taken for the dash.
func between(lo, hi string) string {
	if lo == hi {
		return lo
	}
	if lo[0] > '9' || hi[0] > '9' { // a minus sign is not ASCII
		return lo + " to " + hi
	}
	return lo + "–" + hi
}
