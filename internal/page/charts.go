package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// ChartsFolder is where a page expects the files of its charts, as seen from
// its own folder.
const ChartsFolder = "charts"

// pictures returns a block for each of the charts that there are.
func pictures(charts ...*chart.Chart) []Block {
	var blocks []Block
	for _, c := range charts {
		if c != nil {
			blocks = append(blocks, Block{Chart: c})
		}
	}
	return blocks
}

// introduced returns a chart under the words that introduce it, or nothing if
// there is no chart.
func introduced(words string, c *chart.Chart) []Block {
	if c == nil {
		return nil
	}
	return []Block{text(words), {Chart: c}}
}

// A plotted metric is one with the name of its series in a chart.
type plotted struct{ words, unit string }

// value is what a chart draws of a figure: the median, and the interval or else
// the smallest and largest.
func (f Figure) value(s Scale, what string) chart.Value {
	lo, hi := f.Min, f.Max
	if f.Interval {
		lo, hi = f.Lo, f.Hi
	}
	return chart.Value{At: f.Median / s.Factor, Lo: lo / s.Factor, Hi: hi / s.Factor,
		Says: fmt.Sprintf("%s: %s, %s", what, f.spread(fitting), inRounds(f.N))}
}

func inRounds(n int) string { return fmt.Sprintf("%d %s", n, plural(n, "round")) }

// value is what a chart draws of one of the scenario's metrics, or nil if it
// has none.
func (s *Scenario) value(m plotted, scale Scale) *chart.Value {
	f := s.Figure(m.unit)
	if !f.Known() {
		return nil
	}
	v := f.value(scale, s.called()+", "+m.words)
	v.Doubted = !s.Believed()
	return &v
}

// percentile is what a chart draws of a percentile of a method. Its interval
// holds that of every round.
func (s *Scenario) percentile(m record.Method, words string) *chart.Value {
	v := s.value(plotted{unmarked(methodName(m)) + ", " + words, m.Unit(quantileUnits[words])}, millis)
	if v == nil {
		return nil
	}
	short := strings.TrimSuffix(quantileUnits[words], "-ns")
	lo, hi := s.Figure(m.Unit(short+"-lo-ns")), s.Figure(m.Unit(short+"-hi-ns"))
	v.Lo, v.Hi = v.At, v.At
	if lo.Known() && hi.Known() {
		v.Lo, v.Hi = min(lo.Min/millis.Factor, v.At), max(hi.Max/millis.Factor, v.At)
		v.Says += fmt.Sprintf("; interval %s to %s", amount(lo.Unit, lo.Min), amount(hi.Unit, hi.Max))
	}
	return v
}

// quantileUnits are the quantities of a method by what charts call them.
var quantileUnits = map[string]string{"p50": "p50-ns", "p90": "p90-ns", "p99": "p99-ns", "p99.9": "p999-ns"}

// called is what a chart calls a scenario, wherever it stands.
func (s *Scenario) called() string {
	if s.Kind == record.Point {
		return s.Title()
	}
	l := Ladder{Transport: s.Transport, Surface: s.Surface}
	return l.Title() + ", " + s.Title()
}

// unmarked takes marks of code and ties to the record out of words, which a
// chart cannot show.
func unmarked(words string) string { return strings.ReplaceAll(uncited(words), "`", "") }

// axis is one of the given values: logarithmic where they span decades.
func axis(label string, s Scale, values []chart.Value) chart.Axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v.Lo), max(hi, v.Hi)
	}
	a := chart.Axis{Label: label, Log: lo > 0 && hi >= decades*lo, Write: onAxis}
	if s.Symbol != "" {
		a.Label += ", " + s.Symbol
	}
	if a.Log {
		a.Label += " (log scale)"
	}
	return a
}

// decades is how many times the smallest figure the largest has to be for an
// axis to be logarithmic.
const decades = 20

// onAxis writes the figure of a tick.
func onAxis(v float64) string {
	text := grouped(strconv.FormatFloat(math.Abs(v), 'f', -1, 64))
	if v < 0 {
		return "−" + text
	}
	return text
}

// crowdAxis is that of how many there are of something.
func crowdAxis(label string, panels []chart.Panel) chart.Axis {
	var places []chart.Value
	for _, p := range panels {
		for _, l := range p.Lines {
			for _, pt := range l.Points {
				places = append(places, chart.Value{Lo: pt.X, Hi: pt.X})
			}
		}
	}
	return axis(label, plain, places)
}

// valuesOf are the values of lines and bars.
func valuesOf(panels []chart.Panel) []chart.Value {
	var values []chart.Value
	for _, p := range panels {
		for _, l := range p.Lines {
			for _, pt := range l.Points {
				values = append(values, pt.Value)
			}
		}
		if p.Bars == nil {
			continue
		}
		for _, row := range p.Bars.Rows {
			for _, v := range row.Values {
				if v != nil {
					values = append(values, *v)
				}
			}
		}
	}
	return values
}

