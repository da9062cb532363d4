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

// population is the ladder of the concurrency series.
var population = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

func TestFitFindsTheLine(t *testing.T) {
	points := []stat.XY{{X: 10, Y: 25}, {X: 1, Y: 7}, {X: 2, Y: 9}, {X: 5, Y: 15}, {X: 20, Y: 45}}
	line, err := stat.Fit(points)
	require.NoError(t, err)
	assert.Equal(t, stat.Line{Slope: 2, Intercept: 5, Lo: 2, Hi: 2, Interval: true, Confidence: 0.95,
		N: 5, Steps: 5, MaxOffAt: 1}, line)
	assert.InDelta(t, 205, line.At(100), 0)
	assert.Equal(t, stat.XY{X: 10, Y: 25}, points[0], "the caller's values must stay in their order")

	line, err = stat.Fit(points[:4])
	require.NoError(t, err)
	assert.InDelta(t, 2, line.Slope, 0)
	assert.False(t, line.Interval, "four steps cannot carry a 95% interval")
	assert.Zero(t, line.Lo)
}

// The 95% ends for seven values are, by the tables of Kendall's tau, the slopes
// at ranks 4 and 18 of 21.
func TestFitTakesTheRanksOfTheInterval(t *testing.T) {
	points := []stat.XY{{1, 9}, {2, 15}, {3, 19}, {4, 20}, {10, 45}, {12, 55}, {18, 78}}
	var slopes []float64
	for i, a := range points {
		for _, b := range points[i+1:] {
			slopes = append(slopes, (b.Y-a.Y)/(b.X-a.X))
		}
	}
	slices.Sort(slopes)
	line, err := stat.Fit(points)
	require.NoError(t, err)
	assert.Equal(t, []float64{slopes[3], slopes[10], slopes[17]}, []float64{line.Lo, line.Slope, line.Hi})
	assert.InDelta(t, 4, line.Slope, 1e-12)
}

func TestFitKeepsSigns(t *testing.T) {
	line, err := stat.Fit(series(population, func(x float64) float64 { return 10 - 0.5*x }))
	require.NoError(t, err)
	assert.InDelta(t, -0.5, line.Slope, 1e-12)
	assert.InDelta(t, 10, line.Intercept, 1e-9)

	line, err = stat.Fit(series(population, func(float64) float64 { return 0 }))
	require.NoError(t, err)
	assert.Zero(t, line.MaxOff, "nothing off nothing is nothing")
}

func TestFitMeasuresWhatIsLeft(t *testing.T) {
	points := series([]float64{1, 2, 3, 4, 5, 6, 7}, func(x float64) float64 { return 100 * x })
	points[4].Y = 250 // the line says 500
	line, err := stat.Fit(points)
	require.NoError(t, err)
	assert.InDelta(t, 100, line.Slope, 0)
	assert.InDelta(t, 5, line.MaxOffAt, 0)
	assert.InDelta(t, 0.5, line.MaxOff, 0)
	assert.Zero(t, line.Residual, "the median value is on the line")

	points[4].Y = 1000
	line, err = stat.Fit(points)
	require.NoError(t, err)
	assert.InDelta(t, 0.5, line.MaxOff, 0, "twice as much is as far off as half")

	points[4].Y, points[0].Y = 500, 60 // 40 of the 400 in the middle
	line, err = stat.Fit(points)
	require.NoError(t, err)
	assert.InDelta(t, 0.1, line.MaxOff, 1e-12, "the foot of the ladder is measured by its middle")
}

// Five steps of which three are as good as one: no order of the rest is rare.
func TestFitWithholdsTheIntervalOfACrowdedFoot(t *testing.T) {
	line, err := stat.Fit(series([]float64{1, 10, 100, 4000, 10_000}, func(x float64) float64 { return x }))
	require.NoError(t, err)
	assert.InDelta(t, 1, line.Slope, 0)
	assert.False(t, line.Interval)
}

// A step is the median of its rounds, so that one bad round is no bad step.
func TestFitTakesRounds(t *testing.T) {
	points := slices.Repeat(series([]float64{1, 2, 5}, func(x float64) float64 { return 3*x + 1 }), 3)
	points[0].Y = 1000
	line, err := stat.Fit(points)
	require.NoError(t, err)
	assert.Equal(t, []int{9, 3}, []int{line.N, line.Steps})
	assert.InDelta(t, 3, line.Slope, 1e-12)
	assert.False(t, line.Interval, "rounds do not stand in for steps")
	assert.InDelta(t, 0, line.MaxOff, 1e-12)
}

