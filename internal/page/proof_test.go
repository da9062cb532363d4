package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// proved is a made-up result of a limit put to the test.
func proved(surface, verdict, by string, values map[string]float64) record.Result {
	r := gateResult("Proof/subject=gitlab-mcp/transport=http/surface="+surface+"/creds=300/calling=40", verdict, values, "it did not survive")
	r.Config[record.KeySettings] = "load=20s lives=3 limit-by=" + by
	return r
}

func TestProofsTable(t *testing.T) {
	for by, words := range map[string]string{
		"cgroup1": "served 3 of 3 under it; a cgroup of version 1 enforced it.", "watched": "nothing enforced it here", "cage": "enforced by cage",
	} {
		rec := sampleRecord()
		rec.Results = append(rec.Results,
			proved("meta", "PASS", by, map[string]float64{
				"clients": 300, "inflight": 40, "asked-limit-bytes": 120 * mebi, "needed-limit-bytes": 100 * mebi, "fatal-limit-bytes": 98 * mebi, "charged-bytes": 99 * mebi,
			}),
			proved("dynamic", "FAIL", by, map[string]float64{"clients": 300, "inflight": 40, "asked-limit-bytes": 50 * mebi, "fatal-limit-bytes": 50 * mebi}))
		doc, err := Draw(rec)
		require.NoError(t, err)
		_, section, found := strings.Cut(string(doc.Markdown()), "## Limits put to the test")
		require.True(t, found)
		assert.Contains(t, section, words)
		assert.Contains(t, section, "| meta | 300 | 40 | 120 | 100 | 1.20 | 98 | 99 | PASS |")
		assert.Contains(t, section, "| dynamic | 300 | 40 | 50 | n/a")
		assert.Contains(t, section, "| **FAIL** |")
		assert.Contains(t, section, "it did not survive")
	}
}
