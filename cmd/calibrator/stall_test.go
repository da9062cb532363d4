package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStalls(t *testing.T) {
	var s stalls
	require.NoError(t, s.Set("1s:500ms,2s:1s"))
	assert.Equal(t, "1s:500ms,2s:1s", s.String())
	for at, want := range map[time.Duration]time.Duration{
		0:                       0,
		999 * time.Millisecond:  999 * time.Millisecond,
		1 * time.Second:         1500 * time.Millisecond,
		1499 * time.Millisecond: 1500 * time.Millisecond,
		1500 * time.Millisecond: 1500 * time.Millisecond,
		2500 * time.Millisecond: 3 * time.Second,
		5 * time.Second:         5 * time.Second,
	} {
		assert.Equal(t, want, s.over(at), at)
	}
}

func TestStallsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"":                "use a time",
		"1s":              "use a time",
		"1s:0s":           "longer than 0",
		"1s:soon":         "use a time",
		"2s:1s,1s:500ms":  "ascending",
		"1s:1s,1500ms:1s": "overlap",
	} {
		var s stalls
		require.ErrorContains(t, s.Set(text), want, text)
	}
}

// TestNothingIsAnsweredInAStall looks at the first call, with which a stall begins, at what comes meanwhile, and at
// a call after it.
func TestNothingIsAnsweredInAStall(t *testing.T) {
	const length = 300 * time.Millisecond
	s, addr := newTestHTTP(t, "-stall=0s:300ms")
	get(t, "http://"+addr+"/health") // which does not begin it
	s.pause.mu.Lock()
	require.Zero(t, s.pause.begun)
	s.pause.mu.Unlock()
	begun := time.Now()
	after := make(chan time.Duration)
	timed := func(do func()) { do(); after <- time.Since(begun) }
	go timed(func() { _, _ = tryPost(t, addr, callMessage(1, "")) })
	require.Eventually(t, func() bool { return s.account.calls.Load() == 1 }, longest, time.Millisecond)
	go timed(func() { _, _ = http.Get("http://" + addr + "/health") })
	go timed(func() { _, _ = tryPost(t, addr, message(2, "ping", "")) })
	for range 3 {
		assert.GreaterOrEqual(t, <-after, length)
	}
	post(t, addr, callMessage(3, ""))
	assert.EqualValues(t, 2, s.totals().Calls)
}
