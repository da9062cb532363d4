package compare_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"mcpbench/internal/compare"
	"mcpbench/internal/record"
)

var update = flag.Bool("update", false, "write the golden comparison anew")

func firstLine(c *compare.Comparison) string {
	line, _, _ := strings.Cut(string(c.Markdown(0)), "\n")
	return line
}

// sides are two small records that differ in every way that is shown.
func sides() (before, after *record.Record) {
	before, after = server("a", 1), server("b", 2)
	change(after, httpMeta, "peak-RSS-bytes", 1.10)
	change(after, httpDynamic, "call-p99-ns", 1.25)
	change(after, stdioMeta, "cpu-ns/call", 0.8)
	change(after, httpMeta, "list-bytes", 1.01)
	change(after, httpMeta, "tools", 1.5)
	before.Results = append(before.Results, recordOf("a", scene{hundred, amounts{"ready-ns": {1, 2}}}).Results...)
	after.Results = append(after.Results, recordOf("b", scene{half, amounts{"ready-ns": {1, 2}}}).Results...)
	after.Results[1].Certificate = []string{"other processes used 12% of a CPU | while under load"}
	for i := 6; i < 12; i++ { // all of httpDynamic
		after.Results[i].Values[6] = record.Value{Unit: "exit-ns", Amount: 1e9}
		after.Results[i].MarkAbsent("the health check is off", "ready-ns")
	}
	return before, after
}

func TestGolden(t *testing.T) {
	got := string(compared(t, first(sides()), second(sides())).Markdown(0))
	path := filepath.Join("testdata", "comparison.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test ./internal/compare -update writes it anew")
}

func first(a, _ *record.Record) *record.Record  { return a }
func second(_, b *record.Record) *record.Record { return b }

// TestRendersAsHTML reads the comparison as GitHub and GitLab would: tables
// that are folded up are tables, and no Markdown is left over.
func TestRendersAsHTML(t *testing.T) {
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	var out strings.Builder
	require.NoError(t, reader.Convert(compared(t, first(sides()), second(sides())).Markdown(0), &out))
	assert.Equal(t, 1+3+1+3, strings.Count(out.String(), "<table>"), "builds, changes, means, scenarios")
	assert.Equal(t, 1+1+3, strings.Count(out.String(), "<details>"))
	assert.Equal(t, 5, strings.Count(out.String(), "<li>"))
	for _, left := range []string{"| ", "**", "`", "###", "---"} {
		assert.NotContains(t, strings.ReplaceAll(out.String(), "CPU | while", ""), left)
	}
}

func TestSameBytesEachTime(t *testing.T) {
	c := compared(t, first(sides()), second(sides()))
	for range 10 { // maps give another order each time
		require.Equal(t, string(c.Markdown(0)), string(compared(t, first(sides()), second(sides())).Markdown(0)))
	}
}

func TestHeadline(t *testing.T) {
	one := func(unit string, before, after []float64) string {
		return firstLine(compared(t, recordOf("a", scene{httpMeta, amounts{unit: before}}), recordOf("b", scene{httpMeta, amounts{unit: after}})))
	}
	low, high := repeat(10, 6), repeat(20, 6)
	assert.Equal(t, "**1 of 1 figure is worse**, in 1 scenario.", one("ready-ns", low, high))
	assert.Equal(t, "**None of 1 figure is found worse**: 1 better, in 1 scenario.", one("ready-ns", high, low))
	assert.Equal(t, "**None of 1 figure is found worse**: 1 without significant change, in 1 scenario.", one("ready-ns", low, low))
	assert.Equal(t, "**None of 1 figure is found worse**: 1 changed without being worse or better, in 1 scenario.", one("calls", low, high))
	assert.Equal(t, "**1 of 1 figure is worse** (1 of them exact), in 1 scenario.", one("list-bytes", low, high))
	assert.Equal(t, "**Too few rounds for a verdict** on what was measured: 1 not tellable, in 1 scenario.", one("ready-ns", low[:3], high[:3]))

	before, after := server("a", 1), server("b", 2)
	for i := range after.Results {
		after.Results[i].Certificate = []string{"busy"}
	}
	assert.Equal(t, "**Nothing was compared**, in 0 scenarios. **3 scenarios could not be compared**, for every result of one record has a certificate.",
		firstLine(compared(t, before, after)))
}

