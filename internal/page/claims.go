package page

import (
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

var claims = []claim{
	{"Memory over HTTP", httpMemory},
	{"Memory on stdio", stdioMemory},
	{"Holding and serving", holdingAndServing},
	{"Processor", processor},
	{"Listing and calling", listingAndCalling},
	{"Starting", starting},
	{"Under load", underLoad},
	{"Telemetry", telemetry},
	{"Failures", failures},
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
	sentence := fmt.Sprintf("With %s clients calling at once, one server process peaked at %s: set a memory limit above that.",
		span(ss, "clients"), each(ss, "peak-RSS-bytes", largest))
	if idle := having(ss, "idle-RSS-bytes"); len(idle) > 0 {
		sentence += fmt.Sprintf(" Serving nobody it takes %s.", span(idle, "idle-RSS-bytes"))
	}
	return sentence
}

func stdioMemory(v *View) string {
	ss := having(v.believed("stdio", false), "one-RSS-bytes", "peak-RSS-bytes", "clients")
	if len(ss) == 0 {
		return ""
	}
	return fmt.Sprintf("Every client brings a process of its own, which takes %s once it has listed its tools. %s of them, all calling, peaked together at %s.",
		each(ss, "one-RSS-bytes", middle), span(ss, "clients"), each(ss, "peak-RSS-bytes", largest))
}

// holdingAndServing holds what admitting clients adds against what their calls
// add on top.
func holdingAndServing(v *View) string {
	ss := having(v.believed("http", false), "one-RSS-bytes", "all-RSS-bytes", "peak-RSS-bytes", "further-RSS-bytes/client")
	serving := 0
	for _, s := range ss {
		held := s.Figure("all-RSS-bytes").Median - s.Figure("one-RSS-bytes").Median
		if s.Figure("peak-RSS-bytes").Median-s.Figure("all-RSS-bytes").Median > held {
			serving++
		}
	}
	further := each(ss, "further-RSS-bytes/client", middle)
	switch {
	case len(ss) == 0:
		return ""
	case serving == len(ss):
		return fmt.Sprintf("Memory follows the clients that are calling, not those that are connected: holding one more over HTTP changed the resident set by %s, and the load added more to it than all of them did by being there.", further)
	case serving == 0:
		return fmt.Sprintf("Memory follows the clients that are connected, calling or not: each one more over HTTP takes %s, and the load added no more to it than all of them did by being there.", further)
	}
	return ""
}

func processor(v *View) string {
	ss := having(v.believed("http", false), "loaded-cpu-cores", record.Call.Unit("cpu-ns/call"))
	if len(ss) == 0 {
		return ""
	}
	where := ""
	if cpus := v.any.About(record.KeySubjectCPUs); cpus != "" {
		where = fmt.Sprintf(" (it was confined to processors %s of the host)", escape(cpus))
	}
	return fmt.Sprintf("Under that load the server kept %s cores busy%s. A `tools/call` that reads from GitLab takes %s of processor time.",
		span(ss, "loaded-cpu-cores"), where, each(ss, record.Call.Unit("cpu-ns/call"), middle))
}

func listingAndCalling(v *View) string {
	list, call := record.List.Unit("cpu-ns/call"), record.Call.Unit("cpu-ns/call")
	ss := having(v.believed("http", false), list, call, "list-bytes")
	if len(ss) == 0 {
		return ""
	}
	var dearer []string
	for _, s := range ss {
		if s.Figure(list).Min > s.Figure(call).Max {
			dearer = append(dearer, "`"+s.Surface+"`")
		}
	}
	sizes := fmt.Sprintf("A `tools/list` reply is %s and takes %s of processor time", each(ss, "list-bytes", middle), each(ss, list, middle))
	if len(dearer) == 0 {
		return sizes + ", on no surface more than a `tools/call`."
	}
	return sizes + ", more than a `tools/call` on " + enumerate(dearer) + "."
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
	first, warm := each(ss, "first-list-ns", middle), each(ss, "warm-list-ns", middle)
	switch slower {
	case len(ss):
		return ready + fmt.Sprintf("The first client then waits for its tools to be built: %s. A listing after that, with nothing else running, takes %s.", first, warm)
	case 0:
		return ready + fmt.Sprintf("The first client waits no longer for its tools than later ones: %s at first, %s after.", first, warm)
	}
	return ready + fmt.Sprintf("The first listing takes %s, one after that %s.", first, warm)
}

func underLoad(v *View) string {
	ss := having(v.believed("http", false), record.Call.Unit("p50-ns"), record.Call.Unit("p99-ns"), "clients")
	if len(ss) == 0 {
		return ""
	}
	return fmt.Sprintf("With %s clients calling at once over HTTP, half of the `tools/call`s that read from GitLab were answered within %s, and at p99 within %s.",
		span(ss, "clients"), each(ss, record.Call.Unit("p50-ns"), middle), each(ss, record.Call.Unit("p99-ns"), middle))
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
	return "Exporting traces and metrics " + enumerate(found) + "; other differences do not stand out from the spread between rounds."
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
		out = append(out, fmt.Sprintf("%s %s on %s from %s to %s", verb, m.words, escape(off.Title()), a, b))
	}
	return out
}

// failures speaks of every result, believed or not: a failure is one reason
// not to be.
func failures(v *View) string {
	var calls, refused, failed float64
	for _, s := range v.Scenarios {
		calls += s.calls()
		refused += s.sum("refused-calls")
		failed += s.sum("failed-calls")
	}
	switch {
	case calls == 0:
		return ""
	case refused == 0 && failed == 0:
		return fmt.Sprintf("None of the %s calls behind these figures failed, and none was refused.", significant(calls))
	}
	return fmt.Sprintf("Of the calls made, %s were answered, %s failed and %s were refused; the rows concerned are marked.",
		significant(calls), significant(failed), significant(refused))
}

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
	total := 0.0
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

// each lists a metric by surface: "1.2 ms on `dynamic` and 3 ms on `meta`".
func each(scenarios []*Scenario, unit string, of func(Figure) float64) string {
	var parts []string
	for _, s := range scenarios {
		parts = append(parts, amount(unit, of(s.Figure(unit)))+" on `"+s.Surface+"`")
	}
	return enumerate(parts)
}

// span gives the range of a metric's medians over scenarios: "18 to 20 MiB".
func span(scenarios []*Scenario, unit string) string {
	lo, hi := scenarios[0].Figure(unit).Median, scenarios[0].Figure(unit).Median
	for _, s := range scenarios {
		lo, hi = min(lo, s.Figure(unit).Median), max(hi, s.Figure(unit).Median)
	}
	from, to := amount(unit, lo), amount(unit, hi)
	if from == to {
		return to
	}
	if scale := scaleOf(unit, hi); scale == scaleOf(unit, lo) {
		from = scale.figure(lo)
	}
	return from + " to " + to
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
