package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stub is an HTTP server that answers with what it is told, byte for byte.
type stub struct {
	url         string
	connections atomic.Int64
	mu          sync.Mutex
	heads       []string
	bodies      []string
}

var idPattern = regexp.MustCompile(`"id":(\d+)`)

// newStub starts a stub. answer is told how many requests the connection has
// carried before this one and returns what to write, anID standing for
// the request's id, and whether to close the connection afterwards.
func newStub(t *testing.T, answer func(n int) (string, bool)) *stub {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s := &stub{url: "http://" + listener.Addr().String() + "/mcp"}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			go s.serve(conn, answer)
		}
	}()
	return s
}

func (s *stub) serve(conn net.Conn, answer func(n int) (string, bool)) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for n := 0; ; n++ {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		s.note(req, string(body))
		text, closing := answer(n)
		if id := idPattern.FindStringSubmatch(string(body)); id != nil {
			text = strings.ReplaceAll(text, anID, id[1])
		}
		_, _ = io.WriteString(conn, text)
		if closing {
			return
		}
	}
}

func (s *stub) note(req *http.Request, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var head strings.Builder
	_ = req.Header.Write(&head)
	s.heads = append(s.heads, req.Method+" "+req.RequestURI+"\r\n"+head.String())
	s.bodies = append(s.bodies, body)
}

// noted returns the heads and the bodies of the requests so far.
func (s *stub) noted() (heads, bodies []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heads, s.bodies
}

// anID stands for the request's id in what a stub answers.
const anID = "NNNNNNNNN"

// okReply is a right reply.
var okReply = withLength("200 OK", aJSON, `{"jsonrpc":"2.0","result":{},"id":`+anID+`}`)

func always(text string) func(int) (string, bool) {
	return func(int) (string, bool) { return text, false }
}

