package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A claim is a sentence whose figures are looked up when it is drawn. It
// returns "" where its condition does not hold and nothing can be said, and
// its opposite where the opposite does hold. It uses believed scenarios only.
type claim struct {
	topic string
	says  func(*View) string
}

// They are in the order of what is asked first: memory, cores, waits.
var claims = []claim{
	{"Memory over HTTP", httpMemory},
	{"Memory on stdio", stdioMemory},
	{"Holding and serving", inTurn(firstOf(heldAndServed, holdingAndServing), boundingCredentials)},
	{"Processor", inTurn(processor, listingAndCalling)},
	{"Under load", inTurn(firstOf(atARate, underLoad), throughput)},
	{"Starting", starting},
	{"Telemetry", telemetry},
	{"Failures", failures},
}

// firstOf says what the first of several has to say.
func firstOf(sayers ...func(*View) string) func(*View) string {
	return func(v *View) string {
		for _, says := range sayers {
			if sentence := says(v); sentence != "" {
				return sentence
			}
		}
		return ""
	}
}

// inTurn says what each of several has to say.
func inTurn(sayers ...func(*View) string) func(*View) string {
	return func(v *View) string {
		var said []string
		for _, says := range sayers {
			said = append(said, says(v))
		}
		return joinWords(said...)
	}
}

// atAGlance returns the claims that hold.
func (v *View) atAGlance() []string {
	var out []string
	for _, c := range claims {
		if sentence := c.says(v); sentence != "" {
			out = append(out, "**"+c.topic+".** "+sentence)
		}
	}
	return out
}

func httpMemory(v *View) string {
	ss := having(v.believed("http", false), "peak-RSS-bytes", "clients")
	if len(ss) == 0 {
		return ""
	}
	sentence := fmt.Sprintf("One process with %s clients calling at once peaked at %s. A memory limit has to clear that.",
		span(ss, "clients"), extremes(ss, "peak-RSS-bytes", largest))
	if idle := having(ss, "idle-RSS-bytes"); len(idle) > 0 {
		sentence += fmt.Sprintf(" Idle, the process takes %s.", span(idle, "idle-RSS-bytes"))
	}
	if rest := having(ss, "rest-RSS-bytes", "rest-heap-bytes"); len(rest) > 0 {
		sentence += fmt.Sprintf(" At rest after the load it keeps %s, of which %s are live heap.",
			extremes(rest, "rest-RSS-bytes", middle), extremes(rest, "rest-heap-bytes", middle))
	}
	return sentence
}

func stdioMemory(v *View) string {
	ss := having(v.believed("stdio", false), "one-RSS-bytes", "peak-RSS-bytes", "clients")
	if len(ss) == 0 {
		return ""
	}
	return fmt.Sprintf("Every client brings a process of its own: %s once it has listed its tools. %s of them, all calling, peaked together at %s.",
		extremes(ss, "one-RSS-bytes", middle), span(ss, "clients"), extremes(ss, "peak-RSS-bytes", largest))
}

// holdingAndServing holds what admitting clients adds against what their calls
// add on top. Where there is a series, that knows better: its clients have called.
func holdingAndServing(v *View) string {
	for _, l := range v.Ladders {
		if len(believedOf(l.Steps)) > 0 {
			return ""
		}
	}
	ss := having(v.believed("http", false), "one-RSS-bytes", "all-RSS-bytes", "peak-RSS-bytes", "further-RSS-bytes/client")
	serving := 0
	for _, s := range ss {
		held := s.Figure("all-RSS-bytes").Median - s.Figure("one-RSS-bytes").Median
		if s.Figure("peak-RSS-bytes").Median-s.Figure("all-RSS-bytes").Median > held {
			serving++
		}
	}
	switch {
	case len(ss) == 0:
		return ""
	case serving == len(ss):
		return fmt.Sprintf("Over HTTP, memory goes to the clients that call and not to those that are connected: each one more to hold "+
			"changed it by %s, and all of them together by less than the load then added.", extremes(ss, "further-RSS-bytes/client", middle))
	case serving == 0:
		return fmt.Sprintf("Over HTTP, memory goes to the clients that are connected, whether they call or not: each one more to hold "+
			"takes %s, and all of them together more than the load then added.", extremes(ss, "further-RSS-bytes/client", middle))
	}
	return ""
}

func processor(v *View) string {
	cpu := record.Call.Unit("cpu-ns/call")
	ss := having(v.believed("http", false), "loaded-cpu-cores", "clients", cpu)
	if len(ss) == 0 {
		return ""
	}
	where := ""
	if cpus := v.any.About(record.KeySubjectCPUs); cpus != "" {
		where = fmt.Sprintf(" (it could use CPU %s of the host)", escape(cpus))
	}
	return fmt.Sprintf("With %s clients calling over HTTP the server kept %s cores busy%s. A `tools/call` that reads from GitLab costs %s of processor time.",
		span(ss, "clients"), span(ss, "loaded-cpu-cores"), where, extremes(ss, cpu, middle))
}

