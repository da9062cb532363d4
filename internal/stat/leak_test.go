package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

const mib = 1 << 20

// shape is what memory does besides growing, in MiB at reading i of n.
type shape func(rnd *rand.Rand, i, n int) float64

// sawtooth rises by 20 MiB between collections, of which there are 24.7 in the run.
func sawtooth(_ *rand.Rand, i, n int) float64 { return 20 * math.Mod(24.7*float64(i)/float64(n), 1) }

// settling is a start that takes 40 MiB and is nearly over after a fifth of the run.
func settling(_ *rand.Rand, i, n int) float64 { return 40 * (1 - math.Exp(-25*float64(i)/float64(n))) }

// bursts are memory held for a moment, more often and more of it as the run goes on.
func bursts(rnd *rand.Rand, i, n int) float64 {
	if at := float64(i) / float64(n); rnd.Float64() < at/2 {
		return 40 * at * rnd.Float64()
	}
	return 0
}

func white(rnd *rand.Rand, _, _ int) float64 { return 0.05 * rnd.NormFloat64() }

// memory is half an hour of readings, ten seconds apart, of a process that leaks at rate MiB/h.
func memory(seed uint64, rate float64, shapes ...shape) []stat.XY {
	return readings(180, seed, rate, shapes...)
}

// readings are n in half an hour.
func readings(n int, seed uint64, rate float64, shapes ...shape) []stat.XY {
	rnd := rand.New(rand.NewPCG(seed, 11))
	points := make([]stat.XY, n)
	for i := range points {
		mibs := 60 + rate/2*float64(i)/float64(n)
		for _, of := range shapes {
			mibs += of(rnd, i, n)
		}
		points[i] = stat.XY{X: 1800 * float64(i) / float64(n), Y: mibs * mib}
	}
	return points
}

// related returns noise that goes on from reading to reading, by rho, with a deviation of sd MiB.
func related(rho, sd float64) shape {
	last := 0.0
	return func(rnd *rand.Rand, i, _ int) float64 {
		if i == 0 {
			last = sd * rnd.NormFloat64()
		}
		last = rho*last + sd*math.Sqrt(1-rho*rho)*rnd.NormFloat64()
		return last
	}
}

// stairs grows by whole MiB, as a resident set does.
func stairs(points []stat.XY) []stat.XY {
	for i := range points {
		points[i].Y = mib * math.Floor(points[i].Y/mib)
	}
	return points
}

// The growth that was put in is found, whatever else memory does, and the verdict is right 20 times of 20.
func TestLeakKnownAnswers(t *testing.T) {
	rule := stat.LeakRule{Tolerance: 2 * stat.MiBPerHour}
	for _, tc := range []struct {
		name   string
		shapes []shape
		within float64 // MiB/h, over all seeds
	}{
		{"straight", []shape{white}, 0.25},
		{"sawtooth", []shape{white, sawtooth}, 0.7},
		{"warm-up", []shape{white, settling}, 0.5},
		{"bursts", []shape{white, bursts}, 0.5},
		{"both", []shape{white, settling, sawtooth}, 1},
	} {
		for rate, want := range map[float64]stat.Verdict{-3: stat.Pass, 0: stat.Pass, 0.5: stat.Pass, 5: stat.Fail, 50: stat.Fail} {
			for seed := range uint64(20) {
				l, err := rule.Judge(readings(1800, seed, rate, tc.shapes...))
				require.NoError(t, err)
				assert.InDelta(t, rate, l.Growth/stat.MiBPerHour, tc.within, "%s, %v MiB/h, seed %d", tc.name, rate, seed)
				assert.Equal(t, want, l.Verdict, "%s, %v MiB/h, seed %d: %+v", tc.name, rate, seed, l)
			}
		}
	}
}

// Time may run a thousand times as fast: only the product of growth and time counts.
func TestLeakInOtherTime(t *testing.T) {
	points := memory(1, 5, white)
	l, err := stat.LeakRule{Tolerance: 2 * stat.MiBPerHour}.Judge(points)
	require.NoError(t, err)
	for i := range points {
		points[i].X /= 1000
	}
	fast, err := stat.LeakRule{Tolerance: 2000 * stat.MiBPerHour}.Judge(points)
	require.NoError(t, err)
	assert.InEpsilon(t, 1000*l.Growth, fast.Growth, 1e-6)
	assert.Equal(t, stat.Fail, fast.Verdict)
}

