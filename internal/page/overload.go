package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mcpbench/internal/record"
)

// An Overloaded is what the record holds of one way of asking for more than is admitted.
type Overloaded struct {
	*Scenario
	seconds []record.Result // one after another
}

// overloadOf gathers the overloads of a record, in its order.
func overloadOf(results []record.Result) []*Overloaded {
	var all []*Overloaded
	find := func(r record.Result) *Overloaded {
		at := slices.IndexFunc(all, func(o *Overloaded) bool { return o.Subject == r.Part("subject") && o.variant() == r.Part("variant") })
		if at < 0 {
			return nil
		}
		return all[at]
	}
	for _, r := range results {
		switch o := find(r); {
		case r.Kind() == record.Overload && o == nil:
			all = append(all, &Overloaded{Scenario: newScenario(r.Name, []record.Result{r})})
		case r.Kind() == record.Overload:
			o.Scenario = newScenario(r.Name, append(o.All, r))
		case r.Kind() == record.OverloadReading && o != nil:
			o.seconds = append(o.seconds, r)
		}
	}
	for _, o := range all {
		o.label()
		slices.SortStableFunc(o.seconds, func(a, b record.Result) int { return cmp.Compare(secondOf(a), secondOf(b)) })
	}
	return all
}

// secondOf is which second of an overload a result is of.
func secondOf(r record.Result) int {
	n, _ := strconv.Atoi(r.Part("second")) // the first where it is not said
	return n
}

func (o *Overloaded) variant() string { return o.All[0].Part("variant") }

// overloadWords say what each variant asks too much of.
var overloadWords = map[string]string{
	"requests":    "More requests than one credential may have in progress",
	"connections": "Connections that ask nothing, or send a head that never ends",
	"slow-gitlab": "More requests than may be in progress, while GitLab has become slow",
	"credentials": "More credentials than the pool holds",
}

// label gives the variant the name that the page calls it by.
func (o *Overloaded) label() {
	o.Label = cmp.Or(overloadWords[o.variant()], o.variant())
}

// overloadSaid introduces the tables.
const overloadSaid = "What becomes of a server that is asked for more than it admits: before it, during it and after it. All the while a " +
	"credential that is not the busy one calls on connections of its own, which is the probe; its calls are late where they are answered more than a " +
	"second after GitLab could have. Unanswered are calls given up half a minute after their phase. Why a verdict is no PASS is under [Gates](#gates). A refused connection comes back " +
	"when it was told to."

// overload shows each variant, in tables and over time.
func (v *View) overload() []Block {
	if len(v.Overload) == 0 {
		return nil
	}
	blocks := []Block{text(overloadSaid)}
	blocks = append(blocks, v.overloadTable("Who is busy", "", overloadCalls)...)
	blocks = append(blocks, v.overloadTable("Who is not, and what is held", notesOfSection, overloadOthers)...)
	if without := v.Overload[0].All[0].About("without"); without != "" {
		blocks = append(blocks, text("Left out, since the server does not offer it: "+escape(without)+"."))
	}
	blocks = append(blocks, paragraphs(v.builtOtherwise(v.Overload[0].Scenario))...)
	for _, o := range v.Overload {
		if c := v.overloadChart(o); c != nil {
			blocks = append(blocks, text(fmt.Sprintf("**%s**: %s.", escape(o.Title()), escape(o.said()))), Block{Chart: c})
		}
	}
	return blocks
}

// said is how much was asked of what.
func (o *Overloaded) said() string {
	s := o.All[0].SettingsOf()
	said := fmt.Sprintf("GitLab takes %s", s["gitlab-latency"])
	if during := s["gitlab-latency-during"]; during != s["gitlab-latency"] {
		said += " and then " + during
	}
	for _, n := range []struct{ key, words string }{
		{"bound", "requests of a credential may be in progress"}, {"connections", "connections of one credential call"},
		{"silent", "connections ask nothing"}, {"credentials", "credentials call"}, {"pool", "are held at once"},
	} {
		if amount := s[n.key]; amount != "" && amount != "0" {
			said += ", " + amount + " " + n.words
		}
	}
	return said
}

var overloadCalls = []column{
	{"The bound admits, calls/s", "capacity-calls/s", plain, Figure.spread},
	{"Before, calls/s", "before-calls/s", plain, Figure.spread},
	{"**Admitted**, calls/s", "admitted-calls/s", plain, Figure.spread},
	{"Refused, calls/s", "rejected-calls/s", plain, Figure.spread},
	{"Failed", "failed-calls", plain, Figure.spread},
	{"Unanswered", "unanswered-calls", plain, Figure.spread},
	{"A refusal takes, p50", "refusal-p50-ns", fitting, Figure.spread},
	{"p99", "refusal-p99-ns", fitting, Figure.spread},
	{"its processor time", "cpu-ns/refusal", fitting, Figure.spread},
	{"and it keeps", "retained-bytes/refusal", fitting, Figure.spread},
	{"without Retry-After", "untold-refusals", plain, Figure.spread},
}

var overloadOthers = []column{
	{"Probe, calls", "probe-calls", plain, Figure.spread},
	{"Not right", "probe-wrong-calls", plain, Figure.spread},
	{"Late", "probe-late-calls", plain, Figure.spread},
	{"Probe p99 before, ms", "probe-before-p99-ns", millis, Figure.spread},
	{"during, ms", "probe-during-p99-ns", millis, Figure.spread},
	{"Busy p50 before, ms", "busy-before-p50-ns", millis, Figure.spread},
	{"after, ms", "busy-after-p50-ns", millis, Figure.spread},
	{"As before again after, s", "recovery-ns", seconds, Figure.spread},
	{"First half, MiB", "first-half-RSS-bytes", mib, Figure.spread},
	{"Second half, MiB", "second-half-RSS-bytes", mib, Figure.spread},
	{"Most descriptors", "most-descriptors", plain, Figure.spread},
}

// overloadTable is a table with a row a variant. Marks of rows are explained where
// notesAt says, or under it.
func (v *View) overloadTable(what, notesAt string, columns []column) []Block {
	m := &tableMaker{notesAt: notesAt, table: Table{Names: 2, Head: []string{what, "Verdict"}}}
	for _, c := range columns {
		m.table.Head = append(m.table.Head, c.head)
	}
	for _, o := range v.Overload {
		last := o.All[len(o.All)-1]
		row := []Cell{m.name(o.Scenario), {Text: verdictWords(last.About(record.KeyVerdict)), Refs: []string{refOf(last)}}}
		for _, c := range columns {
			row = append(row, m.cell(o.Figure(c.unit), c.scale, c.show))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return tables(m.finish())
}