func dial(t *testing.T, config HTTPConfig) *HTTPConn {
	t.Helper()
	if config.Version == "" {
		config.Version = V20260728
	}
	c, err := DialHTTP(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

func do(t *testing.T, c Conn, req *Request) Reply {
	t.Helper()
	var reply Reply
	c.Do(t.Context(), req, &reply)
	assert.False(t, reply.End.Before(reply.Start))
	return reply
}

func TestHTTPSendsWhatTheRevisionWants(t *testing.T) {
	s := newStub(t, always(okReply))
	c := dial(t, HTTPConfig{URL: s.url + "/meta?x=1", Header: http.Header{"Private-Token": {"secret"}}})
	req := newRequest(t, Spec{Method: "tools/call", Name: "a b", Params: json.RawMessage("{\n\"name\": \"a b\"}")})
	first, second := do(t, c, req), do(t, c, req)
	require.Equal(t, OK, first.Outcome, first.Reason)
	require.Equal(t, OK, second.Outcome, second.Reason)
	assert.Equal(t, 200, first.Status)

	heads, bodies := s.noted()
	for _, line := range []string{
		"POST /mcp/meta?x=1\r\n", "Content-Type: application/json\r\n", "Accept: application/json, text/event-stream\r\n",
		"Mcp-Protocol-Version: 2026-07-28\r\n", "Mcp-Method: tools/call\r\n", "Mcp-Name: a b\r\n", "Private-Token: secret\r\n",
	} {
		assert.Contains(t, heads[0], line)
	}
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":100000000,"method":"tools/call","params":{"name":"a b","_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
		"io.modelcontextprotocol/clientInfo":{"name":"mcpbench","version":"1"}}}}`, bodies[0])
	assert.Equal(t, strings.Replace(bodies[0], "100000000", "100000001", 1), bodies[1])
	assert.Equal(t, int64(1), s.connections.Load())
}

func TestHTTPReconnects(t *testing.T) {
	closeAfter := func(limit int) func(int) (string, bool) {
		return func(n int) (string, bool) {
			if n == limit {
				return "", true
			}
			return okReply, false
		}
	}
	t.Run("idle connection closed", func(t *testing.T) {
		s := newStub(t, closeAfter(2))
		c := dial(t, HTTPConfig{URL: s.url})
		req := newRequest(t, Spec{})
		for range 6 {
			got := do(t, c, req)
			require.Equal(t, OK, got.Outcome, got.Reason)
		}
		assert.Equal(t, int64(2), c.Reconnects())
	})
	t.Run("fresh connection closed", func(t *testing.T) {
		s := newStub(t, closeAfter(0))
		c := dial(t, HTTPConfig{URL: s.url})
		got := do(t, c, newRequest(t, Spec{}))
		assert.Equal(t, Failed, got.Outcome)
		assert.Contains(t, []string{"transport: closed before the response", "transport: connection reset by peer"}, got.Reason)
		assert.Zero(t, c.Reconnects())
	})
	t.Run("closed as announced", func(t *testing.T) {
		s := newStub(t, func(int) (string, bool) {
			return strings.Replace(okReply, "\r\n", "\r\nConnection: close\r\n", 1), true
		})
		c := dial(t, HTTPConfig{URL: s.url})
		req := newRequest(t, Spec{})
		require.Equal(t, OK, do(t, c, req).Outcome)
		require.Equal(t, OK, do(t, c, req).Outcome)
		assert.Equal(t, int64(1), c.Reconnects())
	})
	t.Run("closed in the middle", func(t *testing.T) {
		s := newStub(t, func(n int) (string, bool) {
			if n == 1 {
				return okReply[:len(okReply)-9], true
			}
			return okReply, false
		})
		c := dial(t, HTTPConfig{URL: s.url})
		req := newRequest(t, Spec{})
		require.Equal(t, OK, do(t, c, req).Outcome)
		assert.Equal(t, "transport: closed in the middle of the response", do(t, c, req).Reason)
		assert.Equal(t, OK, do(t, c, req).Outcome)
	})
	t.Run("server gone", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c := dial(t, HTTPConfig{URL: "http://" + listener.Addr().String()})
		require.NoError(t, listener.Close())
		req := newRequest(t, Spec{})
		assert.Equal(t, "transport: connection reset by peer", do(t, c, req).Reason)
		assert.Equal(t, "transport: connection refused", do(t, c, req).Reason)
	})
}

func TestHTTPKeepsConnectionAfterFailure(t *testing.T) {
	s := newStub(t, always("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\noh"))
	c := dial(t, HTTPConfig{URL: s.url})
	for range 3 {
		got := do(t, c, newRequest(t, Spec{}))
		assert.Equal(t, "status 500: oh", got.Reason)
		assert.Equal(t, 500, got.Status)
	}
	assert.Equal(t, int64(1), s.connections.Load())
}

func TestHTTPCut(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := newStub(t, func(n int) (string, bool) {
		if n == 1 {
			asked <- struct{}{}
			return okReply[:20], false
		}
		return okReply, false
	})
	c := dial(t, HTTPConfig{URL: s.url})
	req := newRequest(t, Spec{})
	require.Equal(t, OK, do(t, c, req).Outcome)

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	var reply Reply
	c.Do(ctx, req, &reply)
	assert.Equal(t, Cut, reply.Outcome)
	assert.Equal(t, "cut: context canceled", reply.Reason)
	c.Do(ctx, req, &reply)
	assert.Equal(t, Cut, reply.Outcome)

	got := do(t, c, req)
	assert.Equal(t, OK, got.Outcome, got.Reason)
	assert.Zero(t, c.Reconnects())
}

func TestHTTPCutWhileIdle(t *testing.T) {
	s := newStub(t, always(okReply))
	c := dial(t, HTTPConfig{URL: s.url})
	req := newRequest(t, Spec{})
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var reply Reply
		c.Do(ctx, req, &reply)
		cancel()
		require.Equal(t, OK, reply.Outcome, reply.Reason)
	}
	assert.Equal(t, int64(1), s.connections.Load())
}

func TestHTTPManyConnectionsAndLargeReplies(t *testing.T) {
	body := strings.Replace(listing(testID, 40_000, "does a thing"), "123456789", anID, 1)
	s := newStub(t, always(withLength("200 OK", aJSON, body)))
	req := newRequest(t, Spec{Expect: Expect{Tools: 40_000}})
	first := dial(t, HTTPConfig{URL: s.url})
	var wait sync.WaitGroup
	for range 8 {
		c, err := first.Another(t.Context())
		require.NoError(t, err)
		wait.Go(func() {
			defer func() { assert.NoError(t, c.Close()) }()
			for range 4 {
				var reply Reply
				c.Do(t.Context(), req, &reply)
				assert.Equal(t, OK, reply.Outcome, reply.Reason)
			}
		})
	}
	wait.Wait()
	assert.Equal(t, int64(32), first.ids.n.Load(), "ids are of the session")
}

func TestHTTPLargeRequest(t *testing.T) {
	s := newStub(t, always(okReply))
	c := dial(t, HTTPConfig{URL: s.url})
	params := json.RawMessage(`{"text":"` + strings.Repeat("a", 16<<20) + `"}`)
	got := do(t, c, newRequest(t, Spec{Params: params}))
	assert.Equal(t, OK, got.Outcome, got.Reason)
}

func TestHTTPReplyIsBounded(t *testing.T) {
	s := newStub(t, always("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+
		`{"a":"`+strings.Repeat("a", maxMessage)))
	c := dial(t, HTTPConfig{URL: s.url})
	got := do(t, c, newRequest(t, Spec{Varies: true}))
	assert.Equal(t, "transport: a message too large to go on with", got.Reason)
}

