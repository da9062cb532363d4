package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// sized is what there is to say of the figures that sizing rests on.
func (v *View) sized() []Block {
	first := v.Sized.any()
	if first == nil {
		return nil
	}
	return slices.Concat(
		[]Block{text("What a process takes beyond the load of the series: for a large answer, for a call that GitLab does not answer, for a session, for another " +
			"surface, and at other settings. Each row is a process of its own.")},
		paragraphs(v.builtOtherwise(first)),
		v.Sized.brief(), v.Sized.endpoints(), v.Sized.rungs(), v.Sized.heldCalls(), v.Sized.sessions(), v.Sized.configurations(), v.Sized.sweeps())
}

// brief is the short version: what is asked before anything else.
func (z Sized) brief() []Block {
	m := &tableMaker{table: Table{Names: 1, Head: []string{"In short", ""}}}
	add := func(s *Scenario, words, unit string, show func(Figure, Scale) string) {
		if s != nil {
			m.table.Rows = append(m.table.Rows, []Cell{{Text: words}, m.cell(s.Figure(unit), fitting, show)})
		}
	}
	for _, s := range z[record.Image] {
		add(s, "Binary", "binary-bytes", Figure.spread)
		add(s, "Container image, as a tarball", "image-bytes", Figure.spread)
		add(s, "Container image, as it is pulled", "image-layer-bytes", Figure.spread)
	}
	add(z.part(record.Endpoint, "endpoint", "health"), "Start to ready", "ready-ns", Figure.spread)
	add(z.part(record.Ladder, "calls", "0"), "Resident set, idle", "idle-RSS-bytes", Figure.spread)
	if last := z.lastRung(); last != nil {
		answer := answerOf(last)
		add(last, fmt.Sprintf("Resident set at its largest, during %s", rungWords(last)+answer), "peak-RSS-bytes", Figure.spread)
		add(last, fmt.Sprintf("Resident set at rest, after %s", rungWords(last)+answer), "rest-RSS-bytes", Figure.spread)
	}
	for _, s := range z[record.Endpoint] {
		add(s, fmt.Sprintf("Requests a second, %s", escape(s.Label)), "calls/s", Figure.spread)
	}
	if len(m.table.Rows) == 0 {
		return nil
	}
	return tables(m.finish())
}

// lastRung is the rung of the most calls, or nil.
func (z Sized) lastRung() *Scenario {
	var last *Scenario
	for _, s := range z[record.Ladder] {
		if last == nil || rungCalls(s) > rungCalls(last) {
			last = s
		}
	}
	return last
}

// largeAnswers says what the calls of the last rung took at most.
func (z Sized) largeAnswers() string {
	last := z.lastRung()
	if last == nil || !last.Believed() || !last.Figure("peak-RSS-bytes").Known() {
		return ""
	}
	peak := last.Figure("peak-RSS-bytes")
	return fmt.Sprintf("%s%s, took the process to %s", rungWords(last), answerOf(last), amount(peak.Unit, peak.Max))
}

// together says what the most surfaces that were served at once took, beside
// what one of them alone did.
func (z Sized) together(surface string) string {
	alone, all := z.part(record.Configs, "surface", surface), (*Scenario)(nil)
	for _, s := range having(believedOf(z[record.Configs]), "rest-RSS-bytes", "surfaces", "clients") {
		if slices.Contains(strings.Split(s.Surface, "+"), surface) && (all == nil || s.Figure("surfaces").Median > all.Figure("surfaces").Median) {
			all = s
		}
	}
	if alone == nil || all == nil || all.Name == alone.Name || !alone.Believed() || !alone.Figure("rest-RSS-bytes").Known() {
		return ""
	}
	return fmt.Sprintf("%s in one process took %s at rest with %s credentials, and %s alone %s", enumerate(strings.Split(all.Surface, "+")),
		amount("rest-RSS-bytes", all.Figure("rest-RSS-bytes").Max), significant(all.Figure("clients").Median), surface,
		amount("rest-RSS-bytes", alone.Figure("rest-RSS-bytes").Max))
}

// rungCalls is how many calls a rung made.
func rungCalls(s *Scenario) int {
	n, _ := strconv.Atoi(s.All[0].Part("calls")) // zero where its name does not say
	return n
}

// rungWords say which calls a rung made.
func rungWords(s *Scenario) string {
	n := rungCalls(s)
	words := significant(float64(n)) + plural(n, " call")
	if burst := s.Figure("burst-calls"); burst.Known() && burst.Median > 1 {
		words += fmt.Sprintf(", %s of them at once", significant(burst.Median))
	}
	return words
}

