package record

import "slices"

// sizingMetrics are those that the kinds of sizing do not share with others.
func sizingMetrics() []Metric {
	return slices.Concat(imageMetrics(), ladderMetrics(), standingMetrics(), configurationMetrics(), sweepMetrics())
}

func imageMetrics() []Metric {
	return []Metric{
		{Unit: "binary-bytes", Better: Lower, Kinds: []Kind{Image},
			Meaning: "Size of the binary."},
		{Unit: "image-bytes", Better: Lower, Kinds: []Kind{Image},
			Meaning: "Size of a tarball of a container image that holds the binary and nothing else."},
		{Unit: "image-layer-bytes", Better: Lower, Kinds: []Kind{Image},
			Meaning: "What pulling that image transfers: its layers, compressed."},
	}
}

func ladderMetrics() []Metric {
	return []Metric{
		{Unit: "start-RSS-bytes", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "Resident set at rest before the first large call, a small one made and collections forced."},
		{Unit: "start-heap-bytes", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "Live heap at that rest."},
		{Unit: "burst-calls", Kinds: []Kind{Ladder},
			Meaning: "Calls with large answers that were made at once, after all others."},
		{Unit: "reply-bytes", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "Size of the reply to a call whose answer from GitLab is large."},
		{Unit: "end-RSS-bytes", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "Resident set as the last call ended."},
		{Unit: "return-ns", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "From the end of the last call until 95% of what the calls had added to the resident set at most was given back, nothing forced; or until it was within 5% of what it was before, where that came first."},
		{Unit: "left-RSS-bytes", Better: Lower, Kinds: []Kind{Ladder},
			Meaning: "Resident set once it was within 5% of what it was before, or when it was waited for no longer."},
	}
}

// A Standing is a state that a process stands in while it is read at rest: nothing, or so many of something, is open.
type Standing string

// The states. In the first nothing is open yet.
const (
	Bare              Standing = "bare"
	CallsHeld         Standing = "held"      // calls that GitLab does not answer
	CallsReleased     Standing = "released"  // those calls were answered
	SessionsOpened    Standing = "opened"    // sessions, with their connections
	SessionsAbandoned Standing = "abandoned" // the connections are closed and the sessions are not
	SessionsEnded     Standing = "ended"     // as many more sessions were begun, and ended as they should
)

// standings says of each state which kind has it, what each of many is called in it, since which state the growth is
// that they share, and the words for it.
var standings = []struct {
	is    Standing
	kinds []Kind
	each  string
	since Standing
	words string
}{
	{Bare, []Kind{Held, Session}, "", "", "with one client connected and nothing held"},
	{CallsHeld, []Kind{Held}, "call", Bare, "while calls are held"},
	{CallsReleased, []Kind{Held}, "call", Bare, "after those calls were answered"},
	{SessionsOpened, []Kind{Session}, "session", Bare, "with the sessions and their connections open"},
	{SessionsAbandoned, []Kind{Session}, "session", Bare, "after the connections were closed, and the sessions were not"},
	{SessionsEnded, []Kind{Session}, "session", SessionsAbandoned, "after as many more sessions were begun and ended as they should"},
}

// quantities are what is read in each state.
var quantities = []struct{ unit, words string }{
	{"RSS-bytes", "Resident set at rest"}, {"heap-bytes", "Live heap"},
	{"goroutines", "Goroutines"}, {"descriptors", "Open file descriptors"},
}

// Quantities are the units of what is read in each state, without its name.
func Quantities() []string {
	units := make([]string, len(quantities))
	for i, q := range quantities {
		units[i] = q.unit
	}
	return units
}

// Unit returns the unit of one of the state's quantities.
func (s Standing) Unit(quantity string) string { return string(s) + "-" + quantity }

// UnitEach returns the unit of what each of many takes of a quantity in the state.
func (s Standing) UnitEach(quantity string) string {
	for _, state := range standings {
		if state.is == s {
			return s.Unit(quantity) + "/" + state.each
		}
	}
	return ""
}

func standingMetrics() []Metric {
	table := []Metric{
		{Unit: "held-calls", Kinds: []Kind{Held}, Meaning: "Calls that GitLab does not answer, all at once."},
		{Unit: "sessions", Kinds: []Kind{Session}, Meaning: "Sessions of an older protocol at once."},
	}
	for _, s := range standings {
		for _, q := range quantities {
			table = append(table, Metric{Unit: s.is.Unit(q.unit), Better: Lower, Kinds: s.kinds, Meaning: q.words + ", " + s.words + "."})
		}
		for _, q := range quantities {
			if s.each != "" {
				table = append(table, Metric{Unit: s.is.UnitEach(q.unit), Better: Lower, Signed: true, Kinds: s.kinds,
					Meaning: "What " + s.is.Unit(q.unit) + " is more than " + s.since.Unit(q.unit) + ", for each " + s.each + "."})
			}
		}
	}
	return table
}

func configurationMetrics() []Metric {
	return []Metric{
		{Unit: "surfaces", Kinds: []Kind{Configs},
			Meaning: "Surfaces that one process serves at once."},
		{Unit: "first-RSS-bytes", Better: Lower, Kinds: []Kind{Configs},
			Meaning: "Resident set at rest after one credential listed the tools of each surface."},
		{Unit: "first-heap-bytes", Better: Lower, Kinds: []Kind{Configs},
			Meaning: "Live heap at that rest."},
	}
}

func sweepMetrics() []Metric {
	return []Metric{
		{Unit: "admissions/call", Better: Lower, Kinds: []Kind{Sweep},
			Meaning: "Credentials that were admitted again, for each call."},
	}
}

// shared are the metrics that kinds of sizing have in common with the other kinds.
var shared = map[Kind][]string{
	Ladder: {"idle-RSS-bytes", "ready-ns", "peak-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes", "rest-ns",
		"calls", "cpu-ns/call", "loaded-cpu-cores", "suite-cpu-cores"},
	Endpoint: {"ready-ns", "calls", "calls/s", "cpu-ns/call", "loaded-cpu-cores", "suite-cpu-cores"},
	Sweep: {"ready-ns", "clients", "inflight", "mean-RSS-bytes", "peak-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes", "rest-ns",
		"goroutines", "threads", "descriptors", "calls", "calls/s", "cpu-ns/call", "loaded-cpu-cores", "suite-cpu-cores",
		"offered-calls/s", "unsent-calls", "queued-calls", "late-calls", "upstream-requests/call"},
	Configs: {"idle-RSS-bytes", "ready-ns", "clients", "rest-RSS-bytes", "rest-heap-bytes", "rest-ns", "list-bytes", "tools"},
}

// ended are the metrics of every kind that has a process over HTTP.
var ended = []string{"refused-calls", "failed-calls", "cut-calls", "reconnects", "exit-ns"}

// alsoOfSizing adds the kinds of sizing to metrics that they share.
func alsoOfSizing(table []Metric) []Metric {
	for i := range table {
		for _, kind := range []Kind{Ladder, Endpoint, Sweep, Held, Session, Configs} {
			if slices.Contains(shared[kind], table[i].Unit) || slices.Contains(ended, table[i].Unit) || kind == Sweep && ofCalls(table[i].Unit) {
				table[i].Kinds = append(slices.Clip(table[i].Kinds), kind)
			}
		}
	}
	return table
}

// ofCalls reports whether a unit is one of the latencies of tools/call.
func ofCalls(unit string) bool {
	return unit != Call.Unit("cpu-ns/call") && slices.ContainsFunc(methodMetrics(Call), func(m Metric) bool { return m.Unit == unit })
}
