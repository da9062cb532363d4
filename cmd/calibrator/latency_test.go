package main

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawsOf are the draws that a flag makes.
func drawsOf(t *testing.T, text string, seed uint64) draws {
	t.Helper()
	var d distribution
	require.NoError(t, d.Set(text))
	assert.Equal(t, text, d.String())
	return newDraws(d.quantile, seed)
}

// rank returns the nearest-rank percentile of draws, p in percent.
func rank(d draws, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[int(math.Ceil(p/100*float64(len(sorted))))-1]
}

func TestNoLatency(t *testing.T) {
	assert.Zero(t, newDraws(nil, 1).of(1))
}

func TestConst(t *testing.T) {
	d := drawsOf(t, "const:5ms", 1)
	for i := range int64(2 * drawn) {
		require.Equal(t, 5*time.Millisecond, d.of(i+1))
	}
}

func TestBimodal(t *testing.T) {
	d := drawsOf(t, "bimodal:1ms@0.9,50ms@0.1", 1)
	count := make(map[time.Duration]int)
	for i := range int64(drawn) {
		count[d.of(i+1)]++
	}
	assert.Equal(t, map[time.Duration]int{time.Millisecond: 900, 50 * time.Millisecond: 100}, count)
	assert.Equal(t, time.Millisecond, rank(d, 90))
	assert.Equal(t, 50*time.Millisecond, rank(d, 91))
}

func TestThreeModes(t *testing.T) {
	d := drawsOf(t, "bimodal:1ms@0.985,20ms@0.01,2s@0.005", 7)
	assert.Equal(t, time.Millisecond, rank(d, 98.5))
	assert.Equal(t, 20*time.Millisecond, rank(d, 99))
	assert.Equal(t, 2*time.Second, rank(d, 100))
}

// TestLognormal compares with the closed forms of its quantiles and its mean.
func TestLognormal(t *testing.T) {
	d := drawsOf(t, "lognormal:10ms,0.8", 1)
	mu := math.Log(10e6) - 0.32
	for p, z := range map[float64]float64{50: 0, 90: 1.281552, 99: 2.326348} {
		assert.InEpsilon(t, math.Exp(mu+0.8*z), float64(rank(d, p)), 0.02, "p%g", p)
	}
	assert.InEpsilon(t, math.Exp(mu+0.8*3.290527), float64(rank(d, 100)), 1e-6, "the quantile at 0.9995")
	var sum time.Duration
	for _, one := range d {
		sum += one
	}
	assert.InEpsilon(t, float64(10*time.Millisecond), float64(sum)/drawn, 0.01)
}

func TestDrawsInARow(t *testing.T) {
	d := drawsOf(t, "lognormal:10ms,0.8", 1)
	want := slices.Sorted(slices.Values(d))
	for _, from := range []int64{1, 2, 333, 1001} {
		var row draws
		for i := range int64(drawn) {
			row = append(row, d.of(from+i))
		}
		slices.Sort(row)
		assert.Equal(t, draws(want), row, "any thousand in a row are all there are")
	}
}

// TestDrawsOfAnyStretch counts, in stretches of any length, the draws above the 99th percentile and those below the
// median.
func TestDrawsOfAnyStretch(t *testing.T) {
	d := drawsOf(t, "lognormal:10ms,0.8", 1)
	p99, p50 := rank(d, 99), rank(d, 50)
	for _, n := range []int64{100, 250, 777, 1234, 2500} {
		for from := int64(1); from <= drawn; from += 7 {
			above, below := 0, 0
			for i := range n {
				if d.of(from+i) > p99 {
					above++
				}
				if d.of(from+i) <= p50 {
					below++
				}
			}
			require.InDelta(t, 0.01*float64(n), above, 3, "of %d from %d", n, from)
			require.InDelta(t, 0.5*float64(n), below, 3, "of %d from %d", n, from)
		}
	}
}

func TestSeed(t *testing.T) {
	one, again, other := drawsOf(t, "lognormal:10ms,0.8", 1), drawsOf(t, "lognormal:10ms,0.8", 1), drawsOf(t, "lognormal:10ms,0.8", 2)
	assert.Equal(t, one, again)
	assert.NotEqual(t, one, other)
	assert.False(t, slices.IsSorted(one), "they do not rise")
}

func TestDistributionRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "use const:",
		"pareto:1ms":                 "use const:",
		"const:fast":                 "use a time",
		"const:-1ms":                 "use a time",
		"bimodal:1ms@0.9":            "sum to 0.9",
		"bimodal:1ms@0.9,2ms":        "TIME@WEIGHT",
		"bimodal:x@0.9,2ms@0.1":      "use a time",
		"bimodal:1ms@1.5,2ms@-0.5":   "TIME@WEIGHT",
		"bimodal:1ms@NaN,2ms@0.5":    "TIME@WEIGHT",
		"lognormal:10ms":             "MEAN,SIGMA",
		"lognormal:0s,1":             "MEAN,SIGMA",
		"lognormal:10ms,9":           "MEAN,SIGMA",
		"lognormal:10ms,NaN":         "MEAN,SIGMA",
		"lognormal:a while,1":        "use a time",
		"bimodal:1ms@0.5,2ms@0.5,":   "use a time",
		"bimodal:1ms@0.5;2ms@0.5":    "TIME@WEIGHT",
		"bimodal:1ms@0.5,2ms@0.5001": "sum to",
	} {
		var d distribution
		require.ErrorContains(t, d.Set(text), want, text)
	}
}