func TestHTTPCutWhileConnecting(t *testing.T) {
	s := newStub(t, always(okReply))
	c := dial(t, HTTPConfig{URL: s.url})
	ctx, cancel := context.WithCancel(t.Context())
	c.guard.watch(ctx)
	cancel()
	require.Eventually(t, func() bool {
		c.guard.mu.Lock()
		defer c.guard.mu.Unlock()
		return c.guard.cut
	}, time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
	require.NoError(t, c.dial(t.Context()), "the new connection is as cut as the old one")
	_, err := c.tcp.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestHTTPFetch(t *testing.T) {
	s := newStub(t, always(okReply))
	c := dial(t, HTTPConfig{URL: s.url})
	body, reply := c.Fetch(t.Context(), newRequest(t, Spec{}))
	require.Equal(t, OK, reply.Outcome, reply.Reason)
	assert.JSONEq(t, `{"jsonrpc":"2.0","result":{},"id":100000000}`, string(body))
}

// A page is no message: what it says and its status are all that is looked at.
func TestHTTPGet(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  string
		outcome Outcome
		reason  string
	}{
		"JSON":    {withLength("200 OK", aJSON, `{"status":"ok"}`), OK, ""},
		"text":    {withLength("200 OK", "text/plain", "all is ok\n"), OK, ""},
		"wrong":   {withLength("200 OK", aJSON, `{"status":"down"}`), Failed, `shape: no "ok" in the page: {"status":"down"}`},
		"empty":   {withLength("200 OK", aJSON, ""), Failed, `shape: no "ok" in the page: `},
		"late":    {withLength("200 OK", aJSON, strings.Repeat(" ", maxText-1)+"ok"), Failed, `shape: no "ok" in the page: o`},
		"missing": {withLength("404 Not Found", "text/plain", "ok"), Failed, "status 404: ok"},
		"busy":    {withLength("503 Service Unavailable", "text/plain", "ok"), Refused, "status 503: ok"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, always(tt.answer))
			c := dial(t, HTTPConfig{URL: s.url})
			get := NewGet("health", c.config.Version, "ok")
			for range 2 {
				var reply Reply
				c.Do(t.Context(), get, &reply)
				assert.Equal(t, tt.outcome, reply.Outcome)
				assert.Equal(t, tt.reason, reply.Reason)
			}
			heads, bodies := s.noted()
			assert.Regexp(t, `^GET /mcp\r`, heads[1])
			assert.Empty(t, bodies[1])
			assert.EqualValues(t, 1, s.connections.Load(), "on one connection")
		})
	}
}

func TestHTTPAbsurdities(t *testing.T) {
	s := newStub(t, always(okReply))
	for name, config := range map[string]HTTPConfig{
		"give an http URL":         {URL: "https://127.0.0.1/mcp", Version: V20260728},
		"unknown protocol version": {URL: s.url, Version: "2001-01-01"},
		"cannot be sent":           {URL: s.url, Version: V20260728, Header: http.Header{"A": {"b\r\nC: d"}}},
		"is no IP address":         {URL: s.url, Version: V20260728, SourceIP: "here"},
	} {
		_, err := DialHTTP(t.Context(), config)
		require.ErrorContains(t, err, name)
	}
	c := dial(t, HTTPConfig{URL: s.url, SourceIP: "127.0.0.2"})
	assert.Contains(t, c.tcp.LocalAddr().String(), "127.0.0.2:")
	got := do(t, c, newRequest(t, Spec{Version: V20251125}))
	assert.Equal(t, "request: written in 2025-11-25, not the connection's 2026-07-28", got.Reason)
}

func TestJudgingDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("pools are made to miss under the race detector")
	}
	req := newRequest(t, Spec{})
	response := []byte(strings.Replace(okReply, anID, "123456789", 1))
	var x exchange
	var reply Reply
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		x.begin(req, testID, &reply, nil)
		if err := x.feed(response, &x); err != nil {
			panic(err)
		}
		x.end()
		x.close()
	}))
	assert.Equal(t, OK, reply.Outcome, reply.Reason)
}
