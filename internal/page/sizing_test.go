package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exactSizer is that of a series whose memory follows its model to the byte:
// 50 MiB, 0.25 MiB for a credential held and 2 MiB for a call in flight.
func exactSizer(t *testing.T) *Sizer {
	t.Helper()
	rec := sampleSeries()
	for _, unit := range []string{"rest-RSS-bytes", "all-RSS-bytes"} {
		grow(rec, unit, 30*mebi, 0.2*mebi)
	}
	grow(rec, "rest-heap-bytes", 20*mebi, 0.25*mebi)
	grow(rec, "peak-RSS-bytes", 50*mebi, (0.25+4*2)*mebi)
	return newSizer(ladders(t, rec)["meta"])
}

func TestModelIsRecovered(t *testing.T) {
	s := exactSizer(t)
	require.Empty(t, s.NoModel)
	assert.InDelta(t, 50*mebi, s.Model.Base.Middle, 1)
	assert.InDelta(t, 0.25*mebi, s.Model.Held.Middle, 1, "the steepest of the lines without load")
	assert.InDelta(t, 2*mebi, s.Model.Call.Middle, 1)
	got, why := s.Memory(1000, 7)
	assert.Empty(t, why)
	assert.InDelta(t, (50+250+14)*mebi, got.Middle, 10)
	assert.LessOrEqual(t, got.Lo, got.Middle)
	assert.GreaterOrEqual(t, got.Hi, got.Middle)
	assert.NotEmpty(t, got.Refs)
}

func TestMemoryIsNotGuessed(t *testing.T) {
	s := exactSizer(t)
	_, why := s.Memory(1001, 1)
	assert.Equal(t, "beyond the 1,000 credentials that the lines on meta go to", why)
	_, why = s.Memory(1000, 4001)
	assert.Equal(t, "beyond the calls in flight measured on meta", why)

	rec := sampleSeries()
	withhold(rec, "inflight", "x")
	s = newSizer(ladders(t, rec)["meta"])
	assert.Contains(t, s.NoModel, "how many calls were in flight")
	_, why = s.Memory(10, 1)
	assert.Equal(t, "beyond the calls in flight measured on meta", why)
	withhold(rec, "peak-RSS-bytes", "no permission")
	assert.Contains(t, newSizer(ladders(t, rec)["meta"]).NoModel, "how many")

	rec = sampleSeries()
	withhold(rec, "peak-RSS-bytes", "no permission")
	assert.Equal(t, "no permission", newSizer(ladders(t, rec)["meta"]).NoModel)
}

// Where the peaks lie on no line, memory is what a step was seen to take.
func TestMemoryFromSteps(t *testing.T) {
	rec := sampleSeries()
	s := newSizer(ladders(t, rec)["meta"])
	require.Contains(t, s.NoModel, "not linear")
	step := s.Steps[2]
	require.Equal(t, 5, step.Credentials, "the lightest with 9 calls in flight or more")
	got, why := s.Memory(105, 9)
	assert.Empty(t, why)
	assert.InDelta(t, step.Figure("peak-RSS-bytes").Max+100*s.held.Slope, got.Middle, 1)
	fewer, _ := s.Memory(3, 9)
	assert.InDelta(t, step.Figure("peak-RSS-bytes").Max, fewer.Middle, 1, "a step with more credentials is enough")
	page := drawn(t, rec)
	assert.Contains(t, page, "On `meta` no straight line runs through the peaks, so memory there is the largest peak")
	assert.Contains(t, line(t, page, "| http, meta | n/a <sup>a</sup>"), "| 55.1 KiB (53.5–56.4) | n/a <sup>a</sup> |")
}

func TestLoadThatARateFitsInto(t *testing.T) {
	rec := sampleSeries()
	s := newSizer(ladders(t, rec)["meta"])
	for _, tc := range []struct {
		perSecond float64
		want      string
	}{{1, "50%"}, {1020, "50%"}, {1021, "80%"}, {1900, "95%"}} {
		load, why := s.Load(tc.perSecond)
		require.NotNil(t, load, why)
		assert.Equal(t, tc.want, load.Title())
	}
	load, why := s.Load(1e6)
	assert.Nil(t, load)
	assert.Equal(t, "beyond the 1,939 calls a second at which meta was seen to keep up", why)

	change(rec, "Open", "unsent-calls", to(1))
	load, _ = newSizer(ladders(t, rec)["meta"]).Load(1)
	require.NotNil(t, load)
	assert.Equal(t, "1 credential", load.Title(), "an open loop that did not keep up says nothing")
	assert.InDelta(t, 4/load.Figure("calls/s").Median, load.Latency.Seconds(), 1e-6, "Little's law")

	withhold(rec, "calls/s", "x")
	load, why = newSizer(ladders(t, rec)["meta"]).Load(1)
	assert.Nil(t, load)
	assert.Equal(t, "no load on meta that is to be believed says how long a call takes", why)
}

