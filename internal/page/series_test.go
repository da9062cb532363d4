package page

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// ladders arranges the ladders of a record, by surface.
func ladders(t *testing.T, rec *record.Record) map[string]*Ladder {
	t.Helper()
	v, err := NewView(rec)
	require.NoError(t, err)
	by := make(map[string]*Ladder)
	for _, l := range v.Ladders {
		by[l.Surface] = l
	}
	return by
}

// only keeps the results of a record whose name contains a part.
func only(rec *record.Record, part string) *record.Record {
	kept := &record.Record{Plan: rec.Plan}
	for _, r := range rec.Results {
		if strings.Contains(r.Name, part) {
			kept.Results = append(kept.Results, r)
		}
	}
	return kept
}

func TestLaddersAreInOrder(t *testing.T) {
	rec := sampleSeries()
	for i, j := 0, len(rec.Results)-1; i < j; i, j = i+1, j-1 {
		rec.Results[i], rec.Results[j] = rec.Results[j], rec.Results[i]
	}
	v, err := NewView(rec)
	require.NoError(t, err)
	require.Len(t, v.Ladders, 3)
	assert.Equal(t, []string{"dynamic", "meta", "individual"}, []string{v.Ladders[0].Surface, v.Ladders[1].Surface, v.Ladders[2].Surface})
	l := v.Ladders[0]
	assert.Equal(t, "Series: http, dynamic, 1 to 10,000 credentials", l.heading())
	assert.Len(t, l.main(), 10)
	assert.Len(t, l.Groups, 2)
	assert.Equal(t, 10_000, l.Planned[len(l.Planned)-1])
	assert.Equal(t, "50%", l.Open[0].Title())
	assert.Equal(t, "1 credential", l.Steps[0].Title())
}

// A series alone has a page: the result of one filtered run.
func TestSeriesAlone(t *testing.T) {
	page := drawn(t, only(sampleSeries(), "Series/subject=gitlab-mcp/transport=http/surface=meta"))
	assert.Contains(t, page, "# What gitlab-mcp costs to run")
	assert.Contains(t, page, "## Series: http, meta, 1 to 1,000 credentials")
	assert.Contains(t, page, "-bench 'Series/.*/transport=http/surface=meta' -benchtime=1x -timeout 0 ./bench_test")
	assert.Contains(t, page, "**This record is partial.** Planned and not in it: 3 of Open/subject=gitlab-mcp/transport=http/surface=dynamic/…")
	for _, absent := range []string{"## Memory\n", "Warm `tools/list`", "Calls at a rate**", "admitted one at a time", "| Scenario | Clients |"} {
		assert.NotContains(t, page, absent)
	}
	atGlance, _, _ := strings.Cut(page, "## What to plan for")
	assert.Contains(t, atGlance, "| http, meta | 1,000 |", "the first screen has a table")
}

// Open loops alone have one too.
func TestOpenLoopsAlone(t *testing.T) {
	page := drawn(t, only(sampleSeries(), "Open/"))
	assert.Contains(t, page, "## Calls at a rate: http, meta")
	assert.NotContains(t, page, "Series:")
	assert.NotContains(t, page, "What to plan for")
}

func TestSeriesLeaveThePointsAlone(t *testing.T) {
	section := func(page, heading string) string {
		_, after, found := strings.Cut(page, "\n## "+heading+"\n")
		require.True(t, found, heading)
		text, _, _ := strings.Cut(after, "\n## ")
		return text
	}
	points, whole := drawn(t, sampleRecord()), drawn(t, wholeRecord())
	for _, heading := range []string{"Memory", "Processor time", "What a client waits for", "Latency under load"} {
		assert.Equal(t, section(points, heading), section(whole, heading))
	}
}

