package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

// The model's knee is exact: a call computes for 1 ms, one call at a time, and
// waits elsewhere for the rest.
func TestFindKneeOfAQueue(t *testing.T) {
	for _, tc := range []struct {
		name   string
		think  float64 // seconds
		ladder []int
		knee   float64
		within float64 // fraction of it
	}{
		{"long wait", 0.099, []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}, 100, 0.01},
		{"short wait", 0.009, []int{1, 2, 5, 10, 20, 50, 100, 200}, 10, 0.01},
		{"four a credential", 0.009, []int{4, 8, 20, 40, 80, 200, 400, 800}, 10, 0.05},
		{"no wait", 0, []int{1, 2, 5, 10, 20}, 1, 0.01},
	} {
		t.Run(tc.name, func(t *testing.T) {
			knee, err := stat.FindKnee(queue(0.001, tc.think, tc.ladder))
			require.NoError(t, err)
			assert.True(t, knee.Found, knee.Reason)
			assert.Empty(t, knee.Reason)
			assert.InEpsilon(t, tc.knee, knee.InFlight, tc.within)
			assert.InEpsilon(t, 1000, knee.PerSecond, 0.001)
			assert.InEpsilon(t, float64(0.001+tc.think), knee.Response.Seconds(), tc.within)
			assert.InDelta(t, 0, knee.Growth, 0.01)
		})
	}
}

func TestFindKneeAtTheFoot(t *testing.T) {
	// One server and no think time: the lightest step of 4 in flight fills it.
	knee, err := stat.FindKnee(queue(0.001, 0, []int{4, 8, 16, 32, 64}))
	require.NoError(t, err)
	assert.True(t, knee.Found)
	assert.True(t, knee.AtFoot, "the knee is at 4 in flight or below")
	knee, err = stat.FindKnee(queue(0.001, 0.019, []int{1, 2, 5, 10, 20, 50, 100, 200}))
	require.NoError(t, err)
	assert.True(t, knee.Found)
	assert.False(t, knee.AtFoot)
}

// One call at a time waits for no other: with it, R0 is known, and a knee beside it is no foot. Its latencies are
// not given, and the next step's are held against the last's.
func TestFindKneeFromOneAtATime(t *testing.T) {
	loaded := queue(0.001, 0.0005, []int{4, 8, 16, 32, 64})
	alone := queue(0.001, 0.0005, []int{1})
	alone[0].P50, alone[0].P99 = 0, 0
	knee, err := stat.FindKnee(append(alone, loaded...))
	require.NoError(t, err)
	assert.True(t, knee.Found)
	assert.False(t, knee.AtFoot)
	assert.InEpsilon(t, 1.5, knee.InFlight, 0.01)
	assert.InEpsilon(t, 0.0015, knee.Response.Seconds(), 0.01)

	for i := range loaded {
		loaded[i].P50, loaded[i].P99 = time.Millisecond, time.Millisecond
	}
	knee, err = stat.FindKnee(append(alone, loaded...))
	require.NoError(t, err)
	assert.Equal(t, "no knee: throughput is flat but latency did not grow, so the limit is in the load", knee.Reason)
}

func TestFindKneeBeyondTheLadder(t *testing.T) {
	knee, err := stat.FindKnee(queue(0.001, 0.099, []int{1, 2, 5, 10, 20, 50}))
	require.NoError(t, err)
	assert.False(t, knee.Found)
	assert.Equal(t, "no knee within the ladder: throughput still grows at 50 in flight", knee.Reason)
	assert.Greater(t, knee.Growth, 0.9)
	assert.Zero(t, knee.Rounds.N)
}

// One step three times too low, or on the plateau too high, moves the knee by
// less than a tenth. Among the last three it may keep it from being told.
func TestFindKneeResistsOneBadStep(t *testing.T) {
	ladder := []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	for bad := range ladder {
		for _, factor := range []float64{1. / 3, 3} {
			if factor > 1 && ladder[bad] < 50 {
				continue // beats N/R0: taken for the time of an unhindered call
			}
			points := queue(0.001, 0.009, ladder)
			points[bad].PerSecond *= factor
			knee, err := stat.FindKnee(points)
			require.NoError(t, err)
			assert.InEpsilon(t, 10, knee.InFlight, 0.1, "step %d times %.2g", ladder[bad], factor)
			assert.True(t, knee.Found || bad >= len(ladder)-3, "step %d times %.2g: %s", ladder[bad], factor, knee.Reason)
		}
	}
}

// With 5% noise the knee of 10 comes out between 9 and 11 in 95% of draws of
// three rounds.
func TestFindKneeUnderNoise(t *testing.T) {
	const trials = 500
	rnd := rand.New(rand.NewPCG(7, 7))
	var found []float64
	for range trials {
		knee, err := stat.FindKnee(rounds(3, rnd, 0.05))
		require.NoError(t, err)
		require.True(t, knee.Found, knee.Reason)
		found = append(found, knee.InFlight)
	}
	lo, err := stat.Percentile(found, 0.025)
	require.NoError(t, err)
	hi, err := stat.Percentile(found, 0.975)
	require.NoError(t, err)
	t.Logf("95%% between %.2f and %.2f", lo, hi)
	assert.Greater(t, lo, 9.)
	assert.Less(t, hi, 11.)
}

func TestFindKneeSpreadsOverRounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	points := rounds(6, rnd, 0.03)
	knee, err := stat.FindKnee(append(points, stat.Throughput{Round: 6, InFlight: 1, PerSecond: 100}))
	require.NoError(t, err)
	assert.Equal(t, 6, knee.Rounds.N, "the seventh round lacks steps")
	assert.True(t, knee.Rounds.Interval)
	assert.InEpsilon(t, 10, knee.Rounds.Lo, 0.1)
	assert.InEpsilon(t, 10, knee.Rounds.Hi, 0.1)

	knee, err = stat.FindKnee(points[:3*8])
	require.NoError(t, err)
	assert.Equal(t, 3, knee.Rounds.N)
	assert.False(t, knee.Rounds.Interval, "three rounds carry none")
}

// A closed loop whose throughput is flat must wait: if it does not, whatever
// is full is not the server.
func TestFindKneeWantsLatencyToGrow(t *testing.T) {
	for _, tc := range []struct {
		name     string
		p50, p99 time.Duration // at the heaviest step, of 10 and 20 ms at the lightest
		found    bool
	}{
		{"neither", 11 * time.Millisecond, 22 * time.Millisecond, false},
		{"median", 100 * time.Millisecond, 22 * time.Millisecond, true},
		{"tail", 11 * time.Millisecond, 200 * time.Millisecond, true},
		{"median withheld, tail not", 0, 22 * time.Millisecond, false},
		{"both withheld", 0, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			points := queue(0.001, 0.009, []int{1, 2, 5, 10, 20, 50, 100, 200})
			for i := range points {
				points[i].P50, points[i].P99 = tc.p50, tc.p99
			}
			points[0].P50, points[0].P99 = 10*time.Millisecond, 20*time.Millisecond
			knee, err := stat.FindKnee(points)
			require.NoError(t, err)
			assert.Equal(t, tc.found, knee.Found)
			if !tc.found {
				assert.Contains(t, knee.Reason, "the limit is in the load")
			}
		})
	}
	points := queue(0.001, 0.009, []int{1, 2, 5, 10, 20, 50, 100, 200})
	points[0].P50, points[0].P99 = 0, 0
	knee, err := stat.FindKnee(points)
	require.NoError(t, err)
	assert.True(t, knee.Found, "withheld at the lightest step")
}

// The calls of ten seconds at each step of population, as a server of this kind
// was once published with: two surfaces are full at two or three credentials,
// and the third, whose work is long listings, still gains at the end.
func TestFindKneeOfPublishedSeries(t *testing.T) {
	for _, tc := range []struct {
		name        string
		inFlight    int // a credential
		calls       []float64
		found       bool
		knee, plain float64 // in flight, calls a second
	}{
		{"dynamic", 4, []float64{6895, 11070, 13684, 13660, 14254, 16777, 17482, 17851, 17187, 16119}, true, 10.1, 1748},
		{"meta", 4, []float64{6323, 9544, 10810, 11025, 11486, 12021, 11842, 12427, 14008, 16130}, true, 8.86, 1401},
		{"individual", 2, []float64{262, 480, 766, 855, 953, 1110, 1292, 1499, 2361, 3637}, false, 18, 236},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var points []stat.Throughput
			for i, calls := range tc.calls {
				points = append(points, stat.Throughput{InFlight: tc.inFlight * int(population[i]), PerSecond: calls / 10})
			}
			knee, err := stat.FindKnee(points)
			require.NoError(t, err)
			assert.Equal(t, tc.found, knee.Found, "growth %v", knee.Growth)
			assert.InEpsilon(t, tc.knee, knee.InFlight, 0.01)
			assert.InEpsilon(t, tc.plain, knee.PerSecond, 0.01)
		})
	}
}

func TestFindKneeRefuses(t *testing.T) {
	_, err := stat.FindKnee(queue(0.001, 0, []int{1, 2, 5}))
	require.ErrorIs(t, err, stat.ErrFewSteps)
	for _, p := range []stat.Throughput{
		{InFlight: 0, PerSecond: 1}, {InFlight: 1, PerSecond: 0},
		{InFlight: 1, PerSecond: math.NaN()}, {InFlight: 1, PerSecond: math.Inf(1)},
	} {
		_, err := stat.FindKnee(append(queue(0.001, 0, []int{2, 5, 10, 20}), p))
		require.ErrorContains(t, err, "no closed loop's")
	}
}

// queue solves a closed queueing network exactly by mean value analysis (Reiser
// and Lavenberg 1980): one server that takes demand seconds a call, and think
// seconds elsewhere in which calls do not wait for each other.
func queue(demand, think float64, ladder []int) []stat.Throughput {
	var points []stat.Throughput
	queued, n := 0.0, 0
	for _, inFlight := range ladder {
		var response, rate float64
		for ; n < inFlight; n++ {
			response = demand * (1 + queued)
			rate = float64(n+1) / (think + response)
			queued = rate * response
		}
		latency := time.Duration((think + response) * float64(time.Second))
		points = append(points, stat.Throughput{InFlight: inFlight, PerSecond: rate, P50: latency, P99: 2 * latency})
	}
	return points
}

// rounds is a queue with its knee at 10, measured again and again.
func rounds(n int, rnd *rand.Rand, noise float64) []stat.Throughput {
	var points []stat.Throughput
	for round := range n {
		for _, p := range queue(0.001, 0.009, []int{1, 2, 5, 10, 20, 50, 100, 200}) {
			p.Round = round
			p.PerSecond *= 1 + noise*rnd.NormFloat64()
			points = append(points, p)
		}
	}
	return points
}
