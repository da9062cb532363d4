package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A column shows one metric of every scenario in one way.
type column struct {
	head  string
	unit  string
	scale Scale
	show  func(Figure, Scale) string
}

// glanceColumns answer the first questions: how much memory, how many cores,
// how long a client waits.
var glanceColumns = []column{
	{"Clients", "clients", plain, Figure.middle},
	{"Largest peak of memory, MiB", "peak-RSS-bytes", mib, Figure.largest},
	{"Cores busy", "loaded-cpu-cores", plain, Figure.middle},
	{"First `tools/list`, ms", "first-list-ns", millis, Figure.middle},
	{"Warm `tools/list`, ms", "warm-list-ns", millis, Figure.middle},
	{"`tools/call` p50, ms", record.Call.Unit("p50-ns"), millis, Figure.middle},
	{"`tools/call` p99, ms", record.Call.Unit("p99-ns"), millis, Figure.middle},
}

var memoryColumns = []column{
	{"Clients", "clients", plain, Figure.spread},
	{"Idle", "idle-RSS-bytes", mib, Figure.spread},
	{"One client", "one-RSS-bytes", mib, Figure.spread},
	{"All clients", "all-RSS-bytes", mib, Figure.spread},
	{"Each further client", "further-RSS-bytes/client", fitting, Figure.spread},
	{"Peak under load", "peak-RSS-bytes", mib, Figure.spread},
	{"**Largest peak**", "peak-RSS-bytes", mib, Figure.largest},
}

var restColumns = []column{
	{"Resident set", "rest-RSS-bytes", mib, Figure.spread},
	{"Shared pages once", "rest-PSS-bytes", mib, Figure.spread},
	{"Live heap", "rest-heap-bytes", mib, Figure.spread},
	{"Rest came after, s", "rest-ns", seconds, Figure.spread},
}

// processorColumns are all in one scale, since they are read across.
func processorColumns(scale Scale) []column {
	return []column{
		{"Cores busy", "loaded-cpu-cores", plain, Figure.spread},
		{"All methods", "cpu-ns/call", scale, Figure.spread},
		{"`resources/list`", record.Resources.Unit("cpu-ns/call"), scale, Figure.spread},
		{"`tools/list`", record.List.Unit("cpu-ns/call"), scale, Figure.spread},
		{"`tools/call`, a GitLab read", record.Call.Unit("cpu-ns/call"), scale, Figure.spread},
		{"`tools/call`, `gitlab_find_action`", record.Find.Unit("cpu-ns/call"), scale, Figure.spread},
	}
}

var processColumns = []column{
	{"Clients", "clients", plain, Figure.spread},
	{"Goroutines", "goroutines", plain, Figure.spread},
	{"Threads", "threads", plain, Figure.spread},
	{"Descriptors", "descriptors", plain, Figure.spread},
	{"Suite's own cores", "suite-cpu-cores", plain, Figure.spread},
	{"Gone after, ms", "exit-ns", millis, Figure.spread},
}

var waitColumns = []column{
	{"Process ready, ms", "ready-ns", millis, Figure.spread},
	{"First `tools/list`, ms", "first-list-ns", millis, Figure.spread},
	{"First `tools/call`, a GitLab read, ms", "first-call-ns", millis, Figure.spread},
	{"First `tools/call`, `gitlab_find_action`, ms", "first-find-ns", millis, Figure.spread},
	{"Warm `tools/list`, ms", "warm-list-ns", millis, Figure.spread},
	{"Size of the listing", "list-bytes", fitting, Figure.spread},
	{"Tools", "tools", plain, Figure.spread},
}

// A tableMaker fills a table and remembers what has to stand under it.
type tableMaker struct {
	table   Table
	reasons []string            // why a figure is absent or not what it seems; the place in the list is the mark
	doubts  []string            // of marked rows
	aside   map[string][]string // titles of rows loaded otherwise than the others, by how
	notesAt string              // where marks of rows are explained, if not under this table
}

// Where tables send their reader for marks that a table before them explains.
const (
	notesOfSection = "the first table of this section"
	notesOfPoints  = "the first table of [Memory](#memory)"
	notesOfRates   = "the table before this one"
)

