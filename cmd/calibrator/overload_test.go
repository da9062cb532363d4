package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefuseAboveEach has one credential have as many calls in progress as it may, and then more, beside another one.
func TestRefuseAboveEach(t *testing.T) {
	held := make(chan struct{})
	gitlab := newGitLab(t, func(w http.ResponseWriter) { <-held; _, _ = w.Write([]byte("{}")) })
	s, addr := newTestHTTP(t, "-upstream=1", "-gitlab="+gitlab.URL, "-refuse-above-each=2")
	answered := make(chan int)
	call := func(token string) {
		a, _ := tryPost(t, addr, callMessage(1, `"path":"x"`), "Private-Token", token)
		answered <- a.status
	}
	for range 2 {
		go call("busy")
	}
	require.Eventually(t, func() bool { return gitlab.asked.Load() == 2 }, longest, time.Millisecond)
	go call("busy")
	assert.Equal(t, http.StatusServiceUnavailable, <-answered)
	go call("other")
	require.Eventually(t, func() bool { return gitlab.asked.Load() == 3 }, longest, time.Millisecond)
	close(held)
	for range 3 {
		assert.Equal(t, http.StatusOK, <-answered)
	}
	go call("busy")
	assert.Equal(t, http.StatusOK, <-answered, "there is room again")
	assert.Empty(t, s.crowd.inside, "who does not call is forgotten")
	assert.EqualValues(t, 1, s.totals().Refused)
}

func TestRefuseBadly(t *testing.T) {
	s, addr := newTestHTTP(t, "-refuse-every=1", "-refuse-silently", "-retain-refusal=1KiB", "-refuse-after=20ms")
	for range 3 {
		begun := time.Now()
		a := post(t, addr, callMessage(1, ""))
		assert.GreaterOrEqual(t, time.Since(begun), 20*time.Millisecond)
		assert.Equal(t, http.StatusServiceUnavailable, a.status)
		assert.Empty(t, a.header.Get("Retry-After"))
	}
	assert.EqualValues(t, 3<<10, s.totals().RetainedBytes)
}
