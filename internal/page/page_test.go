package page

import (
	"flag"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

var update = flag.Bool("update", false, "write the sample record and the golden page anew")

func TestGoldenPages(t *testing.T) {
	updateSamples(t)
	for golden, paths := range map[string][]string{
		"testdata/page/README.md":        {pointsPath},
		"testdata/page/series/README.md": {pointsPath, seriesPath},
	} {
		doc, err := Draw(sample(t, paths...))
		require.NoError(t, err)
		if *update {
			require.NoError(t, record.WriteFile(golden, doc.Markdown()))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(doc.Markdown()))
	}
}

// drawn is the page of a record as text.
func drawn(t *testing.T, rec *record.Record) string {
	t.Helper()
	doc, err := Draw(rec)
	require.NoError(t, err)
	return string(doc.Markdown())
}

// line returns the line of a page that begins with prefix.
func line(t *testing.T, page, prefix string) string {
	t.Helper()
	for l := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(l, prefix) {
			return l
		}
	}
	t.Fatalf("no line begins with %q in:\n%s", prefix, page)
	return ""
}

func TestDrawingTwiceIsTheSame(t *testing.T) {
	rec := sample(t, pointsPath, seriesPath)
	first := drawn(t, rec)
	for range 20 { // maps give another order each time
		require.Equal(t, first, drawn(t, rec))
	}
}

func TestTablesFollowTheRecord(t *testing.T) {
	rec := sampleRecord()
	change(rec, "transport=http/surface=meta", "idle-RSS-bytes", to(25<<20))
	change(rec, "transport=http/surface=meta", "find-calls", to(1))
	page := drawn(t, rec)
	assert.Equal(t, "| http, meta | 64 | 25 |", line(t, page, "| http, meta | 64 | 25")[:len("| http, meta | 64 | 25 |")])
	assert.NotContains(t, drawn(t, sampleRecord()), "| http, meta | 64 | 25 |")
}

func TestAbsentIsExplained(t *testing.T) {
	rec := sampleRecord()
	withhold(rec, "call-p99-lo-ns", "12 calls are too few | for *this*")
	withhold(rec, "call-p99-hi-ns", "34 calls are too few | for *this*")
	withhold(rec, "failed-calls", "the counter broke")
	for i := range rec.Results {
		delete(rec.Results[i].Absent, "idle-RSS-bytes")
	}
	page := drawn(t, rec)
	assert.Contains(t, page, "n/a <sup>a</sup>")
	assert.Contains(t, page, `<sup>a</sup> n/a: too few calls \| for \*this\*.`)
	assert.Contains(t, page, "<sup>a</sup> n/a: the counter broke.")
	assert.Contains(t, page, "<sup>a</sup> n/a: "+unexplained+".")
}

func TestMarkedRowsSayWhy(t *testing.T) {
	rec := sampleRecord()
	doubt(rec, "transport=stdio/surface=meta", "late sends")
	page := drawn(t, rec)
	assert.Contains(t, page, "| stdio, meta <sup>†</sup> |")
	assert.Contains(t, page, "<sup>†</sup> stdio, meta, doubted, so that no statement uses it: round 1 (late sends), round 2 (late sends), round 3 (late sends).")
	assert.Contains(t, page, "<sup>†</sup> http, individual, left out for doubt: round 2 (")
	atGlance, _, _ := strings.Cut(page, "## Memory")
	assert.NotContains(t, atGlance, "stdio, meta")
	assert.Equal(t, 1, strings.Count(page, "(late sends), round 2"), "why is said once")
	assert.Contains(t, atGlance, "<sup>†</sup> as under the first table of [Memory](#memory).")
}

// On a busy machine every row is marked, and the page can still be read.
func TestAllDoubted(t *testing.T) {
	rec := sampleRecord()
	doubt(rec, everywhere, "other processes were busy")
	page := drawn(t, rec)
	assert.Contains(t, page, "Every point scenario is doubted in all of its rounds")
	assert.Equal(t, 8, strings.Count(page, "doubted, so that no statement uses it"))
	assert.Equal(t, 5, strings.Count(page, "<sup>†</sup> as under the first table of "))
}

func TestTelemetryAloneIsAtAGlance(t *testing.T) {
	page := drawn(t, only(sampleRecord(), "telemetry=on"))
	atGlance, _, _ := strings.Cut(page, "## Memory")
	assert.Contains(t, atGlance, "| http, dynamic, telemetry | 64 |")
}