func TestStopsAreTold(t *testing.T) {
	by := ladders(t, sampleSeries())
	assert.Equal(t, "Every planned step ran, up to 10,000 credentials.", by["dynamic"].stopped())
	assert.Equal(t, "**Stopped** at 500 credentials (round 1): latency-ceiling: tools/call p99 was 31.2 s, and the ceiling is 30 s. "+
		"Every planned step ran in at least one round.", by["meta"].stopped())
	assert.Equal(t, "**Stopped** at 500 credentials (rounds 1, 2 and 3): memory-budget: 1000 credentials are estimated to peak at 6.3 GiB, "+
		"and the budget is 4.8 GiB. Planned and not measured in any round: 1,000 credentials.", by["individual"].stopped())

	rec := only(sampleSeries(), "surface=dynamic/creds=1")
	assert.Contains(t, ladders(t, rec)["dynamic"].stopped(), "Planned and not measured in any round: 2, 5, 20, 50, 200, 500, 2,000 and 5,000 credentials.")
	rec.Plan = nil
	assert.Equal(t, "The record does not say what was planned; its last step is of 10,000 credentials.", ladders(t, rec)["dynamic"].stopped())
}

// A loop at a rate ends early as a step does.
func TestStopsOfOpenLoopsAreTold(t *testing.T) {
	rec := sampleSeries()
	assert.NotContains(t, drawn(t, rec), "**Stopped** at 80%")
	rec.Results[len(rec.Results)-2].Stop = "watchdog: load: 5 s without a call"
	assert.Contains(t, drawn(t, rec), "\n\n**Stopped** at 80% (round 3): watchdog: load: 5 s without a call.\n\n| Rate | Method |")
}

// What a stop rules out is not wanting, and what an interrupt left out is.
func TestMissingKnowsOfStops(t *testing.T) {
	rec := sampleSeries()
	assert.Empty(t, Missing(rec))
	assert.NotEmpty(t, rec.Missing())
	for _, stop := range []string{"timeout: add -timeout 0", ""} {
		for i := range rec.Results {
			if rec.Results[i].Stop != "" {
				rec.Results[i].Stop = stop
			}
		}
		assert.Equal(t, record.Plan{ascents()[1].name(1000): 1, ascents()[2].name(1000): 3}, Missing(rec))
	}
}

func TestLongPlansAreCounted(t *testing.T) {
	assert.Equal(t, "Series/a=b/creds=1 (3)", listed(record.Plan{"Series/a=b/creds=1": 3}))
	assert.Equal(t, "3 of Open/a=b/…, 10 of Series/a=b/…", func() string {
		plan := make(record.Plan)
		for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
			plan["Series/a=b/creds="+n] = 3
		}
		for _, n := range []string{"1", "2", "3"} {
			plan["Open/a=b/load="+n] = 1
		}
		return listed(plan)
	}())
}

// Steps of other settings are shown, marked, and kept out of lines and knees.
func TestStepsOfOtherSettingsAreSetAside(t *testing.T) {
	rec := sampleSeries()
	page := drawn(t, rec)
	assert.Contains(t, page, "| 2,000 <sup>‡</sup> | 2,000 |")
	assert.Contains(t, page, "<sup>‡</sup> 2,000, 5,000 and 10,000 credentials: with 1 request in flight for each credential, so in no line and no knee with the other rows.")
	before := ladders(t, rec)["dynamic"]
	for _, n := range []string{"2000", "5000", "10000"} {
		change(rec, where("dynamic/creds="+n), "peak-RSS-bytes", times(9))
		change(rec, where("dynamic/creds="+n), "calls/s", times(9))
	}
	after := ladders(t, rec)["dynamic"]
	assert.Equal(t, trend("peak-RSS-bytes", before.main()).Line, trend("peak-RSS-bytes", after.main()).Line)
	was, err := before.knee()
	require.NoError(t, err)
	is, err := after.knee()
	require.NoError(t, err)
	assert.Equal(t, was, is)
}

func TestSettingsOfThePopulationAlone(t *testing.T) {
	rec := only(sampleSeries(), "surface=meta/creds")
	for _, r := range rec.Results {
		r.Config[record.KeySettings] += " creds=" + r.Part("creds")
	}
	assert.Len(t, ladders(t, rec)["meta"].Groups, 1, "each population has its own creds=, which sets none apart")
	for _, r := range rec.Results {
		delete(r.Config, record.KeySettings)
	}
	assert.Equal(t, "The record does not say how the steps were loaded.", ladders(t, rec)["meta"].loadShape())
}

