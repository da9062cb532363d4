package page

import (
	"fmt"
	"strings"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// comparedRounds is of how many rounds a side the page tells what they find: as
// many as a published record has.
const comparedRounds = 6

// noise is what there is to say of the noise floor, if it was measured.
func (v *View) noise() []Block {
	if v.Noise == nil {
		return nil
	}
	blocks := []Block{text(fmt.Sprintf("How far figures are apart when nothing differs. %s, under the names of two sides that took turns. "+
		"Spread is the largest less the smallest over the rounds of both. The smallest change found is one that the comparison's test (Mann-Whitney U, p at most %v) "+
		"finds in nine of ten comparisons of %d rounds with %[3]d; smaller ones it finds less often. "+
		"A comparison calls better or worse only what also moved the median further than the rounds of either build are apart: that takes the last column. Both are estimates from a dozen "+
		"rounds, good to some tens of percent, and to a factor of two where a few rounds stand out.", v.noiseBuild(), stat.TestLevel, comparedRounds))}
	blocks = append(blocks, paragraphs(v.otherMedians(), v.Noise.chance().sentence())...)
	for _, t := range v.Noise.sides {
		blocks = append(blocks, t.floors()...)
	}
	for _, t := range v.Noise.looked {
		blocks = append(blocks, t.looking()...)
	}
	return blocks
}

// noiseBuild says which build was measured against itself and when, and how the
// host differed from that of the other figures.
func (v *View) noiseBuild() string {
	n := v.Noise.any
	said := "The build that all figures are of"
	if n.About(record.KeySHA256) != v.any.About(record.KeySHA256) {
		said = fmt.Sprintf("Another build than that of the other figures (%s, commit `%s`)", escape(n.About(record.KeyBuild)), short(n.About(record.KeyCommit)))
	}
	var differs []string
	for _, key := range common {
		if n.Config[key] != v.any.Config[key] {
			differs = append(differs, key+" "+escape(n.Config[key]))
		}
	}
	if len(differs) > 0 {
		said += ", where not all was as for the other figures (" + strings.Join(differs, ", ") + "),"
	}
	return joinWords(said, "was measured against itself", dated(n))
}

// otherMedians says why the medians of the noise are not those of the other
// tables, where these have the same scenarios.
func (v *View) otherMedians() string {
	commit, other := v.any.About(record.KeyCommit), v.Noise.any.About(record.KeyCommit)
	if len(v.everything()) == 0 || len(v.Dates) == 0 || commit == "" || other == "" {
		return ""
	}
	from, to := day(v.Dates[0]), day(v.Dates[len(v.Dates)-1])
	when := "on " + from
	if from != to {
		when = "from " + from + " to " + to
	}
	return fmt.Sprintf("**Medians here are not those of the tables above**, and differ by what lies between: these are of commit `%s`, measured %s; those above are of commit `%s`, measured %s. "+
		"What is to be taken from here is how far apart rounds are, not how much a scenario takes.",
		short(other), dated(v.Noise.any), short(commit), escape(when))
}

// dated says on which day a result was measured, if it says so.
func dated(r record.Result) string {
	if date := r.About(record.KeyDate); date != "" {
		return "on " + escape(day(date))
	}
	return ""
}

// sentence says how often the sides were told apart, and how often chance has
// them told.
func (c chance) sentence() string {
	if c.figures == 0 {
		return ""
	}
	verdict := "Chance explains that."
	if float64(c.asMany) <= stat.TestLevel*float64(c.ways) {
		verdict = "**That is more than chance explains:** the sides differ by the order in which they are measured, or the test is wrong."
	}
	return fmt.Sprintf("Whatever the test finds between two sides of one build is an error. Of %d figures that have a direction and are not the same in every round it told %d apart "+
		"(%s%%), where %s are expected. Figures of one run rise and fall together, so the count is less even than that of dice: with the sides exchanged in some of the "+
		"rounds it is %d to %d, and as high as it was or higher in %d of %d ways. %s A comparison would have called %d of them better or worse.",
		c.figures, c.told, significant(100*float64(c.told)/float64(c.figures)), significant(c.expected), c.least, c.most, c.asMany, c.ways, verdict, c.called)
}

// floors is the table of one scenario.
func (t *twin) floors() []Block {
	table := &Table{Names: 1, Head: []string{"Metric", "Median of both sides", "Spread", "Smallest change found", "Called better or worse from"}}
	var steady []string
	for _, m := range t.judged() {
		f := t.Figure(m.Unit)
		if f.Min == f.Max {
			steady = append(steady, "`"+m.Unit+"`")
			continue
		}
		table.Rows = append(table.Rows, t.floor(f))
	}
	blocks := []Block{text(fmt.Sprintf("**%s**, %s:", escape(t.title()), t.counted()))}
	if len(table.Rows) > 0 {
		blocks = append(blocks, tables(table)...)
	}
	if len(steady) > 0 {
		blocks = append(blocks, text("The same in every round, so that any change is found: "+strings.Join(steady, ", ")+"."))
	}
	return blocks
}

// counted says how many rounds a twin has, and which are left out.
func (t *twin) counted() string {
	said := fmt.Sprintf("%d rounds of both sides", len(t.Results))
	switch {
	case !t.Believed():
		return said + ", all doubted, so that no change is told: " + escape(strings.Join(t.Doubts, ", "))
	case len(t.Doubts) > 0:
		said += ", and left out for doubt " + escape(strings.Join(t.Doubts, ", "))
	}
	if len(t.Results) < pilot {
		said += fmt.Sprintf(" (too few to say which change is found, which takes %d)", pilot)
	}
	return said
}

// floor is the row of a figure.
func (t *twin) floor(f Figure) []Cell {
	row := []Cell{{Text: "`" + f.Unit + "`"}, {Text: f.middle(fitting) + symbol(f), Value: f.Median, Known: true, Refs: f.Refs}, f.part(f.Max - f.Min)}
	change, ok := t.smallest(f.Unit, comparedRounds)
	if !ok {
		none := Cell{Text: "n/a"}
		return append(row, none, none)
	}
	return append(row, f.part(change.Tested), f.part(change.Apart))
}

// symbol is that of the scale that fits the figure.
func symbol(f Figure) string {
	if s := scaleOf(f.Unit, f.Median).Symbol; s != "" {
		return " " + s
	}
	return ""
}

// part is an amount in its own scale and as a part of the median, by which it
// is sorted.
func (f Figure) part(of float64) Cell {
	c := Cell{Text: amount(f.Unit, of), Value: of, Known: true, Refs: f.Refs}
	if f.Median > 0 {
		c.Value = 100 * of / f.Median
		c.Text += " (" + significant(c.Value) + "%)"
	}
	return c
}

// lookedUnits are the metrics that looking could change.
var lookedUnits = append(append([]string{"cpu-ns/call"}, seenUnits...), "suite-cpu-cores")

// seenUnits are those of them that clients see.
var seenUnits = []string{"calls/s", "call-p50-ns", "call-p99-ns", "list-p50-ns", "list-p99-ns"}

// looking is what the suite's sampler costs its subject, and the suite.
func (t *twin) looking() []Block {
	table := &Table{Names: 1, Head: []string{"Metric", "Not looked at", "Looked at", "Difference, paired"}}
	for _, unit := range lookedUnits {
		if row := t.look(unit); row != nil {
			table.Rows = append(table.Rows, row)
		}
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return append([]Block{text(fmt.Sprintf("**What looking costs**, %s, %s. Under load the suite reads the process several times a second. Here it did and did not, by turns in one process, so that each round is a pair. "+
		"The difference is the median over the rounds, and in brackets its %.0f%% interval, or the smallest and largest where there are too few rounds for one. %s",
		escape(t.title()), t.countedPairs(), 100*stat.Confidence, t.verdict()+t.waits()))}, tables(table)...)
}

// countedPairs says how many rounds are pairs, and which are left out.
func (t *twin) countedPairs() string {
	rounds, _, _ := t.pairs("cpu-ns/call", lookOn, lookOff)
	said := fmt.Sprintf("%d %s", len(rounds), plural(len(rounds), "round"))
	if len(t.Doubts) > 0 {
		said += ", and left out for doubt " + escape(strings.Join(t.Doubts, ", "))
	}
	return said
}

// look is the row of one metric, or nothing where it was not read in pairs.
func (t *twin) look(unit string) []Cell {
	difference, ok := t.difference(unit)
	if !ok {
		return nil
	}
	row := []Cell{{Text: "`" + unit + "`"}}
	for _, half := range []string{lookOff, lookOn} {
		var results []record.Result
		for _, round := range sortedKeys(t.halves[half]) {
			results = append(results, t.halves[half][round])
		}
		f := figureOf(unit, results)
		row = append(row, Cell{Text: f.spread(fitting), Value: f.Median, Known: true, Refs: f.Refs})
	}
	lo, hi := ends(difference)
	return append(row, Cell{Text: fmt.Sprintf("%s%% (%s%% to %s%%)", withSign(difference.Median), withSign(lo), withSign(hi)), Value: difference.Median, Known: true})
}

// difference sums up by how many percent a metric is greater when looked at.
func (t *twin) difference(unit string) (stat.Summary, bool) {
	_, on, off := t.pairs(unit, lookOn, lookOff)
	var percent []float64
	for i := range on {
		percent = append(percent, 100*(on[i]/off[i]-1))
	}
	s, err := stat.Summarize(percent)
	return s, err == nil
}

// ends are those of the interval, or the smallest and largest.
func ends(s stat.Summary) (lo, hi float64) {
	if s.Interval {
		return s.Lo, s.Hi
	}
	return s.Min, s.Max
}

// verdict says whether looking costs the subject processor time, if there are
// rounds enough to say so.
func (t *twin) verdict() string {
	d, ok := t.difference("cpu-ns/call")
	switch {
	case !ok || !d.Interval:
		return ""
	case d.Lo > 0:
		return fmt.Sprintf("Looking costs the server %s%% of processor time per call.", significant(d.Median))
	case d.Hi < 0:
		return fmt.Sprintf("**The server took less processor time per call while it was looked at, by %s%%:** something other than looking differs.", significant(-d.Median))
	}
	return fmt.Sprintf("That looking costs the server processor time does not show: per call the difference is between %s%% and %s%%.", withSign(d.Lo), withSign(d.Hi))
}

// waits says what else of that which clients see is told apart by looking, if there are rounds enough to say so.
func (t *twin) waits() string {
	compared := 0
	var apart []string
	for _, unit := range seenUnits {
		d, ok := t.difference(unit)
		if !ok || !d.Interval {
			continue
		}
		compared++
		if d.Lo > 0 || d.Hi < 0 {
			apart = append(apart, fmt.Sprintf("`%s` (%s%%)", unit, withSign(d.Median)))
		}
	}
	switch {
	case compared == 0:
		return ""
	case len(apart) == 0:
		return fmt.Sprintf(" Of %d figures that its clients see, none has an interval without zero.", compared)
	}
	return fmt.Sprintf(" Of %d figures that its clients see, those whose interval is without zero: %s.", compared, strings.Join(apart, ", "))
}

// withSign writes a number with its sign.
func withSign(v float64) string {
	if v > 0 {
		return "+" + significant(v)
	}
	return significant(v)
}