func TestFitRefuses(t *testing.T) {
	_, err := stat.Fit(nil)
	require.ErrorIs(t, err, stat.ErrNoValues)
	_, err = stat.Fit([]stat.XY{{5, 1}, {5, 2}})
	require.ErrorIs(t, err, stat.ErrOneStep)
	_, err = stat.Fit([]stat.XY{{1, 1}, {math.NaN(), 2}})
	require.ErrorContains(t, err, "value 2 of 2 is NaN")
	_, err = stat.Fit([]stat.XY{{1, math.Inf(1)}, {2, 2}})
	require.ErrorContains(t, err, "value 1 of 2 is +Inf")
}

// An interval that claims 95% must hold the truth as often, on the ladder as
// it is and for noise of several shapes; 0.935 is three standard errors below.
// Noise that grows with the value breaks the assumption, and is held to less.
func TestFitIntervalCovers(t *testing.T) {
	const trials = 2000
	for _, tc := range []struct {
		name      string
		intercept float64
		noise     func(rnd *rand.Rand, y float64) float64
		least     float64
	}{
		{"normal", 39, func(rnd *rand.Rand, _ float64) float64 { return 2 * rnd.NormFloat64() }, 0.935},
		{"long-tailed", 39, func(rnd *rand.Rand, _ float64) float64 { return rnd.NormFloat64() / rnd.Float64() }, 0.935},
		{"one-sided", 39, func(rnd *rand.Rand, _ float64) float64 { return 2 * rnd.ExpFloat64() }, 0.935},
		{"growing twofold", 39, func(rnd *rand.Rand, y float64) float64 { return 0.05 * y * rnd.NormFloat64() }, 0.9},
		{"growing elevenfold", 5, func(rnd *rand.Rand, y float64) float64 { return 0.05 * y * rnd.NormFloat64() }, 0.8},
	} {
		for _, rounds := range []int{1, 3} {
			rnd, held := rand.New(rand.NewPCG(5, uint64(rounds))), 0
			for range trials {
				line, err := stat.Fit(noisy(rounds, func(x float64) float64 {
					y := tc.intercept + 0.05*x
					return y + tc.noise(rnd, y)
				}))
				require.NoError(t, err)
				if line.Lo <= 0.05 && 0.05 <= line.Hi {
					held++
				}
			}
			t.Logf("%s, %d rounds: %.3f", tc.name, rounds, float64(held)/trials)
			assert.Greater(t, float64(held)/trials, tc.least, "%s, %d rounds", tc.name, rounds)
		}
	}
}

// One bad step in ten, whichever, high or low, moves the slope by less than a
// twentieth in 95% of draws, at the noise that a settled heap has.
func TestFitResistsOneBadStep(t *testing.T) {
	const trials = 100
	rnd, worst := rand.New(rand.NewPCG(6, 6)), 0.0
	for _, rounds := range []int{1, 3} {
		for bad := range population {
			for _, factor := range []float64{0.1, 3, 100} {
				var moved []float64
				for range trials {
					points := noisy(rounds, func(x float64) float64 { return 39 + 0.05*x + 0.1*rnd.NormFloat64() })
					good, err := stat.Fit(points)
					require.NoError(t, err)
					for i := bad; i < len(points); i += len(population) {
						points[i].Y *= factor
					}
					line, err := stat.Fit(points)
					require.NoError(t, err)
					moved = append(moved, math.Abs(line.Slope/good.Slope-1))
				}
				p95, err := stat.Percentile(moved, 0.95)
				require.NoError(t, err)
				assert.Less(t, p95, 0.05, "%d rounds, step %v times %v", rounds, population[bad], factor)
				worst = max(worst, p95)
			}
		}
	}
	t.Logf("at worst by %.3f", worst)
}

// series is a metric over a ladder.
func series(xs []float64, of func(x float64) float64) []stat.XY {
	var points []stat.XY
	for _, x := range xs {
		points = append(points, stat.XY{X: x, Y: of(x)})
	}
	return points
}

// noisy is a metric over the ladder, round after round.
func noisy(rounds int, of func(x float64) float64) []stat.XY {
	var points []stat.XY
	for range rounds {
		points = append(points, series(population, of)...)
	}
	return points
}
