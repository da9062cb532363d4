package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSpike looks at the kernel's high-water mark and at what is resident afterwards.
func TestSpike(t *testing.T) {
	const bytes = 200 << 20
	p, addr := startHTTP(t, "-spike=200MiB:20ms")
	pid := p.Process.Pid
	post(t, addr, message(1, "tools/list", ""))
	before := status(t, pid, "VmRSS")
	require.Less(t, status(t, pid, "VmHWM"), int64(bytes), "a listing is not a call")
	begun := time.Now()
	post(t, addr, callMessage(1, ""))
	assert.GreaterOrEqual(t, time.Since(begun), 20*time.Millisecond, "the call waits for it")
	assert.InEpsilon(t, bytes, status(t, pid, "VmHWM")-before, 0.02)
	assert.InDelta(t, before, status(t, pid, "VmRSS"), 0.02*bytes, "what was mapped is gone")
	peak := status(t, pid, "VmHWM")
	for range 3 {
		post(t, addr, callMessage(1, ""))
	}
	assert.InDelta(t, peak, status(t, pid, "VmHWM"), 4<<20, "it is but once")
}

func TestSpikeAtStart(t *testing.T) {
	p, _ := startHTTP(t, "-spike=100MiB:1ms", "-spike-at=start")
	rss, peak := status(t, p.Process.Pid, "VmRSS"), status(t, p.Process.Pid, "VmHWM")
	assert.InDelta(t, 100<<20, peak-rss, 16<<20, "what serves was not there yet")
}

func TestSpikeFlag(t *testing.T) {
	var s spike
	assert.Empty(t, s.String())
	require.NoError(t, s.Set("200MiB:20ms"))
	assert.Equal(t, spike{200 << 20, 20 * time.Millisecond}, s)
	assert.Equal(t, "200MiB:20ms", s.String())
	for text, want := range map[string]string{"": "use a whole number", "0:1s": "above 0", "1MiB": "use a time", "1MiB:-1s": "use a time"} {
		require.ErrorContains(t, s.Set(text), want, text)
	}
}
