package main_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHTTP(t *testing.T) {
	p, url := serveHTTP(t, newGitLab(t, 0), "--tool-surface", "meta")
	status, body := fetch(t, url, "tools/list", "", "")
	assert.Equal(t, 200, status)
	assert.Greater(t, strings.Count(body, `"inputSchema"`), 100)
	status, body = fetch(t, url, "resources/read", "gitlab://user", `"uri":"gitlab://user"`)
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "ann")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, p.await(t), p.stderr)
	assert.Empty(t, p.rest.String())
}

// TestHTTPEnds has calls in progress and a connection on which nothing is asked.
func TestHTTPEnds(t *testing.T) {
	g := newGitLab(t, 300*time.Millisecond)
	p, url := serveHTTP(t, g)
	silent, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	answers := make(chan string, 4)
	for range cap(answers) {
		go func() {
			resp, err := post(t.Context(), url, "resources/read", "gitlab://version", `"uri":"gitlab://version"`)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			answers <- fmt.Sprint(string(body), err)
		}()
	}
	require.Eventually(t, func() bool { return g.asked.Load() == 4 }, patience, time.Millisecond)
	begin := time.Now()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	for range cap(answers) {
		assert.Contains(t, <-answers, "19.0.0")
	}
	assert.Zero(t, p.await(t), p.stderr)
	assert.Less(t, time.Since(begin), time.Second, "a second is what the program promises")
	assert.NotContains(t, p.stderr.String(), "cut off")
}

func TestProfiles(t *testing.T) {
	g := newGitLab(t, 0)
	overHTTP, _ := serveHTTP(t, g, "--pprof-addr", ":0")
	overStdio := start(t, stdioEnv(g), "--pprof-addr", "0")
	for name, p := range map[string]*process{"http": overHTTP, "stdio": overStdio} {
		t.Run(name, func(t *testing.T) {
			addr := p.logged(t, `msg="serving profiles" address=`)
			assert.True(t, strings.HasPrefix(addr, "127.0.0.1:"), addr)
			for _, path := range []string{"heap?gc=1", "goroutine?debug=1", "cmdline", "allocs"} {
				resp, err := http.Get("http://" + addr + "/debug/pprof/" + path)
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				assert.Equal(t, 200, resp.StatusCode, path)
				assert.NotEmpty(t, body)
			}
		})
	}
}

// collector receives telemetry and keeps all of it.
type collector struct {
	mu     sync.Mutex
	byPath map[string]string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		if unzipped, err := gzip.NewReader(r.Body); err == nil {
			body = unzipped
		}
	}
	content, _ := io.ReadAll(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byPath[r.URL.Path] += string(content)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// TestTelemetry looks for what must be in it, and for the token, which must not be.
func TestTelemetry(t *testing.T) {
	c := &collector{byPath: make(map[string]string)}
	receiver := httptest.NewServer(c)
	defer receiver.Close()
	g := newGitLab(t, 0)
	env := append(stdioEnv(g), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL)

	p := start(t, env, "--http", "--http-addr", "127.0.0.1:0", "--telemetry", "--log-level", "debug")
	url := "http://" + p.logged(t, "msg=serving address=")
	fetch(t, url, "tools/list", "", "")
	fetch(t, url, "resources/read", "gitlab://version", `"uri":"gitlab://version"`)
	fetch(t, url, "tools/call", "gitlab_find_action", `"name":"gitlab_find_action","arguments":{"query":"`+canary+`"}`)
	fetch(t, url, "tools/call", canary, `"name":"`+canary+`"`)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.await(t), p.stderr)

	q := start(t, env, "--telemetry")
	q.hello(t)
	q.say(t, readVersion)
	q.hear(t)
	require.NoError(t, q.in.Close())
	require.Zero(t, q.await(t), q.stderr)

	c.mu.Lock()
	defer c.mu.Unlock()
	for _, want := range []string{"tools/list", "resources/read", "tools/call gitlab_find_action", "/api/v4/version", "/api/v4/user", "v0.0.0-test"} {
		assert.Contains(t, c.byPath["/v1/traces"], want)
	}
	for _, want := range []string{"mcp.server.requests", "mcp.server.operation.duration", "http.client.request.duration", "gitlab_mcp.pool.credentials"} {
		assert.Contains(t, c.byPath["/v1/metrics"], want)
	}
	for path, content := range c.byPath {
		assert.NotContains(t, content, canary, path)
	}
}

func TestTelemetryThatCannotBeSentDoesNotHoldUpTheEnd(t *testing.T) {
	env := append(stdioEnv(newGitLab(t, 0)), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1")
	p := start(t, env, "--telemetry")
	p.hello(t)
	begin := time.Now()
	require.NoError(t, p.in.Close())
	assert.Zero(t, p.await(t), p.stderr)
	assert.Less(t, time.Since(begin), time.Second, "a second is what the program promises")
}
