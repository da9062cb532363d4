package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	canary = "glpat-canary-0123456789"
	// patience is how long a test waits for what should come at once.
	patience = 20 * time.Second
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "gitlab-mcp-server")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary = filepath.Join(dir, "gitlab-mcp-server")
		build := exec.Command("go", "build", "-ldflags", "-X main.version=v0.0.0-test -X main.commit=c0ffee", "-o", binary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// slowGitLab answers everything, and what is no question about the user after a delay.
type slowGitLab struct {
	*httptest.Server
	asked atomic.Int64
}

func newGitLab(t *testing.T, delay time.Duration) *slowGitLab {
	t.Helper()
	g := &slowGitLab{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Private-Token") != canary {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/api/v4/user" {
			_, _ = io.WriteString(w, `{"id":1,"username":"ann"}`)
			return
		}
		g.asked.Add(1)
		time.Sleep(delay)
		_, _ = io.WriteString(w, `{"version":"19.0.0","revision":"abc"}`)
	}))
	t.Cleanup(g.Close)
	return g
}

// process is the program, running.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	rest   bytes.Buffer // of standard output, once lines were not read
	stderr *watchedBuffer
	exited chan struct{}
}

// watchedBuffer is written to by a process and read by a test.
type watchedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *watchedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *watchedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts the program with nothing in its environment but what is given.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(binary, args...), stderr: &watchedBuffer{}, exited: make(chan struct{})}
	p.Env, p.Stderr = env, p.stderr
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	p.in, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReaderSize(out, 1<<20)
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		p.await(t)
		assert.NotContains(t, p.stderr.String(), canary)
	})
	return p
}

// await reads standard output to its end and waits for the process.
func (p *process) await(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	default:
		done := time.AfterFunc(patience, func() { _ = p.Process.Kill() })
		_, _ = p.rest.ReadFrom(p.out)
		_ = p.Wait() // the exit code is looked at below
		done.Stop()
		close(p.exited)
	}
	return p.ProcessState.ExitCode()
}

func stdioEnv(g *slowGitLab) []string {
	return []string{"GITLAB_URL=" + g.URL, "GITLAB_TOKEN=" + canary}
}

// say writes a message to standard input.
func (p *process) say(t *testing.T, format string, args ...any) {
	t.Helper()
	_, err := fmt.Fprintf(p.in, format+"\n", args...)
	require.NoError(t, err)
}

type reply struct {
	ID     any             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

// hear reads a message from standard output.
func (p *process) hear(t *testing.T) reply {
	t.Helper()
	line, err := p.out.ReadBytes('\n')
	require.NoError(t, err, p.stderr.String())
	return decode(t, line)
}

func decode(t *testing.T, line []byte) reply {
	t.Helper()
	var r reply
	require.NoError(t, json.Unmarshal(line, &r), "%.200s", line)
	return r
}

// hello opens a session on stdio.
func (p *process) hello(t *testing.T) {
	t.Helper()
	p.say(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	require.Nil(t, p.hear(t).Error)
	p.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	modernMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	readVersion = `{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"gitlab://version"}}`
)

// serveHTTP starts the program over HTTP on a port of its choice and returns its address.
func serveHTTP(t *testing.T, g *slowGitLab, args ...string) (*process, string) {
	t.Helper()
	p := start(t, nil, append([]string{"--http", "--http-addr", "127.0.0.1:0", "--gitlab-url", g.URL}, args...)...)
	return p, "http://" + p.logged(t, "msg=serving address=")
}

// logged waits until a line with the prefix is in the log and returns the word after it.
func (p *process) logged(t *testing.T, prefix string) string {
	t.Helper()
	var word string
	require.Eventually(t, func() bool {
		_, after, ok := strings.Cut(p.stderr.String(), prefix)
		word, _, _ = strings.Cut(after, " ")
		word, _, _ = strings.Cut(word, "\n")
		return ok
	}, patience, time.Millisecond, "%s", p.stderr)
	return word
}

// post sends a call of the version without sessions.
func post(ctx context.Context, url, method, name, params string) (*http.Response, error) {
	if params != "" {
		params += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, modernMeta)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Private-Token": canary,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	return http.DefaultClient.Do(r)
}

// fetch is post, read to the end.
func fetch(t *testing.T, url, method, name, params string) (int, string) {
	t.Helper()
	resp, err := post(t.Context(), url, method, name, params)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}
