package page

import (
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

var sweepColumns = []column{
	{"Calls a second", "calls/s", plain, Figure.spread},
	{"CPU a call, ms", "cpu-ns/call", millis, Figure.spread},
	{"p50, ms", record.Call.Unit("p50-ns"), millis, Figure.spread},
	{"p99, ms", record.Call.Unit("p99-ns"), millis, Figure.spread},
	{"Resident, mean, MiB", "mean-RSS-bytes", mib, Figure.spread},
	{"peak, MiB", "peak-RSS-bytes", mib, Figure.spread},
	{"at rest, MiB", "rest-RSS-bytes", mib, Figure.spread},
	{"Goroutines", "goroutines", plain, Figure.spread},
	{"Admitted again a call", "admissions/call", plain, Figure.spread},
	{"Never sent", "unsent-calls", plain, Figure.spread},
}

// sweeps are the settings, each moved over its values.
func (z Sized) sweeps() []Block {
	var blocks []Block
	var settings []string
	for _, s := range z[record.Sweep] {
		settings = withNew(settings, s.All[0].Part("setting"))
	}
	for _, setting := range settings {
		all := slices.DeleteFunc(slices.Clone(z[record.Sweep]), func(s *Scenario) bool { return s.All[0].Part("setting") != setting })
		blocks = append(blocks, text(fmt.Sprintf("**`%s`** moved, all else fixed: %s.", setting, sweepWords(all[0]))))
		blocks = append(blocks, tables(sweepTable(all))...)
		if len(all) == 1 {
			blocks = append(blocks, text("It had one value here, to which there is nothing to compare: no other was measured, or this host has too few processors for it."))
		}
	}
	return blocks
}

// sweepWords say how the calls of a sweep were made.
func sweepWords(s *Scenario) string {
	set := s.All[0].SettingsOf()
	words := []string{fmt.Sprintf("`tools/call` (%s) on %s, %s with %s", escape(set["call"]), escape(s.Surface),
		several(set["callers"], "caller"), several(set["credentials"], "credential"))}
	if rate := set["rate"]; rate != "" {
		words = append(words, escape(rate)+" calls a second offered, whether or not earlier ones were answered")
	}
	if pause := set["pause"]; pause != "" {
		words = append(words, "each rests "+escape(pause)+" between calls")
	}
	if s.All[0].Part("setting") != "gitlab-latency" {
		words = append(words, "GitLab answers after "+escape(set["gitlab-latency"]))
	}
	return strings.Join(words, "; ")
}

// sweepTable shows what is known of any value, and the calls a second beside those at the first.
func sweepTable(all []*Scenario) *Table {
	columns := slices.DeleteFunc(slices.Clone(sweepColumns), func(c column) bool {
		return len(having(all, c.unit)) == 0 || c.unit == "admissions/call" && none(all, c.unit)
	})
	m := &tableMaker{}
	t := m.sizedRows("Value", all, columns)
	first := all[0].Figure("calls/s")
	if offered := all[0].All[0].SettingsOf()["rate"] != ""; offered || !first.Known() || first.Median == 0 {
		return t // calls that are offered at a rate are as many at any value
	}
	t.Head = slices.Insert(t.Head, 2, "of the first")
	for i, s := range all {
		cell := Cell{Text: "n/a"}
		if f := s.Figure("calls/s"); f.Known() {
			ratio := f.Median / first.Median
			cell = Cell{Text: significant(ratio) + " ×", Value: ratio, Known: true, Refs: f.Refs}
		}
		t.Rows[i] = slices.Insert(t.Rows[i], 2, cell)
	}
	return t
}

// none reports whether a count is zero wherever it is known.
func none(all []*Scenario, unit string) bool {
	return !slices.ContainsFunc(having(all, unit), func(s *Scenario) bool { return s.Figure(unit).Max > 0 })
}

// several counts things.
func several(n, noun string) string {
	if n != "1" {
		noun += "s"
	}
	return escape(n) + " " + noun
}
