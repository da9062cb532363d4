package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefuseAbove has as many calls in progress as are let in, which a stand-in for GitLab holds, and then more.
func TestRefuseAbove(t *testing.T) {
	const bound, more = 4, 6
	held := make(chan struct{})
	gitlab := newGitLab(t, func(w http.ResponseWriter) { <-held; _, _ = w.Write([]byte("{}")) })
	s, addr := newTestHTTP(t, "-upstream=1", "-gitlab="+gitlab.URL, "-refuse-above=4")
	answered := make(chan int)
	for range bound {
		go func() {
			a, _ := tryPost(t, addr, callMessage(1, `"path":"x"`))
			answered <- a.status
		}()
	}
	require.Eventually(t, func() bool { return gitlab.asked.Load() == bound }, longest, time.Millisecond)
	for range more {
		a := post(t, addr, callMessage(1, `"path":"x"`))
		assert.Equal(t, http.StatusServiceUnavailable, a.status)
		assert.Equal(t, "1", a.header.Get("Retry-After"))
		assert.Contains(t, a.body, `"code":503`)
	}
	assert.Equal(t, http.StatusOK, post(t, addr, message(1, "tools/list", "")).status, "only calls are refused")
	close(held)
	for range bound {
		assert.Equal(t, http.StatusOK, <-answered)
	}
	assert.Equal(t, http.StatusOK, post(t, addr, callMessage(1, `"path":"x"`)).status, "there is room again")
	sum := s.totals()
	assert.EqualValues(t, more, sum.Refused)
	assert.EqualValues(t, bound+1, sum.Calls)
	assert.EqualValues(t, bound+1, sum.Upstream, "what was refused cost nothing")
}

func TestRefuseEvery(t *testing.T) {
	for how, want := range map[string]struct {
		status int
		body   string
	}{
		"429": {http.StatusTooManyRequests, `"error":{"code":429,`},
		"503": {http.StatusServiceUnavailable, `"error":{"code":503,`},
		"rpc": {http.StatusOK, `"error":{"code":-32005,`},
	} {
		s, addr := newTestHTTP(t, "-refuse-every=3", "-refuse-status="+how, "-retain-call=64")
		p := start(t, "-refuse-every=3", "-refuse-status="+how)
		for i := range 9 {
			a := post(t, addr, callMessage(1, ""))
			p.say(t, callMessage(1, ""))
			line := p.hear(t)
			if (i+1)%3 != 0 {
				assert.Contains(t, a.body, `"result"`)
				assert.Contains(t, line, `"result"`)
				continue
			}
			assert.Equal(t, want.status, a.status)
			assert.Contains(t, a.body, want.body)
			assert.Equal(t, a.body, line, "stdio has the error alone")
			assert.Equal(t, want.status != http.StatusOK, a.header.Get("Retry-After") == "1")
		}
		sum := s.totals()
		assert.Equal(t, totals{Calls: 6, Refused: 3, Credentials: 1, RetainedBytes: 6 * 64}, sum)
	}
}

func TestRefuseNone(t *testing.T) {
	open := newGate(-1, 0, 0)
	for i := range int64(100) {
		require.True(t, open.enter(i))
	}
	shut := newGate(0, 0, 0)
	assert.False(t, shut.enter(1), "a bound of 0 lets nobody in")
}

// TestServeAtOnce has a stand-in for GitLab hold the calls that are served: no others get there.
func TestServeAtOnce(t *testing.T) {
	held := make(chan struct{})
	gitlab := newGitLab(t, func(w http.ResponseWriter) { <-held; _, _ = w.Write([]byte("{}")) })
	s, addr := newTestHTTP(t, "-upstream=1", "-gitlab="+gitlab.URL, "-serve-at-once=2")
	answered := make(chan int)
	for range 5 {
		go func() {
			a, _ := tryPost(t, addr, callMessage(1, `"path":"x"`))
			answered <- a.status
		}()
	}
	require.Eventually(t, func() bool { return s.account.calls.Load() == 5 }, longest, time.Millisecond)
	require.Eventually(t, func() bool { return gitlab.asked.Load() == 2 }, longest, time.Millisecond)
	for n := range 5 {
		held <- struct{}{}
		assert.Equal(t, http.StatusOK, <-answered)
		want := min(5, int64(n+3))
		require.Eventually(t, func() bool { return gitlab.asked.Load() == want }, longest, time.Millisecond)
	}
}

// TestLatencyCountsFromTheTurn has three calls, of which each waits for the one before.
func TestLatencyCountsFromTheTurn(t *testing.T) {
	_, addr := newTestHTTP(t, "-latency=const:50ms", "-serve-at-once=1")
	done := make(chan error)
	all := took(func() {
		for range 3 {
			go func() { _, err := tryPost(t, addr, callMessage(1, "")); done <- err }()
		}
		for range 3 {
			assert.NoError(t, <-done)
		}
	})
	assert.GreaterOrEqual(t, all, 150*time.Millisecond)
}
