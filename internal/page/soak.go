package page

import (
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A Soak is what the record holds of a long load on every path.
type Soak struct {
	Whole    *Scenario
	Paths    []*Scenario
	Readings []record.Result // in the order of time
}

// newSoak finds the soak of a record, or nil.
func newSoak(results []record.Result) *Soak {
	s := &Soak{}
	for _, r := range results {
		switch r.Kind() {
		case record.Soak:
			s.Whole = newScenario(r.Name, []record.Result{r})
			s.Whole.Label = "The soak"
		case record.SoakPath:
			s.Paths = append(s.Paths, newScenario(r.Name, []record.Result{r}))
		case record.SoakReading:
			s.Readings = append(s.Readings, r)
		}
	}
	if s.Whole == nil {
		return nil
	}
	return s
}

// soak shows what a long load came to.
func (v *View) soak() []Block {
	if v.Soak == nil {
		return nil
	}
	whole := v.Soak.Whole
	blocks := paragraphs(v.Soak.lead(), v.Soak.doubt(), v.builtOtherwise(whole), v.Soak.growth())
	blocks = append(blocks, pictures(v.soakChart())...)
	rest := &tableMaker{}
	blocks = append(blocks, text("**At rest**, without connections and just collected, of all processes together:"))
	blocks = append(blocks, tables(rest.soakRest(whole))...)
	blocks = append(blocks, text("**The paths**, all at once:"))
	paths := &tableMaker{}
	blocks = append(blocks, tables(paths.soakPaths(v.Soak.Paths))...)
	if without := whole.All[0].About("without"); without != "" {
		blocks = append(blocks, text("Left out, since the server does not offer it: "+escape(without)+"."))
	}
	return blocks
}

// lead says how long what was loaded, and what came of the calls.
func (s *Soak) lead() string {
	w := s.Whole
	verdict := fmt.Sprintf("Verdict: %s; what it rests on is under [Gates](#gates).", verdictWords(w.All[0].About(record.KeyVerdict)))
	if load := w.Figure("soak-load-ns"); !load.Known() {
		return fmt.Sprintf("It did not come to its end (%s). %s", escape(load.Absent), verdict)
	}
	return fmt.Sprintf("%s calls in %s under load, a rest, %s more and a rest, on %d paths at once, which kept %s cores busy: %s. %s",
		w.Figure("soak-calls").in(plain), w.Figure("soak-load-ns").in(minutes), w.Figure("soak-again-ns").in(minutes), len(s.Paths), w.Figure("soak-cpu-cores").in(plain),
		s.outcomes(), verdict)
}

// outcomes says how many calls did not come to what they should, of those that the
// record counts.
func (s *Soak) outcomes() string {
	var said []string
	for _, of := range []struct{ unit, words string }{
		{"soak-failed-calls", "failed"}, {"soak-refused-calls", "were refused"},
		{"soak-cut-calls", "had no answer and were given up"}, {"soak-unsent-calls", "fell due and were never sent"},
	} {
		if f := s.Whole.Figure(of.unit); f.Known() {
			said = append(said, f.cited()+" "+of.words)
		} else {
			said = append(said, fmt.Sprintf("how many %s is not known (%s)", of.words, escape(f.Absent)))
		}
	}
	return enumerate(said)
}

// doubt says why the suite doubts the soak, if it does.
func (s *Soak) doubt() string {
	if s.Whole.Believed() {
		return ""
	}
	return "**Doubted by the suite itself**, whatever the verdict: " + escape(strings.Join(s.Whole.Doubts, ", ")) + "."
}

// minutes is the scale of long times.
var minutes = Scale{"min", 60e9}

// in writes a figure with the symbol of a scale, or why there is none.
func (f Figure) in(s Scale) string {
	if !f.Known() {
		return f.Absent
	}
	return s.with(f.Median)
}

// hourly is the scale of growth: bytes a second, told in MiB an hour.
var hourly = Scale{"MiB/h", (1 << 20) / 3600.0}

// growth says what memory grew by under load.
func (s *Soak) growth() string {
	said := func(unit, words string) string {
		f := s.Whole.Figure(unit + "-bytes/s")
		if !f.Known() {
			return words + ": " + escape(f.Absent)
		}
		lo, hi := s.Whole.Figure(unit+"-lo-bytes/s"), s.Whole.Figure(unit+"-hi-bytes/s")
		return fmt.Sprintf("%s: %s (%s)", words, hourly.with(f.Median), between(hourly.figure(lo.Median), hourly.figure(hi.Median)))
	}
	return "Growth under load, the slope through the least readings of 16 stretches of the time after the first fifth, with its 95% interval. " +
		said("growth-RSS", "Resident set") + ". " + said("growth-goal", "Heap at which a collection is due") + "."
}

// soakRest has a row for each thing that is to be given back.
func (m *tableMaker) soakRest(whole *Scenario) *Table {
	m.table = Table{Head: []string{"At rest", "Before any load", "Each connection opened once", "After the first load", "After the second load"}, Names: 1}
	for _, of := range []struct {
		words, unit string
		scale       Scale
	}{
		{"Resident set, MiB", "RSS-bytes", mib}, {"Live heap, MiB", "heap-bytes", mib},
		{"Descriptors", "descriptors", plain}, {"Threads", "threads", plain}, {"Goroutines", "goroutines", plain},
	} {
		row := []Cell{{Text: of.words}}
		for _, at := range []string{"fresh", "opened", "after", "again"} {
			row = append(row, m.cell(whole.Figure("soak-"+at+"-"+of.unit), of.scale, Figure.middle))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return m.finish()
}

// pathColumns are what is said of each path.
var pathColumns = []column{
	{"Calls", "path-calls", plain, Figure.middle},
	{"Calls/s", "path-calls/s", plain, Figure.middle},
	{"p50, ms", "path-p50-ns", millis, Figure.middle},
	{"p99, ms", "path-p99-ns", millis, Figure.middle},
	{"p99 in the first fifth, ms", "path-first-p99-ns", millis, Figure.middle},
	{"p99 in the last fifth, ms", "path-last-p99-ns", millis, Figure.middle},
	{"Failed", "path-failed-calls", plain, Figure.middle},
	{"Refused", "path-refused-calls", plain, Figure.middle},
	{"Given up", "path-cut-calls", plain, Figure.middle},
	{"Never sent", "path-unsent-calls", plain, Figure.middle},
}

func (m *tableMaker) soakPaths(paths []*Scenario) *Table {
	m.table = Table{Head: []string{"Path"}, Names: 1}
	for _, c := range pathColumns {
		m.table.Head = append(m.table.Head, c.head)
	}
	for _, s := range paths {
		row := []Cell{{Text: escape(pathTitle(s.All[0]))}}
		for _, c := range pathColumns {
			row = append(row, m.cell(s.Figure(c.unit), c.scale, c.show))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return m.finish()
}

// pathTitle says what a path is.
func pathTitle(r record.Result) string {
	name := r.Part("path")
	words := map[string]string{
		"fresh": "a new connection for each call", "session": "a session opened and closed for each call",
		"tls": "TLS with HTTP/2", "health": "/health",
	}
	methods := map[string]string{"call": "tools/call", "list": "tools/list", "resources": "resources/list"}
	if said := words[name]; said != "" {
		return said
	}
	kind, surface, _ := strings.Cut(name, ".")
	if method := methods[kind]; method != "" {
		return method + " on " + surface
	}
	return name
}

// isReading reports whether a kind is of moments, of which no two runs have the same.
func isReading(k record.Kind) bool {
	return slices.Contains([]record.Kind{record.SoakReading, record.OverloadReading}, k)
}