func TestMarkedStepsCarryNoLine(t *testing.T) {
	rec := sampleSeries()
	before := trend("peak-RSS-bytes", ladders(t, rec)["individual"].main())
	change(rec, "surface=individual/creds=200", "peak-RSS-bytes", times(7))
	doubt(rec, "surface=individual/creds=200", "late sends")
	l := ladders(t, rec)["individual"]
	after := trend("peak-RSS-bytes", l.main())
	assert.Equal(t, before.N-3, after.N)
	assert.InDelta(t, before.Slope, after.Slope, 0.05*before.Slope)
	page := drawn(t, rec)
	assert.Contains(t, page, "| 200 <sup>†</sup> |")
	assert.Contains(t, page, "<sup>†</sup> 200 credentials, doubted, so that no statement uses it: round 1 (late sends), round 2 (late sends), round 3 (late sends).")

	l = ladders(t, sampleSeries())["dynamic"]
	assert.Equal(t, 29, trend("peak-RSS-bytes", l.main()).N, "the doubted round alone is left out of its step")
}

func TestLinesSayWhatTheyAre(t *testing.T) {
	by := ladders(t, sampleSeries())
	straight := trend("rest-heap-bytes", by["dynamic"].main())
	assert.True(t, straight.Reliable())
	assert.InDelta(t, 38_000, straight.Slope, 400)
	bent := trend("peak-RSS-bytes", by["meta"].main())
	assert.True(t, bent.Known())
	assert.False(t, bent.Reliable())
	page := drawn(t, sampleSeries())
	assert.Contains(t, page, "| not linear: ")
	assert.Contains(t, line(t, page, "| Peak, all calling <sup>‡</sup>"), "| n/a <sup>a</sup> | 50.7 | n/a <sup>a</sup> | 9 over 3 steps |")
	assert.Contains(t, page, "<sup>a</sup> n/a: it takes 5 steps; a line through fewer runs close to all of them")

	rec := sampleSeries()
	withhold(rec, "closed-heap-bytes", "the subject has no heap profile")
	assert.Contains(t, drawn(t, rec), "| Live heap at rest, disconnected | 1–1,000 | n/a <sup>a</sup> |")
	assert.Equal(t, "the subject has no heap profile", trend("closed-heap-bytes", ladders(t, rec)["meta"].main()).Absent)
	assert.Contains(t, trend("peak-RSS-bytes", by["meta"].main()[:1]).Absent, "a slope needs a second step")
	assert.Equal(t, "no step is to be believed", trend("peak-RSS-bytes", nil).Absent)
}

func TestKneeWords(t *testing.T) {
	rec := sampleSeries()
	assert.Contains(t, ladders(t, rec)["meta"].kneeWords(), "Throughput stops growing at about 5.08 calls in flight (")
	assert.Contains(t, ladders(t, rec)["individual"].kneeWords(), "932 calls a second, where a call that waits for no other takes 3.90 ms.")
	withhold(rec, "alone-ns/call", "x")
	assert.Contains(t, ladders(t, rec)["meta"].kneeWords(), "Throughput does not grow beyond the lightest step: about 5.")
	assert.Contains(t, line(t, drawn(t, rec), "| http, meta | 1,000 |"), "| 2,060 | at or below 5.")
	assert.Contains(t, ladders(t, only(rec, "creds=20"))["meta"].kneeWords(), "cannot be told: too few steps")
	for _, r := range rec.Results {
		for i, v := range r.Values {
			if inflight, ok := r.Value("inflight"); ok && v.Unit == "calls/s" {
				r.Values[i].Amount = inflight * 3
			}
		}
	}
	assert.Contains(t, ladders(t, rec)["meta"].kneeWords(), "throughput still grows at 4000 in flight. The most it came to is")
	page := drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, meta | 1,000 |"), "<sup>c</sup> | 12,000 <sup>a</sup> | n/a <sup>b</sup> |")
	assert.Contains(t, page, "<sup>a</sup> of the highest step, since the series shows no plateau.")
	assert.Contains(t, page, "<sup>b</sup> n/a: no knee within the ladder: throughput still grows at 4000 in flight.")
	withhold(rec, "calls/s", "x")
	assert.Contains(t, ladders(t, rec)["meta"].kneeWords(), "cannot be told")
}

