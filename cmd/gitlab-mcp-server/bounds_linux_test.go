package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dial connects to the program. A connection with a small buffer makes the program wait for its client early.
func dial(t *testing.T, url string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	tcp := conn.(*net.TCPConn)
	require.NoError(t, tcp.SetReadBuffer(4096))
	return tcp
}

// head begins a request to the MCP endpoint.
func head(token string, length int) string {
	h := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n"
	if token != "" {
		h += "Private-Token: " + token + "\r\n"
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n", h, length)
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`

// TestSizesAreBounded sends more than anybody needs.
func TestSizesAreBounded(t *testing.T) {
	p, url := serveHTTP(t, newGitLab(t, 0))
	before := resident(t, p.Process.Pid)
	for _, tt := range []struct {
		name, head string
		body       io.Reader
		want       int
	}{
		{"a large header", head(canary, 0) + "X-Large: " + strings.Repeat("x", 1<<20) + "\r\n", nil, http.StatusRequestHeaderFieldsTooLarge},
		{"a large body", head(canary, 1<<30), filler(1 << 30), http.StatusRequestEntityTooLarge},
		{"a large body of unknown length", strings.Replace(head(canary, 0), "Content-Length: 0", "Transfer-Encoding: chunked", 1),
			io.MultiReader(strings.NewReader("40000000\r\n"), filler(1<<30)), http.StatusRequestEntityTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, url)
			require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
			go func() {
				_, _ = io.WriteString(conn, tt.head+"\r\n")
				if tt.body != nil {
					_, _ = io.Copy(conn, tt.body) // the program does not wait for the end of it
				}
			}()
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			_ = response.Body.Close()
			assert.Equal(t, tt.want, response.StatusCode)
		})
	}
	assert.Less(t, resident(t, p.Process.Pid)-before, 64<<20)
}

// filler is n bytes that say nothing.
func filler(n int64) io.Reader { return io.LimitReader(letters{}, n) }

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestStdioLinesAreBounded sends a line without an end: the program gives up before it fills memory.
func TestStdioLinesAreBounded(t *testing.T) {
	p := start(t, stdioEnv(newGitLab(t, 0)))
	p.hello(t)
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`)
	require.NoError(t, err)
	sent, err := io.Copy(p.in, filler(1<<30))
	require.Error(t, err, "the program stops to read")
	assert.Less(t, sent, int64(32<<20))
	assert.Equal(t, 1, p.await(t))
	assert.Contains(t, p.stderr.String(), "line length")
}

// TestStdioRefusalsAreBounded has a client that goes on asking, over the limits, and does not read what it is told: the
// program stops to read from it, has nothing running for what it refuses, and answers all once it is heard.
func TestStdioRefusalsAreBounded(t *testing.T) {
	g := newGitLab(t, 2*time.Second)
	p := start(t, stdioEnv(g), "--max-concurrent-requests", "1", "--pprof-addr", "0")
	profiles := "http://" + p.logged(t, `msg="serving profiles" address=`)
	p.hello(t)
	p.say(t, readVersion)
	require.Eventually(t, func() bool { return g.asked.Load() == 1 }, patience, time.Millisecond)
	const lines = 50_000
	var sent atomic.Int64
	go func() {
		for sent.Load() < lines {
			method := []string{"tools/list", "resources/list"}[sent.Load()%2]
			if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":"%d","method":%q}`+"\n", sent.Load(), method); err != nil {
				return
			}
			sent.Add(1)
		}
	}()
	require.Eventually(t, func() bool { // the pipes are full
		before := sent.Load()
		time.Sleep(100 * time.Millisecond)
		return before > 0 && before == sent.Load()
	}, patience, time.Millisecond)
	assert.Less(t, sent.Load(), int64(lines))
	assert.Less(t, goroutines(t, profiles), 40)
	overdue := time.AfterFunc(3*patience, func() { _ = p.Process.Kill() })
	defer overdue.Stop()
	refused := 0
	for range lines + 1 {
		if r := p.hear(t); r.Error != nil {
			assert.Equal(t, -32005, r.Error.Code)
			refused++
		}
	}
	assert.Greater(t, refused, 1000)
	p.say(t, `{"jsonrpc":"2.0","id":"last","method":"resources/list"}`)
	assert.Nil(t, p.hear(t).Error, "the room is given back")
}

