package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchunit"
)

// No two metrics may become one when benchstat tidies their units, and none
// may be shown in a scale that is not its own.
func TestUnitsDisplayWell(t *testing.T) {
	tidied := make(map[string]string)
	for _, m := range Metrics() {
		_, unit := benchunit.Tidy(1, m.Unit)
		assert.NotContains(t, tidied, unit, "%s merges with %s", m.Unit, tidied[unit])
		tidied[unit] = m.Unit

		quantity, _, _ := strings.Cut(m.Unit, "/")
		words := strings.Split(quantity, "-")
		switch words[len(words)-1] {
		case "ns":
			assert.Equal(t, strings.TrimSuffix(quantity, "ns")+"sec", strings.TrimSuffix(unit, m.Unit[len(quantity):]))
			assert.True(t, m.isTime())
			assert.Equal(t, benchunit.Decimal, benchunit.ClassOf(unit))
		case "bytes":
			assert.Equal(t, benchunit.Binary, benchunit.ClassOf(unit), m.Unit)
			assert.Equal(t, m.Unit, unit)
		default:
			assert.Equal(t, benchunit.Decimal, benchunit.ClassOf(unit), m.Unit)
			assert.Equal(t, m.Unit, unit)
		}
		for _, trap := range []string{"us", "ms", "s", "sec", "kB", "MB", "B", "KiB", "MiB", "%"} {
			assert.NotContains(t, words, trap, m.Unit)
		}
		assert.False(t, strings.ContainsAny(m.Unit, " _*:"), m.Unit)
	}
}

func TestMetricsAreExplained(t *testing.T) {
	for _, m := range Metrics() {
		assert.Regexp(t, `^[A-Z0-9].*\.$`, m.Meaning, m.Unit)
		got, known := Lookup(m.Unit)
		assert.True(t, known)
		assert.Equal(t, m, got)
	}
	assert.Len(t, byUnit(), len(Metrics()), "a unit is in the table twice")
	_, known := Lookup("p99-ns")
	assert.False(t, known)
}

func TestMethodUnitsAreInTheTable(t *testing.T) {
	quantities := []string{"max-ns", "calls", "cpu-ns/call"}
	for _, p := range []string{"p50", "p90", "p99"} {
		quantities = append(quantities, p+"-ns", p+"-lo-ns", p+"-hi-ns")
	}
	for _, m := range Methods() {
		for _, q := range quantities {
			_, known := Lookup(m.Unit(q))
			assert.True(t, known, m.Unit(q))
		}
	}
}

func TestFacts(t *testing.T) {
	render := func(m Metric) (facts []string) {
		for _, f := range m.facts() {
			facts = append(facts, f.OrigUnit+" "+f.Key+"="+f.Value)
		}
		return facts
	}
	assert.Equal(t, []string{"x better=lower"}, render(Metric{Unit: "x", Better: Lower}))
	assert.Equal(t, []string{"x better=higher", "x assume=exact"}, render(Metric{Unit: "x", Better: Higher, Exact: true}))
	assert.Empty(t, render(Metric{Unit: "x"}))
}

func TestResultLooksUpByName(t *testing.T) {
	r := sample()
	assert.Equal(t, Point, r.Kind())
	assert.Equal(t, "http", r.Part("transport"))
	assert.Empty(t, r.Part("creds"))
	assert.Equal(t, "linux", r.About(KeyGOOS))
	assert.Equal(t, "1111111", r.About(KeyCommit))
	assert.Empty(t, r.About("zone"))
	got, ok := r.Value("failed-calls")
	assert.True(t, ok, "zero is a value")
	assert.Zero(t, got)
	_, ok = r.Value("ready-ns")
	assert.False(t, ok)
	assert.Equal(t, map[string]string{"http-credentials": "64", "stdio-processes": "8"}, r.SettingsOf())

	var empty Result
	assert.Empty(t, empty.SettingsOf())
	empty.MarkAbsent("not on this transport", "idle-RSS-bytes", "rest-PSS-bytes")
	assert.Equal(t, map[string]string{"idle-RSS-bytes": "not on this transport",
		"rest-PSS-bytes": "not on this transport"}, empty.Absent)
}

func TestMissing(t *testing.T) {
	rec := &Record{Plan: Plan{pointName: 3, "Point/subject=t": 1}, Results: []Result{sample(), nextRound(sample()), {Name: "Extra"}}}
	assert.Equal(t, Plan{pointName: 1, "Point/subject=t": 1}, rec.Missing())
	assert.Equal(t, "Point/subject=s/transport=http/surface=meta/telemetry=off (1), Point/subject=t (1)", rec.Missing().String())
	rec.Results = append(rec.Results, nextRound(sample()), nextRound(sample()), Result{Name: "Point/subject=t"})
	require.Empty(t, rec.Missing())
	assert.Empty(t, (&Record{}).Missing())
}
