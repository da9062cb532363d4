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

func TestMinValuesIsWhereIntervalsBegin(t *testing.T) {
	for _, tc := range []struct {
		p    float64
		want int
	}{
		{0.5, 6}, {0.9, 36}, {0.95, 72}, {0.99, 368}, {0.999, 3688}, {0.05, 72},
	} {
		assert.Equal(t, tc.want, stat.MinValues(tc.p, 0.95), "p=%v", tc.p)
		_, _, ok := stat.PercentileRanks(tc.want-1, tc.p, 0.95)
		assert.False(t, ok, "p=%v n=%d", tc.p, tc.want-1)
		lo, hi, ok := stat.PercentileRanks(tc.want, tc.p, 0.95)
		assert.True(t, ok, "p=%v n=%d", tc.p, tc.want)
		assert.Less(t, lo, hi)
	}
}

// Ranks from published tables (n = 100) and from summing the distribution.
func TestPercentileRanks(t *testing.T) {
	for _, tc := range []struct {
		n      int
		p      float64
		lo, hi int
	}{
		{6, 0.5, 1, 6},
		{10, 0.5, 2, 9},
		{100, 0.5, 40, 61},
		{1000, 0.99, 983, 997},
		{10_000, 0.99, 9880, 9920},
		{1_000_000, 0.5, 499_020, 500_981},
	} {
		lo, hi, ok := stat.PercentileRanks(tc.n, tc.p, 0.95)
		require.True(t, ok)
		assert.Equal(t, []int{tc.lo, tc.hi}, []int{lo, hi}, "n=%d p=%v", tc.n, tc.p)
	}
}

func TestPercentileRanksRefuse(t *testing.T) {
	for _, tc := range []struct {
		n             int
		p, confidence float64
	}{
		{0, 0.5, 0.95}, {-1, 0.5, 0.95}, {100, 0, 0.95}, {100, 1, 0.95}, {100, 99, 0.95},
		{100, 0.5, 0}, {100, 0.5, 1}, {100, 0.5, 95}, {100, math.NaN(), 0.95}, {100, 0.5, math.NaN()},
	} {
		lo, hi, ok := stat.PercentileRanks(tc.n, tc.p, tc.confidence)
		assert.False(t, ok, "%+v", tc)
		assert.Zero(t, lo+hi)
	}
	assert.Zero(t, stat.MinValues(1, 0.95))
	assert.Zero(t, stat.MinValues(0.5, 0))
}

// An interval that claims 95% must hold the truth at least 95% of the time,
// for a distribution that is nothing like a bell.
func TestPercentileRanksCover(t *testing.T) {
	const trials, n = 1500, 400
	for _, p := range []float64{0.5, 0.9, 0.99} {
		lo, hi, ok := stat.PercentileRanks(n, p, 0.95)
		require.True(t, ok)
		truth, held := -math.Log(1-p), 0
		rnd := rand.New(rand.NewPCG(1, uint64(1000*p)))
		for range trials {
			values := make([]float64, n)
			for i := range values {
				values[i] = rnd.ExpFloat64()
			}
			slices.Sort(values)
			if values[lo-1] <= truth && truth <= values[hi-1] {
				held++
			}
		}
		// Three standard errors below 95% with this many trials.
		assert.Greater(t, float64(held)/trials, 0.933, "p=%v", p)
	}
}