// goroutines counts those of a process that serves profiles.
func goroutines(t *testing.T, profiles string) int {
	t.Helper()
	response, err := http.Get(profiles + "/debug/pprof/goroutine?debug=1")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var n int
	_, err = fmt.Fscanf(response.Body, "goroutine profile: total %d", &n)
	require.NoError(t, err)
	return n
}

// descriptors counts the open files of a process.
func descriptors(t *testing.T, pid int) int {
	t.Helper()
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	require.NoError(t, err)
	return len(names)
}

// TestSlowClientsAreCutOff has clients that do not go on, and are not heard of again.
func TestSlowClientsAreCutOff(t *testing.T) {
	p, url := serveHTTP(t, newGitLab(t, 0), "--client-timeout", "300ms", "--tool-surface", "individual")
	status, _ := fetch(t, url, "tools/list", "", "")
	require.Equal(t, http.StatusOK, status)
	http.DefaultClient.CloseIdleConnections()
	const answers = 5 // of 2.7 MB each: the kernel takes one or two of them for its own
	ask := head(canary, len(listTools)) + "\r\n" + listTools
	for _, tt := range []struct{ name, sends string }{
		{"nothing is sent", ""},
		{"a head without an end", head(canary, 10)},
		{"a body that does not come", head(canary, 10) + "\r\n"},
		{"a body that ends early", head(canary, 10) + "\r\n{"},
		{"a body that does not come, of a request that is refused", head("", 10) + "\r\n"},
		{"a body for a path that is none", strings.Replace(head("", 10), "/mcp", "/none", 1) + "\r\n"},
		{"answers that are not read", strings.Repeat(ask, answers)},
		{"health checks whose answers are not read", strings.Repeat("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 100_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before int
			require.Eventually(t, func() bool { // what was before is gone
				before = descriptors(t, p.Process.Pid)
				time.Sleep(50 * time.Millisecond)
				return before == descriptors(t, p.Process.Pid)
			}, patience, time.Millisecond)
			conn := dial(t, url)
			go func() { _, _ = io.WriteString(conn, tt.sends) }() // it may be cut off before the end
			require.Eventually(t, func() bool { return descriptors(t, p.Process.Pid) > before }, patience, time.Millisecond)
			assert.Eventually(t, func() bool { return descriptors(t, p.Process.Pid) <= before }, patience, 10*time.Millisecond)
		})
	}
	status, _ = fetch(t, url, "tools/list", "", "")
	assert.Equal(t, http.StatusOK, status)
}

