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

// A Kind is the first part of a result's name: what was done to measure it.
type Kind string

// The kinds of results.
const (
	Point  Kind = "Point"  // one population, one method after another
	Series Kind = "Series" // a step of a ladder of populations, closed loop
	Open   Kind = "Open"   // calls offered at a rate

	Noise Kind = "Noise" // one build measured against itself, or with the looking on and off

	Soak        Kind = "Soak"        // a long load on every path, with its verdict
	SoakPath    Kind = "SoakPath"    // one path of it
	SoakReading Kind = "SoakReading" // the process at one moment of it

	Overload        Kind = "Overload"        // more than the server admits, with its verdict
	OverloadReading Kind = "OverloadReading" // one second of it

	Proof Kind = "Proof" // a memory limit put to the test, with its verdict

	Ladder   Kind = "Ladder"   // so many calls with large answers in one process
	Endpoint Kind = "Endpoint" // a cheap endpoint, as fast as it answers
	Sweep    Kind = "Sweep"    // one setting at one value
	Held     Kind = "Held"     // so many calls that GitLab does not answer
	Session  Kind = "Session"  // so many sessions of an older protocol
	Configs  Kind = "Configs"  // several surfaces in one process
	Image    Kind = "Image"    // the binary and a container image of it

	Abandoned Kind = "Abandoned" // what one way of going away leaves behind, with its verdict
)

// A Metric is one quantity with its one unit.
type Metric struct {
	Unit    string    // name and base unit, unit last, as it stands in the text
	Better  Direction // which way it gets better
	Exact   bool      // the same build always gives the same value
	Signed  bool      // may be below zero, as a difference may
	Kinds   []Kind    // the kinds of results that have it
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
	table := slices.Concat(memoryMetrics(), compositionMetrics(), processMetrics(), waitMetrics())
	for _, m := range Methods() {
		table = append(table, methodMetrics(m)...)
	}
	return slices.Concat(alsoOfSizing(table), alsoOfSizing(runMetrics()), sizingMetrics(), noiseMetrics(), soakMetrics(),
		overloadMetrics(), abandonedMetrics(), proofMetrics())
}

// MetricsOf returns the metrics that a result of the given kind has, or says are absent.
func MetricsOf(kind Kind) []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool { return !slices.Contains(m.Kinds, kind) })
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