// finish gives a chart what all have: what the figures belong to, how they are
// to be read, and words for who does not see it. A chart without values is none.
func (v *View) finish(c *chart.Chart, of []*Scenario, alt ...string) *chart.Chart {
	var panels []chart.Panel
	for _, b := range c.Bands {
		panels = append(panels, b.Panels...)
	}
	values := valuesOf(panels)
	if len(values) == 0 && !slices.ContainsFunc(panels, func(p chart.Panel) bool { return p.Stack != nil }) {
		return nil
	}
	c.Foot = v.foot(of)
	c.Note = joinWords(cmp.Or(c.Note, whiskers(of, values)), hollow(of))
	c.Alt = unmarked(joinWords(append([]string{c.Title + "."}, append(alt, doubtedAlt(of))...)...))
	return c
}

// foot is what figures belong to: machine, build, when and how.
func (v *View) foot(of []*Scenario) string {
	said := func(key, form string) string {
		if value := v.any.About(key); value != "" {
			return fmt.Sprintf(form, value)
		}
		return ""
	}
	commit := ""
	if hash := v.any.About(record.KeyCommit); hash != "" {
		commit = "commit " + short(hash)
	}
	measured := ""
	if len(v.Dates) > 0 {
		measured = between(day(v.Dates[0]), day(v.Dates[len(v.Dates)-1]))
	}
	least, most := rounds(of)
	taken := inRounds(most)
	if least < most {
		taken = fmt.Sprintf("%d to %s", least, taken)
	}
	return joinWords(
		labelled("Host", said(record.KeyHost, "%s"), said(record.KeyCPU, "%s"), strings.Trim(said(record.KeyGOOS, "%s/")+said(record.KeyGOARCH, "%s"), "/"),
			said(record.KeySubjectCPUs, "server on CPU %s")),
		labelled("Build", said(record.KeyBuild, "%s"), commit),
		labelled("Measured", measured, taken),
		labelled("Method", methods(of)))
}

// methods are how the scenarios were measured, in short.
func methods(of []*Scenario) string { return strings.Join(eachMethod(of), "; ") }

// eachMethod are how the scenarios were measured, each once and in short.
func eachMethod(of []*Scenario) []string {
	var all []string
	for _, s := range of {
		if m, _, _ := strings.Cut(s.All[0].Config[record.KeyMethod], ";"); m != "" {
			all = withNew(all, m)
		}
	}
	return all
}

// percentileNote says what whiskers are that do not span rounds.
func percentileNote() string {
	return fmt.Sprintf("The whiskers of a percentile span the %.0f%% intervals of all rounds.", 100*stat.Confidence)
}

// whiskers says what the lines across a value are, if any value has one.
func whiskers(of []*Scenario, values []chart.Value) string {
	if !slices.ContainsFunc(values, func(v chart.Value) bool { return v.Lo < v.Hi }) {
		return ""
	}
	least, most := rounds(of)
	needed := stat.MinValues(0.5, stat.Confidence)
	interval := fmt.Sprintf("%.0f%% interval", 100*stat.Confidence)
	switch {
	case most < needed:
		return "Whiskers span the rounds."
	case least < needed:
		return fmt.Sprintf("Whiskers are the %s, or span the rounds where these are too few for one.", interval)
	}
	return fmt.Sprintf("Whiskers are the %s.", interval)
}

// hollow says why some values are drawn hollow, if any are.
func hollow(of []*Scenario) string {
	if len(believedOf(of)) == len(of) {
		return ""
	}
	return "Hollow: doubted, so that no statement uses it."
}

// doubtedAlt names what is drawn hollow.
func doubtedAlt(of []*Scenario) string {
	var names []string
	for _, s := range of {
		if !s.Believed() {
			names = append(names, s.called())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Doubted, so that no statement uses it, and drawn hollow: " + strings.Join(names, "; ") + "."
}

// fromTo says what a metric was at the ends of a ladder, or nothing.
func fromTo(l *Ladder, m plotted) string {
	known := having(believedOf(l.main()), m.unit)
	if len(known) < 2 {
		return ""
	}
	first, last := known[0], known[len(known)-1]
	return fmt.Sprintf("%s: %s with %s and %s with %s.", m.words, first.Figure(m.unit), first.Title(), last.Figure(m.unit), last.Title())
}

// named puts the name of a ladder before what is said of it, if anything is.
func named(l *Ladder, said ...string) string {
	if words := joinWords(said...); words != "" {
		return l.Title() + ": " + words
	}
	return ""
}