// rows fills the table with a row for each scenario and the given columns,
// under a first column of what head says.
func (m *tableMaker) rows(head string, scenarios []*Scenario, columns []column) *Table {
	m.table = Table{Head: []string{head}, Names: 1}
	for _, c := range columns {
		m.table.Head = append(m.table.Head, c.head)
	}
	for _, s := range scenarios {
		row := []Cell{m.name(s)}
		for _, c := range columns {
			row = append(row, m.cell(s.Figure(c.unit), c.scale, c.show))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return m.finish()
}

// Marks of rows: doubtMark where a certificate has something to say, asideMark
// where a step was loaded otherwise than most of its series.
const (
	doubtMark = "†"
	asideMark = "‡"
)

// name is the cell that names a scenario, marked if it is not to be believed
// in full or not to be held against the others.
func (m *tableMaker) name(s *Scenario) Cell {
	c := Cell{Text: escape(s.Title())}
	if s.Credentials > 0 {
		c = Cell{Text: significant(float64(s.Credentials)), Value: float64(s.Credentials), Known: true}
	}
	var marks []string
	if len(s.Doubts) > 0 {
		marks = append(marks, doubtMark)
		m.doubt(s)
	}
	if s.Aside != "" {
		marks = append(marks, asideMark)
		m.setAside(s.Aside, c.Text)
	}
	c.Mark = strings.Join(marks, " ")
	return c
}

// setAside remembers how the rows of some populations were loaded.
func (m *tableMaker) setAside(how, populations string) {
	if m.aside == nil {
		m.aside = make(map[string][]string)
	}
	if !slices.Contains(m.aside[how], populations) {
		m.aside[how] = append(m.aside[how], populations)
	}
}

// doubt remembers why a scenario is marked.
func (m *tableMaker) doubt(s *Scenario) {
	verdict := "left out for doubt"
	switch {
	case isVerdict(s.All[0]):
		verdict = "doubted by the suite itself, whatever the verdict"
	case !s.Believed():
		verdict = "doubted, so that no statement uses it"
	}
	note := fmt.Sprintf("%s %s, %s: %s.", raised(doubtMark), escape(s.Title()), verdict, escape(strings.Join(s.Doubts, ", ")))
	if !slices.Contains(m.doubts, note) {
		m.doubts = append(m.doubts, note)
	}
}

// cell shows a figure, or n/a with the mark of its reason.
func (m *tableMaker) cell(f Figure, s Scale, show func(Figure, Scale) string) Cell {
	if !f.Known() {
		return m.none(f.Absent)
	}
	text := show(f, s)
	return Cell{Text: text, Value: f.behind(text, s), Known: true, Refs: f.Refs}
}

// none is the cell of a figure that there is not, with the mark of its reason.
// Reasons that differ in how few calls there were share one, since the rows say
// how many.
func (m *tableMaker) none(why string) Cell {
	return Cell{Text: "n/a", Mark: m.mark("n/a: " + tooFew.ReplaceAllString(why, "too few calls"))}
}

// tooFew begins a reason that differs from row to row in a count alone.
var tooFew = regexp.MustCompile(`^\d+ calls are too few`)

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
		m.table.Notes = append(m.table.Notes, fmt.Sprintf("%s %s.", raised(m.mark(reason)), escape(strings.TrimSuffix(reason, "."))))
	}
	if m.notesAt != "" {
		return m.referBack()
	}
	m.table.Notes = append(m.table.Notes, m.doubts...)
	for _, how := range sortedKeys(m.aside) {
		m.table.Notes = append(m.table.Notes, fmt.Sprintf("%s %s credentials: with %s, so in no line and no knee with the other rows.",
			raised(asideMark), enumerate(m.aside[how]), loadWords(how)))
	}
	return &m.table
}

// referBack says where marks are explained.
func (m *tableMaker) referBack() *Table {
	var marks []string
	if len(m.doubts) > 0 {
		marks = append(marks, raised(doubtMark))
	}
	if len(m.aside) > 0 {
		marks = append(marks, raised(asideMark))
	}
	if len(marks) > 0 {
		m.table.Notes = append(m.table.Notes, enumerate(marks)+" as under "+m.notesAt+".")
	}
	return &m.table
}

// latencyTable has a row for each method of each point scenario.
func (v *View) latencyTable() *Table {
	return (&tableMaker{notesAt: notesOfPoints}).latency("Scenario", v.Scenarios, record.Methods(), "p50-ns", "p90-ns", "p99-ns")
}

