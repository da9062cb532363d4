package record

import "slices"

// Units are chosen so that benchstat scales each as its quantity deserves and
// tidies no two of them into one: "bytes" is binary, "ns" becomes seconds, and
// either must be a word of its own before any slash.

func memoryMetrics() []Metric {
	return []Metric{
		{Unit: "idle-RSS-bytes", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Resident set of a process that is ready and serves nobody."},
		{Unit: "one-RSS-bytes", Better: Lower, Kinds: []Kind{Point},
			Meaning: "Resident set after the first client was admitted and listed its tools."},
		{Unit: "all-RSS-bytes", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Resident set after every client was admitted, before any load; on stdio of all processes together."},
		{Unit: "further-RSS-bytes/client", Better: Lower, Signed: true, Kinds: []Kind{Point},
			Meaning: "Growth of the resident set from the first client to the last, for each client after the first."},
		{Unit: "mean-RSS-bytes", Better: Lower, Kinds: []Kind{Series, Open},
			Meaning: "Resident set under load, averaged over time."},
		{Unit: "peak-RSS-bytes", Better: Lower, Kinds: []Kind{Point, Series, Open, Proof},
			Meaning: "High-water mark of the resident set that the kernel kept while under load; on stdio of all processes together."},
		{Unit: "rest-RSS-bytes", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Resident set after the load stopped, collections were forced and memory came to rest, clients still connected; on stdio of all processes together."},
		{Unit: "rest-heap-bytes", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Live heap at that rest, just collected; on stdio of all processes together."},
		{Unit: "rest-ns", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "From asking for the collections until the resident set had come to rest."},
		{Unit: "rest-PSS-bytes", Better: Lower, Kinds: []Kind{Point},
			Meaning: "Proportional set of all processes at that rest: shared pages counted once."},
		{Unit: "closed-RSS-bytes", Better: Lower, Kinds: []Kind{Series},
			Meaning: "Resident set at rest again after every connection was closed; the credentials are still held."},
		{Unit: "closed-heap-bytes", Better: Lower, Kinds: []Kind{Series},
			Meaning: "Live heap at that second rest, just collected."},
		{Unit: "closed-rest-ns", Better: Lower, Kinds: []Kind{Series},
			Meaning: "From asking for the collections after the connections were closed until the resident set had come to rest."},
	}
}

// compositionMetrics say what the resident set is made of, by the runtime's own account and the kernel's.
func compositionMetrics() []Metric {
	table := []Metric{{Unit: "load-RSS-bytes", Better: Lower, Kinds: []Kind{Series},
		Meaning: "Resident set as the load ends: what the parts read at that moment are parts of."}}
	for _, at := range []struct{ short, words string }{
		{"load", "as the load ends"}, {"rest", "at rest with clients connected"},
	} {
		for _, part := range []struct{ short, words string }{
			{"inuse", "Spans of the heap that hold objects"},
			{"stacks", "Stacks of goroutines"},
			{"free", "Heap that was freed and not returned to the system"},
			{"runtime", "The runtime's own structures"},
			{"file", "Resident pages of files, the binary foremost"},
		} {
			table = append(table, Metric{Unit: at.short + "-" + part.short + "-bytes", Better: Lower, Kinds: []Kind{Series},
				Meaning: part.words + ", " + at.words + "."})
		}
	}
	return table
}

func processMetrics() []Metric {
	return []Metric{
		{Unit: "goroutines", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Goroutines while every client is connected; on stdio of one process."},
		{Unit: "threads", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Threads of the operating system at the end of the load; on stdio of all processes together."},
		{Unit: "descriptors", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "Open file descriptors while every client is connected; on stdio of all processes together."},
		{Unit: "loaded-cpu-cores", Kinds: []Kind{Point, Series, Open},
			Meaning: "Processors kept busy while under load, exited children included."},
		{Unit: "cpu-ns/call", Better: Lower, Kinds: []Kind{Point, Series, Open},
			Meaning: "Processor time for each call of the whole load, all methods together."},
		{Unit: "admit-cpu-ns/client", Better: Lower, Kinds: []Kind{Series},
			Meaning: "Processor time to admit one credential and answer its first tools/list, averaged over all."},
	}
}

func waitMetrics() []Metric {
	return []Metric{
		{Unit: "ready-ns", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "From starting the process until it answers: its health check on HTTP, the first message on stdio (the median over the processes)."},
		{Unit: "first-list-ns", Better: Lower, Kinds: []Kind{Point, Series},
			Meaning: "First tools/list of the first client, which finds nothing built; on stdio the median over the processes."},
		{Unit: "first-call-ns", Better: Lower, Kinds: []Kind{Point},
			Meaning: "First tools/call of a GitLab read, after the listing; on stdio the median over the processes."},
		{Unit: "first-find-ns", Better: Lower, Kinds: []Kind{Point},
			Meaning: "First tools/call of gitlab_find_action; on stdio the median over the processes."},
		{Unit: "warm-list-ns", Better: Lower, Kinds: []Kind{Point},
			Meaning: "Later tools/list of one client while nothing else runs: the median."},
		{Unit: "list-bytes", Better: Lower, Exact: true, Kinds: []Kind{Point, Series},
			Meaning: "Size of the tools/list reply."},
		{Unit: "tools", Exact: true, Kinds: []Kind{Point, Series},
			Meaning: "Tools that the listing names."},
	}
}

// methodMetrics are those of one method: in point scenarios of the phase in which every client calls it,
// in series and open loops of the mixed load. The ends of an interval have no direction: they describe a
// figure.
func methodMetrics(m Method) []Metric {
	kinds, rare := []Kind{Point}, []Kind{}
	if m == Call || m == List {
		kinds, rare = []Kind{Point, Series, Open}, []Kind{Series, Open}
	}
	table := percentileMetrics(m, "p50", "Median latency", kinds)
	if len(rare) > 0 {
		table = append(table, Metric{Unit: m.Unit("mean-ns"), Better: Lower, Kinds: rare,
			Meaning: "Mean latency of " + m.words() + ": by Little's law, times calls a second it is how many are in flight."})
	}
	table = append(table, percentileMetrics(m, "p90", "90th percentile of latency", kinds)...)
	table = append(table, percentileMetrics(m, "p99", "99th percentile of latency", kinds)...)
	if len(rare) > 0 {
		table = append(table, percentileMetrics(m, "p999", "99.9th percentile of latency", rare)...)
	}
	return append(table,
		Metric{Unit: m.Unit("max-ns"), Better: Lower, Kinds: kinds, Meaning: "Longest latency of " + m.words() + "."},
		Metric{Unit: m.Unit("calls"), Kinds: kinds, Meaning: "Calls of " + m.words() + " that the percentiles rest on."},
		Metric{Unit: m.Unit("cpu-ns/call"), Better: Lower, Kinds: slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k == Open }),
			Meaning: "Processor time for each call of " + m.words() + " in a phase of its own."})
}

func percentileMetrics(m Method, short, words string, kinds []Kind) []Metric {
	unit := m.Unit(short + "-ns")
	return []Metric{
		{Unit: unit, Better: Lower, Kinds: kinds, Meaning: words + " of " + m.words() + ", all clients calling."},
		{Unit: m.Unit(short + "-lo-ns"), Kinds: kinds, Meaning: "Lower end of the 95% interval of " + unit + "."},
		{Unit: m.Unit(short + "-hi-ns"), Kinds: kinds, Meaning: "Upper end of the 95% interval of " + unit + "."},
	}
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
		{Unit: "clients", Kinds: []Kind{Point, Series, Open, Proof},
			Meaning: "Clients at once: credentials on HTTP, processes on stdio."},
		{Unit: "inflight", Kinds: []Kind{Series, Proof},
			Meaning: "Requests in flight at all times, over all credentials."},
		{Unit: "calls", Kinds: []Kind{Series, Open, Proof},
			Meaning: "Calls completed in the mixed load, all methods together."},
		{Unit: "calls/s", Better: Higher, Kinds: []Kind{Series, Open},
			Meaning: "Calls completed in each second while the load was steady: in a closed loop from when every connection had its first answer, and in both until no call was begun any more."},
		{Unit: "alone-ns/call", Better: Lower, Kinds: []Kind{Series},
			Meaning: "Mean time of a call, tools/call and tools/list in turn, while one connection calls and all others are open and silent."},
		{Unit: "load-ns", Kinds: []Kind{Series},
			Meaning: "How long the mixed load began calls: longer than asked for where connections had answered too few by then."},
		{Unit: "offered-calls/s", Kinds: []Kind{Open},
			Meaning: "Calls that fell due in each second."},
		{Unit: "unsent-calls", Better: Lower, Kinds: []Kind{Open},
			Meaning: "Calls that fell due and were never sent, every connection being busy to the end."},
		{Unit: "queued-calls", Better: Lower, Kinds: []Kind{Open},
			Meaning: "Calls that fell due while every connection was busy; their latency includes the wait."},
		{Unit: "late-calls", Better: Lower, Kinds: []Kind{Open},
			Meaning: "Calls that an idle connection sent late: the suite's own tardiness."},
		{Unit: "upstream-requests/call", Better: Lower, Kinds: []Kind{Point, Series, Open},
			Meaning: "Requests that reached the GitLab stand-in for each tools/call of a GitLab read."},
		{Unit: "refused-calls", Better: Lower, Kinds: []Kind{Point, Series, Open},
			Meaning: "Calls the server refused on purpose, in any phase of the load."},
		{Unit: "failed-calls", Better: Lower, Kinds: []Kind{Point, Series, Open, Overload},
			Meaning: "Calls that failed, in any phase of the load: transport, status, JSON-RPC error, tool error or an unexpected answer."},
		{Unit: "cut-calls", Better: Lower, Kinds: []Kind{Series, Open},
			Meaning: "Calls that had no answer long after the load, in any of its phases, and that were given up."},
		{Unit: "reconnects", Better: Lower, Kinds: []Kind{Point, Series, Open},
			Meaning: "Connections that the server closed while they were in use and that a call had to open again."},
		{Unit: "suite-cpu-cores", Better: Lower, Kinds: []Kind{Point, Series, Open, Overload},
			Meaning: "Processors that the suite itself kept busy while it made the load."},
		{Unit: "suite-RSS-bytes", Better: Lower, Kinds: []Kind{Series},
			Meaning: "High-water mark of the suite's own resident set in the mixed load, stand-ins included."},
		{Unit: "exit-ns", Better: Lower, Kinds: []Kind{Point, Series, Open},
			Meaning: "From telling the process to stop until it was gone."},
	}
}
