package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpbench/internal/page"
)

// changes are the tables of what is not as it was, worst and best first.
func (c *Comparison) changes() []string {
	tested := []string{"scenario", "metric", "old", "new", "change", "p and n"}
	exact := []string{"scenario", "metric", "old", "new", "change", "verdict"}
	isExact := func(f Figure) bool { return f.Metric.Exact }
	return []string{
		c.table("Worse", tested, func(f Figure) bool { return !isExact(f) && f.Verdict == Worse }, probability),
		c.table("Better", tested, func(f Figure) bool { return !isExact(f) && f.Verdict == Better }, probability),
		c.table("Exact figures that differ", exact, func(f Figure) bool { return isExact(f) && f.Verdict != Unchanged }, verdict),
	}
}

// mostRows is how long a table gets before it says that there are more.
const mostRows = 100

// table shows chosen figures under a heading, those that changed most first, or
// is nothing if there are none.
func (c *Comparison) table(heading string, head []string, chosen func(Figure) bool, last func(Figure) string) string {
	rows := slices.DeleteFunc(c.rows(), func(r row) bool { return !chosen(r.Figure) })
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.extent(), a.extent()) })
	if len(rows) == 0 {
		return ""
	}
	t := &page.Table{Head: head, Names: 2}
	for _, r := range rows[:min(len(rows), mostRows)] {
		t.Rows = append(t.Rows, append([]page.Cell{{Text: page.Escape(c.title(r.scenario))}}, r.cells(last(r.Figure))...))
	}
	text := fmt.Sprintf("### %s\n\n%s", heading, t.Markdown())
	if more := len(rows) - mostRows; more > 0 {
		text += fmt.Sprintf("\nAnd %d more, which changed less.\n", more)
	}
	return text
}

// details are all figures of one scenario, folded up.
func (c *Comparison) details(s Scenario) string {
	t := &page.Table{Head: []string{"metric", "old", "new", "change", "p and n", "verdict"}, Names: 1}
	for _, f := range s.Figures {
		t.Rows = append(t.Rows, f.cells(probability(f), verdict(f)))
	}
	return folded(c.title(s.Name)+": "+tally(s.Figures), t.Markdown())
}

// cells are the figure's name, both medians, the change, and what else is given.
func (f Figure) cells(more ...string) []page.Cell {
	cells := []page.Cell{{Text: "`" + f.Metric.Unit + "`"}}
	for _, text := range append([]string{f.text(f.Old), f.text(f.New), f.changeText()}, more...) {
		cells = append(cells, page.Cell{Text: text})
	}
	return cells
}

// text writes one side's rounds, in the scale of the greater of both medians
// so that the two can be compared by eye. Of an exact figure every digit
// counts.
func (f Figure) text(r Rounds) string {
	return f.scale().Spread(r.Median, r.Least, r.Most)
}

func (f Figure) scale() page.Scale {
	if f.Metric.Exact {
		return page.Scale{Factor: 1}
	}
	return page.ScaleOf(f.Metric.Unit, max(f.Old.Median, f.New.Median))
}

// changeText is how much the figure changed, if it did.
func (f Figure) changeText() string {
	if f.Verdict == Unchanged || f.Verdict == Untold {
		return ""
	}
	if percent, ok := f.Percent(); ok {
		return signed(fmt.Sprintf("%+.2f%%", percent))
	}
	text := f.scale().With(f.Change())
	if f.Change() > 0 {
		text = "+" + text
	}
	return text
}

// signed gives a number the sign that a page uses.
func signed(number string) string { return strings.Replace(number, "-", "−", 1) }

// probability is the result of the test. An exact figure has none.
func probability(f Figure) string {
	if f.Metric.Exact {
		return "exact"
	}
	return f.Test.String()
}

// verdict is the figure's, or that there is nothing to judge.
func verdict(f Figure) string {
	if f.Verdict == Unchanged && f.same() {
		return "same"
	}
	return f.Verdict.String()
}

// meansTable is the table of geometric means, folded up.
func (c *Comparison) meansTable() string {
	means := c.Means()
	if len(means) == 0 {
		return ""
	}
	t := &page.Table{Head: []string{"kind", "metric", "scenarios", "old", "new", "change"}, Names: 2}
	for _, m := range means {
		scale := page.ScaleOf(m.Unit, max(m.Old, m.New))
		var cells []page.Cell
		for _, text := range []string{page.Escape(string(m.Kind)), "`" + m.Unit + "`", fmt.Sprint(m.Scenarios), scale.With(m.Old), scale.With(m.New),
			signed(fmt.Sprintf("%+.2f%%", 100*(m.New/m.Old-1)))} {
			cells = append(cells, page.Cell{Text: text})
		}
		t.Rows = append(t.Rows, cells)
	}
	return folded("Geometric means over scenarios, for which there is no test", t.Markdown())
}

// A row is a figure and whose it is.
type row struct {
	scenario string
	Figure
}

// rows returns every figure in the order of the scenarios.
func (c *Comparison) rows() []row {
	var rows []row
	for _, s := range c.Scenarios {
		for _, f := range s.Figures {
			rows = append(rows, row{s.Name, f})
		}
	}
	return rows
}

// extent is by which factor a figure changed, up or down. A change from or to
// nothing is the largest there is.
func (f Figure) extent() float64 {
	if f.Change() == 0 {
		return 0
	}
	if f.Old.Median <= 0 || f.New.Median <= 0 {
		return math.Inf(1)
	}
	return math.Abs(math.Log(f.New.Median / f.Old.Median))
}