// latency fills the table with a row for each of the methods of each scenario. The interval
// that it shows is that of p99.
func (m *tableMaker) latency(head string, scenarios []*Scenario, methods []record.Method, percentiles ...string) *Table {
	m.table = Table{Names: 2, Head: []string{head, "Method", "Calls a round"}}
	for _, p := range percentiles {
		m.table.Head = append(m.table.Head, percentileHeads[p]...)
	}
	m.table.Head = append(m.table.Head, "Longest")
	without := make(map[string][]string)
	for _, s := range scenarios {
		for _, method := range methods {
			calls := s.Figure(method.Unit("calls"))
			if !calls.Known() {
				why := fmt.Sprintf("%s: %s", methodName(method), escape(calls.Absent))
				without[why] = append(without[why], escape(s.Title()))
				continue
			}
			m.latencyRow(s, method, calls, percentiles)
		}
	}
	t := m.finish()
	for _, why := range sortedKeys(without) {
		t.Notes = append(t.Notes, fmt.Sprintf("No row for %s (%s).", why, strings.Join(without[why], "; ")))
	}
	return t
}

// percentileHeads are the columns that a percentile, or the mean beside it,
// takes.
var percentileHeads = map[string][]string{
	"mean-ns": {"Mean"}, "p50-ns": {"p50"}, "p90-ns": {"p90"}, "p99-ns": {"p99", "p99, 95% interval"}, "p999-ns": {"p99.9"},
}

func (m *tableMaker) latencyRow(s *Scenario, method record.Method, calls Figure, percentiles []string) {
	cell := func(quantity string) Cell { return m.cell(s.Figure(method.Unit(quantity)), millis, Figure.spread) }
	row := []Cell{m.name(s), {Text: methodName(method)}, m.cell(calls, plain, Figure.spread)}
	for _, p := range percentiles {
		row = append(row, cell(p))
		if p == "p99-ns" {
			row = append(row, m.ends(s.Figure(method.Unit("p99-lo-ns")), s.Figure(method.Unit("p99-hi-ns"))))
		}
	}
	m.table.Rows = append(m.table.Rows, append(row, cell("max-ns")))
}

// ends is the interval that holds the interval of every round.
func (m *tableMaker) ends(lo, hi Figure) Cell {
	for _, f := range []Figure{lo, hi} {
		if !f.Known() {
			return m.cell(f, millis, Figure.spread)
		}
	}
	return Cell{Text: between(millis.figure(lo.Min), millis.figure(hi.Max)), Value: hi.Max, Known: true, Refs: hi.Refs}
}

// outcomeTable counts over every round, so that a failure shows although its
// round is left out elsewhere.
func (v *View) outcomeTable() *Table {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Scenario", "Answered", "Refused", "Failed"}}}
	if len(v.Ladders) > 0 {
		m.table.Head = append(m.table.Head, "Given up")
	}
	m.table.Head = append(m.table.Head, "Reconnects", "GitLab requests per `tools/call`")
	rows := slices.Clone(v.Scenarios)
	for _, l := range v.Ladders {
		rows = append(rows, l.totals()...)
	}
	for _, s := range rows {
		m.outcomeRow(s, len(v.Ladders) > 0)
	}
	return m.finish()
}

// outcomeRow adds a scenario, with the calls given up if there is a column of
// them.
func (m *tableMaker) outcomeRow(s *Scenario, givenUp bool) {
	row := []Cell{{Text: escape(s.Title())}, counted(s.calls()), m.total(s, "refused-calls"), m.total(s, "failed-calls")}
	switch {
	case givenUp && s.mayCut():
		row = append(row, m.total(s, "cut-calls"))
	case givenUp:
		row = append(row, m.none("counted in series and at rates alone"))
	}
	m.table.Rows = append(m.table.Rows, append(row, m.total(s, "reconnects"),
		m.cell(figureOf("upstream-requests/call", s.All), plain, Figure.spread)))
}

// total shows a count added up over every round. Rounds without it may hide
// some more.
func (m *tableMaker) total(s *Scenario, unit string) Cell {
	f := figureOf(unit, s.All)
	if !f.Known() {
		return m.cell(f, plain, Figure.spread)
	}
	sum, least := s.sum(unit), ""
	if len(f.Refs) < len(s.All) {
		least = "at least "
	}
	return Cell{Text: least + significant(sum), Value: sum, Known: true, Refs: f.Refs}
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