func TestSettledHeapAndFirstCallsAreShown(t *testing.T) {
	rec := sampleRecord()
	change(rec, "surface=meta", "rest-heap-bytes", to(21<<20))
	change(rec, "surface=meta", "rest-ns", to(2.5e9))
	change(rec, "surface=meta", "first-call-ns", to(77e6))
	page := drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, meta | 61.4"), "| 21 | 2.50 |")
	assert.Contains(t, line(t, page, "| http, meta | 34.9"), "| 77 | n/a <sup>a</sup> |")
}

func TestReconnectsAreCounted(t *testing.T) {
	meta := func(rec *record.Record) string { return line(t, drawn(t, rec), "| http, meta | 4,032") }
	rec := sampleRecord()
	change(rec, "http/surface=meta", "reconnects", to(2))
	assert.Equal(t, "| http, meta | 4,032 | 0 | 0 | 6 | 1 |", meta(rec))
	withhold(&record.Record{Results: rec.Results[5:6]}, "reconnects", "an older suite")
	assert.Equal(t, "| http, meta | 4,032 | 0 | 0 | at least 4 | 1 |", meta(rec))
	withhold(rec, "reconnects", "an older suite")
	assert.Equal(t, "| http, meta | 4,032 | 0 | 0 | n/a <sup>a</sup> | 1 |", meta(rec))
}

func TestMarksDoNotRunOut(t *testing.T) {
	m := &tableMaker{}
	for i := range 26 {
		assert.Len(t, m.mark(strings.Repeat("x", i+1)), 1)
	}
	assert.Equal(t, "27", m.mark("one more"))
	assert.Equal(t, "a", m.mark("x"))
}

func TestRoundsAreCounted(t *testing.T) {
	rounds := func(counts ...int) string {
		var all []*Scenario
		for _, n := range counts {
			all = append(all, &Scenario{Results: make([]record.Result, n)})
		}
		return roundsLine(all)
	}
	assert.Equal(t, "Every figure is from 1 round; an interval needs 6.", rounds(1, 1))
	assert.Contains(t, rounds(3), "medians over 3 rounds, with the smallest and largest")
	assert.Contains(t, rounds(3), "a 95% interval needs 6 rounds")
	assert.Contains(t, rounds(1, 6), "medians over 1 to 6 rounds, in brackets the 95% interval, or the smallest and largest")
	assert.Contains(t, rounds(6, 7), "medians over 6 to 7 rounds, with the 95% interval in brackets")
}

func TestSixRoundsCarryAnInterval(t *testing.T) {
	r := record.Result{Name: "Point/a=b"}
	var results []record.Result
	for i := range 8 {
		r.Values = []record.Value{{Unit: "threads", Amount: float64(10 + i)}}
		results = append(results, r)
	}
	f := figureOf("threads", results)
	assert.Equal(t, "13.5 (10–17)", f.spread(plain))
	assert.Equal(t, "12.5 (10–15)", figureOf("threads", results[:6]).spread(plain))
	f = figureOf("threads", append(results, results...))
	assert.Equal(t, "13.5 (11–16)", f.spread(plain), "an interval, not the smallest and largest")
	assert.Equal(t, "17", f.largest(plain))
}

func TestPartialAndCutRecordsSaySo(t *testing.T) {
	rec := sampleRecord()
	rec.Plan["Point/subject=gitlab-mcp/transport=http/surface=other"] = 2
	rec.Dropped = []string{"/some/where/r.txt:9: the last line is cut short (3 bytes)"}
	page := drawn(t, rec)
	assert.Contains(t, page, "**This record is partial.** Planned and not in it: Point/subject=gitlab-mcp/transport=http/surface=other (2).")
	assert.Contains(t, page, "**Left out of the record:** r.txt:9: the last line is cut short (3 bytes).")
}

func TestBareRecord(t *testing.T) {
	page := drawn(t, &record.Record{Results: []record.Result{{Name: "Point/shape=odd", Values: []record.Value{{Unit: "threads", Amount: 3}}}}})
	assert.Contains(t, page, "# What the server costs to run")
	assert.Contains(t, page, "| Point/shape=odd |")
	assert.NotContains(t, page, "Host:")
	assert.NotContains(t, page, "\n\n\n")
	assert.NotContains(t, page, "Build:")
	assert.NotContains(t, page, "What the record says of method")
	assert.Contains(t, page, "-bench 'Point/shape=odd'")
}

