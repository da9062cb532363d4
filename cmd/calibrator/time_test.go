package main

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// took is how long f takes.
func took(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}

func TestStartDelay(t *testing.T) {
	begun := time.Now()
	_, addr := startHTTP(t, "-start-delay=400ms")
	assert.GreaterOrEqual(t, time.Since(begun), 400*time.Millisecond)
	assert.Equal(t, "ok\n", get(t, "http://"+addr+"/health"))

	begun = time.Now()
	p := start(t, "-start-delay=400ms")
	p.say(t, message(1, "ping", ""))
	assert.Contains(t, p.hear(t), `"result"`)
	assert.GreaterOrEqual(t, time.Since(begun), 400*time.Millisecond)
}

// TestListDelay has two ask at once: the first listing is late, the one that comes meanwhile with it, and no other.
func TestListDelay(t *testing.T) {
	const delay = 300 * time.Millisecond
	s, addr := newTestHTTP(t, "-list-delay=300ms")
	list := func() { _, _ = tryPost(t, addr, message(1, "tools/list", "")) }
	times := make(chan time.Duration, 2)
	begun := time.Now()
	for range 2 {
		go func() { list(); times <- time.Since(begun) }()
	}
	assert.GreaterOrEqual(t, <-times, delay)
	assert.GreaterOrEqual(t, <-times, delay)
	// The best of some: what else the machine does delays one or the other, but not all.
	best := delay
	for range 10 {
		best = min(best, took(list))
	}
	assert.Less(t, best, delay/2)
	assert.EqualValues(t, 12, s.totals().Listings)
}

func TestLatency(t *testing.T) {
	_, addr := newTestHTTP(t, "-latency=const:50ms")
	for range 3 {
		assert.GreaterOrEqual(t, took(func() { post(t, addr, callMessage(1, "")) }), 50*time.Millisecond)
	}
	best := time.Hour
	for range 10 {
		best = min(best, took(func() { post(t, addr, message(1, "tools/list", "")) }))
	}
	assert.Less(t, best, 25*time.Millisecond, "a listing is not a call")
}

// TestLatencyIncludesWork has a call burn half as long as it has to take.
func TestLatencyIncludesWork(t *testing.T) {
	_, addr := newTestHTTP(t, "-latency=const:300ms", "-cpu-call=150ms")
	best := time.Hour
	// A call that others' work was in the way of says nothing; one after the other none is below the sum.
	for tries := 0; tries < 20 && best >= 450*time.Millisecond; tries++ {
		best = min(best, took(func() { post(t, addr, callMessage(1, "")) }))
	}
	assert.GreaterOrEqual(t, best, 300*time.Millisecond)
	assert.Less(t, best, 450*time.Millisecond, "the two are not one after the other")
}

// TestDrawsAreTakenInTurn compares what calls took with the draws.
func TestDrawsAreTakenInTurn(t *testing.T) {
	s, addr := newTestHTTP(t, "-latency=bimodal:0s@0.5,60ms@0.5", "-seed=3")
	for i := range int64(12) {
		assert.GreaterOrEqual(t, took(func() { post(t, addr, callMessage(1, "")) }), s.draws.of(i+1))
	}
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	for _, flag := range []string{"-http=", "-pprof="} {
		p := start(t, flag+l.Addr().String())
		assert.Equal(t, statusFailed, p.await(t))
		assert.Contains(t, p.stderr.String(), "address already in use")
	}
}
