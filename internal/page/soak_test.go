package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// sampleSoak is the sample with a made-up soak of half an hour.
func sampleSoak() *record.Record {
	rec := sampleRecord()
	for i := range 228 {
		rec.Results = append(rec.Results, soakReading(i))
	}
	for i, path := range []string{"call.meta", "fresh", "health", "session", "tls", "odd"} {
		rec.Results = append(rec.Results, soakPathResult(i, path))
	}
	whole := newSheet("Soak/subject=gitlab-mcp", 600, 1)
	whole.Identity[record.KeyVerdict], whole.Identity[record.KeyBecause] = "FAIL", "descriptors: 16, 17 and 40 at rest (at last at most 4 more than before)"
	whole.Identity["without"] = "TLS with HTTP/2"
	for _, v := range []record.Value{
		{Unit: "soak-load-ns", Amount: 1800e9}, {Unit: "soak-again-ns", Amount: 300e9}, {Unit: "soak-calls", Amount: 1_234_567},
		{Unit: "soak-cpu-cores", Amount: 0.31}, {Unit: "soak-failed-calls", Amount: 0}, {Unit: "soak-refused-calls", Amount: 0},
		{Unit: "growth-RSS-bytes/s", Amount: (1 << 20) / 3600.0}, {Unit: "growth-RSS-lo-bytes/s", Amount: -(2 << 20) / 3600.0}, {Unit: "growth-RSS-hi-bytes/s", Amount: (3 << 20) / 3600.0},
	} {
		whole.set(v.Unit, v.Amount, 0)
	}
	whole.set("soak-cut-calls", 7, 0)
	whole.MarkAbsent("uncounted", "soak-unsent-calls")
	whole.MarkAbsent("too short", "growth-goal-bytes/s")
	for i, at := range []string{"fresh", "opened", "after", "again"} {
		whole.set("soak-"+at+"-RSS-bytes", float64((41+i)<<20), 0)
		whole.set("soak-"+at+"-heap-bytes", float64((7+i)<<20), 0)
		whole.set("soak-"+at+"-descriptors", []float64{16, 16, 17, 40}[i], 0)
		whole.set("soak-"+at+"-threads", float64(11+i), 0)
	}
	whole.MarkAbsent("no way to count them", "soak-fresh-goroutines", "soak-opened-goroutines", "soak-after-goroutines", "soak-again-goroutines")
	rec.Results = append(rec.Results, whole.Result)
	return rec
}

// soakReading is the ith, of which the last 48 are of a rest, of a second load and of another rest.
func soakReading(i int) record.Result {
	s := newSheet(fmt.Sprintf("SoakReading/subject=gitlab-mcp/second=%d", 10*(i+1)), 700+i, 1)
	phase := map[bool]string{true: "load", false: "rest"}[i < 180]
	if i >= 189 && i < 219 {
		phase = "again"
	}
	s.Identity["phase"] = phase
	if phase == "rest" {
		s.set("now-RSS-bytes", 46<<20, 2)
		s.set("now-descriptors", 17, 0)
		s.MarkAbsent("nothing is asked at rest", "now-heap-bytes", "now-goal-bytes", "now-goroutines")
		return s.Result
	}
	s.set("now-RSS-bytes", (62+8*(1-math.Exp(-float64(i)/20)))*(1<<20), 3)
	s.set("now-heap-bytes", 16<<20, 40)
	s.set("now-goal-bytes", 24<<20, 4)
	s.set("now-descriptors", 260, 1)
	s.set("now-goroutines", 480, 2)
	s.set("now-threads", 12, 0)
	return s.Result
}

func soakPathResult(i int, path string) record.Result {
	s := newSheet("SoakPath/subject=gitlab-mcp/path="+path, 650+i, 1)
	s.set("path-calls", 126_000, 0)
	s.set("path-calls/s", 60, 0)
	for _, unit := range []string{"path-p50-ns", "path-p99-ns", "path-first-p99-ns", "path-last-p99-ns"} {
		s.set(unit, 1_500_000, 10)
	}
	s.set("path-failed-calls", 0, 0)
	s.set("path-refused-calls", 0, 0)
	s.set("path-cut-calls", 3, 0)
	s.set("path-unsent-calls", 4, 0)
	return s.Result
}

