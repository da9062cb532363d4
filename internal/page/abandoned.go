package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mcpbench/internal/record"
)

// abandonedSaid is what the table shows besides figures.
const abandonedSaid = "What stays in the process of clients that go away without a word, once it may keep it no longer. Each event " +
	"happened many times, in batches; between batches collections were forced and memory came to rest. Bytes are the growth of the " +
	"live heap for each event, with the 95% interval of that slope, so that what is kept once for all does not count. Goroutines, " +
	"descriptors and processes are those after all events, less those before the first. Until it may forget them, the process " +
	"holds sessions and streams: what that takes is beside it."

// abandoned shows what each way of going away leaves behind, and what it may.
func (v *View) abandoned() []Block {
	if len(v.Abandoned) == 0 {
		return nil
	}
	m := &tableMaker{table: Table{Names: 2, Head: []string{"Event", "Verdict", "Events", "Bytes kept an event", "At most", "Goroutines kept",
		"Descriptors kept", "Processes kept", "Held meanwhile an event", "Goroutines held", "Descriptors held"}}}
	var budgets []string
	for _, s := range v.Abandoned {
		m.abandonedRow(s)
		budgets = append(budgets, abandonedBudget(s))
	}
	return slices.Concat([]Block{text(abandonedSaid)}, tables(m.finish()),
		paragraphs(notTried(v.Abandoned[0]), v.builtOtherwise(v.Abandoned[0])), []Block{text("The budgets, and what they rest on:"), list(budgets...)})
}

// abandonedOf are the events of a record, by what the page calls them.
func abandonedOf(results []record.Result) []*Scenario {
	all := scenariosOf(record.Abandoned, results)
	for _, s := range all {
		s.Label = cmp.Or(s.All[0].About("event"), s.All[0].Part("event"))
	}
	return all
}

func (m *tableMaker) abandonedRow(s *Scenario) {
	count := func(unit string) Cell { return m.cell(s.Figure(unit), plain, Figure.spread) }
	last := s.Results[len(s.Results)-1]
	m.table.Rows = append(m.table.Rows, []Cell{
		m.name(s),
		{Text: verdictWords(last.About(record.KeyVerdict)), Refs: []string{refOf(last)}},
		count("abandoned-events"),
		m.abandonedSlope(s),
		m.cell(s.Figure("retained-budget-bytes/event"), fitting, Figure.spread),
		count("retained-goroutines"), count("retained-descriptors"), count("retained-processes"),
		m.cell(s.Figure("held-bytes/event"), fitting, Figure.spread),
		count("held-goroutines/event"), count("held-descriptors/event"),
	})
}

// abandonedSlope shows a slope and its interval; over rounds, the ends of all of them.
func (m *tableMaker) abandonedSlope(s *Scenario) Cell {
	slope, lo, hi := s.Figure("retained-bytes/event"), s.Figure("retained-lo-bytes/event"), s.Figure("retained-hi-bytes/event")
	if !slope.Known() || !lo.Known() || !hi.Known() {
		return m.cell(slope, fitting, Figure.spread)
	}
	whole := func(v float64) string { return fmt.Sprintf("%.0f", math.Round(v)+0) } // without a minus before a zero
	return Cell{Text: fmt.Sprintf("%s B (%s to %s)", whole(slope.Median), whole(lo.Min), whole(hi.Max)),
		Value: slope.Median, Known: true, Refs: slope.Refs}
}

// abandonedBudget says what the budget of an event rests on.
func abandonedBudget(s *Scenario) string {
	r := s.All[0]
	said := escape(s.Title())
	if bytes := s.Figure("retained-budget-bytes/event"); bytes.Known() {
		said += ", " + bytes.String()
	}
	return fmt.Sprintf("%s (%s): %s.", said, escape(r.About("budget-date")), escape(r.About("budget-reason")))
}

// notTried names the events that the subject does not make possible.
func notTried(s *Scenario) string {
	if without := s.All[0].About("without"); without != "" {
		return "Not tried, since the server does not offer it: " + escape(without) + "."
	}
	return ""
}

// builtOtherwise says so if results are of another build than the page's figures.
func (v *View) builtOtherwise(s *Scenario) string {
	r := s.All[0]
	if r.About(record.KeySHA256) == v.any.About(record.KeySHA256) {
		return ""
	}
	return fmt.Sprintf("These are of another build than the figures of this page: %s, commit `%s`, measured %s.",
		escape(r.About(record.KeyBuild)), short(r.About(record.KeyCommit)), escape(day(r.About(record.KeyDate))))
}