func TestFewRoundsAreSaidOnce(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	change(after, httpMeta, "peak-RSS-bytes", 3)
	change(after, httpMeta, "tools", 2)
	before.Results, after.Results = threeRounds(before), threeRounds(after)
	text := string(compared(t, before, after).Markdown(0))
	assert.Equal(t, 1, strings.Count(text, "No verdict without rounds"))
	assert.Contains(t, text, "have none, in all 3 Point scenarios. There the old record has 3 rounds believed, the new one 3 rounds, and with fewer than 4 of each")
	assert.Contains(t, text, "measure both builds with `-rounds=4` or more")
	assert.NotContains(t, text, "### Worse")
	assert.NotContains(t, text, "### Better")
	assert.NotContains(t, text, "| Point | `peak-RSS-bytes`", "no mean of what is not tellable")
	assert.Contains(t, text, "### Exact figures that differ")
	assert.NotContains(t, text, "need >=")
	assert.Regexp(t, "\\| `peak-RSS-bytes` \\| 2.. MiB \\(.*\\) \\| (5|6).. MiB \\(.*\\) \\|  \\| p=0.100 n=3 \\| not tellable \\|", text)
}

// What has rounds enough is not counted among what has not.
func TestWhatHasTooFewRoundsIsNamed(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	dropped := func(rec *record.Record) {
		rec.Results = slices.DeleteFunc(rec.Results, func(r record.Result) bool { return r.Name == httpMeta && r.Identity[record.KeyRound] > "1" })
	}
	dropped(before)
	dropped(after)
	before.Results = append(before.Results, recordOf("a", scene{hundred, amounts{"ready-ns": {1, 2}}}).Results...)
	after.Results = append(after.Results, recordOf("b", scene{hundred, amounts{"ready-ns": {1, 2}}}).Results...)
	text := string(compared(t, before, after).Markdown(0))
	assert.Contains(t, text, "have none, in 1 of 3 Point scenarios, 1 Series scenario. There the old record has 1 to 2 rounds believed")
	assert.NotContains(t, string(compared(t, server("a", 1), server("b", 2)).Markdown(0)), "No verdict")
}

// The file for browsers says the same.
func TestHTML(t *testing.T) {
	before, after := sides()
	c := compared(t, before, after)
	text, err := c.HTML()
	require.NoError(t, err)
	assert.Contains(t, string(text), "<h2>Worse</h2>")
	assert.Contains(t, string(text), "<details><summary>http, meta: 2 worse")
	assert.NotContains(t, string(text), "<script")
	for _, f := range c.Figures() {
		assert.Contains(t, string(text), "<code>"+f.Metric.Unit+"</code>")
	}
}

// threeRounds are the first three rounds of all.
func threeRounds(rec *record.Record) []record.Result {
	var kept []record.Result
	for _, r := range rec.Results {
		if r.Identity[record.KeyRound] < "4" {
			kept = append(kept, r)
		}
	}
	return kept
}

func TestSameBinarySaysSo(t *testing.T) {
	text := string(compared(t, server("a", 1), server("a", 2)).Markdown(0))
	assert.Contains(t, text, "Both on reference, Example CPU, 2 logical, kernel 6.18.0, server on CPU 1, suite on CPU 0. **Both are the same binary**")
}

func TestExactThatVariesIsNoted(t *testing.T) {
	s := scene{httpMeta, amounts{"list-bytes": {10, 10, 13}, "tools": {10, 10, 13}}}
	text := string(compared(t, recordOf("a", s), recordOf("b", s)).Markdown(0))
	assert.Contains(t, text, "Notes of the statistics:\n\n- exact distribution expected, but values range from 10 to 13: `list-bytes` of http, meta and 1 figure more\n")
	assert.Contains(t, text, "| http, meta | `list-bytes` | 10 (10–13) | 10 (10–13) |  | not tellable |")
}

func TestLimit(t *testing.T) {
	c := compared(t, server("a", 1), server("b", 2))
	whole := string(c.Markdown(0))
	assert.Equal(t, whole, string(c.Markdown(len(whole)+1000)))
	assert.NotContains(t, whole, "Left out to stay under")

	less := string(c.Markdown(len(whole) - 100))
	assert.LessOrEqual(t, len(less), len(whole)-100)
	assert.Contains(t, less, "bytes: all figures of stdio, meta, telemetry.\n")
	assert.Contains(t, less, "<details><summary>http, dynamic: ")
	assert.NotContains(t, less, "<summary>stdio, meta")

	none := string(c.Markdown(1))
	assert.Contains(t, none, "all figures of http, meta; http, dynamic; stdio, meta, telemetry.\n")
	assert.True(t, strings.HasPrefix(whole, strings.Split(none, "\nLeft out to stay")[0]), "the verdict stands whatever the limit")
}