func TestSoakIsShown(t *testing.T) {
	page := drawn(t, sampleSoak())
	for _, want := range []string{
		"## Gates\n", "| Soak | **FAIL** | descriptors: 16, 17 and 40 at rest",
		"Measured: Soak on 2026-11-30 with the build of the figures.",
		"## Soak\n", "1,234,567 calls in 30 min under load, a rest, 5 min more and a rest, on 6 paths at once, which kept 0.310 cores busy: 0 failed, 0 were refused, 7 had no answer and were given up and how many fell due and were never sent is not known (uncounted). Verdict: **FAIL**;",
		"Resident set: 1 MiB/h (−2 to 3). Heap at which a collection is due: too short.",
		"| Descriptors | 16 | 16 | 17 | 40 |", "| Resident set, MiB | 41 | 42 | 43 | 44 |", "| Goroutines | n/a <sup>a</sup> |",
		"| tools/call on meta | 126,000 | 60 |", "| 0 | 0 | 3 | 4 |", "| a new connection for each call |", "| odd |",
		"Left out, since the server does not offer it: TLS with HTTP/2.",
		`src="charts/soak.svg"`,
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "**Time.**")
	assert.NotContains(t, page, "Doubted by")
	assert.NotContains(t, drawn(t, sampleRecord()), "## Soak")
	assert.NotContains(t, drawn(t, sampleRecord()), "## Gates")
}

// What a page says of a soak follows the record.
func TestSoakFollowsTheRecord(t *testing.T) {
	rec := sampleSoak()
	last := &rec.Results[len(rec.Results)-1]
	last.Identity[record.KeyVerdict], last.Identity[record.KeySHA256] = "PASS", "another"
	last.Identity[record.KeyBuild], last.Identity[record.KeyCommit] = "v9", "fedcba9876543210"
	delete(last.Identity, "without")
	last.Certificate = []string{"the *clock* jumped"}
	page := drawn(t, rec)
	assert.Contains(t, page, "| Soak <sup>†</sup> | PASS |")
	assert.Contains(t, page, "<sup>†</sup> Soak, doubted by the suite itself, whatever the verdict: round 1 (the \\*clock\\* jumped).")
	assert.Contains(t, page, "**Doubted by the suite itself**, whatever the verdict: round 1 (the \\*clock\\* jumped).")
	assert.Contains(t, page, "These are of another build than the figures of this page: v9, commit `fedcba987654`, measured 2026-11-30.")
	assert.Contains(t, page, "with another build, v9, commit `fedcba987654`")
	assert.NotContains(t, page, "Left out, since")

	last.Values = nil
	for _, m := range record.MetricsOf(record.Soak) {
		last.MarkAbsent("the process *ended*", m.Unit)
	}
	assert.Contains(t, drawn(t, rec), "It did not come to its end (the process \\*ended\\*). Verdict: PASS;")

	rec.Results = rec.Results[:24] // the figures alone
	rec.Results = append(rec.Results, *last)
	assert.NotContains(t, drawn(t, rec), "charts/soak.svg", "without readings there is nothing to draw")
}

func TestSoakChart(t *testing.T) {
	v, err := NewView(sampleSoak())
	require.NoError(t, err)
	c := v.soakChart()
	require.NotNil(t, c)
	svg, err := c.SVG(chart.Light)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "first load ends")
	memory := c.Bands[0].Panels[0]
	assert.InDelta(t, 30, memory.Mark.At, 0.01)
	names := make(map[string]int)
	for _, l := range memory.Lines {
		names[l.Name]++
		for _, p := range l.Points {
			assert.True(t, p.Lo <= p.At && p.At <= p.Hi)
			assert.Equal(t, strings.Contains(p.Says, "no load"), p.Doubted, p.Says)
		}
	}
	assert.Equal(t, map[string]int{"Resident set": 4, "Heap at which a collection is due": 2, "Heap in use": 2}, names)
}

// Two soaks have readings at other moments, of which none is lost.
func TestCoverageLeavesReadingsOut(t *testing.T) {
	covers := CoverageOf(sampleSoak())
	assert.Equal(t, 1, covers["Soak/subject=gitlab-mcp"])
	assert.NotContains(t, covers, "SoakReading/subject=gitlab-mcp/second=10")
}