// listingAndCalling says where the listing is the dearer of the two in every
// round.
func listingAndCalling(v *View) string {
	cpu, call := record.List.Unit("cpu-ns/call"), record.Call.Unit("cpu-ns/call")
	ss := having(v.believed("http", false), cpu, call)
	if len(ss) == 0 {
		return ""
	}
	var dearer []string
	for _, s := range ss {
		if s.Figure(cpu).Min > s.Figure(call).Max {
			dearer = append(dearer, surface(s))
		}
	}
	sentence := fmt.Sprintf("A `tools/list` costs %s of processor time: ", extremes(ss, cpu, middle))
	if len(dearer) == 0 {
		return sentence + "on no surface more than a `tools/call` in every round."
	}
	return sentence + "more than a `tools/call` on " + enumerate(dearer) + "."
}

func starting(v *View) string {
	ss := having(v.believed("http", false), "ready-ns", "first-list-ns", "warm-list-ns")
	if len(ss) == 0 {
		return ""
	}
	slower := 0
	for _, s := range ss {
		if s.Figure("first-list-ns").Min > s.Figure("warm-list-ns").Max {
			slower++
		}
	}
	ready := fmt.Sprintf("Over HTTP the process is ready %s after its start. ", span(ss, "ready-ns"))
	first, warm := extremes(ss, "first-list-ns", middle), extremes(ss, "warm-list-ns", middle)
	switch slower {
	case len(ss):
		return ready + fmt.Sprintf("Its first client waits until the tools are built, %s; a listing after that takes %s if nothing else runs.", first, warm)
	case 0:
		return ready + fmt.Sprintf("Its first client waits no longer for a listing than later ones: %s at first, %s after that.", first, warm)
	}
	return ready + fmt.Sprintf("The first listing takes %s, one after that %s.", first, warm)
}

func underLoad(v *View) string {
	p50, p99 := record.Call.Unit("p50-ns"), record.Call.Unit("p99-ns")
	ss := having(v.believed("http", false), p50, p99, "clients")
	if len(ss) == 0 {
		return ""
	}
	return fmt.Sprintf("With %s clients calling at once over HTTP, a `tools/call` that reads from GitLab took %s at p50 and %s at p99.",
		span(ss, "clients"), extremes(ss, p50, middle), extremes(ss, p99, middle))
}

// telemetry compares scenarios that differ in nothing else. A difference counts
// if it shows in every round of the one against every round of the other.
func telemetry(v *View) string {
	var found []string
	compared := false
	for _, transport := range []string{"stdio", "http"} {
		for _, on := range v.believed(transport, true) {
			for _, off := range v.believed(transport, false) {
				if on.Surface != off.Surface || min(len(on.Results), len(off.Results)) < 2 {
					continue
				}
				compared = true
				found = append(found, differences(on, off)...)
			}
		}
	}
	switch {
	case !compared:
		return ""
	case len(found) == 0:
		return "Exporting traces and metrics made no difference to peak memory or to processor time per call that stands out from the spread between rounds."
	}
	return "Exporting traces and metrics " + enumerate(found) + "; of peak memory and processor time per call, no other difference stands out from the spread between rounds."
}

func differences(on, off *Scenario) []string {
	var out []string
	for _, m := range []struct{ unit, words string }{
		{"peak-RSS-bytes", "peak memory"}, {record.Call.Unit("cpu-ns/call"), "processor time per `tools/call`"},
	} {
		a, b := off.Figure(m.unit), on.Figure(m.unit)
		if !a.Known() || !b.Known() || (b.Min <= a.Max && a.Min <= b.Max) {
			continue
		}
		verb := "raised"
		if b.Max < a.Min {
			verb = "lowered"
		}
		out = append(out, fmt.Sprintf("%s %s on %s from %s to %s", verb, m.words, escape(off.Title()), a.cited(), b.cited()))
	}
	return out
}

// failures speaks of every result, believed or not: a failure is one reason
// not to be.
func failures(v *View) string {
	var calls, refused, failed, cut, unsent, reconnects float64
	for _, s := range v.everything() {
		calls += s.calls()
		refused += s.sum("refused-calls")
		failed += s.sum("failed-calls")
		cut += s.sum("cut-calls")
		unsent += s.sum("unsent-calls")
		reconnects += s.sum("reconnects")
	}
	refs := v.lines()
	counted := func(n float64) string { return cite(significant(n), refs) }
	lost := ""
	if reconnects > 0 {
		lost = fmt.Sprintf(" The server closed %s %s in use, which had to be opened again.",
			counted(reconnects), plural(int(reconnects), "connection"))
	}
	if unsent > 0 {
		lost += fmt.Sprintf(" Of the calls at a rate, %s fell due and were never sent, since every connection was waiting for an answer: the server did not keep up with these.", counted(unsent))
	}
	switch {
	case calls == 0:
		return ""
	case refused == 0 && failed == 0 && cut == 0:
		rest := ", and none was refused."
		if v.countsCut() {
			rest = ", none was refused and none went without an answer."
		}
		return fmt.Sprintf("None of the %s calls behind these figures failed", counted(calls)) + rest + lost
	}
	cutShort := ""
	if cut > 0 {
		cutShort = fmt.Sprintf(", and %s had no answer and were given up", counted(cut))
	}
	return fmt.Sprintf("Behind these figures are %s calls that were answered. In all phases of the load %s failed and %s were refused%s; the rows concerned are marked.",
		counted(calls), counted(failed), counted(refused), cutShort) + lost
}