func TestRoundsWithoutNumberAreTheirPlace(t *testing.T) {
	assert.Equal(t, 2, roundOf(record.Result{Identity: map[string]string{record.KeyRound: "2"}}, 0))
	assert.NotEqual(t, roundOf(record.Result{}, 0), roundOf(record.Result{}, 1))
}

func TestLoadWords(t *testing.T) {
	assert.Equal(t, "4 requests in flight for each credential, 10 s of mixed load a round and `x=1`", loadWords("in-flight=4 step=10s x=1"))
	assert.Equal(t, "1 request in flight for each credential and soon of mixed load a round", loadWords("in-flight=1 step=soon"))
	assert.Equal(t, "other settings", difference("a=1 b=2", "a=1"))
}

func TestCountsAreOfAllResults(t *testing.T) {
	rec := wholeRecord()
	change(rec, "Series/subject=gitlab-mcp/transport=http/surface=meta/creds=20", "failed-calls", to(2)) // and 200
	doubt(rec, "surface=meta/creds=20", "calls failed")
	page := drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, meta, series |"), "| 0 | 12 |")
	assert.Contains(t, glance(t, rec)["Failures"], "12 failed and 0 were refused")
}

func TestPopulationsOfOneStep(t *testing.T) {
	rec := only(sampleSeries(), "surface=meta/creds=500")
	l := ladders(t, rec)["meta"]
	assert.Equal(t, "Series: http, meta, 500 credentials", l.heading())
	page := drawn(t, rec)
	assert.Contains(t, page, "n/a: a slope needs a second step.")
	assert.Contains(t, page, "n/a: too few steps for a knee")
}

func TestNamesThatSayNoPopulation(t *testing.T) {
	page := drawn(t, &record.Record{Results: []record.Result{
		{Name: "Series/surface=odd/shape=round", Values: []record.Value{{Unit: "threads", Amount: 3}}},
		{Name: "Open/surface=odd/load=half", Values: []record.Value{{Unit: "calls/s", Amount: 3}}},
	}})
	assert.Contains(t, page, "| Series/surface=odd/shape=round |")
	assert.Contains(t, page, "| Open/surface=odd/load=half |")
}

// Where calls go one at a time says how far the lightest step is beyond the knee.
func TestOneCallerIsBelowTheLadder(t *testing.T) {
	rec := sampleSeries()
	change(rec, "Series", "alone-ns/call", to(1e6))
	k, err := ladders(t, rec)["dynamic"].knee()
	require.NoError(t, err)
	assert.Equal(t, time.Millisecond, k.Response)
	assert.InDelta(t, k.PerSecond/1000, k.InFlight, 1e-9)
	assert.Equal(t, 3, k.Rounds.N, "each round has one caller of its own")

	change(rec, "creds=1000", "alone-ns/call", to(1e3))
	same, err := ladders(t, rec)["dynamic"].knee()
	require.NoError(t, err)
	assert.Equal(t, k, same, "only that of the lightest step counts")

	doubt(rec, "creds=1", "late sends") // and all that begin with 1
	doubted, err := ladders(t, rec)["dynamic"].knee()
	require.NoError(t, err)
	assert.Equal(t, time.Millisecond, doubted.Response, "the lightest that is believed")
	assert.Empty(t, callersAlone(&Scenario{Results: []record.Result{{}}}))
}

