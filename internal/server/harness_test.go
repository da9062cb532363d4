package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/pool"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/toolset"
)

const canary = "glpat-canary-0123456789"

// fakeGitLab is a GitLab that knows every token but "unknown" and "blocked".
type fakeGitLab struct {
	*httptest.Server
	users, others atomic.Int64
	delay         atomic.Int64  // of everything but /user, in nanoseconds
	held          chan struct{} // if set, /user is answered once it is closed
	stuck         chan struct{} // if set, everything else is
	asking        atomic.Int64  // questions to /user that wait for held
	refuseAll     atomic.Int64  // a status for every answer, if not 0
}

func newGitLab(t *testing.T) *fakeGitLab {
	t.Helper()
	g := &fakeGitLab{}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

func (g *fakeGitLab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/api/v4/user" && g.held != nil {
		g.asking.Add(1)
		<-g.held
		g.asking.Add(-1)
	}
	token := r.Header.Get("Private-Token")
	if after, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = after
	}
	status := int(g.refuseAll.Load())
	switch token {
	case "", "unknown":
		status = http.StatusUnauthorized
	case "blocked":
		status = http.StatusForbidden
	}
	if status != 0 {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"message":"%d %s"}`, status, http.StatusText(status))
		return
	}
	if r.URL.Path == "/api/v4/user" {
		g.users.Add(1)
	} else {
		g.others.Add(1)
		if g.stuck != nil {
			<-g.stuck
		}
		time.Sleep(time.Duration(g.delay.Load()))
	}
	switch r.URL.Path {
	case "/api/v4/user":
		_, _ = io.WriteString(w, `{"id":1,"username":"ann"}`)
	case "/api/v4/version":
		_, _ = io.WriteString(w, `{"version":"19.0.0","revision":"abc"}`)
	case "/api/v4/projects/1", "/api/v4/projects/group/p":
		_, _ = io.WriteString(w, `{"id":1,"path_with_namespace":"group/p"}`)
	case "/api/v4/projects/1/issues/2":
		_, _ = io.WriteString(w, `{"iid":2,"title":"an issue"}`)
	case "/api/v4/projects/1/merge_requests/3":
		_, _ = io.WriteString(w, `{"iid":3,"title":"a merge request"}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"404 Not Found"}`)
	}
}

// builtOnce builds each surface once for all tests: under the race detector that takes a while.
func builtOnce(kind surface.Kind) (*toolset.Toolset, error) {
	tools.Lock()
	defer tools.Unlock()
	if tools.built[kind] == nil {
		impl := &mcp.Implementation{Name: "gitlab-mcp-server", Title: "GitLab", Version: "v1"}
		t, err := (&toolset.Builder{Server: impl, Cache: cacheability()}).Build(kind)
		if err != nil {
			return nil, err
		}
		tools.built[kind] = t
	}
	return tools.built[kind], nil
}

var tools = struct {
	sync.Mutex
	built map[surface.Kind]*toolset.Toolset
}{built: make(map[surface.Kind]*toolset.Toolset)}

// served is a server in this process, over HTTP.
type served struct {
	*httptest.Server
	app    *app
	pool   *pool.Pool
	gitlab *fakeGitLab
	log    *lockedBuffer
	stop   context.CancelFunc
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func serveTest(t *testing.T, args ...string) *served {
	t.Helper()
	g := newGitLab(t)
	config, err := parse(append([]string{"--http", "--gitlab-url", g.URL}, args...), env(), io.Discard)
	require.NoError(t, err)
	s := &served{gitlab: g, log: &lockedBuffer{}}
	s.app, err = newApp(t.Context(), config, Build{Version: "v1", Commit: "c1", Go: "go1"}, s.log)
	require.NoError(t, err)
	t.Cleanup(s.app.close)
	s.app.tools = builtOnce
	s.pool = s.app.newPool()
	t.Cleanup(s.pool.Close)
	var closing context.Context
	closing, s.stop = context.WithCancel(context.Background())
	t.Cleanup(s.stop)
	s.Server = httptest.NewServer(s.app.routes(closing, s.pool))
	t.Cleanup(s.Close)
	return s
}

// message is one request in the making.
type message struct {
	path, token, method, body string
	header                    map[string]string
}

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
	modernMeta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// modern is a call of the version without sessions. Params is the inside of the params object.
func modern(method, name, params string) message {
	if params != "" {
		params += ","
	}
	header := map[string]string{"Mcp-Protocol-Version": modernVersion, "Mcp-Method": method}
	if name != "" {
		header["Mcp-Name"] = name
	}
	return message{
		header: header,
		body:   fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":{%s%s}}`, method, params, modernMeta),
	}
}

// legacy is a call in a session.
func legacy(session, method, params string) message {
	header := map[string]string{"Mcp-Protocol-Version": legacyVersion}
	if session != "" {
		header["Mcp-Session-Id"] = session
	}
	return message{header: header, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":{%s}}`, method, params)}
}

func (m message) on(path string) message   { m.path = path; return m }
func (m message) by(token string) message  { m.token = token; return m }
func (m message) verb(verb string) message { m.method = verb; return m }
func (m message) with(name, value string) message {
	header := map[string]string{name: value}
	for k, v := range m.header {
		if k != name {
			header[k] = v
		}
	}
	m.header = header
	return m
}

type answer struct {
	status int
	header http.Header
	body   string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (s *served) send(t *testing.T, m message) answer {
	t.Helper()
	a, err := s.try(t.Context(), m)
	require.NoError(t, err)
	return a
}

// later sends in the background. An answer with status 0 is a failure, and its body says which.
func (s *served) later(ctx context.Context, m message) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		a, err := s.try(ctx, m)
		if err != nil {
			a.body = err.Error()
		}
		got <- a
	}()
	return got
}

func (s *served) try(ctx context.Context, m message) (answer, error) {
	path, verb, token := cmp.Or(m.path, "/mcp"), cmp.Or(m.method, http.MethodPost), cmp.Or(m.token, canary)
	r, err := http.NewRequestWithContext(ctx, verb, s.URL+path, strings.NewReader(m.body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "-" {
		r.Header.Set("Private-Token", token)
	}
	for k, v := range m.header {
		r.Header.Set(k, v)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(body)}
	_ = json.Unmarshal(body, &a) // not every answer is JSON
	return a, err
}

// open opens a session and returns its id.
func (s *served) open(t *testing.T, path, token string) string {
	t.Helper()
	a := s.send(t, message{path: path, token: token, body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`})
	require.Equal(t, http.StatusOK, a.status, a.body)
	id := a.header.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	note := s.send(t, message{path: path, token: token, body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		header: map[string]string{"Mcp-Session-Id": id, "Mcp-Protocol-Version": legacyVersion}})
	require.Equal(t, http.StatusAccepted, note.status, note.body)
	return id
}