// countsCut reports whether every round that may have given up calls says how
// many, and there is one.
func (v *View) countsCut() bool {
	counted := false
	for _, s := range v.everything() {
		if !s.mayCut() {
			continue
		}
		if counted = len(figureOf("cut-calls", s.All).Refs) == len(s.All); !counted {
			return false
		}
	}
	return counted
}

// lines are those of the record with every result of the page.
func (v *View) lines() []string {
	var refs []string
	for _, s := range v.everything() {
		for _, r := range s.All {
			refs = append(refs, refOf(r))
		}
	}
	return refs
}

// mayCut reports whether the scenario is of a kind that gives calls up.
func (s *Scenario) mayCut() bool { return s.All[0].Kind() != record.Point }

// sum adds a count up over every round, believed or not.
func (s *Scenario) sum(unit string) float64 {
	total := 0.0
	for _, r := range s.All {
		amount, _ := r.Value(unit) // an absent count adds nothing
		total += amount
	}
	return total
}

// calls is how many calls of the scenario were answered as they should be.
func (s *Scenario) calls() float64 {
	total := s.sum("calls") // of a step or an open loop, and no other has it
	if total > 0 {
		return total
	}
	for _, m := range record.Methods() {
		total += s.sum(m.Unit("calls"))
	}
	return total
}

// having returns the scenarios that have a figure for every unit.
func having(scenarios []*Scenario, units ...string) []*Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios), func(s *Scenario) bool {
		return slices.ContainsFunc(units, func(unit string) bool { return !s.Figure(unit).Known() })
	})
}

func middle(f Figure) float64  { return f.Median }
func largest(f Figure) float64 { return f.Max }

// extremes gives the smallest and the largest of a metric over scenarios and
// the surfaces they are on: "1.2 ms (`dynamic`) to 3 ms (`meta`)". Where all
// surfaces read the same it names none, unless there is but one.
func extremes(scenarios []*Scenario, unit string, of func(Figure) float64) string {
	var all []onSurface
	for _, s := range scenarios {
		f := s.Figure(unit)
		all = append(all, onSurface{surface(s), of(f), f.Refs})
	}
	return reach(unit, all)
}

// onSurface is an amount, the surface it belongs to and the lines of the record
// it is from.
type onSurface struct {
	surface string
	amount  float64
	refs    []string
}

// reach gives the smallest and the largest of amounts, as extremes does.
func reach(unit string, all []onSurface) string {
	by := func(a, b onSurface) int { return cmp.Compare(a.amount, b.amount) }
	least, most := slices.MinFunc(all, by), slices.MaxFunc(all, by)
	from, to := amount(unit, least.amount), amount(unit, most.amount)
	switch {
	case len(all) == 1:
		return fmt.Sprintf("%s (%s)", cite(to, most.refs), most.surface)
	case from == to:
		return cite(to, most.refs)
	}
	return fmt.Sprintf("%s (%s) to %s (%s)", cite(from, least.refs), least.surface, cite(to, most.refs), most.surface)
}

func surface(s *Scenario) string { return "`" + s.Surface + "`" }

// span gives the range of a metric's medians over scenarios: "18 to 20 MiB".
func span(scenarios []*Scenario, unit string) string { return spanOf(scenarios, unit, middle) }

// spanOf gives the range of a metric over scenarios.
func spanOf(scenarios []*Scenario, unit string, of func(Figure) float64) string {
	var figures []Figure
	for _, s := range scenarios {
		figures = append(figures, s.Figure(unit))
	}
	by := func(a, b Figure) int { return cmp.Compare(of(a), of(b)) }
	lo, hi := slices.MinFunc(figures, by), slices.MaxFunc(figures, by)
	from, to := amount(unit, of(lo)), amount(unit, of(hi))
	if from == to {
		return cite(to, hi.Refs)
	}
	if scale := scaleOf(unit, of(hi)); scale == scaleOf(unit, of(lo)) {
		from = scale.figure(of(lo))
	}
	return cite(from, lo.Refs) + " to " + cite(to, hi.Refs)
}

// enumerate joins parts as a sentence does.
func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