// answerOf says how large GitLab's answers to a rung's calls are.
func answerOf(s *Scenario) string {
	size, err := strconv.ParseFloat(s.All[0].SettingsOf()["answer-bytes"], 64)
	if err != nil {
		return ""
	}
	return ", each with an answer of " + amount("answer-bytes", size)
}

var endpointColumns = []column{
	{"Requests a second", "calls/s", plain, Figure.spread},
	{"CPU a request", "cpu-ns/call", fitting, Figure.spread},
	{"Server's cores busy", "loaded-cpu-cores", plain, Figure.spread},
	{"Suite's cores busy", "suite-cpu-cores", plain, Figure.spread},
}

// endpoints are the cheap endpoints, and whether it was the suite that kept them from more.
func (z Sized) endpoints() []Block {
	all := z[record.Endpoint]
	if len(all) == 0 {
		return nil
	}
	blocks := []Block{text(fmt.Sprintf("**Cheap endpoints**, asked over %s connections, each again as soon as it was answered.", escape(all[0].All[0].SettingsOf()["connections"])))}
	blocks = append(blocks, tables((&tableMaker{}).sizedRows("Endpoint", all, endpointColumns))...)
	var bound []string
	for _, s := range all {
		if slices.ContainsFunc(s.Results, limitedBySuite) {
			bound = append(bound, escape(s.Label))
		}
	}
	if len(bound) == 0 {
		return blocks
	}
	return append(blocks, text(fmt.Sprintf("At %s **the suite was the limit**, in one round or more: the server answers that many at least. CPU a request is the server's own all the same.", enumerate(bound))))
}

func limitedBySuite(r record.Result) bool {
	return strings.HasPrefix(r.About(record.KeyLimit), record.LimitSuite+":")
}

var rungColumns = []column{
	{"Before", "start-RSS-bytes", mib, Figure.spread},
	{"**Largest**", "peak-RSS-bytes", mib, Figure.spread},
	{"As the last call ended", "end-RSS-bytes", mib, Figure.spread},
	{"95% given back after, s", "return-ns", seconds, Figure.spread},
	{"Left by itself", "left-RSS-bytes", mib, Figure.spread},
	{"At rest, collected", "rest-RSS-bytes", mib, Figure.spread},
	{"Live heap then", "rest-heap-bytes", mib, Figure.spread},
	{"CPU a call, ms", "cpu-ns/call", millis, Figure.spread},
}

// rungs are the large answers.
func (z Sized) rungs() []Block {
	all := slices.Clone(z[record.Ladder])
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *Scenario) int { return rungCalls(a) - rungCalls(b) })
	said := fmt.Sprintf("**Large answers**: calls one after another%s. After the last call nothing is asked and nothing forced until the resident set is within 5%% of before, "+
		"or for %s, in which other rows make their calls in processes of their own; then collections are forced. Resident set and heap in MiB.", answerOf(all[0]), escape(all[0].All[0].SettingsOf()["return-wait"]))
	blocks := append([]Block{text(said)}, tables((&tableMaker{}).sizedRows("Calls", all, rungColumns))...)
	return append(blocks, paragraphs(comesBack(all))...)
}

// comesBack says whether the resident set was back by itself, and when, and whether anything was kept.
func comesBack(rungs []*Scenario) string {
	called := slices.DeleteFunc(believedOf(rungs), func(s *Scenario) bool { return rungCalls(s) == 0 })
	if len(called) == 0 {
		return ""
	}
	back, latest := having(called, "return-ns"), 0.0
	for _, s := range back {
		latest = max(latest, s.Figure("return-ns").Max)
	}
	said := fmt.Sprintf("By itself the process gave back 95%% of what the calls had added in %d of %d rows with calls", len(back), len(called))
	if len(back) > 0 {
		said += ", after " + amount("return-ns", latest) + " at the latest"
	}
	least, most := having(rungs, "rest-heap-bytes"), having(called, "rest-heap-bytes")
	if len(most) == 0 || rungCalls(least[0]) != 0 {
		return said + "."
	}
	last := most[len(most)-1]
	return fmt.Sprintf("%s. Collected, the live heap was %s after %s, and %s without any.", said,
		last.Figure("rest-heap-bytes"), rungWords(last), least[0].Figure("rest-heap-bytes"))
}

