package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// accountOf asks a process for its account.
func accountOf(t *testing.T, addr string) totals {
	t.Helper()
	var sum totals
	require.NoError(t, json.Unmarshal([]byte(get(t, "http://"+addr+"/account")), &sum))
	return sum
}

// TestCredentials compares what the heap holds before and after credentials were admitted. The table of them must
// not show.
func TestCredentials(t *testing.T) {
	for _, tt := range []struct {
		bytes  string
		number int64
	}{{"0", 4000}, {"64", 10000}, {"10KiB", 1000}, {"50KiB", 200}, {"1MiB", 20}} {
		s := newTestServer(t, "-retain-credential="+tt.bytes)
		before := heapAlloc()
		for i := range tt.number {
			for range 2 { // the second time nothing is retained
				s.vault.admit("glpat-" + strconv.FormatInt(i, 10))
			}
		}
		grown := heapAlloc() - before
		want := tt.number * s.vault.perCredential.size
		assert.InDelta(t, want, grown, max(0.01*float64(want), 8<<10), "%d of %s", tt.number, tt.bytes)
		credentials, sessions, retained := s.vault.counts()
		assert.Equal(t, []int64{tt.number, 0, want}, []int64{credentials, sessions, retained})
	}
}

func TestSessionsGiveBack(t *testing.T) {
	s := newTestServer(t, "-retain-session=50KiB")
	before := heapAlloc()
	var ids []sessionID
	for range 100 {
		id, ok := parseSession(s.vault.open())
		require.True(t, ok)
		require.True(t, s.vault.knows(id))
		ids = append(ids, id)
	}
	assert.InEpsilon(t, 100*50<<10, heapAlloc()-before, 0.01)
	for _, id := range ids {
		require.True(t, s.vault.end(id))
		require.False(t, s.vault.end(id), "only once")
		require.False(t, s.vault.knows(id))
	}
	_, sessions, retained := s.vault.counts()
	assert.Zero(t, sessions)
	assert.Zero(t, retained)
	assert.InDelta(t, 0, heapAlloc()-before, 50<<10)
	runtime.KeepAlive(s)
}

func TestParseSession(t *testing.T) {
	for _, text := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 33), strings.Repeat("x", 32), strings.Repeat("0", 34)} {
		_, ok := parseSession(text)
		assert.False(t, ok, text)
	}
}

func TestCallsLeak(t *testing.T) {
	s, addr := newTestHTTP(t, "-retain-call=10KiB")
	post(t, addr, callMessage(1, "")) // which also has the connection's own buffers made
	before := heapAlloc()
	for range 200 {
		post(t, addr, callMessage(1, ""))
	}
	assert.InEpsilon(t, 200*10<<10, heapAlloc()-before, 0.02, "with what the test's own client keeps")
	assert.EqualValues(t, 201*10<<10, s.totals().RetainedBytes)
}

func TestPortionDue(t *testing.T) {
	for _, tt := range []struct {
		rate   size
		after  time.Duration
		leaked int64
		want   int64
	}{
		{0, time.Hour, 0, 0},
		{60 << 10, time.Second, 0, 1 << 10},
		{60 << 10, time.Second, 1 << 10, 0},
		{60 << 10, 1500 * time.Millisecond, 1 << 10, 512},
		{8738, 100 * time.Millisecond, 0, 0},
		{8738, 500 * time.Millisecond, 0, 64},
		{8738, time.Hour, 0, 524272},
	} {
		assert.Equal(t, tt.want, portionDue(tt.rate, tt.after, tt.leaked), "%+v", tt)
	}
}

func TestLeakRate(t *testing.T) {
	s := newTestServer(t)
	done := make(chan struct{})
	begun := time.Now()
	stopped := make(chan struct{})
	go func() { s.vault.leakAt(60<<20, done); close(stopped) }()
	require.Eventually(t, func() bool { return s.totals().RetainedBytes >= 512<<10 }, longest, time.Millisecond)
	close(done)
	<-stopped
	most := float64(1<<20) * time.Since(begun).Seconds()
	assert.LessOrEqual(t, float64(s.totals().RetainedBytes), most)
	assert.GreaterOrEqual(t, time.Since(begun), 500*time.Millisecond)

	plain := newTestServer(t)
	plain.vault.leakAt(0, nil) // returns at once
	assert.Zero(t, plain.totals().RetainedBytes)
}

var heapAllocLine = regexp.MustCompile(`# HeapAlloc = (\d+)\n`)

// liveHeap reads a process's live heap as the suite does.
func liveHeap(t *testing.T, profiles string) int64 {
	t.Helper()
	for range 2 {
		get(t, "http://"+profiles+"/debug/pprof/heap?debug=1&gc=1")
	}
	match := heapAllocLine.FindStringSubmatch(get(t, "http://"+profiles+"/debug/pprof/heap?debug=1"))
	require.NotNil(t, match)
	n, err := strconv.ParseInt(match[1], 10, 64)
	require.NoError(t, err)
	return n
}

// TestCredentialsFromOutside has a process retain, and reads it over its profiles.
func TestCredentialsFromOutside(t *testing.T) {
	p, addr := startHTTP(t, "-retain-credential=50KiB", "-pprof=127.0.0.1:0")
	profiles := p.said(t, `profiles at (\S+)\n`)
	post(t, addr, message(1, "tools/list", ""))
	before := liveHeap(t, profiles)
	const number = 300
	for i := range number {
		a := post(t, addr, message(1, "tools/list", ""), "Private-Token", fmt.Sprintf("glpat-of-%d", i))
		require.Equal(t, http.StatusOK, a.status)
	}
	assert.InEpsilon(t, number*50<<10, liveHeap(t, profiles)-before, 0.01)
	assert.Equal(t, totals{Listings: number + 1, Credentials: number + 1, RetainedBytes: (number + 1) * 50 << 10}, accountOf(t, addr))
	assert.Equal(t, accountOf(t, addr), accountOf(t, profiles))
	assert.Zero(t, p.term(t))
}
