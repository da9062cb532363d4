package compare_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/compare"
)

// figure compares one metric of one scenario.
func figure(t *testing.T, unit string, before, after []float64) compare.Figure {
	t.Helper()
	c := compared(t, recordOf("a", scene{httpMeta, amounts{unit: before}}), recordOf("b", scene{httpMeta, amounts{unit: after}}))
	figures := c.Figures()
	require.Len(t, figures, 1)
	return figures[0]
}

func TestVerdicts(t *testing.T) {
	six := []float64{100, 101, 102, 103, 104, 105}
	higher := []float64{110, 111, 112, 113, 114, 115}
	for _, tt := range []struct {
		name, unit    string
		before, after []float64
		want          compare.Verdict
		warned        bool
	}{
		{"lower is better, and it rose", "peak-RSS-bytes", six, higher, compare.Worse, false},
		{"lower is better, and it fell", "peak-RSS-bytes", higher, six, compare.Better, false},
		{"higher is better, and it rose", "calls/s", six, higher, compare.Better, false},
		{"higher is better, and it fell", "calls/s", higher, six, compare.Worse, false},
		{"neither is better", "loaded-cpu-cores", six, higher, compare.Changed, false},
		{"of the suite and not of its subject", "suite-cpu-cores", six, higher, compare.Changed, false},
		{"sent late by the suite", "late-calls", six, higher, compare.Changed, false},
		{"rounds mixed", "peak-RSS-bytes", six, []float64{100.5, 101.5, 102.5, 103.5, 104.5, 105.5}, compare.Unchanged, false},
		{"apart, and by less than the old rounds are", "peak-RSS-bytes",
			[]float64{100, 118, 119, 120, 121, 122}, []float64{123, 124, 125, 126, 127, 128}, compare.WithinNoise, false},
		{"apart, and by less than the new rounds are", "peak-RSS-bytes",
			[]float64{123, 124, 125, 126, 127, 128}, []float64{100, 118, 119, 120, 121, 122}, compare.WithinNoise, false},
		{"apart by just the noise floor", "peak-RSS-bytes", []float64{1, 1, 1, 1, 1, 2}, []float64{2, 2, 2, 2, 2, 3}, compare.WithinNoise, false},
		{"never varies, and rose", "descriptors", repeat(88, 6), repeat(90, 6), compare.Worse, false},
		{"never varies", "descriptors", repeat(88, 6), repeat(88, 6), compare.Unchanged, false},
		{"from nothing", "failed-calls", repeat(0, 6), repeat(3, 6), compare.Worse, false},
		{"signed", "further-RSS-bytes/client", []float64{-5, -5, -5, -5}, []float64{7, 7, 7, 7}, compare.Worse, false},
		{"four rounds, apart", "ready-ns", []float64{10, 11, 12, 13}, []float64{20, 21, 22, 23}, compare.Worse, false},
		{"three rounds, far apart", "ready-ns", []float64{10, 11, 12}, []float64{100, 101, 102}, compare.Untold, false},
		{"three rounds against six", "ready-ns", []float64{1, 2, 3}, six, compare.Untold, false},
		{"six rounds against three", "ready-ns", six, []float64{1, 2, 3}, compare.Untold, false},
		{"one round that reads the same", "ready-ns", []float64{10}, []float64{10}, compare.Untold, false},
		{"exact, one round, larger", "list-bytes", []float64{1000}, []float64{1001}, compare.Worse, false},
		{"exact, one round, smaller", "list-bytes", []float64{1001}, []float64{1000}, compare.Better, false},
		{"exact, neither is better", "tools", []float64{10}, []float64{11}, compare.Changed, false},
		{"exact, the same", "tools", []float64{10}, []float64{10, 10, 10}, compare.Unchanged, false},
		{"exact, varies, apart", "list-bytes", repeat(10, 4), []float64{12, 12, 13, 13}, compare.Worse, true},
		{"exact, varies, not apart", "list-bytes", repeat(10, 4), []float64{10, 10, 13, 13}, compare.Untold, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := figure(t, tt.unit, tt.before, tt.after)
			assert.Equal(t, tt.want, f.Verdict, "%s", f.Verdict)
			assert.Equal(t, tt.warned, len(f.Warnings) > 0, "%v", f.Warnings)
			assert.Equal(t, []int{len(tt.before), len(tt.after)}, []int{f.Old.N, f.New.N})
		})
	}
}

// TestMinRounds holds the number of rounds to what the test can find.
func TestMinRounds(t *testing.T) {
	apart := func(n int) compare.Figure { return figure(t, "ready-ns", repeat(1, n), repeat(2, n)) }
	least := apart(compare.MinRounds)
	assert.LessOrEqual(t, least.Test.P, least.Test.Alpha)
	fewer := apart(compare.MinRounds - 1)
	assert.Greater(t, fewer.Test.P, fewer.Test.Alpha)
	assert.NotEmpty(t, fewer.Test.Warnings, "benchmath says the same")
}

func TestFigure(t *testing.T) {
	f := figure(t, "ready-ns", []float64{10, 20, 40, 30}, []float64{50, 50, 45, 60})
	assert.InDelta(t, 25, f.Old.Median, 1e-9)
	assert.InDelta(t, 50, f.New.Median, 1e-9)
	assert.InDelta(t, 25, f.Change(), 1e-9)
	assert.InDelta(t, 30, f.Noise(), 1e-9)
	percent, ok := f.Percent()
	assert.True(t, ok)
	assert.InDelta(t, 100, percent, 1e-9)
	_, ok = figure(t, "failed-calls", repeat(0, 6), repeat(3, 6)).Percent()
	assert.False(t, ok, "nothing has no percentage")
	_, ok = figure(t, "further-RSS-bytes/client", repeat(2, 6), repeat(-3, 6)).Percent()
	assert.False(t, ok, "what changes its sign has no percentage")
}

// TestNoiseIsRarelyAVerdict compares builds with themselves: what the test lets
// pass by chance the noise floor has to hold back.
func TestNoiseIsRarelyAVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	normal := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = 1000 + 10*rng.NormFloat64()
		}
		return values
	}
	for _, tt := range []struct {
		rounds  int
		percent float64 // of comparisons that may come to a verdict
	}{{4, 2.5}, {6, 0.3}, {10, 0.1}} {
		const comparisons = 4000
		significant, verdicts := 0, 0
		for range comparisons {
			switch figure(t, "peak-RSS-bytes", normal(tt.rounds), normal(tt.rounds)).Verdict {
			case compare.Worse, compare.Better:
				significant++
				verdicts++
			case compare.WithinNoise:
				significant++
			}
		}
		t.Logf("%d rounds: %.2f%% significant, %.2f%% verdicts", tt.rounds,
			100*float64(significant)/comparisons, 100*float64(verdicts)/comparisons)
		assert.LessOrEqual(t, 100*float64(verdicts)/comparisons, tt.percent, "%d rounds", tt.rounds)
		assert.InDelta(t, 4, 100*float64(significant)/comparisons, 2, "%d rounds", tt.rounds)
	}
}
