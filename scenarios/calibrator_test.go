package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCalibratorIsMeasuredLikeAnyOther wants of the calibrator all that can be measured, so that all of it can be
// tried on a server whose cost is known.
func TestCalibratorIsMeasuredLikeAnyOther(t *testing.T) {
	s, err := Load("calibrator")
	require.NoError(t, err)
	assert.Equal(t, []Transport{Stdio, HTTP}, s.TransportNames())
	assert.Equal(t, []Surface{"plain", "upstream", "large"}, s.SurfaceNames())
	assert.Len(t, Points(s), 6, "it has no telemetry")
	assert.Len(t, AllSeries(s, nil, time.Second), 3)
	assert.NotNil(t, s.Limited)
	assert.Equal(t, "go-pprof", s.Heap.Reader)
	for name, surface := range s.Surfaces {
		assert.Positive(t, surface.ListingBytes, name)
	}
}
