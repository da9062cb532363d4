package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// More people than the lines go to take at most what a step with as many
// credentials was seen to take.
func TestMoreThanTheLinesGoTo(t *testing.T) {
	rec := sampleSeries()
	change(rec, "surface=dynamic/creds=2000", "peak-RSS-bytes", to(5000*mebi))
	change(rec, "surface=dynamic/creds=2000", "all-RSS-bytes", to(700*mebi))
	change(rec, "surface=dynamic/creds=2000", "cpu-ns/call", to(9e9))
	s := newSizer(ladders(t, rec)["dynamic"])
	require.Equal(t, 1000, s.held.Last)
	require.Equal(t, 10_000, s.reach())
	n := s.Need(2000, time.Hour)
	require.Empty(t, n.NoMemory)
	assert.InDelta(t, 5000*mebi, n.Memory.Middle, 1)
	assert.InDelta(t, 5000*mebi, n.Memory.Hi, 1)
	assert.InDelta(t, 700*mebi, n.Memory.Lo, 1, "what admitting them took")
	fewer, _ := s.Memory(1001, 1)
	assert.InDelta(t, 5000*mebi, fewer.Hi, 1)
	assert.Less(t, fewer.Lo, 700.0*mebi, "of fewer it is not known that they take as much")
	cores, why := n.Cores()
	assert.Empty(t, why)
	assert.InDelta(t, 2000.0/3600*9, cores.Middle, 1e-9, "a call costs no less than with as many held")
	_, why = n.P99()
	assert.Equal(t, "how long a call takes that comes now and then is not measured on dynamic with more than 1,000 credentials held", why)
	_, why = s.Memory(10_001, 1)
	assert.Equal(t, "beyond the 10,000 credentials, or the calls in flight, of any step on dynamic", why)
	_, why = s.Memory(2000, 10_001)
	assert.NotEmpty(t, why)

	page := drawn(t, rec)
	assert.Contains(t, line(t, page, "| http, dynamic | 10,000 | 60 |"), "n/a")
	assert.Contains(t, page, "\nBeyond 1,000 people on `dynamic`, to 10,000, memory is what the crowd takes at most")
	assert.NotContains(t, page, "| http, meta | 10,000 |")
}

// People do not take less for being more, whatever the steps beyond the lines
// were loaded with.
func TestMemoryDoesNotFallBeyondTheLines(t *testing.T) {
	rec := sampleSeries()
	change(rec, "surface=dynamic/creds=2000", "peak-RSS-bytes", to(mebi))
	s := newSizer(ladders(t, rec)["dynamic"])
	at, why := s.Memory(1000, 900)
	require.Empty(t, why)
	past, why := s.Memory(1001, 900)
	require.Empty(t, why)
	assert.GreaterOrEqual(t, past.Middle, at.Middle)
	assert.GreaterOrEqual(t, past.Hi, at.Hi)
	assert.LessOrEqual(t, past.Lo, past.Middle)
}

func TestNoStepsBeyondNoNote(t *testing.T) {
	rec := sampleSeries()
	for _, creds := range []string{"2000", "5000", "10000"} {
		doubt(rec, where("creds="+creds), "x")
	}
	assert.NotContains(t, drawn(t, rec), "\nBeyond 1,000 people")
	_, why := newSizer(ladders(t, rec)["dynamic"]).Memory(1001, 1)
	assert.Equal(t, "beyond the 1,000 credentials that the lines on dynamic go to", why)
}
