package page

import (
	"fmt"
	"strings"

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
			surfaces = ", from the least of the surfaces to the most"
		}
		cpus := ""
		if on := v.any.About(record.KeySubjectCPUs); on != "" {
			cpus = fmt.Sprintf("; it could use CPU %s of the host", escape(on))
		}
		return []Answer{
			{"How much memory?", spanOf(ss, "peak-RSS-bytes", largest), fmt.Sprintf("the largest peak of %s while %s without pause%s", of.process, of.callers(ss), surfaces)},
			{"How many cores?", spanOf(ss, "loaded-cpu-cores", middle), "kept busy meanwhile" + cpus},
			{"How long does a client wait?", spanOf(ss, callP99, middle), fmt.Sprintf("at most, for 99 in 100 `tools/call` in that load; for half of them at most %s", spanOf(ss, record.Call.Unit("p50-ns"), middle))},
		}
	}
	return nil
}

// A loadedGroup is scenarios that were loaded alike but for their surface.
type loadedGroup struct {
	scenarios []*Scenario
	process   string
	callers   func([]*Scenario) string
}

// loaded are those of the record, that which says most to most readers first.
func (v *View) loaded() []loadedGroup {
	clients := func(ss []*Scenario) string {
		if known := having(ss, "clients"); len(known) > 0 {
			return span(known, "clients") + " clients call"
		}
		return "all clients call"
	}
	var last []*Scenario
	for _, l := range v.climbs() {
		if steps := believedOf(l.main()); len(steps) > 0 {
			last = append(last, steps[len(steps)-1])
		}
	}
	return []loadedGroup{
		{v.believed("http", false), "one process over HTTP", clients},
		{v.believed("stdio", false), "processes on stdio, one a client, together", clients},
		{last, "one process over HTTP", func(ss []*Scenario) string { return credentials(ss) + " credentials call" }},
	}
}

// answered is the answers of a block as a list.
func (b Block) answered() string {
	var items []string
	for _, a := range b.Answers {
		items = append(items, fmt.Sprintf("**%s** %s: %s.", a.Question, a.Figure, a.Of))
	}
	return "- " + uncited(strings.Join(items, "\n- ")) + "\n"
}
