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
	assert.Equal(t, []string{
		"100 to 300 MiB: the largest peak of one process over HTTP while 64 clients call without pause, from the least of the surfaces to the most",
		"3.50: kept busy meanwhile; it could use CPU 1 of the host",
		"5 ms: at most, for 99 in 100 `tools/call` in that load; for half of them at most 4 ms",
	}, answersOf(t, rec))

	doubt(rec, "transport=http/surface=individual", "x")
	doubt(rec, "transport=http/surface=dynamic", "x")
	assert.Contains(t, answersOf(t, rec)[0], "200 MiB: the largest peak of one process over HTTP while 64 clients call without pause", "what is doubted answers nothing")

	doubt(rec, "transport=http/surface=meta", "x")
	assert.Contains(t, answersOf(t, rec)[0], "300 MiB: the largest peak of processes on stdio, one a client, together while 8 clients call")
	withhold(rec, "clients", "x")
	assert.Contains(t, answersOf(t, rec)[0], "while all clients call")
	withhold(rec, callP99, "x")
	assert.Empty(t, answersOf(t, rec))
}

func TestSeriesAloneAnswers(t *testing.T) {
	assert.Contains(t, answersOf(t, sampleSeries())[0], "one process over HTTP while 500 to 1,000 credentials call without pause")
	page := drawn(t, sampleSeries())
	assert.Less(t, strings.Index(page, "- **How much memory?** "), strings.Index(page, "| Series |"))
}

func TestMethodUnderTheHeading(t *testing.T) {
	page := drawn(t, wholeRecord())
	assert.Contains(t, page, "\nMethod: scenarios in a closed loop, one method at a time, all clients at once; series in a closed loop, ")
	assert.Contains(t, page, "; calls at a rate in an open loop, ")
	assert.NotContains(t, drawn(t, &record.Record{Results: []record.Result{{Name: "Point/a=b"}}}), "Method:")
}