// A leak that shows as stairs is one, and a single step up is none that could be told.
func TestLeakInSteps(t *testing.T) {
	rule := stat.LeakRule{Tolerance: 2 * stat.MiBPerHour}
	l, err := rule.Judge(stairs(memory(1, 20)))
	require.NoError(t, err)
	assert.Equal(t, stat.Fail, l.Verdict, "%+v", l)
	assert.InEpsilon(t, 20, l.Growth/stat.MiBPerHour, 0.1)

	l, err = rule.Judge(memory(1, 0, func(_ *rand.Rand, i, n int) float64 { return float64(i * 2 / n) }))
	require.NoError(t, err)
	assert.Equal(t, stat.Inconclusive, l.Verdict, "%+v", l)

	l, err = rule.Judge(memory(1, 0, func(_ *rand.Rand, i, n int) float64 {
		return 0.02 * math.Cos(4*math.Pi*float64(i)/float64(n))
	}))
	require.NoError(t, err)
	assert.Greater(t, l.Correlation, 0.9)
	assert.Equal(t, stat.Pass, l.Verdict, "memory that wanders by next to nothing hides nothing")

	l, err = rule.Judge(memory(1, 0))
	require.NoError(t, err)
	assert.Equal(t, stat.Pass, l.Verdict, "memory that keeps still has no growth, surely")
	assert.Zero(t, l.Hi)
}

// The interval of 95% must hold the truth as often where readings depend on each other for up to a window (of
// nine); beyond that it is held to what it does, which Judge's caller learns from Correlation.
func TestLeakIntervalCovers(t *testing.T) {
	const trials, truth = 1000, 0.5
	for _, tc := range []struct {
		rho, least float64
	}{{0, 0.935}, {0.5, 0.935}, {0.8, 0.935}, {0.9, 0.91}, {0.95, 0.885}, {0.99, 0.8}} {
		held := 0
		for seed := range uint64(trials) {
			l, err := stat.LeakRule{Tolerance: 2 * stat.MiBPerHour}.Judge(memory(seed, truth, related(tc.rho, 1)))
			require.NoError(t, err)
			if l.Lo <= truth*stat.MiBPerHour && truth*stat.MiBPerHour <= l.Hi {
				held++
			}
		}
		t.Logf("rho %v: %.3f", tc.rho, float64(held)/trials)
		assert.Greater(t, float64(held)/trials, tc.least, "rho %v", tc.rho)
	}
}

// However readings depend on each other, no growth is called a leak, and none of twice the tolerance passes, more
// often than the interval allows.
func TestLeakSeldomWrong(t *testing.T) {
	const trials = 1000
	for _, rho := range []float64{0, 0.8, 0.95, 0.99, 0.999} {
		for rate, wrong := range map[float64]stat.Verdict{0: stat.Fail, 8: stat.Pass} {
			got := 0
			for seed := range uint64(trials) {
				l, err := stat.LeakRule{Tolerance: 4 * stat.MiBPerHour}.Judge(memory(seed, rate, related(rho, 1)))
				require.NoError(t, err)
				if l.Verdict == wrong {
					got++
				}
			}
			assert.LessOrEqual(t, float64(got)/trials, 0.035, "rho %v, %v MiB/h: %s", rho, rate, wrong)
		}
	}
}

func TestLeakInconclusive(t *testing.T) {
	rule := stat.LeakRule{Tolerance: 2 * stat.MiBPerHour}
	bunched := memory(1, 0)
	for i := range bunched {
		bunched[i].X = 1 + float64(i)/1000 // all in the last of the windows but the first
	}
	bunched[0].X, bunched[1].X = -5000, -1000
	for _, tc := range []struct {
		name, because string
		readings      []stat.XY
	}{
		{"none", "too short: 0 readings after the warm-up, and it takes 48", nil},
		{"few", "too short: 32 readings after the warm-up, and it takes 48", memory(1, 50)[:40]},
		{"soon over", "too short: growth at the tolerance comes to 273 KiB in 480 s, and less than 300 KiB", memory(1, 50)[:61]},
		{"bunched", "too few readings: they fall into 2 windows, too few for an interval", bunched},
		{"noisy", "the tolerance is within the interval", memory(1, 2, related(0.5, 3))},
		{"slowing", "growth slows down", memory(1, 0, func(_ *rand.Rand, i, n int) float64 {
			return 40 * (1 - math.Exp(-4*float64(i)/float64(n)))
		})},
	} {
		r := rule
		if tc.name == "soon over" {
			r.Grain = 300 << 10
		}
		l, err := r.Judge(tc.readings)
		require.NoError(t, err, tc.name)
		assert.Equal(t, stat.Inconclusive, l.Verdict, "%s: %+v", tc.name, l)
		assert.Contains(t, l.Because, tc.because, "%s: %+v", tc.name, l)
	}
}

func TestLeakRefuses(t *testing.T) {
	ok := memory(1, 0)
	for _, rule := range []stat.LeakRule{{}, {Tolerance: -1}, {Tolerance: 1, WarmUp: 1}, {Tolerance: 1, WarmUp: -1},
		{Tolerance: 1, Windows: 4}, {Tolerance: 1, Grain: -1}} {
		_, err := rule.Judge(ok)
		require.ErrorContains(t, err, "is no rule", "%+v", rule)
	}
	_, err := stat.LeakRule{Tolerance: 1}.Judge([]stat.XY{{1, 1}, {2, math.NaN()}})
	require.ErrorContains(t, err, "reading 2 is of NaN bytes at 2")
	_, err = stat.LeakRule{Tolerance: 1}.Judge([]stat.XY{{1, 1}, {1, 1}})
	require.ErrorContains(t, err, "reading 2 is not after the one before it")
}
