package page

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// A wait is never said to be less because more calls come.
func TestWaitsDoNotFallAsTheRateRises(t *testing.T) {
	rec := sampleSeries()
	change(rec, "load=80pct", callP99, times(100))
	change(rec, "load=80pct", record50, times(100))
	change(rec, "load=80pct", record.Call.Unit("mean-ns"), times(100))
	s := newSizer(ladders(t, rec)["meta"])
	heavy := s.Open[1].Figure(callP99)
	require.Greater(t, heavy.Median, s.Open[2].Figure(callP99).Max, "or this shows nothing")
	var before Need
	for i, perSecond := range []int{100, 1600, 1900} {
		n := s.Need(100, 100*time.Second/time.Duration(perSecond))
		p99, why := n.P99()
		require.Empty(t, why)
		assert.LessOrEqual(t, p99.Lo, p99.Middle)
		assert.LessOrEqual(t, p99.Middle, p99.Hi)
		p50, why := n.P50()
		require.Empty(t, why)
		assert.Less(t, p50.Middle, p99.Middle+1)
		if i > 0 {
			was, _ := before.P99()
			assert.GreaterOrEqual(t, p99.Lo, was.Lo)
			assert.GreaterOrEqual(t, p99.Middle, was.Middle)
			assert.GreaterOrEqual(t, p99.Hi, was.Hi)
			assert.GreaterOrEqual(t, n.Load.Latency, before.Load.Latency)
		}
		before = n
	}
	p99, _ := before.P99()
	heavy.Refs = p99.Refs
	assert.Equal(t, heavy.rounds(), p99, "that of the lighter load")
}

var record50 = record.Call.Unit("p50-ns")

// What is withheld of a load is not taken from another, and what came before is
// not forgotten for it.
func TestWithheldWaitsStayWithheld(t *testing.T) {
	rec := sampleSeries()
	change(rec, "load=50pct", callP99, to(9e12))
	for i := range rec.Results {
		if r := &rec.Results[i]; r.Part("load") == "80pct" {
			r.Values = slices.DeleteFunc(r.Values, func(v record.Value) bool { return v.Unit == callP99 })
			r.MarkAbsent("too few", callP99)
		}
	}
	s := newSizer(ladders(t, rec)["meta"])
	_, why := s.Need(150, 100*time.Millisecond).P99()
	assert.Equal(t, "too few", why)
	p99, why := s.Need(100, 100*time.Millisecond).P99()
	assert.Empty(t, why)
	assert.InDelta(t, 9e12, p99.Middle, 0)
	for _, l := range s.loads()[2:] {
		assert.InDelta(t, 9e12, l.P99.Middle, 0, l.words())
	}
}

func TestTheGreaterOfTwoRanges(t *testing.T) {
	a := Range{Lo: 1, Middle: 5, Hi: 6, Refs: []string{"a", "b"}}
	assert.Equal(t, a, a.above(Range{Lo: 0, Middle: 4, Hi: 5, Refs: []string{"c"}}))
	assert.Equal(t, Range{Lo: 1, Middle: 5, Hi: 7, Refs: []string{"a", "b", "c"}}, a.above(Range{Lo: 0, Middle: 4, Hi: 7, Refs: []string{"b", "c"}}))
}

// What open loops were seen to wait says nothing of few callers who wait for their answers.
func TestWaitsOfThoseWhoCallWithoutPause(t *testing.T) {
	rec := only(sampleSeries(), "surface=meta")
	for _, load := range []where{"load=50pct", "load=80pct"} {
		change(rec, load, callP99, to(9e9))
	}
	c := calculatorOf(t, rec)
	n, err := c.Serving("meta", "http", 10, 2)
	require.NoError(t, err)
	p99, why := n.P99()
	require.Empty(t, why)
	want := ladders(t, rec)["meta"].Steps[0].Figure(callP99)
	assert.InDelta(t, want.Median, p99.Middle, 0, "of the lightest step, with four in flight")

	crowd, err := c.Need("meta", "http", 10, time.Second)
	require.NoError(t, err)
	p99, _ = crowd.P99()
	assert.InDelta(t, 9e9, p99.Middle, 0, "people come at random")
}
