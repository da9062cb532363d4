package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

// Three series as a server of this kind was once published with, in MiB at the
// steps of population: what a credential costs to hold is a line, and what it
// costs to serve is not.
func TestLinearOnPublishedSeries(t *testing.T) {
	for _, tc := range []struct {
		name   string
		ys     []float64
		slope  float64
		reason string
	}{
		{"dynamic, settled heap", []float64{39.0, 39.1, 39.2, 39.5, 40.0, 41.5, 44.0, 48.9, 64.0, 88.3}, 0.0497, ""},
		{"meta, settled heap", []float64{32.6, 32.7, 32.8, 33.1, 33.6, 35.2, 37.9, 43.2, 59.5, 83.5}, 0.0533, ""},
		{"individual, settled heap", []float64{88.1, 88.3, 88.4, 88.5, 88.8, 89.7, 91.1, 94.0, 103, 117}, 0.0288, ""},
		{"dynamic, peak", []float64{154, 192, 232, 277, 364, 481, 608, 1070, 3089, 1454}, 4.07,
			"the step at 1000 is 66% off the line"},
		{"meta, peak", []float64{146, 179, 203, 226, 257, 388, 406, 531, 689, 1009}, 0.949,
			"the step at 50 is 32% off the line"},
		{"individual, peak", []float64{296, 338, 530, 673, 1073, 1303, 1724, 3274, 3427, 4677}, 6.03,
			"the step at 200 is 46% off the line"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := -1
			points := series(population, func(float64) float64 { i++; return tc.ys[i] })
			line, err := stat.Fit(points)
			require.NoError(t, err)
			assert.InEpsilon(t, tc.slope, line.Slope, 0.01)
			linear, reason := stat.Linear(points, line)
			assert.Equal(t, tc.reason, reason)
			assert.Equal(t, tc.reason == "", linear)
		})
	}
}

// Straight series with 5% noise must be called linear in 95% of draws, and
// bent ones with the same noise not. Draws of many rounds are fewer, as each
// takes longer and is surer.
func TestLinearTellsLinesFromBends(t *testing.T) {
	for _, tc := range []struct {
		name   string
		of     func(x float64) float64
		rounds []int // in which the verdict is sure
		linear bool
	}{
		{"39+x/20", func(x float64) float64 { return 39 + 0.05*x }, []int{1, 3, 6}, true},
		{"150+1.9x", func(x float64) float64 { return 150 + 1.9*x }, []int{1, 3, 6}, true},
		{"4x", func(x float64) float64 { return 4 * x }, []int{1, 3, 6}, true},
		{"falling", func(x float64) float64 { return 100 - 0.05*x }, []int{1, 3, 6}, true},
		{"saturating at 200", func(x float64) float64 { return 150 + 1000*x/(200+x) }, []int{1, 3, 6}, false},
		{"saturating at 1000", func(x float64) float64 { return 40 + 1000*x/(1000+x) }, []int{3, 6}, false},
		{"square root", func(x float64) float64 { return 100 + 40*math.Sqrt(x) }, []int{1, 3, 6}, false},
		{"quadratic", func(x float64) float64 { return 150 + x + x*x/500 }, []int{1, 3, 6}, false},
		{"square", func(x float64) float64 { return x * x }, []int{1, 3, 6}, false},
		{"twofold, saturating", func(x float64) float64 { return 39 + 50*x/(300+x) }, []int{3, 6}, false},
		{"half quadratic", func(x float64) float64 { return 150 + x + x*x/1000 }, []int{3, 6}, false},
		{"twofold, quadratic", func(x float64) float64 { return 39 + 50*x*x/1e6 }, []int{6}, false},
	} {
		for _, rounds := range tc.rounds {
			rnd := rand.New(rand.NewPCG(3, uint64(rounds)))
			trials, right := 1000/rounds, 0
			for range trials {
				points := noisy(rounds, func(x float64) float64 { return tc.of(x) * (1 + 0.05*rnd.NormFloat64()) })
				line, err := stat.Fit(points)
				require.NoError(t, err)
				if linear, _ := stat.Linear(points, line); linear == tc.linear {
					right++
				}
			}
			t.Logf("%s, %d rounds: %.3f", tc.name, rounds, float64(right)/float64(trials))
			assert.GreaterOrEqual(t, float64(right)/float64(trials), 0.95, "%s, %d rounds", tc.name, rounds)
		}
	}
}

// A departure that is no bend, but that all six rounds repeat.
func TestLinearSeesWhatRoundsRepeat(t *testing.T) {
	wave := []float64{1, -1, -1, 1, 1, -1, -1, 1, 1, -1}
	i := -1
	points := noisy(6, func(x float64) float64 { i++; return 100 + 0.01*x + 8*wave[i%10] })
	line, err := stat.Fit(points)
	require.NoError(t, err)
	linear, reason := stat.Linear(points, line)
	assert.False(t, linear)
	assert.Equal(t, "all rounds are on the same side of the line in 10 of 10 steps", reason)

	line, err = stat.Fit(points[:10])
	require.NoError(t, err)
	linear, reason = stat.Linear(points[:10], line)
	assert.True(t, linear, "one round cannot tell it from noise: %s", reason)
}

func TestLinearSaysWhichWay(t *testing.T) {
	for _, tc := range []struct {
		of     func(x float64) float64
		reason string
	}{
		{func(x float64) float64 { return 100 + 40*x/(1000+x) }, "the middle of the ladder lies above its ends, growth slackens"},
		{func(x float64) float64 { return 100 + 20*x*x/1e6 }, "the ends of the ladder lie above its middle, growth quickens"},
	} {
		even := []float64{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}
		points := slices.Repeat(series(even, tc.of), 3)
		line, err := stat.Fit(points)
		require.NoError(t, err)
		line.MaxOff = 0.1 // far enough to be asked about
		linear, reason := stat.Linear(points, line)
		assert.False(t, linear)
		assert.Equal(t, tc.reason, reason)
	}
}

// Values exactly on the line are neither above nor below, and no bend.
func TestLinearCountsTiesHalf(t *testing.T) {
	points := noisy(2, func(float64) float64 { return 100 })
	points[9].Y, points[19].Y = 110, 110
	line, err := stat.Fit(points)
	require.NoError(t, err)
	assert.InDelta(t, 0.09, line.MaxOff, 0.001)
	linear, reason := stat.Linear(points, line)
	assert.True(t, linear, reason)
}

func TestLinearRefuses(t *testing.T) {
	linear, reason := stat.Linear(nil, stat.Line{})
	assert.False(t, linear)
	assert.Contains(t, reason, "no values")

	points := series(population[:4], func(x float64) float64 { return x })
	line, err := stat.Fit(points)
	require.NoError(t, err)
	linear, reason = stat.Linear(points, line)
	assert.False(t, linear)
	assert.Equal(t, "4 steps are too few to tell, which takes 5", reason)
}