func TestNewViewRefuses(t *testing.T) {
	_, err := Draw(&record.Record{})
	require.ErrorContains(t, err, "nothing to draw")
	_, err = Draw(&record.Record{Results: []record.Result{{Name: "Else/surface=meta"}}})
	require.ErrorContains(t, err, "no point scenarios, no series, no open loops, no gates and no noise")

	rec := sampleRecord()
	rec.Results[3].Identity[record.KeySHA256] = "another"
	_, err = Draw(rec)
	require.ErrorContains(t, err, "one page cannot hold two of sha256")

	rec = sampleRecord()
	rec.Results[20].Config[record.KeySettings] = "clients=3"
	_, err = Draw(rec)
	require.ErrorContains(t, err, "differ in their settings")
}

func TestFigureOfRefusesWhatIsNoMeasurement(t *testing.T) {
	f := figureOf("threads", []record.Result{{Values: []record.Value{{Unit: "threads", Amount: math.NaN()}}}})
	assert.False(t, f.Known())
	assert.Contains(t, f.Absent, "not a measurement")
}

func TestScenariosAreInOrder(t *testing.T) {
	v, err := NewView(sampleRecord())
	require.NoError(t, err)
	var titles []string
	for _, s := range v.Scenarios {
		titles = append(titles, s.Title())
	}
	assert.Equal(t, []string{"stdio, dynamic", "stdio, meta", "stdio, individual", "stdio, dynamic, telemetry",
		"http, dynamic", "http, meta", "http, individual", "http, dynamic, telemetry"}, titles)
}

func TestSettingsAreGroupedByScenario(t *testing.T) {
	rec := sampleRecord()
	for _, r := range rec.Results {
		if strings.Contains(r.Name, "surface=meta") {
			r.Config[record.KeySettings] = "clients=5"
		}
	}
	page := drawn(t, rec)
	assert.Contains(t, page, "- Settings (stdio, meta; http, meta): clients=5")
	assert.Contains(t, drawn(t, sampleRecord()), "- Settings (http): gitlab-latency=0s clients=64")
}

func TestCoverage(t *testing.T) {
	page := []byte(drawn(t, sampleRecord()))
	covers := ReadCoverage(page)
	assert.Len(t, covers, 8)
	assert.Equal(t, covers, CoverageOf(sampleRecord()))
	assert.Empty(t, covers.Lost(covers))
	name := scenes()[0].name()
	less := maps.Clone(covers)
	less[name] = 2
	assert.Equal(t, []string{name + ": 2 rounds, published are 3"}, covers.Lost(less))
	assert.Empty(t, less.Lost(covers))
	assert.Empty(t, ReadCoverage([]byte("# Somebody else's page\ncovers 99999999999999999999 x\n")))
}

func TestShortKeepsWhatFollowsTheHash(t *testing.T) {
	assert.Equal(t, "0123456789ab", short("0123456789abcdef"))
	assert.Equal(t, "0123456789ab+changes", short("0123456789ab+changes"))
	assert.Equal(t, "unknown", short("unknown"))
	assert.Empty(t, short(""))
}

// gate is a verdict on a build.
func gate(build string) record.Result {
	return record.Result{Name: "Soak/subject=gitlab-mcp/transport=http/surface=meta", Iterations: 1,
		Config: map[string]string{record.KeyHost: "elsewhere"},
		Identity: map[string]string{record.KeyVerdict: "PASS", record.KeyBecause: "all is well", record.KeyBuild: build, record.KeySHA256: build,
			record.KeyDate: "2027-01-31T10:00:00Z"}}
}

// A gate may have been held against another build than the figures are of, and
// there may be no figures beside it.
func TestGatesDrawWithFiguresOfAnotherBuildAndAlone(t *testing.T) {
	rec := sampleRecord()
	before := line(t, drawn(t, rec), "Build: v0.1.0")
	rec.Results = append(rec.Results, gate("v9"))
	assert.Equal(t, before, line(t, drawn(t, rec), "Build: v0.1.0"), "with the dates of the figures alone")

	page := drawn(t, &record.Record{Results: []record.Result{gate("v9")}})
	assert.Contains(t, page, "# What gitlab-mcp costs to run")
	assert.Contains(t, page, "Host: elsewhere.")
	assert.Contains(t, page, "Build: v9")
	assert.NotContains(t, page, "medians over")
	assert.NotContains(t, page, "Refused and failed")
	assert.NotContains(t, page, "\n\n\n")
}
