package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// overloadResult is a made-up result of a variant or of one of its seconds.
func overloadResult(name string, values map[string]float64) record.Result {
	r := sampleResult(scenes()[0], 0, 1)
	r.Name, r.Values, r.Absent = name, nil, nil
	for _, m := range record.MetricsOf(r.Kind()) {
		if amount, ok := values[m.Unit]; ok {
			r.Values = append(r.Values, record.Value{Unit: m.Unit, Amount: amount})
		} else {
			r.MarkAbsent("not here", m.Unit)
		}
	}
	return r
}

// sampleOverload is a variant and its seconds, these in the wrong order.
func sampleOverload() []record.Result {
	const name = "subject=gitlab-mcp/variant=slow-gitlab"
	whole := overloadResult("Overload/"+name, map[string]float64{
		"capacity-calls/s": 64, "admitted-calls/s": 63.5, "rejected-calls/s": 1700, "cpu-ns/refusal": 41_000,
		"unanswered-calls": 3, "probe-late-calls": 11, "retained-bytes/refusal": -0.04, "refusal-p50-ns": 250_000, "probe-during-p99-ns": 1.02e9, "second-half-RSS-bytes": 100 << 20,
	})
	whole.Config[record.KeySettings] = "gitlab-latency=200ms gitlab-latency-during=1s bound=64 connections=2000 silent=0 credentials=0 pool=0"
	whole.Identity[record.KeyVerdict], whole.Identity[record.KeyBecause] = "PASS", "because"
	whole.Identity["without"] = "credentials: it has no bound for them"
	results := []record.Result{whole}
	for n := 29; n >= 0; n-- {
		phase, answered, refused := "before", 320.0, 0.0
		switch {
		case n >= 20:
			phase = "after"
		case n >= 10:
			phase, answered, refused = "during", 64, 1700
		}
		values := map[string]float64{
			"answered-in-second": answered, "refused-in-second": refused, "failed-in-second": 0, "given-up-in-second": 0, "RSS-in-second-bytes": 90 << 20,
			"probe-in-second-p50-ns": 201e6, "probe-in-second-max-ns": 210e6,
		}
		if n == 15 { // a second without a call of the probe
			delete(values, "probe-in-second-p50-ns")
			delete(values, "probe-in-second-max-ns")
		}
		second := overloadResult(fmt.Sprintf("OverloadReading/%s/second=%03d", name, n), values)
		second.Identity["phase"] = phase
		results = append(results, second)
	}
	return results
}

func TestOverloadSection(t *testing.T) {
	rec := sampleRecord()
	rec.Results = append(rec.Results, sampleOverload()...)
	doc, err := Draw(rec)
	require.NoError(t, err)
	_, section, found := strings.Cut(string(doc.Markdown()), "## More than the server admits")
	require.True(t, found)
	assert.Contains(t, section, "| More requests than may be in progress, while GitLab has become slow | PASS | 64 | n/a")
	assert.Contains(t, section, "| 63.5 | 1,700 | n/a")
	assert.Contains(t, section, "| 250 µs | n/a")
	assert.Contains(t, section, "Left out, since the server does not offer it: credentials: it has no bound for them.")
	assert.Contains(t, section, "GitLab takes 200ms and then 1s, 64 requests of a credential may be in progress, 2000 connections of one credential call.")
	section, _, _ = strings.Cut(section, "\n## ")
	assert.NotContains(t, section, "another build")
	assert.Equal(t, "3", overloadCell(t, section, "Unanswered"))
	assert.Equal(t, "11", overloadCell(t, section, "Late"))
	assert.Equal(t, "PASS", overloadCell(t, section, "Verdict"))
	assert.NotContains(t, section, "†")

	c := overloadPicture(t, doc)
	require.Len(t, c.Bands, 3)
	calls := c.Bands[0].Panels[0]
	require.Len(t, calls.Lines, 2)
	require.Len(t, calls.Lines[1].Points, 30)
	for n, p := range calls.Lines[1].Points {
		assert.InDelta(t, n, p.X, 0, "in the order of time")
	}
	assert.InDelta(t, 1700, calls.Lines[1].Points[10].At, 0)
	assert.Equal(t, "Refused, second 10, during the overload: 1,700", calls.Lines[1].Points[10].Says)
	assert.Equal(t, &chart.Mark{At: 10, Label: "Overload from second 10 to second 20"}, calls.Mark)
	assert.Len(t, c.Bands[2].Panels[0].Lines[0].Points, 29, "what was not measured is not drawn")
	assert.Contains(t, c.Alt, "Admitted, calls a second: 63.5; refused: 1,700; ")
}

// overloadCell is what a column of a section's tables has of its one variant.
func overloadCell(t *testing.T, section, head string) string {
	t.Helper()
	lines := strings.Split(section, "\n")
	for i, line := range lines {
		if at := slices.Index(strings.Split(line, "|"), " "+head+" "); at >= 0 {
			return strings.TrimSpace(strings.Split(lines[i+2], "|")[at])
		}
	}
	require.Fail(t, "no such column", head)
	return ""
}

func TestDoubtedOverloadSaysSo(t *testing.T) {
	rec := sampleRecord()
	more := sampleOverload()
	more[0].Certificate = []string{"the suite was late"}
	rec.Results = append(rec.Results, more...)
	page := drawn(t, rec)
	const why = ", doubted by the suite itself, whatever the verdict: round 1 (the suite was late)."
	assert.Contains(t, page, "| Overload, variant slow-gitlab <sup>†</sup> | PASS | because |")
	assert.Contains(t, page, "<sup>†</sup> Overload, variant slow-gitlab"+why)
	assert.Contains(t, page, "| More requests than may be in progress, while GitLab has become slow <sup>†</sup> | PASS | 64 |")
	assert.Equal(t, 1, strings.Count(page, "<sup>†</sup> More requests than may be in progress, while GitLab has become slow"+why))
	assert.Contains(t, page, "<sup>†</sup> as under the first table of this section.")
}

func overloadPicture(t *testing.T, doc *Document) *chart.Chart {
	t.Helper()
	for _, c := range doc.Charts() {
		if c.Name == "overload-slow-gitlab" {
			for _, theme := range []chart.Theme{chart.Light, chart.Dark} {
				_, err := c.SVG(theme)
				require.NoError(t, err)
			}
			return c
		}
	}
	require.Fail(t, "no such chart")
	return nil
}

func TestOverloadOfAnotherBuild(t *testing.T) {
	rec := sampleRecord()
	more := sampleOverload()
	more[0].Identity[record.KeySHA256], more[0].Identity[record.KeyBuild] = strings.Repeat("0", 64), "another 9.9"
	rec.Results = append(rec.Results, more...)
	doc, err := Draw(rec)
	require.NoError(t, err)
	assert.Contains(t, string(doc.Markdown()), "another build than the figures of this page: another 9.9")
	assert.Contains(t, overloadPicture(t, doc).Foot, "another 9.9", "a picture names the build that it is of")
}

func TestNoOverloadNoSection(t *testing.T) {
	doc, err := Draw(sampleRecord())
	require.NoError(t, err)
	assert.NotContains(t, string(doc.Markdown()), "More than the server admits")
}

func TestOverloadWithoutSeconds(t *testing.T) {
	rec := sampleRecord()
	rec.Results = append(rec.Results, sampleOverload()[0])
	doc, err := Draw(rec)
	require.NoError(t, err)
	for _, c := range doc.Charts() {
		assert.NotContains(t, c.Name, "overload")
	}
}
