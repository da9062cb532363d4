package stat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/stat"
)

func TestFitFindsTheLine(t *testing.T) {
	line, err := stat.Fit([]stat.XY{{X: 10, Y: 25}, {X: 1, Y: 7}, {X: 2, Y: 9}, {X: 5, Y: 15}, {X: 20, Y: 45}})
	require.NoError(t, err)
	assert.Equal(t, stat.Line{Slope: 2, Intercept: 5, Lo: 2, Hi: 2, Interval: true, Confidence: 0.95,
		N: 5, Steps: 5, MaxOffAt: 1}, line)
	assert.InDelta(t, 205, line.At(100), 0)
	assert.False(t, math.IsNaN(line.MaxOff))
}