func TestMeanLatencyWeighsMethods(t *testing.T) {
	rec := sampleSeries()
	for unit, amount := range map[string]float64{"call-calls": 300, "list-calls": 100, "call-mean-ns": 1e6, "list-mean-ns": 5e6} {
		change(rec, "Open", unit, to(amount))
	}
	ns, ok := meanLatency(ladders(t, rec)["meta"].Open[0])
	assert.True(t, ok)
	assert.InDelta(t, 2e6, ns, 1)
	withhold(rec, "list-mean-ns", "x")
	_, ok = meanLatency(ladders(t, rec)["meta"].Open[0])
	assert.False(t, ok)
}

func TestNeed(t *testing.T) {
	s := exactSizer(t)
	n := s.Need(100, 10*time.Second)
	assert.InDelta(t, 10, n.PerSecond, 1e-9)
	assert.InDelta(t, 10*n.Load.Latency.Seconds(), n.Mean, 1e-9)
	assert.GreaterOrEqual(t, n.Most, 1)
	assert.Equal(t, 1, s.Need(1, time.Hour).Most, "whoever calls is in flight")
	assert.InDelta(t, (50+25+2*float64(n.Most))*mebi, n.Memory.Middle, 10)
	n = s.Need(1000, time.Millisecond)
	assert.Nil(t, n.Load)
	assert.Contains(t, n.NoLoad, "beyond the")
}

func TestPlanningFollowsTheRecord(t *testing.T) {
	rec := sampleSeries()
	change(rec, "Open", "cpu-ns/call", to(50e6))
	change(rec, "surface=meta/load", "offered-calls/s", to(20))
	page := drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, dynamic | 100 | 10 |"), "| 0.500 |", "10 calls a second of 50 ms")
	assert.Contains(t, line(t, page, "| http, meta | 1,000 | 10 |"), "| 100 |")
	assert.Contains(t, line(t, page, "| http, individual | 1,000 | 60 |"), "n/a <sup>b</sup>")

	change(rec, "surface=meta/creds", "calls/s", to(30))
	page = drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, meta | 1,000 | 10 |"), "| 100 | n/a <sup>b</sup> | n/a <sup>b</sup> |")
	assert.Contains(t, page, "<sup>b</sup> n/a: beyond the 20 calls a second at which meta was seen to keep up.")

	withhold(rec, "cpu-ns/call", "no permission")
	withhold(rec, "call-cpu-ns/call", "no permission")
	assert.Contains(t, drawn(t, rec), "n/a: no permission.")
	doubt(rec, "surface=meta", "x")
	assert.Contains(t, drawn(t, rec), "No rows for http, meta: no load on meta that is to be believed says how long a call takes.")
	doubt(rec, everywhere, "x")
	assert.NotContains(t, drawn(t, rec), "What to plan for")
}

func TestCountedIsNotFinerThanAPlan(t *testing.T) {
	assert.Equal(t, "under 0.01", counted(0.0001).Text)
	assert.Equal(t, "0.0123", counted(0.0123).Text)
	assert.Equal(t, "0", counted(0).Text)
}

// What lies on no line is not passed over for a line that says less.
func TestHeldIsTheSteepestEvenIfBent(t *testing.T) {
	rec := sampleSeries()
	straight := newSizer(ladders(t, rec)["dynamic"])
	bent := trend("rest-RSS-bytes", straight.main())
	change(rec, where("dynamic/creds=1000"), "rest-RSS-bytes", times(2))
	s := newSizer(ladders(t, rec)["dynamic"])
	assert.False(t, s.held.Reliable())
	assert.Equal(t, "rest-RSS-bytes", s.held.Unit)
	assert.Greater(t, s.holds().Middle, bent.Slope)
	assert.Less(t, s.holds().Lo, s.holds().Middle, "the steps before grew by less")
	assert.InDelta(t, s.holds().Middle, s.holds().Hi, 1e-9)
	assert.Contains(t, drawn(t, rec), "On `dynamic` what a credential held takes lies on no straight line")
}
