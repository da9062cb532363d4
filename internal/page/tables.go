package page

import (
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A column shows one metric of every scenario in one scale.
type column struct {
	head  string
	unit  string
	scale Scale
}

var memoryColumns = []column{
	{"Clients", "clients", plain},
	{"Idle", "idle-RSS-bytes", mib},
	{"One client", "one-RSS-bytes", mib},
	{"All clients", "all-RSS-bytes", mib},
	{"Each further client", "further-RSS-bytes/client", mib},
	{"**Peak under load**", "peak-RSS-bytes", mib},
	{"At rest, shared once", "rest-PSS-bytes", mib},
}

var processorColumns = []column{
	{"Cores busy under load", "loaded-cpu-cores", plain},
	{"All methods", "cpu-ns/call", millis},
	{"`resources/list`", record.Resources.Unit("cpu-ns/call"), millis},
	{"`tools/list`", record.List.Unit("cpu-ns/call"), millis},
	{"`tools/call`, a GitLab read", record.Call.Unit("cpu-ns/call"), millis},
	{"`tools/call`, `gitlab_find_action`", record.Find.Unit("cpu-ns/call"), millis},
}

var processColumns = []column{
	{"Clients", "clients", plain},
	{"Goroutines", "goroutines", plain},
	{"Threads", "threads", plain},
	{"Descriptors", "descriptors", plain},
	{"Suite's own cores", "suite-cpu-cores", plain},
	{"Stops within, ms", "exit-ns", millis},
}

var waitColumns = []column{
	{"Process ready, ms", "ready-ns", millis},
	{"First `tools/list`, ms", "first-list-ns", millis},
	{"Warm `tools/list`, ms", "warm-list-ns", millis},
	{"Size of the listing, KiB", "list-bytes", Scale{"KiB", 1 << 10}},
	{"Tools", "tools", plain},
}

// A tableMaker fills a table and remembers what has to stand under it.
type tableMaker struct {
	table   Table
	reasons []string // of absent figures; the place in the list is the mark
	doubts  []string // of marked rows
}

// scenarioTable has a row a scenario and the given columns.
func (v *View) scenarioTable(columns []column) *Table {
	m := &tableMaker{table: Table{Head: []string{"Scenario"}, Names: 1}}
	for _, c := range columns {
		m.table.Head = append(m.table.Head, c.head)
	}
	for _, s := range v.Scenarios {
		row := []Cell{m.name(s)}
		for _, c := range columns {
			row = append(row, m.cell(s.Figure(c.unit), c.scale))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return m.finish()
}

// doubtMark is on every row whose certificate has something to say.
const doubtMark = "†"

// name is the cell that names a scenario, marked if it is not to be believed
// in full.
func (m *tableMaker) name(s *Scenario) Cell {
	c := Cell{Text: escape(s.Title())}
	if len(s.Doubts) == 0 {
		return c
	}
	c.Mark = doubtMark
	verdict := "left out"
	if !s.Believed() {
		verdict = "shown, but used for no statement"
	}
	note := fmt.Sprintf("%s %s, %s: %s.", raised(doubtMark), escape(s.Title()), verdict, escape(strings.Join(s.Doubts, "; ")))
	if !slices.Contains(m.doubts, note) {
		m.doubts = append(m.doubts, note)
	}
	return c
}

// cell shows a figure, or n/a with the mark of its reason.
func (m *tableMaker) cell(f Figure, s Scale) Cell {
	if !f.Known() {
		return Cell{Text: "n/a", Mark: m.mark(f.Absent)}
	}
	return Cell{Text: f.cell(s), Value: f.Median, Known: true, Refs: f.Refs}
}

// mark returns the letter that stands for a reason.
func (m *tableMaker) mark(reason string) string {
	at := slices.Index(m.reasons, reason)
	if at < 0 {
		at = len(m.reasons)
		m.reasons = append(m.reasons, reason)
	}
	if at < 26 {
		return string(rune('a' + at))
	}
	return fmt.Sprint(at + 1)
}

func (m *tableMaker) finish() *Table {
	for _, reason := range m.reasons {
		m.table.Notes = append(m.table.Notes, fmt.Sprintf("%s n/a: %s.", raised(m.mark(reason)), escape(reason)))
	}
	m.table.Notes = append(m.table.Notes, m.doubts...)
	return &m.table
}

// latencyTable has a row for each method of each scenario.
func (v *View) latencyTable() *Table {
	m := &tableMaker{table: Table{Names: 2, Head: []string{"Scenario", "Method", "Calls a round",
		"p50", "p90", "p99", "p99, 95% interval", "Longest"}}}
	without := make(map[string][]string)
	for _, s := range v.Scenarios {
		for _, method := range record.Methods() {
			calls := s.Figure(method.Unit("calls"))
			if !calls.Known() {
				why := fmt.Sprintf("%s: %s", methodName(method), escape(calls.Absent))
				without[why] = append(without[why], escape(s.Title()))
				continue
			}
			m.latencyRow(s, method, calls)
		}
	}
	t := m.finish()
	for _, why := range sortedKeys(without) {
		t.Notes = append(t.Notes, fmt.Sprintf("No row for %s (%s).", why, strings.Join(without[why], "; ")))
	}
	return t
}

func (m *tableMaker) latencyRow(s *Scenario, method record.Method, calls Figure) {
	cell := func(quantity string) Cell { return m.cell(s.Figure(method.Unit(quantity)), millis) }
	m.table.Rows = append(m.table.Rows, []Cell{
		m.name(s), {Text: methodName(method)}, m.cell(calls, plain),
		cell("p50-ns"), cell("p90-ns"), cell("p99-ns"),
		m.ends(s.Figure(method.Unit("p99-lo-ns")), s.Figure(method.Unit("p99-hi-ns"))),
		cell("max-ns"),
	})
}

// ends is the interval that holds the interval of every round.
func (m *tableMaker) ends(lo, hi Figure) Cell {
	for _, f := range []Figure{lo, hi} {
		if !f.Known() {
			return m.cell(f, millis)
		}
	}
	return Cell{Text: between(millis.figure(lo.Min), millis.figure(hi.Max)), Value: hi.Max, Known: true, Refs: hi.Refs}
}

// outcomeTable counts over every round, so that a failure shows although its
// round is left out elsewhere.
func (v *View) outcomeTable() *Table {
	m := &tableMaker{table: Table{Names: 1,
		Head: []string{"Scenario", "Answered", "Refused", "Failed", "GitLab requests per `tools/call`"}}}
	for _, s := range v.Scenarios {
		m.table.Rows = append(m.table.Rows, []Cell{m.name(s),
			{Text: significant(s.calls()), Value: s.calls(), Known: true},
			m.total(s, "refused-calls"), m.total(s, "failed-calls"),
			m.cell(figureOf("upstream-requests/call", s.All), plain)})
	}
	return m.finish()
}

// total shows a count added up over every round.
func (m *tableMaker) total(s *Scenario, unit string) Cell {
	f := figureOf(unit, s.All)
	if !f.Known() {
		return m.cell(f, plain)
	}
	sum := s.sum(unit)
	return Cell{Text: significant(sum), Value: sum, Known: true, Refs: f.Refs}
}

// methodName is what tables call a method.
func methodName(m record.Method) string {
	switch m {
	case record.Resources:
		return "`resources/list`"
	case record.List:
		return "`tools/list`"
	case record.Find:
		return "`tools/call`, `gitlab_find_action`"
	default:
		return "`tools/call`, a GitLab read"
	}
}
