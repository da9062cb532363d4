package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// answersOf are those of a record, without their ties to it.
func answersOf(t *testing.T, rec *record.Record) []string {
	t.Helper()
	v, err := NewView(rec)
	require.NoError(t, err)
	var said []string
	for _, a := range v.answers() {
		said = append(said, uncited(a.Figure+": "+a.Of))
	}
	return said
}

func TestAnswersFollowTheRecord(t *testing.T) {
	rec := wholeRecord()
	change(rec, "Point", "peak-RSS-bytes", to(300*mebi))
	change(rec, "transport=http/surface=meta", "peak-RSS-bytes", to(200*mebi))
	change(rec, "transport=http/surface=dynamic", "peak-RSS-bytes", to(100*mebi))
	change(rec, "Point", "loaded-cpu-cores", to(3.5))
	change(rec, "Point", "call-p50-ns", to(4e6))
	change(rec, "Point", callP99, to(5e6))
	change(rec, "Point", "call-cpu-ns/call", to(500e3))
	change(rec, "transport=http/surface=meta", "call-cpu-ns/call", to(1e6))
	assert.Equal(t, []string{
		"100 to 300 MiB: the largest peak of one process over HTTP, by surface, while 64 clients call without pause, each 7 times a method on one connection; " +
			"in the series " + summitsOf(t, rec),
		"One for 1,000 to 2,000 calls/s: `tools/call` by the processor time of one; that load kept busy 3.50 of 1 CPU that the server may use (CPU 1 of the host)",
		"5 ms: at most, for 99 in 100 `tools/call` in that load; for half of them at most 4 ms",
	}, answersOf(t, rec))

	doubt(rec, "transport=http/surface=individual", "x")
	doubt(rec, "transport=http/surface=dynamic", "x")
	assert.Contains(t, answersOf(t, rec)[0], "200 MiB: the largest peak of one process over HTTP while 64 clients call without pause", "what is doubted answers nothing")

	doubt(rec, "transport=http/surface=meta", "x")
	assert.Contains(t, answersOf(t, rec)[0], "300 MiB: the largest peak of processes on stdio, one a client, together, by surface, while 8 clients call without pause, each 56 times a method")
	change(rec, "transport=stdio/surface=meta", "call-calls", to(800))
	assert.NotContains(t, answersOf(t, rec)[0], "times a method", "surfaces that were called more or less often")
	withhold(rec, "clients", "x")
	assert.Contains(t, answersOf(t, rec)[0], "while all clients call without pause")
	withhold(rec, callP99, "x")
	assert.Empty(t, answersOf(t, rec))
}

// summitsOf is what the answer of memory says of the series of a record whose
// largest steps took one and the other.
func summitsOf(t *testing.T, rec *record.Record) string {
	t.Helper()
	for at, mib := range map[where]float64{"dynamic/creds=10000": 900, "meta/creds=1000": 700, "individual/creds=500": 800} {
		change(rec, "transport=http/surface="+at, "peak-RSS-bytes", to(mib*mebi))
	}
	return "700 MiB with 1,000 credentials on 4 connections each to 900 MiB with 10,000 credentials on 1 connection each"
}

func TestSeriesAloneAnswers(t *testing.T) {
	said := answersOf(t, sampleSeries())
	assert.Contains(t, said[0], "one process over HTTP, by surface, while 500 to 1,000 credentials call without pause", "surfaces differ in connections")
	assert.NotContains(t, said[0], "in the series")
	rec := sampleSeries()
	doubt(rec, "surface=individual", "x")
	assert.Contains(t, answersOf(t, rec)[0], "while 1,000 credentials on 4 connections each call without pause")
	page := drawn(t, sampleSeries())
	assert.Less(t, strings.Index(page, "- **How much memory?** "), strings.Index(page, "| Series |"))
}

func TestCoresWithoutWhatACallTakes(t *testing.T) {
	rec := wholeRecord()
	withhold(rec, "call-cpu-ns/call", "x")
	change(rec, "Point", "loaded-cpu-cores", to(0.5))
	assert.Equal(t, "0.500 of 1 CPU that the server may use (CPU 1 of the host): kept busy meanwhile", answersOf(t, rec)[1])
	for i := range rec.Results {
		delete(rec.Results[i].Config, record.KeySubjectCPUs)
	}
	assert.Equal(t, "0.500 of the host's CPUs: kept busy meanwhile", answersOf(t, rec)[1])
}

func TestCPUsOfAList(t *testing.T) {
	for list, n := range map[string]int{"1": 1, "0,2-5": 5, "0-3, 8": 5, "": 0, "x": 0, "3-1": 0, "1-x": 0} {
		assert.Equal(t, n, cpus(list), list)
	}
}

func TestSurfacesAreSaidOnce(t *testing.T) {
	page := drawn(t, wholeRecord())
	assert.Contains(t, page, "A surface is the set of tools on offer: `dynamic`, one tool that finds an operation and one that runs it (2 tools); `meta`, a tool for a group of operations (186 tools); `individual`, a tool for each operation (1,230 tools).")
	rec := wholeRecord()
	change(rec, "surface=dynamic", "tools", to(3))
	assert.Contains(t, drawn(t, rec), "one that runs it (3 tools)")
	odd := &Scenario{Surface: "odd"}
	assert.Empty(t, surfaceLine([]*Scenario{odd, {}}), "a surface of which nothing is known")
	odd.Results = []record.Result{{Values: []record.Value{{Unit: "tools", Amount: 1}}}}
	assert.Equal(t, "A surface is the set of tools on offer: `odd`, (1 tool).", uncited(surfaceLine([]*Scenario{odd})))
}

func TestMethodUnderTheHeading(t *testing.T) {
	page := drawn(t, wholeRecord())
	assert.Contains(t, page, "\nMethod: scenarios in a closed loop, one method at a time, all clients at once; series in a closed loop, ")
	assert.Contains(t, page, "; calls at a rate in an open loop, ")
	assert.NotContains(t, drawn(t, &record.Record{Results: []record.Result{{Name: "Point/a=b"}}}), "Method:")
}
