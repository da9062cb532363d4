package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeepIsRead(t *testing.T) {
	var k keepings
	require.NoError(t, k.Set("health:socket,cut:goroutine,refused:10KiB"))
	assert.Equal(t, "health:socket,cut:goroutine,refused:10KiB", k.String())
	assert.Equal(t, []int{1, 0, 0}, []int{k[0].leaks.descriptors, k[1].leaks.descriptors, k[2].leaks.descriptors})
	assert.Equal(t, []int{0, 1, 0}, []int{k[0].leaks.goroutines, k[1].leaks.goroutines, k[2].leaks.goroutines})
	assert.Equal(t, []size{0, 0, 10240}, []size{k[0].bytes, k[1].bytes, k[2].bytes})
	for _, wrong := range []string{"", "call:socket", "health", "health:much"} {
		require.Error(t, k.Set(wrong), wrong)
	}
	assert.Len(t, k, 3, "what cannot be read changes nothing")
}

// TestKeep has something kept of requests of one kind, and nothing of others.
func TestKeep(t *testing.T) {
	p, addr := startHTTP(t, "-keep=health:socket,refused:socket,initialize:socket", "-credential-prefix=glpat-")
	kept := func(ask func()) int {
		count := func() int {
			names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
			require.NoError(t, err)
			return len(names)
		}
		ask() // opens the connection
		before := count()
		for range 10 {
			ask()
		}
		return count() - before
	}
	get := func(path string) {
		response, err := http.Get("http://" + addr + path)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, response.Body)
		require.NoError(t, response.Body.Close())
	}
	say := func(token, message string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(message))
		require.NoError(t, err)
		r.Header.Set("Private-Token", token)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, response.Body)
		require.NoError(t, response.Body.Close())
	}
	assert.Equal(t, 10, kept(func() { get("/health") }))
	assert.Equal(t, 10, kept(func() { say("nobody", message(1, "ping", "")) }))
	assert.Equal(t, 10, kept(func() { say("glpat-1", message(1, "initialize", "")) }))
	assert.Zero(t, kept(func() { get("/account") }))
}

// TestStream opens a stream, which is over when its client leaves, and that is kept.
func TestStream(t *testing.T) {
	p, addr := startHTTP(t, "-keep=cut:socket,cut:socket")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(message(1, "initialize", "")))
	require.NoError(t, err)
	r.Header.Set("Private-Token", "glpat-1")
	client := &http.Client{Transport: &http.Transport{}}
	sockets := func() int {
		links, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
		require.NoError(t, err)
		return len(links)
	}
	before := sockets()
	response, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	open := func(session string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/mcp", nil)
		require.NoError(t, err)
		r.Header.Set(sessionHeader, session)
		response, err := client.Do(r)
		require.NoError(t, err)
		return response
	}
	none := open("00")
	require.NoError(t, none.Body.Close())
	assert.Equal(t, http.StatusNotFound, none.StatusCode)
	stream := open(response.Header.Get(sessionHeader))
	assert.Equal(t, http.StatusOK, stream.StatusCode)
	require.NoError(t, stream.Body.Close())
	client.CloseIdleConnections()
	require.Eventually(t, func() bool { return sockets() == before+2 }, 10*time.Second, time.Millisecond,
		"each connection is gone, and two sockets are kept")
}