// TestRefusalsDoNotWaitForTheBody has clients announce a body and not send it. The program's patience with clients is an
// hour, and that of the test much less.
func TestRefusalsDoNotWaitForTheBody(t *testing.T) {
	g := newGitLab(t, 0)
	_, busy := serveHTTP(t, g, "--client-timeout", "1h", "--max-concurrent-requests", "1")
	_, hasty := serveHTTP(t, g, "--client-timeout", "1h", "--rate-limit-rps", "0.001")
	status, _ := fetch(t, hasty, "tools/list", "", "")
	require.Equal(t, http.StatusOK, status)
	require.Eventually(t, func() bool {
		// A body that is waited for takes all room, unless the call below was faster.
		_, err := io.WriteString(dial(t, busy), head(canary, 10)+"\r\n")
		require.NoError(t, err)
		status, _ := fetch(t, busy, "tools/list", "", "")
		return status == http.StatusServiceUnavailable
	}, patience, 10*time.Millisecond)
	for _, tt := range []struct {
		name, url, token string
		want             int
	}{
		{"no credential", hasty, "", http.StatusUnauthorized},
		{"a credential that GitLab does not know", hasty, "x", http.StatusUnauthorized},
		{"too many a second", hasty, canary, http.StatusTooManyRequests},
		{"too many in progress", busy, canary, http.StatusServiceUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, tt.url)
			require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
			answers := bufio.NewReader(conn)
			for _, body := range []string{listTools, listTools, ""} { // those with a body keep the connection
				_, err := io.WriteString(conn, head(tt.token, len(listTools))+"\r\n"+body)
				require.NoError(t, err)
				response, err := http.ReadResponse(answers, nil)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, err)
				assert.Equal(t, tt.want, response.StatusCode)
				assert.Equal(t, tt.want != http.StatusUnauthorized, response.Header.Get("Retry-After") != "")
				assert.Equal(t, body == "", response.Close)
			}
			_, err := answers.ReadByte()
			assert.ErrorIs(t, err, io.EOF)
		})
	}
}

// TestPatienceIsForThePieces has a call that takes longer than clients may, which is no client's fault.
func TestPatienceIsForThePieces(t *testing.T) {
	_, url := serveHTTP(t, newGitLab(t, 700*time.Millisecond), "--client-timeout", "200ms")
	for range 2 { // the second on the connection of the first
		status, body := fetch(t, url, "resources/read", "gitlab://version", `"uri":"gitlab://version"`)
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, body, "19.0.0")
	}
}

// hello opens a session.
const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// converse sends a message in a session, or in none.
func converse(t *testing.T, url, session, message string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(message))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Private-Token": {canary}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	_ = response.Body.Close()
	return response
}

// TestAbandonedSessionsGiveBack opens as many sessions as there may be and leaves them: more are refused until their
// time is up, and then what ran for them has ended.
func TestAbandonedSessionsGiveBack(t *testing.T) {
	const bound = 100
	p, url := serveHTTP(t, newGitLab(t, 0), "--session-timeout", "3s", "--max-sessions", fmt.Sprint(2*bound), "--pprof-addr", "0")
	profiles := "http://" + p.logged(t, `msg="serving profiles" address=`)
	status, _ := fetch(t, url, "tools/list", "", "")
	require.Equal(t, http.StatusOK, status)
	before := goroutines(t, profiles)
	opened := 0
	for ; opened <= 2*bound; opened++ {
		response := converse(t, url, "", hello)
		if response.StatusCode == http.StatusServiceUnavailable {
			assert.Equal(t, "1", response.Header.Get("Retry-After"))
			break
		}
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
	require.GreaterOrEqual(t, opened, bound, "half of all sessions, and more if some have ended already")
	require.LessOrEqual(t, opened, 2*bound, "there is a bound")
	assert.Greater(t, goroutines(t, profiles), before+bound/2)
	assert.Eventually(t, func() bool { return goroutines(t, profiles) <= before+4 }, patience, 20*time.Millisecond)
	assert.Equal(t, http.StatusOK, converse(t, url, "", hello).StatusCode)
}

// TestAbandonedSessionsEnd leaves a session alone for as long as sessions may be.
func TestAbandonedSessionsEnd(t *testing.T) {
	_, url := serveHTTP(t, newGitLab(t, 0), "--session-timeout", "300ms")
	say := func(session, message string) *http.Response { return converse(t, url, session, message) }
	session := say("", hello).Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	begin := time.Now()
	for time.Since(begin) < 900*time.Millisecond { // it is not the age of a session that ends it
		if time.Since(begin) < 100*time.Millisecond {
			require.Equal(t, http.StatusOK, say(session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`).StatusCode)
		}
		time.Sleep(20 * time.Millisecond)
	}
	assert.Equal(t, http.StatusNotFound, say(session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`).StatusCode)
}
