package record

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// The text, from the head down:
//
//	## prose, for people
//	schema: 1
//	Unit peak-RSS-bytes better=lower
//	# plan: 3 Point/…           rounds and name; the last word on a name counts
//
// and then for every result
//
//	goos: linux                 configuration, where it changed
//	# round: 1                  identity
//	# absent: unit …: reason     one line a reason
//	# certificate: reason
//	# stop: reason
//	BenchmarkPoint/… 1 12345 peak-RSS-bytes …
//
// A comment belongs to the result that follows it.

const preamble = `## A record of measurements in the Go benchmark format.
## Compare two with: go tool benchstat OLD NEW
## A comment of the form "# key: value" belongs to the result that follows it.
`

// head returns what a new file begins with.
func head() []byte {
	var b bytes.Buffer
	b.WriteString(preamble)
	fmt.Fprintf(&b, "%s: %d\n\n", wordSchema, Schema)
	b.Write(unitLines(Metrics()))
	b.WriteByte('\n')
	return b.Bytes()
}

// undeclared returns the metrics of which the format has something to say and
// a file that declares the given units has not said it.
func undeclared(units map[string]bool) []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool {
		return units[m.Unit] || len(m.facts()) == 0
	})
}

// unitLines declares the metrics, the meaning of each before it.
func unitLines(metrics []Metric) []byte {
	var b bytes.Buffer
	units := benchfmt.NewWriter(&b)
	for _, m := range metrics {
		fmt.Fprintf(&b, "## %s: %s\n", m.Unit, m.Meaning)
		for _, fact := range m.facts() {
			// Writing to memory cannot fail, and the type is one it knows.
			_ = units.Write(fact)
		}
	}
	return b.Bytes()
}

// facts are what the format itself can say about the metric.
func (m Metric) facts() []*benchfmt.UnitMetadata {
	_, tidied := benchunit.Tidy(1, m.Unit)
	fact := func(key, value string) *benchfmt.UnitMetadata {
		return &benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: tidied, Key: key},
			OrigUnit:        m.Unit, Value: value,
		}
	}
	var facts []*benchfmt.UnitMetadata
	switch m.Better {
	case Lower:
		facts = append(facts, fact("better", "lower"))
	case Higher:
		facts = append(facts, fact("better", "higher"))
	}
	if m.Exact {
		facts = append(facts, fact("assume", "exact"))
	}
	return facts
}

// planLines writes what plan says and known does not.
func planLines(plan, known Plan) []byte {
	var b bytes.Buffer
	for _, name := range plan.Names() {
		if known[name] != plan[name] {
			fmt.Fprintf(&b, "# %s: %d %s\n", wordPlan, plan[name], name)
		}
	}
	return b.Bytes()
}

// comments are the lines before a result that benchstat skips.
func (r Result) comments() []byte {
	var b bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&b, "# %s: %s\n", key, value) }
	for _, key := range slices.Sorted(maps.Keys(r.Identity)) {
		line(key, r.Identity[key])
	}
	units := make(map[string][]string) // by reason
	for _, unit := range slices.Sorted(maps.Keys(r.Absent)) {
		units[r.Absent[unit]] = append(units[r.Absent[unit]], unit)
	}
	for _, reason := range slices.Sorted(maps.Keys(units)) {
		line(wordAbsent, strings.Join(units[reason], " ")+": "+reason)
	}
	for _, reason := range r.Certificate {
		line(wordCertificate, reason)
	}
	if r.Stop != "" {
		line(wordStop, r.Stop)
	}
	return b.Bytes()
}

// line is the benchmark line. Every amount is written out in as many digits as
// it takes to read back the same, and no more.
func (r Result) line() []byte {
	line := fmt.Appendf(nil, "Benchmark%s %d", r.Name, r.Iterations)
	for _, v := range r.Values {
		line = append(strconv.AppendFloat(append(line, ' '), v.Amount, 'f', -1, 64), ' ')
		line = append(line, v.Unit...)
	}
	return append(line, '\n')
}

// configOrder puts the host first; other keys follow by name.
var configOrder = []string{KeyGOOS, KeyGOARCH, KeyHost, KeyCPU, KeyKernel, KeyMemory, KeySubjectCPUs,
	KeySuiteCPUs, KeyGoSuite, KeyGoSubject, KeyMethod, KeySettings}

// bench returns the result as the format knows it.
func (r Result) bench() *benchfmt.Result {
	out := &benchfmt.Result{Name: benchfmt.Name(r.Name), Iters: r.Iterations}
	for _, v := range r.Values {
		out.Values = append(out.Values, benchfmt.Value{Value: v.Amount, Unit: v.Unit})
	}
	keys := slices.Sorted(maps.Keys(r.Config))
	slices.SortStableFunc(keys, func(a, b string) int { return configRank(a) - configRank(b) })
	for _, key := range keys {
		out.Config = append(out.Config, benchfmt.Config{Key: key, Value: []byte(r.Config[key]), File: true})
	}
	return out
}

func configRank(key string) int {
	if i := slices.Index(configOrder, key); i >= 0 {
		return i
	}
	return len(configOrder)
}
