package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpbench/internal/record"
)

// An Answer is a question that everybody has, the figure that answers it, and
// what that is a figure of.
type Answer struct{ Question, Figure, Of string }

// answers are how much memory, how many cores and how long a client waits: of
// one load, the first that the record has all three of.
func (v *View) answers() []Answer {
	for _, of := range v.loaded() {
		ss := having(of.scenarios, "peak-RSS-bytes", "loaded-cpu-cores", record.Call.Unit("p50-ns"), callP99)
		if len(ss) == 0 {
			continue
		}
		surfaces := ""
		if len(ss) > 1 {
			surfaces = ", by surface,"
		}
		figure, cores := v.coresAnswer(ss)
		return []Answer{
			{"How much memory?", spanOf(ss, "peak-RSS-bytes", largest), fmt.Sprintf("the largest peak of %s%s while %s%s", of.process, surfaces, of.callers(ss), v.summits(of))},
			{"How many cores?", figure, cores},
			{"How long does a client wait?", spanOf(ss, callP99, middle), fmt.Sprintf("at most, for 99 in 100 `tools/call` in that load; for half of them at most %s", spanOf(ss, record.Call.Unit("p50-ns"), middle))},
		}
	}
	return nil
}

// coresAnswer is how many calls a second a core is good for, by the processor
// time of one. Cores kept busy alone say no more than whether there were enough
// of them.
func (v *View) coresAnswer(ss []*Scenario) (figure, of string) {
	busy := spanOf(ss, "loaded-cpu-cores", middle) + " of " + v.processors()
	known := having(ss, record.Call.Unit("cpu-ns/call"))
	if len(known) == 0 {
		return busy, "kept busy meanwhile"
	}
	var rates []onSurface
	for _, s := range known {
		f := s.Figure(record.Call.Unit("cpu-ns/call"))
		rates = append(rates, onSurface{surface(s), float64(time.Second) / f.Median, f.Refs})
	}
	slices.SortFunc(rates, func(a, b onSurface) int { return cmp.Compare(a.amount, b.amount) })
	least, most := rates[0], rates[len(rates)-1]
	figure = cite(significant(least.amount), least.refs)
	if significant(most.amount) != significant(least.amount) {
		figure += " to " + cite(significant(most.amount), most.refs)
	}
	return "One for " + figure + " calls/s", "`tools/call` by the processor time of one; that load kept busy " + busy
}

// processors are the CPUs that the server could use: how many, and which.
func (v *View) processors() string {
	on := v.any.About(record.KeySubjectCPUs)
	n := cpus(on)
	if n == 0 {
		return "the host's CPUs"
	}
	return fmt.Sprintf("%d %s that the server may use (CPU %s of the host)", n, plural(n, "CPU"), escape(on))
}

// cpus counts a list of CPUs as the kernel writes it, such as "0,2-5". It is
// zero where the list is none.
func cpus(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(strings.TrimSpace(from))
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if err != nil || last < first {
			return 0
		}
		n += last - first + 1
	}
	return n
}

// summits are what the largest steps of the series took, from the least of them
// to the most, where the answer is of another load.
func (v *View) summits(of loadedGroup) string {
	if of.series {
		return ""
	}
	var tops []*Scenario
	for _, l := range v.climbs() {
		if steps := having(believedOf(l.Steps), "peak-RSS-bytes"); len(steps) > 0 {
			tops = append(tops, steps[len(steps)-1])
		}
	}
	if len(tops) == 0 {
		return ""
	}
	peak := func(s *Scenario) float64 { return s.Figure("peak-RSS-bytes").Max }
	slices.SortStableFunc(tops, func(a, b *Scenario) int { return cmp.Compare(peak(a), peak(b)) })
	said := func(s *Scenario) string {
		return fmt.Sprintf("%s with %s", cite(amount("peak-RSS-bytes", peak(s)), s.Figure("peak-RSS-bytes").Refs), credentialsOn([]*Scenario{s}))
	}
	least, most := tops[0], tops[len(tops)-1]
	if least == most {
		return "; in the series " + said(most)
	}
	return "; in the series " + said(least) + " to " + said(most)
}

// A loadedGroup is scenarios that were loaded alike but for their surface.
type loadedGroup struct {
	scenarios []*Scenario
	process   string
	callers   func([]*Scenario) string
	series    bool
}

// loaded are those of the record, that which says most to most readers first.
func (v *View) loaded() []loadedGroup {
	var last []*Scenario
	for _, l := range v.climbs() {
		if steps := believedOf(l.main()); len(steps) > 0 {
			last = append(last, steps[len(steps)-1])
		}
	}
	return []loadedGroup{
		{v.believed("http", false), "one process over HTTP", clientsCall(" on one connection"), false},
		{v.believed("stdio", false), "processes on stdio, one a client, together", clientsCall(""), false},
		{last, "one process over HTTP", func(ss []*Scenario) string { return credentialsOn(ss) + " call without pause" }, true},
	}
}

// clientsCall says of point scenarios how many clients call, and how often each
// of them, on what it has.
func clientsCall(on string) func([]*Scenario) string {
	return func(ss []*Scenario) string {
		clients := "all"
		if known := having(ss, "clients"); len(known) > 0 {
			clients = span(known, "clients")
		}
		return clients + " clients call without pause" + callsEach(ss, on)
	}
}

// callsEach is how often each client of point scenarios calls a method, if all
// say the same.
func callsEach(ss []*Scenario, on string) string {
	calls := record.Call.Unit("calls")
	each := func(s *Scenario) float64 { return s.Figure(calls).Median / s.Figure("clients").Median }
	known := having(ss, "clients", calls)
	if len(known) < len(ss) || slices.ContainsFunc(known, func(s *Scenario) bool { return each(s) != each(known[0]) }) {
		return ""
	}
	return fmt.Sprintf(", each %s times a method%s", cite(significant(each(known[0])), known[0].Figure(calls).Refs), on)
}

// credentialsOn is how many credentials steps have, and over how many
// connections each of them calls, if all say the same of that.
func credentialsOn(ss []*Scenario) string {
	said := credentials(ss) + plural(ss[len(ss)-1].Credentials, " credential")
	n := perCredential(ss[0])
	for _, s := range ss {
		if n == 0 || perCredential(s) != n {
			return said
		}
	}
	unit := "connections"
	if n == 1 {
		unit = "connection"
	}
	return said + fmt.Sprintf(" on %s each", cite(significant(n)+" "+unit, ss[0].Figure("inflight").Refs))
}

// perCredential is how many requests each credential of a step keeps in flight,
// which is over as many connections, or zero if the step does not say.
func perCredential(s *Scenario) float64 {
	inflight, clients := s.Figure("inflight"), s.Figure("clients")
	if !inflight.Known() || !clients.Known() || clients.Median < 1 {
		return 0
	}
	return inflight.Median / clients.Median
}

// answered is the answers of a block as a list.
func (b Block) answered() string {
	var items []string
	for _, a := range b.Answers {
		items = append(items, fmt.Sprintf("**%s** %s: %s.", a.Question, a.Figure, a.Of))
	}
	return "- " + uncited(strings.Join(items, "\n- ")) + "\n"
}