func TestManyScenariosAreCutShort(t *testing.T) {
	var scenes []scene
	for _, surface := range strings.Split("abcdefghij", "") {
		scenes = append(scenes, scene{"Point/subject=s/surface=" + surface, amounts{"ready-ns": repeat(1, 6)}})
	}
	c := compared(t, recordOf("a", scenes...), recordOf("b", scenes...))
	assert.Contains(t, string(c.Markdown(1)), "all figures of a; b; c; d and 6 more scenarios.\n")
}

func TestLongTablesEnd(t *testing.T) {
	methods := []string{"resources", "list", "call", "find"}
	low, high := amounts{}, amounts{}
	for _, m := range methods {
		for _, q := range []string{"p50-ns", "p90-ns", "p99-ns", "max-ns", "cpu-ns/call"} {
			low[m+"-"+q], high[m+"-"+q] = repeat(10, 4), repeat(20, 4)
		}
	}
	var before, after []scene
	for _, surface := range strings.Split("abcdefghij", "") {
		name := "Point/subject=s/surface=" + surface
		before, after = append(before, scene{name, low}), append(after, scene{name, high})
	}
	text := string(compared(t, recordOf("a", before...), recordOf("b", after...)).Markdown(0))
	assert.Contains(t, text, "**200 of 200 figures are worse**, in 10 scenarios.")
	worse, _, _ := strings.Cut(text, "<details>")
	assert.Equal(t, 100, strings.Count(worse, "+100.00%"))
	assert.Contains(t, worse, "\nAnd 100 more, which changed less.\n")
}

func TestTitles(t *testing.T) {
	s := amounts{"ready-ns": {1}}
	var scenes []scene
	names := []string{httpMeta, stdioMeta, hundred, single, half, "Series/surface=meta/creds=5", "Point/subject=s", "Point"}
	for _, name := range names {
		scenes = append(scenes, scene{name, s})
	}
	text := string(compared(t, recordOf("a", scenes...), recordOf("b", scenes...)).Markdown(0))
	for _, want := range []string{"s, http, meta", "s, stdio, meta, telemetry", "s, http, meta, 100 credentials", "s, http, meta, 1 credential",
		"s, http, meta, open loop at 50%", "meta, 5 credentials", "s", "Point"} {
		assert.Contains(t, text, "<summary>"+want+": ", "subjects are named where there is more than one")
	}
	alone := []scene{{httpMeta, s}, {"Point/subject=s", s}}
	text = string(compared(t, recordOf("a", alone...), recordOf("b", alone...)).Markdown(0))
	assert.Contains(t, text, "<summary>http, meta: ")
	assert.Contains(t, text, "<summary>Point/subject=s: ")
}

func TestGeometricMeans(t *testing.T) {
	low := amounts{"ready-ns": repeat(100, 4), "failed-calls": repeat(0, 4), "tools": repeat(3, 4), "descriptors": {1, 1, 1}}
	high := amounts{"ready-ns": repeat(400, 4), "failed-calls": repeat(0, 4), "tools": repeat(3, 4), "descriptors": {1, 1, 1}}
	before := recordOf("a", scene{httpMeta, low}, scene{httpDynamic, low}, scene{hundred, low})
	after := recordOf("b", scene{httpMeta, low}, scene{httpDynamic, high}, scene{hundred, high})
	c := compared(t, before, after)
	means := c.Means()
	require.Len(t, means, 1, "two scenarios of a kind, above zero, with a direction and a verdict: %v", means)
	assert.Equal(t, record.Point, means[0].Kind)
	assert.Equal(t, "ready-ns", means[0].Unit)
	assert.Equal(t, 2, means[0].Scenarios)
	assert.InDelta(t, 100, means[0].Old, 1e-6)
	assert.InDelta(t, 200, means[0].New, 1e-6)
	assert.Contains(t, string(c.Markdown(0)), "| Point | `ready-ns` | 2 | 100 ns | 200 ns | +100.00% |")
}

func TestChangesWithoutAPercentage(t *testing.T) {
	c := compared(t,
		recordOf("a", scene{httpMeta, amounts{"ready-ns": repeat(1, 4), "failed-calls": repeat(0, 4), "further-RSS-bytes/client": repeat(2<<20, 4)}}),
		recordOf("b", scene{httpMeta, amounts{"ready-ns": repeat(9, 4), "failed-calls": repeat(3, 4), "further-RSS-bytes/client": repeat(-3<<20, 4)}}))
	text := string(c.Markdown(0))
	assert.Contains(t, text, "| http, meta | `failed-calls` | 0 | 3 | +3 | p=0.029 n=4 |\n| http, meta | `ready-ns` |", "from nothing is the most")
	assert.Contains(t, text, "| http, meta | `further-RSS-bytes/client` | 2 MiB | −3 MiB | −5 MiB | p=0.029 n=4 |")
}
