package stat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

// The definition is pinned on the cases in which definitions differ: an even
// number of values, a rank that is whole, and one that rounding pushes over.
func TestPercentileIsNearestRank(t *testing.T) {
	ten := []float64{100, 20, 30, 40, 50, 60, 70, 80, 90, 10}
	for _, tc := range []struct {
		name   string
		values []float64
		p      float64
		want   float64
	}{
		{"one value", []float64{7}, 0.01, 7},
		{"median of ten is the fifth", ten, 0.5, 50},
		{"p90 of ten is the ninth", ten, 0.9, 90},
		{"just over takes the next", ten, 0.9001, 100},
		{"smallest", ten, 0.0001, 10},
		{"all", ten, 1, 100},
		{"p99 of a hundred", upTo(100), 0.99, 99},
		{"p99 of a thousand", upTo(1000), 0.99, 990},
		{"p99.9 of a thousand", upTo(1000), 0.999, 999},
		{"p29 of a hundred", upTo(100), 0.29, 29},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := stat.Percentile(tc.values, tc.p)
			require.NoError(t, err)
			assert.InDelta(t, tc.want, got, 0)
		})
	}
	assert.InDelta(t, 100, ten[0], 0, "the caller's values must stay in their order")
	assert.Equal(t, "nearest-rank", stat.PercentileMethod)
}

func TestPercentileOfEveryWholeRank(t *testing.T) {
	for _, n := range []int{1, 3, 7, 100, 1000} {
		values := upTo(n)
		for k := 1; k <= n; k++ {
			got, err := stat.Percentile(values, float64(k)/float64(n))
			require.NoError(t, err)
			require.InDelta(t, float64(k), got, 0, "rank %d of %d", k, n)
		}
	}
}

func TestPercentileRefuses(t *testing.T) {
	for _, p := range []float64{0, -0.1, 1.01, 99, math.NaN()} {
		_, err := stat.Percentile([]float64{1}, p)
		require.ErrorContains(t, err, "want a fraction")
	}
	_, err := stat.Percentile(nil, 0.5)
	require.ErrorIs(t, err, stat.ErrNoValues)
	_, err = stat.Percentile([]float64{1, math.NaN()}, 0.5)
	require.ErrorContains(t, err, "value 2 of 2 is NaN")
}

func TestSummarize(t *testing.T) {
	values := []float64{6, 1, 5, 2, 4, 3}
	s, err := stat.Summarize(values)
	require.NoError(t, err)
	assert.Equal(t, stat.Summary{N: 6, Mean: 3.5, Median: 3.5, Min: 1, Max: 6, Lo: 1, Hi: 6,
		Interval: true, Confidence: 0.95}, s)
	assert.Equal(t, []float64{6, 1, 5, 2, 4, 3}, values)

	s, err = stat.Summarize(values[:5])
	require.NoError(t, err)
	assert.InDelta(t, 4, s.Median, 0)
	assert.False(t, s.Interval, "five values cannot carry a 95% interval")
	assert.Zero(t, s.Lo)

	s, err = stat.Summarize([]float64{-3})
	require.NoError(t, err)
	assert.Equal(t, stat.Summary{N: 1, Mean: -3, Median: -3, Min: -3, Max: -3, Confidence: 0.95}, s)
}

func TestSummarizeRefuses(t *testing.T) {
	_, err := stat.Summarize(nil)
	require.ErrorIs(t, err, stat.ErrNoValues)
	_, err = stat.Summarize([]float64{math.Inf(-1)})
	require.ErrorContains(t, err, "value 1 of 1 is -Inf")
}

// upTo returns 1, 2, … n.
func upTo(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i + 1)
	}
	return values
}
