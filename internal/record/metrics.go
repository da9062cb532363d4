package record

import (
	"slices"
	"sync"
)

// Direction says which way a metric gets better.
type Direction int

// The directions. Neither is for what describes a run rather than judges it.
const (
	Neither Direction = iota
	Lower
	Higher
)

// A Metric is one quantity with its one unit.
type Metric struct {
	Unit    string    // name and base unit, unit last, as it stands in the text
	Better  Direction // which way it gets better
	Exact   bool      // the same build always gives the same value
	Signed  bool      // may be below zero, as a difference may
	Meaning string    // one sentence
}

// A Method is the prefix of the metrics of one protocol method's own phase.
type Method string

// The methods that point scenarios measure.
const (
	Resources Method = "resources" // resources/list
	List      Method = "list"      // tools/list
	Call      Method = "call"      // tools/call of a GitLab read
	Find      Method = "find"      // tools/call of gitlab_find_action
)

// Methods returns every Method in the order of publishing.
func Methods() []Method { return []Method{Resources, List, Call, Find} }

// Unit returns the unit of one of the method's metrics: "call" and "p99-ns"
// make "call-p99-ns".
func (m Method) Unit(quantity string) string { return string(m) + "-" + quantity }

// Metrics returns the table of metrics in the order of publishing.
func Metrics() []Metric {
	table := slices.Concat(memoryMetrics(), processMetrics(), waitMetrics())
	for _, m := range Methods() {
		table = append(table, methodMetrics(m)...)
	}
	return append(table, runMetrics()...)
}

// Lookup returns the metric of a unit.
func Lookup(unit string) (Metric, bool) {
	m, known := byUnit()[unit]
	return m, known
}

// byUnit is the table by unit, made once because every value is looked up.
var byUnit = sync.OnceValue(func() map[string]Metric {
	table := make(map[string]Metric)
	for _, m := range Metrics() {
		table[m.Unit] = m
	}
	return table
})

// Units are chosen so that benchstat scales each as its quantity deserves and
// tidies no two of them into one: "bytes" is binary, "ns" becomes seconds, and
// either must be a word of its own before any slash.

func memoryMetrics() []Metric {
	return []Metric{
		{Unit: "idle-RSS-bytes", Better: Lower,
			Meaning: "Resident set of a process that is ready and serves nobody."},
		{Unit: "one-RSS-bytes", Better: Lower,
			Meaning: "Resident set after the first client was admitted and listed its tools."},
		{Unit: "all-RSS-bytes", Better: Lower,
			Meaning: "Resident set after every client was admitted, before any load; on stdio of all processes together."},
		{Unit: "further-RSS-bytes/client", Better: Lower, Signed: true,
			Meaning: "Growth of the resident set from the first client to the last, for each client after the first."},
		{Unit: "peak-RSS-bytes", Better: Lower,
			Meaning: "High-water mark of the resident set that the kernel kept while under load; on stdio of all processes together."},
		{Unit: "rest-RSS-bytes", Better: Lower,
			Meaning: "Resident set after the load stopped, collections were forced and memory came to rest, clients still connected; on stdio of all processes together."},
		{Unit: "rest-heap-bytes", Better: Lower,
			Meaning: "Live heap at that rest, just collected; on stdio of all processes together."},
		{Unit: "rest-ns", Better: Lower,
			Meaning: "From the forced collections until the resident set had come to rest."},
		{Unit: "rest-PSS-bytes", Better: Lower,
			Meaning: "Proportional set of all processes after the load stopped and memory came to rest: shared pages counted once."},
	}
}

func processMetrics() []Metric {
	return []Metric{
		{Unit: "goroutines", Better: Lower,
			Meaning: "Goroutines while every client is connected; on stdio of one process."},
		{Unit: "threads", Better: Lower,
			Meaning: "Threads of the operating system at the end of the load; on stdio of all processes together."},
		{Unit: "descriptors", Better: Lower,
			Meaning: "Open file descriptors while every client is connected; on stdio of all processes together."},
		{Unit: "loaded-cpu-cores",
			Meaning: "Processors kept busy while under load, exited children included."},
		{Unit: "cpu-ns/call", Better: Lower,
			Meaning: "Processor time for each call of the whole load, all methods together."},
	}
}

func waitMetrics() []Metric {
	return []Metric{
		{Unit: "ready-ns", Better: Lower,
			Meaning: "From starting the process until it answers: its health check on HTTP, the first message on stdio (the median over the processes)."},
		{Unit: "first-list-ns", Better: Lower,
			Meaning: "First tools/list of the first client, which finds nothing built; on stdio the median over the processes."},
		{Unit: "first-call-ns", Better: Lower,
			Meaning: "First tools/call of a GitLab read, after the listing; on stdio the median over the processes."},
		{Unit: "first-find-ns", Better: Lower,
			Meaning: "First tools/call of gitlab_find_action; on stdio the median over the processes."},
		{Unit: "warm-list-ns", Better: Lower,
			Meaning: "Later tools/list of one client while nothing else runs: the median."},
		{Unit: "list-bytes", Better: Lower, Exact: true,
			Meaning: "Size of the tools/list reply."},
		{Unit: "tools", Exact: true,
			Meaning: "Tools that the listing names."},
	}
}

// methodMetrics are those of a phase in which every client calls one method.
// The ends of an interval have no direction: they describe a figure.
func methodMetrics(m Method) []Metric {
	var table []Metric
	for _, p := range []struct{ short, words string }{
		{"p50", "Median latency"},
		{"p90", "90th percentile of latency"},
		{"p99", "99th percentile of latency"},
	} {
		table = append(table,
			Metric{Unit: m.Unit(p.short + "-ns"), Better: Lower, Meaning: p.words + " of " + m.words() + ", all clients calling."},
			Metric{Unit: m.Unit(p.short + "-lo-ns"), Meaning: "Lower end of the 95% interval of " + m.Unit(p.short+"-ns") + "."},
			Metric{Unit: m.Unit(p.short + "-hi-ns"), Meaning: "Upper end of the 95% interval of " + m.Unit(p.short+"-ns") + "."})
	}
	return append(table,
		Metric{Unit: m.Unit("max-ns"), Better: Lower, Meaning: "Longest latency of " + m.words() + "."},
		Metric{Unit: m.Unit("calls"), Meaning: "Calls of " + m.words() + " that the percentiles rest on."},
		Metric{Unit: m.Unit("cpu-ns/call"), Better: Lower, Meaning: "Processor time for each call of " + m.words() + " in its own phase."})
}

// words names the method in a sentence.
func (m Method) words() string {
	switch m {
	case Resources:
		return "resources/list"
	case List:
		return "tools/list"
	case Find:
		return "tools/call of gitlab_find_action"
	default:
		return "tools/call of a GitLab read"
	}
}

func runMetrics() []Metric {
	return []Metric{
		{Unit: "clients",
			Meaning: "Clients at once: credentials on HTTP, processes on stdio."},
		{Unit: "upstream-requests/call", Better: Lower,
			Meaning: "Requests that reached the GitLab stand-in for each tools/call of a GitLab read."},
		{Unit: "refused-calls", Better: Lower,
			Meaning: "Calls the server refused on purpose."},
		{Unit: "failed-calls", Better: Lower,
			Meaning: "Calls that failed: transport, status, JSON-RPC error, tool error or an unexpected answer."},
		{Unit: "suite-cpu-cores", Better: Lower,
			Meaning: "Processors that the suite itself kept busy while it made the load."},
		{Unit: "exit-ns", Better: Lower,
			Meaning: "From telling the process to stop until it was gone."},
	}
}
