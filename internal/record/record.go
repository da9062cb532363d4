// Package record is the benchmark text that a run leaves behind: what is
// measured is written as it comes, and read back, validated, to draw a page.
//
// The text is the Go benchmark format, so that benchstat compares two records
// as they are. Whatever makes two runs incomparable (host, kernel, processors,
// method, settings) stands in configuration lines, by which benchstat splits
// its tables. Whatever may differ between runs worth comparing (build, commit,
// date, round), and whatever says that a figure is missing or not to be
// believed, stands in comment lines before its result, which benchstat skips.
//
// The package refuses what it cannot vouch for: a unit that is not in the table
// of metrics, a value that is not a measurement, a line it does not know. It
// computes nothing: medians, fits and sentences are made elsewhere.
package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schema is the version of the text this package writes, and the newest that
// it reads.
const Schema = 1

// Keys of Result.Config that a page looks up. Other keys are kept and shown.
const (
	KeyGOOS        = "goos"
	KeyGOARCH      = "goarch"
	KeyHost        = "host"         // the machine's name, or what it is called in public
	KeyCPU         = "cpu"          // model and number of logical processors
	KeyKernel      = "kernel"       // operating system release
	KeyMemory      = "memory"       // what the host, or the suite's cgroup, has
	KeySubjectCPUs = "subject-cpus" // processors the subject may run on, such as 1 or 2-3
	KeySuiteCPUs   = "suite-cpus"   // processors the suite may run on
	KeyGoSuite     = "go-suite"     // toolchain of the suite
	KeyGoSubject   = "go-subject"   // toolchain of the subject; with the identity where builds differ in it
	KeyMethod      = "method"       // how load was made and percentiles were taken
	KeySettings    = "settings"     // key=value pairs separated by spaces; see SettingsOf
)

// Keys of Result.Identity that a page looks up.
const (
	KeyBuild  = "build"  // version as the subject tells it
	KeySHA256 = "sha256" // of the subject's binary, in hexadecimal
	KeyCommit = "commit" // the subject was built from
	KeyDate   = "date"   // when the result was measured, RFC 3339, UTC
	KeyRound  = "round"  // which repetition this is, from 1
	KeySuite  = "suite"  // version control revision of the suite that measured it

	KeyVerdict = "verdict" // of a gate: PASS, FAIL or INCONCLUSIVE
	KeyBecause = "because" // of a gate: what the verdict rests on, in one line

	KeyLimit = "limit" // of a cheap endpoint: what kept it from more calls, one of the limits and why
)

// What kept a cheap endpoint from more calls.
const (
	LimitServer = "server"
	LimitSuite  = "suite" // so that the calls a second are what the server answers at least
	LimitNone   = "none"  // neither had all its processors in use
)

// A Value is one measurement of one metric.
type Value struct {
	Unit   string // a Unit of the table of metrics
	Amount float64
}

// A Result is everything measured of one scenario or step in one round.
type Result struct {
	// Name is the full benchmark name without the word Benchmark, such as
	// Point/subject=s/transport=http/surface=meta/telemetry=off.
	Name       string
	Iterations int // how often the benchmark's body ran, at least 1
	Values     []Value

	Config      map[string]string // what makes runs incomparable; one line a value
	Identity    map[string]string // what may differ between comparable runs
	Certificate []string          // reasons not to believe this result; none is best
	Absent      map[string]string // why a metric is missing, by unit
	Stop        string            // why the series ended here, if it did

	File string // where the result was read from; "" if it was not
	Line int    // of File, from 1
}

// Value returns the amount measured in the given unit, and whether there is
// one. A metric that is absent is not zero.
func (r Result) Value(unit string) (float64, bool) {
	for _, v := range r.Values {
		if v.Unit == unit {
			return v.Amount, true
		}
	}
	return 0, false
}

// About returns what the result says under key, in its configuration or else its
// identity, or "".
func (r Result) About(key string) string {
	if value, ok := r.Config[key]; ok {
		return value
	}
	return r.Identity[key]
}

// Kind returns the first part of the name, such as Point or Series.
func (r Result) Kind() Kind {
	kind, _, _ := strings.Cut(r.Name, "/")
	return Kind(kind)
}

// Part returns the value that the name gives key, or "".
func (r Result) Part(key string) string {
	for part := range strings.SplitSeq(r.Name, "/") {
		if k, v, ok := strings.Cut(part, "="); ok && k == key {
			return v
		}
	}
	return ""
}

// SettingsOf returns the key=value pairs of the result's settings line. A word
// without "=" is a key with an empty value.
func (r Result) SettingsOf() map[string]string {
	settings := make(map[string]string)
	for _, word := range strings.Fields(r.Config[KeySettings]) {
		key, value, _ := strings.Cut(word, "=")
		settings[key] = value
	}
	return settings
}

// MarkAbsent names every unit as missing, for one reason.
func (r *Result) MarkAbsent(reason string, units ...string) {
	if r.Absent == nil {
		r.Absent = make(map[string]string, len(units))
	}
	for _, unit := range units {
		r.Absent[unit] = reason
	}
}

// A Plan says how many rounds of which results a run set out to measure, by
// full name. It is what makes a partial record known as partial: a run that was
// filtered or ended early writes the whole plan all the same.
type Plan map[string]int

// A Record is what one or more files hold, in the order of writing.
type Record struct {
	Results []Result
	Plan    Plan
	Dropped []string // what was left out because it was cut short, one line each

	units map[string]bool // declared in the file, which an appender need not repeat
}

// Missing returns the names of the plan that the record holds in fewer rounds
// than planned, with how many are wanting.
func (r *Record) Missing() Plan {
	missing := maps.Clone(r.Plan)
	for _, result := range r.Results {
		if _, planned := missing[result.Name]; planned {
			missing[result.Name]--
		}
	}
	maps.DeleteFunc(missing, func(_ string, rounds int) bool { return rounds <= 0 })
	return missing
}

// Names returns the names of the plan in order.
func (p Plan) Names() []string { return slices.Sorted(maps.Keys(p)) }

// String lists the plan, a name and its rounds each.
func (p Plan) String() string {
	var parts []string
	for _, name := range p.Names() {
		parts = append(parts, fmt.Sprintf("%s (%d)", name, p[name]))
	}
	return strings.Join(parts, ", ")
}
