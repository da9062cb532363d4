package server

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusedBusy holds an answer to be a refusal for want of room, which says when to come back.
func refusedBusy(t *testing.T, a answer) {
	t.Helper()
	require.NotNil(t, a.Error, a.body)
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.Equal(t, -32005, a.Error.Code)
	assert.Equal(t, "1", a.header.Get("Retry-After"))
}

// TestOneCredentialLeavesRoom has one credential ask for more than there is: with no bound set but that for all, another
// credential is answered each time.
func TestOneCredentialLeavesRoom(t *testing.T) {
	s := serveTest(t, "--max-concurrent-requests", "4")
	s.send(t, modern("tools/list", "", "").by("other"))
	s.send(t, modern("tools/list", "", ""))
	s.gitlab.stuck = make(chan struct{})
	var waiting []<-chan answer
	for range 2 {
		waiting = append(waiting, s.later(t.Context(), modern("resources/read", "gitlab://version", `"uri":"gitlab://version"`)))
	}
	require.Eventually(t, func() bool { return s.gitlab.others.Load() == 2 }, 5*time.Second, time.Millisecond)
	stop := make(chan struct{})
	crowd := make(chan int)
	for range 8 {
		go func() {
			served := 0
			for {
				select {
				case <-stop:
					crowd <- served
					return
				default:
					if a, err := s.try(t.Context(), modern("tools/list", "", "")); err != nil || a.status != http.StatusServiceUnavailable {
						served++
					}
				}
			}
		}()
	}
	for range 300 {
		assert.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "").by("other")).status)
	}
	close(stop)
	for range 8 {
		assert.Zero(t, <-crowd)
	}
	close(s.gitlab.stuck)
	for _, w := range waiting {
		assert.Equal(t, http.StatusOK, (<-w).status)
	}
}

// TestStrangersLeaveRoom has tokens that GitLab is slow to know, as many as there is room for, and more.
func TestStrangersLeaveRoom(t *testing.T) {
	s := serveTest(t, "--max-concurrent-requests", "4")
	require.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "")).status)
	s.gitlab.held = make(chan struct{})
	var waiting []<-chan answer
	for n := range 2 {
		waiting = append(waiting, s.later(t.Context(), modern("tools/list", "", "").by(fmt.Sprint("s", n))))
	}
	require.Eventually(t, func() bool { return s.gitlab.asking.Load() == 2 }, 5*time.Second, time.Millisecond)
	refusedBusy(t, s.send(t, modern("tools/list", "", "").by("s2")))
	assert.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "")).status, "who is known is not concerned")
	close(s.gitlab.held)
	for _, w := range waiting {
		assert.Equal(t, http.StatusOK, (<-w).status)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// TestSessionsAreBounded opens one more than one credential may, and then than all may.
func TestSessionsAreBounded(t *testing.T) {
	s := serveTest(t, "--max-sessions", "3", "--max-sessions-per-credential", "2")
	for range 3 { // a session that is not opened holds no room
		s.send(t, message{body: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`})
	}
	first := s.open(t, "", "")
	s.open(t, "", "")
	refusedBusy(t, s.send(t, message{body: initialize}))
	assert.Equal(t, http.StatusOK, s.send(t, legacy(first, "ping", "")).status, "those that are open go on")
	assert.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "")).status, "who needs none is not concerned")
	s.open(t, "", "other")
	refusedBusy(t, s.send(t, message{body: initialize, token: "other"}))
	require.Equal(t, http.StatusNoContent, s.send(t, legacy(first, "", "").verb(http.MethodDelete)).status)
	s.open(t, "", "other")
	refusedBusy(t, s.send(t, message{body: initialize}))
}

// TestManySessionsAtOnce opens more sessions at once than there may be.
func TestManySessionsAtOnce(t *testing.T) {
	s := serveTest(t, "--max-sessions", "3")
	require.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "").by("other")).status)
	const tries = 40
	answers := make(chan (<-chan answer), tries)
	for range tries {
		answers <- s.later(t.Context(), message{body: initialize})
	}
	opened := 0
	for range tries {
		if a := <-<-answers; a.status == http.StatusOK {
			opened++
		} else {
			refusedBusy(t, a)
		}
	}
	assert.Equal(t, 1, opened, "half of them, and others the rest")
	assert.Equal(t, 1, s.pool.Stats().Sessions)
	s.open(t, "", "other")
}

// TestStreamsAreBounded opens the stream of a session, which is one at most, and of none.
func TestStreamsAreBounded(t *testing.T) {
	s := serveTest(t, "--max-concurrent-requests", "1")
	id := s.open(t, "", "")
	stream := s.later(t.Context(), legacy(id, "", "").verb(http.MethodGet))
	require.Eventually(t, func() bool { return s.pool.Stats().InFlight == 1 }, 5*time.Second, time.Millisecond)
	again := legacy(id, "", "").verb(http.MethodGet)
	require.Eventually(t, func() bool { return s.send(t, again).status == http.StatusConflict }, 5*time.Second, time.Millisecond)
	assert.Equal(t, http.StatusBadRequest, s.send(t, legacy("", "", "").verb(http.MethodGet)).status)
	assert.Equal(t, http.StatusMethodNotAllowed, s.send(t, modern("", "", "").verb(http.MethodGet)).status)
	assert.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "")).status, "an open stream is no work")
	s.stop()
	assert.Equal(t, http.StatusOK, (<-stream).status)
}

// TestStreamsAndEndsCountAsRequests holds what is no message to the bounds of messages.
func TestStreamsAndEndsCountAsRequests(t *testing.T) {
	for _, verb := range []string{http.MethodGet, http.MethodDelete} {
		t.Run("rate "+verb, func(t *testing.T) {
			s := serveTest(t, "--rate-limit-rps", "0.01")
			require.Equal(t, http.StatusOK, s.send(t, modern("tools/list", "", "")).status)
			a := s.send(t, legacy("x", "", "").verb(verb))
			assert.Equal(t, http.StatusTooManyRequests, a.status)
			assert.Equal(t, "100", a.header.Get("Retry-After"))
		})
		t.Run("in progress "+verb, func(t *testing.T) {
			s := serveTest(t, "--max-concurrent-per-credential", "1")
			id := s.open(t, "", "")
			s.gitlab.delay.Store(int64(300 * time.Millisecond))
			slow := s.later(t.Context(), modern("resources/read", "gitlab://version", `"uri":"gitlab://version"`))
			require.Eventually(t, func() bool { return s.gitlab.others.Load() == 1 }, 5*time.Second, time.Millisecond)
			refusedBusy(t, s.send(t, legacy(id, "", "").verb(verb)))
			assert.Equal(t, http.StatusOK, (<-slow).status)
			assert.Equal(t, http.StatusOK, s.send(t, legacy(id, "ping", "")).status)
		})
	}
}
