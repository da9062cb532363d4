package stat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

// The numbers at most are from printed tables of the binomial distribution, and
// of the Poisson distribution where people are many.
func TestInFlight(t *testing.T) {
	for _, tc := range []struct {
		people         int
		every, latency time.Duration
		mean           float64
		most           int
	}{
		{10, 10 * time.Second, 3 * time.Second, 3, 7},
		{20, 2 * time.Second, time.Second, 10, 15},
		{5, 10 * time.Second, time.Second, 0.5, 2},
		{1, 100 * time.Second, 2 * time.Second, 0.02, 1},
		{1, 200 * time.Second, time.Second, 0.005, 0},
		{1_000_000, 1000 * time.Second, time.Millisecond, 1, 4},
		{1_000_000, 1000 * time.Second, 5 * time.Millisecond, 5, 11},
		{1_000_000, 1000 * time.Second, 10 * time.Millisecond, 10, 18},
		{500, 30 * time.Second, 0, 0, 0},
		{0, time.Second, time.Second, 0, 0},
		{7, time.Second, time.Second, 7, 7},
		{7, time.Second, time.Minute, 7, 7},
	} {
		mean, most, err := stat.InFlight(tc.people, tc.every, tc.latency)
		require.NoError(t, err)
		assert.InDelta(t, tc.mean, mean, 1e-9, "%+v", tc)
		assert.Equal(t, tc.most, most, "%+v", tc)
	}
}

func TestInFlightRefuses(t *testing.T) {
	for _, tc := range []struct {
		people         int
		every, latency time.Duration
	}{{-1, 1, 1}, {1, 0, 1}, {1, -1, 1}, {1, 1, -1}} {
		_, _, err := stat.InFlight(tc.people, tc.every, tc.latency)
		require.ErrorContains(t, err, "want a period above zero")
	}
}
