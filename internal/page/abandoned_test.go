package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// left is a made-up result of one event.
func left(event, what, verdict string, values map[string]float64) record.Result {
	r := gateResult("Abandoned/subject=gitlab-mcp/transport=http/event="+event, verdict, values, "not here")
	r.Identity["event"], r.Identity["budget-date"], r.Identity["budget-reason"] = what, "2026-11-30", "a reason"
	return r
}

func TestAbandonedTable(t *testing.T) {
	rec := sampleRecord()
	doc, err := Draw(rec)
	require.NoError(t, err)
	assert.NotContains(t, string(doc.Markdown()), "Clients that go away", "a record without such results has no section of them")

	rec.Results = append(rec.Results,
		left("session-left", "A session *never* deleted", "FAIL", map[string]float64{
			"abandoned-events": 6000, "retained-bytes/event": -0.4, "retained-lo-bytes/event": -12.2, "retained-hi-bytes/event": 9.7,
			"retained-budget-bytes/event": 64, "retained-goroutines": 3, "retained-descriptors": 0, "held-bytes/event": 6144,
			"held-goroutines/event": 2, "held-descriptors/event": 0,
		}),
		left("client-dead", "A client on stdio that dies", "PASS", map[string]float64{"abandoned-events": 20, "retained-processes": 0}))
	doc, err = Draw(rec)
	require.NoError(t, err)
	_, section, found := strings.Cut(string(doc.Markdown()), "## Clients that go away")
	require.True(t, found)
	assert.Contains(t, section, `| A session \*never\* deleted | **FAIL** | 6,000 | 0 B (-12 to 10) | 64 B | 3 | 0 | n/a`)
	assert.Contains(t, section, `| 6 KiB | 2 | 0 |`)
	assert.Contains(t, section, `A session \*never\* deleted, 64 B (2026-11-30): a reason.`)
	assert.NotContains(t, section, "another build")

	rec.Results[len(rec.Results)-2].Identity["without"] = "call-cancelled (no sessions)"
	last := &rec.Results[len(rec.Results)-2]
	last.Identity[record.KeySHA256], last.Identity[record.KeyCommit] = strings.Repeat("0", 64), "c0ffee"
	doc, err = Draw(rec)
	require.NoError(t, err, "a gate may be of another build than the figures")
	assert.Contains(t, string(doc.Markdown()), "does not offer it: call-cancelled (no sessions).")
	assert.Contains(t, string(doc.Markdown()), "another build than the figures of this page: ")
}