// eachColumns show what each of many takes in the given states.
func eachColumns(states map[record.Standing]string, order ...record.Standing) []column {
	heads := []string{"resident", "heap", "goroutines", "descriptors"}
	var columns []column
	for _, state := range order {
		for i, q := range record.Quantities() {
			scale := plain
			if strings.HasSuffix(q, "-bytes") {
				scale = fitting
			}
			columns = append(columns, column{states[state] + ": " + heads[i], state.UnitEach(q), scale, Figure.spread})
		}
	}
	return columns
}

// heldCalls are the calls that GitLab does not answer.
func (z Sized) heldCalls() []Block {
	all := z[record.Held]
	if len(all) == 0 {
		return nil
	}
	columns := eachColumns(map[record.Standing]string{record.CallsHeld: "Held", record.CallsReleased: "Answered"}, record.CallsHeld, record.CallsReleased)
	blocks := []Block{text("**Calls that GitLab does not answer**, so many at once on a connection each: what each of them takes on top of its connection, at rest, and what is " +
		"left of it once GitLab has answered, connections to GitLab that are kept among it.")}
	blocks = append(blocks, tables((&tableMaker{}).sizedRows("Calls at once", all, columns))...)
	return append(blocks, paragraphs(lineOf("one held call more, its connection included,", all, record.CallsHeld))...)
}

// sessions are those of older revisions.
func (z Sized) sessions() []Block {
	all := z[record.Session]
	if len(all) == 0 {
		return nil
	}
	columns := eachColumns(map[record.Standing]string{record.SessionsOpened: "Open", record.SessionsAbandoned: "Abandoned", record.SessionsEnded: "Ended"},
		record.SessionsOpened, record.SessionsAbandoned, record.SessionsEnded)
	blocks := []Block{text(fmt.Sprintf("**Sessions** of revision %s, so many at once on a connection each: what each takes while it is open, what it still takes once its connection "+
		"is closed and the session is not, and what is left of one that was ended.", escape(all[0].All[0].SettingsOf()["protocol"])))}
	blocks = append(blocks, tables((&tableMaker{}).sizedRows("Sessions", all, columns))...)
	return append(blocks, paragraphs(
		lineOf("one open session more, its connection included,", all, record.SessionsOpened),
		lineOf("one abandoned session more", all, record.SessionsAbandoned))...)
}

// lineOf says what one more takes by the lines through all populations, or why there is none.
func lineOf(what string, all []*Scenario, state record.Standing) string {
	var said []string
	why, interval := "", ""
	for _, q := range record.Quantities() {
		t := trend(state.Unit(q), all)
		if !t.Known() {
			why = t.Absent
			continue
		}
		scale := scaleOf(t.Unit, t.Slope)
		words := scale.with(t.Slope) + " " + quantityWords[q]
		if t.Interval {
			words += " (" + between(scale.figure(t.Lo), scale.figure(t.Hi)) + ")"
			interval = ", with its 95% interval in brackets"
		}
		said = append(said, words)
	}
	if len(said) == 0 {
		return fmt.Sprintf("What %s takes is in no line: %s.", what, escape(why))
	}
	return fmt.Sprintf("By the line through all rows, %s takes %s%s.", what, enumerate(said), interval)
}

// quantityWords follow an amount in a sentence.
var quantityWords = map[string]string{
	"RSS-bytes": "of the resident set", "heap-bytes": "of the live heap", "goroutines": "goroutines", "descriptors": "descriptors",
}

var configurationColumns = []column{
	{"Tools", "tools", plain, Figure.spread},
	{"Listings", "list-bytes", fitting, Figure.spread},
	{"Idle", "idle-RSS-bytes", mib, Figure.spread},
	{"One credential: resident", "first-RSS-bytes", mib, Figure.spread},
	{"heap", "first-heap-bytes", mib, Figure.spread},
	{"All credentials: resident", "rest-RSS-bytes", mib, Figure.spread},
	{"heap ", "rest-heap-bytes", mib, Figure.spread},
}

// configurations are several surfaces in one process.
func (z Sized) configurations() []Block {
	all := z[record.Configs]
	if len(all) == 0 {
		return nil
	}
	said := "**Several surfaces in one process**, each under a path of its own, used by one credential and then by all"
	if clients := having(all, "clients"); len(clients) > 0 {
		said += fmt.Sprintf(" %s", span(clients, "clients"))
	}
	said += ". Where credentials share a catalog, all of them take little more than one. At rest, collected, in MiB."
	return append([]Block{text(said)}, tables((&tableMaker{}).sizedRows("Surfaces", all, configurationColumns))...)
}
