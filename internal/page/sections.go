package page

import (
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// glance is the first screen: a table of what is asked first, then claims.
func (v *View) glance() []Block {
	var blocks []Block
	switch shown := v.foremost(); {
	case len(shown) > 0:
		blocks = append([]Block{text(joinWords("All clients of a row call at once and without pause, on all the processors that the server may use.", surfaceLine(shown)))},
			tables(pointTable(shown, glanceColumns))...)
	case len(v.Scenarios) == 0:
		blocks = v.overview()
	default:
		blocks = []Block{text("Every point scenario is doubted in all of its rounds, so that no figure of one stands here. " +
			"The tables below have them, and " + notesOfPoints + " says why.")}
	}
	if answers := v.answers(); len(answers) > 0 {
		blocks = append([]Block{{Answers: answers}}, blocks...)
	}
	if said := v.atAGlance(); len(said) > 0 {
		blocks = append(blocks, list(said...))
	}
	return blocks
}

// foremost is the scenarios that the first table shows: those without
// telemetry, or with it where there are no others.
func (v *View) foremost() []*Scenario {
	believed := believedOf(v.Scenarios)
	bare := slices.DeleteFunc(slices.Clone(believed), func(s *Scenario) bool { return s.Telemetry })
	if len(bare) > 0 {
		return bare
	}
	return believed
}

// pointTable has a row for each of the scenarios and the given columns. Its
// marks are explained where memory is.
func pointTable(scenarios []*Scenario, columns []column) *Table {
	return (&tableMaker{notesAt: notesOfPoints}).rows("Scenario", scenarios, columns)
}

func (v *View) memory() []Block {
	return slices.Concat(
		[]Block{text("Resident memory in MiB where no other unit stands. A client is a credential on HTTP, where all share one " +
			"process, and a process on stdio. There the columns after the first client's are sums over the processes, in which " +
			"pages that several of them share count once for each. A limit has to clear the largest peak of any round, not the median, " +
			"and some more: a worse moment than these rounds met is always possible.")},
		pictures(v.memoryChart(), v.admittingChart()),
		tables((&tableMaker{}).rows("Scenario", v.Scenarios, memoryColumns)),
		[]Block{text("**At rest**, MiB: after the load has stopped, collections were forced and memory kept still, with all clients connected. " +
			"It is what holding them takes. On stdio all but the time are sums over the processes, of which pages that several share count once for each in the " +
			"resident set, and once in all in the column after it. The live heap is what the collector could not free.")},
		tables((&tableMaker{notesAt: notesOfSection}).rows("Scenario", v.Scenarios, restColumns)))
}

func (v *View) processorTime() []Block {
	scale := smallest(v.Scenarios, "cpu-ns/call")
	return append([]Block{text(fmt.Sprintf("Cores that the server kept busy while every client was calling, and processor time for a call in %s: "+
		"of the whole load, and of each method in a phase of its own. Between machines, time per call carries over better "+
		"than calls per second do.", scale.Symbol))},
		tables(pointTable(v.Scenarios, processorColumns(scale)))...)
}

func (v *View) waits() []Block {
	return slices.Concat([]Block{text("From starting the process until it answers; the first `tools/list`, which finds nothing built; " +
		"the first `tools/call` of either kind, after the listing; and a later listing, all of a single client with nothing else running. Under load a listing takes longer, as the next table shows.")},
		pictures(v.startChart()), tables(pointTable(v.Scenarios, waitColumns)))
}

func (v *View) latency() []Block {
	return slices.Concat([]Block{text("Milliseconds from sending a request to the end of its reply, with all clients calling one method, " +
		"each sending its next call when the last is answered: a server that stalls is asked less, so these figures say how " +
		"long a call takes among so many callers, not what happens to callers who do not wait. " + intervalNeeds())},
		pictures(v.latencyChart()), tables(v.latencyTable()))
}

// intervalNeeds says from how many calls on a percentile is published.
func intervalNeeds() string {
	return fmt.Sprintf("The interval spans that of every round. It takes %s calls a round for p90 and %s for p99; with fewer the percentile is withheld.",
		significant(float64(stat.MinValues(0.9, stat.Confidence))), significant(float64(stat.MinValues(0.99, stat.Confidence))))
}

func (v *View) process() []Block {
	return append([]Block{text("Read while every client is connected. On stdio, threads and descriptors are the sum over the processes, " +
		"and goroutines are those of one. The suite's own cores are what making the load took beside the server.")},
		tables(pointTable(v.Scenarios, processColumns))...)
}

func (v *View) outcomes() []Block {
	if len(v.everything()) == 0 {
		return nil
	}
	given := ""
	if len(v.Ladders) > 0 {
		given = ", and those that were given up for want of an answer,"
	}
	return append([]Block{text("Every reply is checked: status, JSON-RPC error, tool error and shape. Counts are over all rounds, those left " +
		"out elsewhere included. Answered are the calls that the figures above rest on; refused and failed ones" + given + " are counted in every phase of the load. Reconnects are connections that the server closed while in use, so that a call had to open another. The requests that reached the GitLab stand-in show that a `tools/call` did its work.")},
		tables(v.outcomeTable())...)
}

func (v *View) measured() []Block {
	parts := []string{"The server is the real binary, started as a client would start it, a fresh process for every row and round. GitLab is " +
		"a stand-in on the same machine with made-up data, so nothing depends on a network or on somebody's instance. " +
		"The surface is passed explicitly."}
	if len(v.Scenarios) > 0 {
		parts = append(parts, "A scenario has phases, and every reading belongs to one: the process is read idle; "+
			"clients are admitted one at a time, each with a first `tools/list`; all of them call at once, one method after "+
			"the other; the load stops and memory comes to rest; the process is told to stop.")
	}
	blocks := []Block{text(joinWords(parts...))}
	if len(v.Ladders) > 0 {
		blocks = append(blocks, text(ladderMethod))
	}
	blocks = append(blocks, text("Peaks are the kernel's own high-water mark, set back before the load. Processor time is read with the "+
		"resolution of nanoseconds over the whole process tree. A result that the suite itself has reason to doubt is marked "+
		"and carries no statement above."),
		text("The interval of a percentile takes calls to be independent of each other. Calls that queue behind each other are not, so where "+
			"the server is saturated these intervals are too narrow; how far runs lie apart is what the rounds show."))
	items := append(v.grouped("Method", record.KeyMethod), v.grouped("Settings", record.KeySettings)...)
	if items = append(items, v.ladderMethods()...); len(items) > 0 {
		blocks = append(blocks, text("What the record says of method and settings:"), list(items...))
	}
	return blocks
}

// grouped lists the values of a configuration key, and of which scenarios each
// is said if not of all.
func (v *View) grouped(what, key string) []string {
	titles := make(map[string][]string)
	for _, s := range v.Scenarios {
		if value := s.All[0].Config[key]; value != "" {
			titles[value] = append(titles[value], s.Title())
		}
	}
	var items []string
	for _, value := range sortedKeys(titles) {
		item := what + ": " + escape(value)
		if len(titles[value]) < len(v.Scenarios) {
			item = fmt.Sprintf("%s (%s): %s", what, v.summarised(titles[value]), escape(value))
		}
		items = append(items, item)
	}
	return items
}

// summarised names a group of scenarios by their transport if they are all that
// it has, or one by one.
func (v *View) summarised(titles []string) string {
	transport, _, _ := strings.Cut(titles[0], ", ")
	all := 0
	for _, s := range v.Scenarios {
		if s.Transport == transport {
			all++
		}
	}
	for _, title := range titles {
		if t, _, _ := strings.Cut(title, ", "); t != transport || all != len(titles) {
			return escape(strings.Join(titles, "; "))
		}
	}
	return escape(transport)
}

func (v *View) notMeasured() Block {
	mix := "All clients call one method at a time here; people do not."
	if len(v.Ladders) > 0 {
		mix = "Clients call one method at a time here, or two in turn; people do neither."
	}
	time := "**Time.** Rounds last minutes. Whether memory creeps over days is a different measurement."
	if v.Soak != nil {
		time = "**Days.** Rounds last minutes, and the soak not much longer: what creeps too slowly for it shows after days."
	}
	missing := slices.DeleteFunc([]string{v.absent(), v.ofOtherBuilds()}, func(s string) bool { return s == "" })
	return list(append(missing,
		"**Another machine.** How the figures relate should hold elsewhere; how large they are will not.",
		"**A network, TLS and a real GitLab.** All is on one machine. What GitLab itself takes comes on top of every call that asks it.",
		time,
		"**Other mixes.** "+mix,
		"**Memory outside the process**, such as the page cache that a container's accounting adds.")...)
}

func (v *View) again() []Block {
	var single []string
	if n := len(v.Scenarios); n > 0 {
		single = append(single, oneSurface(v.Scenarios[n-1]))
	}
	if n := len(v.Ladders); n > 0 {
		l := v.Ladders[n-1]
		single = append(single, oneSurface(slices.Concat(l.Steps, l.Open)[0]))
	}
	blocks := []Block{
		text("What there is to measure, each in its own file of the record. What would replace a record by less of it is refused, unless by `FORCE=1`:"),
		code(
			"make bench             # a quick matrix, published nowhere",
			"make bench-resources   # scenarios, series, calls at a rate, and what sizing rests on",
			"make sizing            # what sizing rests on, alone",
			"make prove-sizing      # limits of the model, put to the test",
			"make soak              # the gates, each with a verdict",
			"make overload",
			"make abandoned",
			"make noise             # the noise floor"),
		text("The first line draws the page from the record without measuring, the second checks that the two agree:"),
		code("make bench-resources-render", "make check-bench-resources"),
	}
	if len(single) > 0 {
		blocks = append(blocks, text("A single surface is chosen by name:"), code(single...))
	}
	return append(blocks,
		text("Two builds are measured in turn and compared, and so are two records as they are; what the noise floor says is heeded where there is one:"),
		code("make compare OLD=REVISION-OR-BINARY NEW=REVISION-OR-BINARY",
			"go run ./cmd/page -old OLD -new NEW -noise results/HOST/noise.txt",
			"go tool benchstat OLD.txt NEW.txt"))
}

// oneSurface is the command that measures a scenario again, or the whole of the
// series that it belongs to, which takes longer than go test allows by itself.
func oneSurface(s *Scenario) string {
	timeout := ""
	if s.Kind != record.Point {
		timeout = " -timeout 0"
	}
	return goTest(pattern(s.Name), timeout)
}

// goTest runs the benchmarks of a pattern once.
func goTest(pattern, timeout string) string {
	return "go test -run '^$' -bench '" + pattern + "' -benchtime=1x" + timeout + " ./bench_test"
}

// oneStep is the command that measures one step of a series and nothing else.
func oneStep(s *Scenario) string {
	step := pattern(s.Name)
	if s.Credentials > 0 {
		step += fmt.Sprintf("/creds=%d$", s.Credentials)
	}
	return goTest(step, " -timeout 0")
}

// pattern chooses a benchmark by name, of any subject, population and rate.
func pattern(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		switch key, _, _ := strings.Cut(part, "="); key {
		case "creds", "load":
		case "subject":
			parts = append(parts, ".*")
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}
