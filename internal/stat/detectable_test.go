package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchmath"

	"mcpbench/internal/stat"
)

// found reports whether the test that comparisons use tells two sides apart.
func found(a, b []float64) bool {
	sample := func(v []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P <= c.Alpha
}

// drawn returns n values of a kind, moved by shift.
func drawn(n int, shift float64, one func() float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = one() + shift
	}
	return values
}

// power is how often the test finds a shift between sides of n values of a kind.
func power(n int, shift float64, one func() float64) float64 {
	const trials = 4000
	hits := 0
	for range trials {
		if found(drawn(n, 0, one), drawn(n, shift, one)) {
			hits++
		}
	}
	return float64(hits) / trials
}

// kindsOfNoise returns sources of noise by name, each with a seed of its own.
func kindsOfNoise() map[string]func() float64 {
	seeded := func(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(5, seed)) }
	bimodal := seeded(4)
	return map[string]func() float64{
		"normal":  seeded(1).NormFloat64,
		"uniform": seeded(2).Float64,
		"skewed":  seeded(3).ExpFloat64,
		"bimodal": func() float64 { return float64(2*bimodal.IntN(2)-1) + 0.1*bimodal.NormFloat64() },
	}
}

// Where the noise is known well, the change that is found with Power is that by
// which the test really finds it, whatever the noise looks like.
func TestSmallestChangeIsFoundWithItsPower(t *testing.T) {
	for name, one := range kindsOfNoise() {
		for _, n := range []int{4, 6, 10} {
			c, ok := stat.SmallestChange(drawn(3000, 0, one), n)
			require.True(t, ok)
			assert.InDelta(t, stat.Power, power(n, c.Tested, one), 0.03, "%s, %d a side", name, n)
			assert.InDelta(t, stat.Power, power(n, -c.Tested, one), 0.03, "%s, %d a side, the other way", name, n)
			assert.Greater(t, c.Apart, c.Tested, "%s, %d a side", name, n)
		}
	}
}

// Theory: of normal noise the test needs nearly what the t test does, whose
// power of 90% with 6 a side takes 2.08 deviations (Cohen 1988, table 2.4.1).
// Its efficiency in small samples is about 0.95 (Hodges and Lehmann 1956).
func TestSmallestChangeOfNormalNoise(t *testing.T) {
	one := kindsOfNoise()["normal"]
	c, _ := stat.SmallestChange(drawn(5000, 100, one), 6)
	assert.InDelta(t, 2.08/math.Sqrt(0.95), c.Tested, 0.15)
	wide, _ := stat.SmallestChange(drawn(5000, 100, func() float64 { return 7 * one() }), 6)
	assert.InEpsilon(t, 7*c.Tested, wide.Tested, 0.05, "in proportion to the noise")
	more, _ := stat.SmallestChange(drawn(5000, 100, one), 20)
	assert.Less(t, more.Tested, c.Tested/1.8, "more rounds find less")
}

// A dozen values are what there is: the answer scatters about the right one as
// its documentation says.
func TestSmallestChangeFromADozenValues(t *testing.T) {
	one := kindsOfNoise()["normal"]
	var found []float64
	for range 1000 {
		c, ok := stat.SmallestChange(drawn(12, 0, one), 6)
		require.True(t, ok)
		found = append(found, c.Tested)
	}
	for p, want := range map[float64]float64{0.1: 1.7, 0.5: 2.24, 0.9: 2.9} {
		got, err := stat.Percentile(found, p)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 0.09, "p%.0f", 100*p)
	}
}

// Apart is when the medians are also further apart than either side's values.
func TestSmallestChangeApart(t *testing.T) {
	const trials = 4000
	one := kindsOfNoise()["normal"]
	c, _ := stat.SmallestChange(drawn(5000, 0, one), 6)
	apart := 0
	for range trials {
		a, b := drawn(6, 0, one), drawn(6, c.Apart, one)
		sa, err := stat.Summarize(a)
		require.NoError(t, err)
		sb, err := stat.Summarize(b)
		require.NoError(t, err)
		if found(a, b) && sb.Median-sa.Median > max(sa.Max-sa.Min, sb.Max-sb.Min) {
			apart++
		}
	}
	assert.InDelta(t, stat.Power, float64(apart)/trials, 0.03)
}

func TestSmallestChangeAtTheEdges(t *testing.T) {
	same := []float64{7, 7, 7, 7}
	c, ok := stat.SmallestChange(same, 6)
	assert.True(t, ok)
	assert.Zero(t, c, "of what never varies any change is found")

	_, ok = stat.SmallestChange(same, 3)
	assert.False(t, ok, "three a side find nothing")
	_, ok = stat.SmallestChange(same[:1], 6)
	assert.False(t, ok, "one value says nothing of noise")
	_, ok = stat.SmallestChange(nil, -1)
	assert.False(t, ok)

	values := []float64{3, 1, 2, 5, 4}
	first, _ := stat.SmallestChange(values, 6)
	again, _ := stat.SmallestChange(values, 6)
	assert.Equal(t, first, again)
	assert.Equal(t, []float64{3, 1, 2, 5, 4}, values, "the values are left as they are")
}

// The critical U, which is not told, shows in the size of the test: it is the
// greatest p of benchmath that is significant.
func TestTestSize(t *testing.T) {
	for _, n := range []int{4, 5, 6, 7, 10, 14} {
		assert.InDelta(t, greatestSignificant(n), stat.TestSize(n), 1e-9, "%d a side", n)
	}
	for _, n := range []int{-1, 0, 1, 2, 3} {
		assert.Zero(t, stat.TestSize(n), "%d a side", n)
	}
	assert.InDelta(t, stat.TestLevel, stat.TestSize(25), 0.003)
	assert.LessOrEqual(t, stat.TestSize(25), stat.TestLevel)
	assert.InDelta(t, stat.TestLevel, benchmath.DefaultThresholds.CompareAlpha, 0)
}

// greatestSignificant asks benchmath for the p of every U, sides growing into
// each other one pair at a time.
func greatestSignificant(n int) float64 {
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = float64(i), float64(n+i)
	}
	greatest := 0.0
	for u := range n * n / 2 {
		c := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds),
			benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds))
		if c.P <= c.Alpha {
			greatest = max(greatest, c.P)
		}
		exchange(a, b, u)
	}
	return greatest
}

// exchange swaps a value of a with the next greater one, if it is of b.
func exchange(a, b []float64, step int) {
	for k := range a {
		i := (step + k) % len(a)
		if j := slices.Index(b, a[i]+1); j >= 0 {
			a[i], b[j] = b[j], a[i]
			return
		}
	}
}