// A surface whose memory does not grow in a line says at a glance by how much it
// grew on average, and that this is no line.
func TestSlopesAtAGlance(t *testing.T) {
	const unit = "peak-RSS-bytes"
	for _, tc := range []struct {
		name   string
		change func(*record.Record)
		want   string
		notes  []string
	}{
		{"a line", func(rec *record.Record) { grow(rec, unit, 50*mebi, 2*mebi) }, "2 MiB", nil},
		{"it bends", func(rec *record.Record) {
			grow(rec, unit, 50*mebi, mebi)
			change(rec, "creds=1000", unit, to((51+2*999)*mebi))
		}, "2 MiB on average to 1,000", []string{"<sup>a</sup> not linear: the step at 1000 is"}},
		{"it shrinks in the end", func(rec *record.Record) {
			grow(rec, unit, 50*mebi, mebi)
			change(rec, "creds=1000", unit, to(mebi))
		}, "−51.3 KiB on average to 1,000", []string{"<sup>a</sup> not linear: "}},
		{"the last is doubted", func(rec *record.Record) {
			grow(rec, unit, 50*mebi, mebi)
			change(rec, "creds=500", unit, to((51+2*499)*mebi))
			change(rec, "creds=1000", unit, to(9000*mebi))
			doubt(rec, "creds=1000", "x")
		}, "2 MiB on average to 500", []string{"<sup>a</sup> not linear: the step at 500 is"}},
		{"few steps", func(rec *record.Record) {
			*rec = *only(rec, "creds=5")
			grow(rec, unit, 50*mebi, mebi)
		}, "1 MiB on average to 500", []string{"<sup>a</sup> not shown to be linear: 3 steps are too few to tell, which takes 5."}},
		{"one step", func(rec *record.Record) { *rec = *only(rec, "creds=500") }, "n/a", []string{"<sup>a</sup> n/a: a slope needs a second step."}},
		{"unknown", func(rec *record.Record) { withhold(rec, unit, "no permission") }, "n/a", []string{"<sup>a</sup> n/a: no permission."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := only(sampleSeries(), "surface=meta/creds")
			tc.change(rec)
			m := &tableMaker{}
			assert.Equal(t, tc.want, m.slope(unit, ladders(t, rec)["meta"].main()).Text)
			notes := m.finish().Notes
			require.Len(t, notes, len(tc.notes))
			for i, want := range tc.notes {
				assert.Contains(t, notes[i], want)
			}
		})
	}
}

// Steps that lie close together but for one have a slope, and no interval.
func TestLineWithoutAnInterval(t *testing.T) {
	line := Trend{Line: stat.Line{Steps: stat.MinFit, N: stat.MinFit}, Straight: true}
	assert.Equal(t, "too few of the steps are far enough apart", line.bent())
	assert.False(t, line.Reliable())
	m := &tableMaker{}
	m.fitRow("Peak", Group{Steps: []*Scenario{{Credentials: 1}, {Credentials: 1000}}}, false, line)
	assert.Equal(t, []string{"<sup>a</sup> n/a: too few of the steps are far enough apart."}, m.finish().Notes)
}

func TestGivenUpIsCounted(t *testing.T) {
	rec := wholeRecord()
	change(rec, "surface=meta/creds=500", "cut-calls", to(3)) // three rounds of it
	page := drawn(t, rec)
	assert.Contains(t, page, "| Scenario | Answered | Refused | Failed | Given up | Reconnects |")
	assert.Contains(t, line(t, page, "| http, meta, series |"), "| 0 | 0 | 9 | 0 | 1 |")
	assert.Contains(t, line(t, page, "| http, meta, at a rate |"), "| 0 | 0 | 0 | 0 | 1 |")
	assert.Contains(t, line(t, page, "| http, meta | 4,032 |"), "| 0 | 0 | n/a <sup>a</sup> | 0 | 1 |")
	assert.Contains(t, page, "n/a: counted in series and at rates alone.")
	assert.NotContains(t, drawn(t, sampleRecord()), "Given up")
}

// The command of a step is that step's and no other's: go test matches each
// element of a name by itself.
func TestOneStepIsMeasuredByItsName(t *testing.T) {
	page := drawn(t, sampleSeries())
	assert.Contains(t, page, "\ngo test -run '^$' -bench 'Series/.*/transport=http/surface=dynamic/creds=1000$' -benchtime=1x -timeout 0 ./bench_test\n",
		"the largest of those loaded alike")
	assert.Contains(t, page, "surface=individual/creds=500$'", "the last that ran")
	assert.Contains(t, oneStep(&Scenario{Name: "Series/surface=odd/shape=round"}), "-bench 'Series/surface=odd/shape=round' ")
}

// What was never sent would have waited longest.
func TestUnsentMakesLowerBounds(t *testing.T) {
	rec := sampleSeries()
	assert.NotContains(t, drawn(t, rec), "are lower bounds")
	change(rec, where("load=95pct"), "unsent-calls", to(3000))
	assert.Regexp(t, `At 95% \([0-9.]+% of the calls\) calls were never sent, which would have waited longest: latencies there are lower bounds\.`, drawn(t, rec))
}
