package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/spawn"
)

// stub answers like an MCP server whose answers are ready made. It answers a given number of calls and
// holds every further one, so that whoever drives it is stopped at exactly that number, and can still be read,
// whether or not it can be told a number.
type stub struct {
	job     stubJob
	replies map[string][]byte
	taken   atomic.Int64
	held    atomic.Int64
	// full is closed when every client has sent a call that is held, by which it has read all replies.
	full chan struct{}
}

// stubJob is how many calls a stub answers, and how many connections call.
type stubJob struct{ Calls, Clients int64 }

func newStub(job stubJob) (*stub, error) {
	listing, err := json.Marshal(map[string]any{"tools": stubTools()})
	if err != nil {
		return nil, err
	}
	call, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": stubText}}})
	if err != nil {
		return nil, err
	}
	return &stub{job: job, full: make(chan struct{}), replies: map[string][]byte{
		toolsCall: replyTail(call), toolsList: replyTail(listing),
	}}, nil
}

// The methods a stub answers.
const (
	toolsCall = "tools/call"
	toolsList = "tools/list"
)

// replyTail is what follows the id in a reply.
func replyTail(result []byte) []byte {
	return fmt.Appendf(nil, `,"result":%s}`, result)
}

// stubText is the answer to a call, as long as that of a small read.
var stubText = strings.Repeat("a line of some text ", 20)

// stubToolCount makes a listing as large as that of the largest surface, 3 MB.
const stubToolCount = 1230

func stubTools() []any {
	properties := map[string]any{}
	for i := range 20 {
		properties["property_"+strconv.Itoa(i)] = map[string]any{
			"type": "string", "description": "One of the properties that the tool can be given, in a sentence.",
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	tools := make([]any, stubToolCount)
	for i := range tools {
		tools[i] = map[string]any{"name": "tool_" + strconv.Itoa(i), "description": "Does one thing.", "inputSchema": schema}
	}
	return tools
}

// ServeHTTP implements http.Handler.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := requestID(r.Body)
	tail, ok := s.replies[r.Header.Get("Mcp-Method")]
	if err != nil || !ok {
		http.Error(w, "not a call that is known here", http.StatusBadRequest)
		return
	}
	if s.taken.Add(1) > s.job.Calls {
		s.hold(r.Context())
		return
	}
	head := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(tail)))
	_, _ = w.Write(head) // a client that is gone is missed by the count
	_, _ = w.Write(tail)
}

// hold keeps a call until its client hangs up.
func (s *stub) hold(ctx context.Context) {
	if s.held.Add(1) == s.job.Clients {
		close(s.full)
	}
	<-ctx.Done()
}

// requestID returns the digits of the id in a request's body.
func requestID(body io.Reader) ([]byte, error) {
	var buffer [4096]byte
	n, err := io.ReadFull(body, buffer[:])
	if err == nil {
		return nil, fmt.Errorf("a request of %d bytes or more", n)
	}
	_, rest, ok := bytes.Cut(buffer[:n], []byte(`"id":`))
	if !ok {
		return nil, fmt.Errorf("no id in %q", buffer[:n])
	}
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	return rest[:max(end, 0)], nil
}

// run serves until the process is ended. It writes a line with its address when it serves, and a line when
// every client is held.
func (j stubJob) run(ctx context.Context, out io.Writer) error {
	s, err := newStub(j)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s/mcp\n", listener.Addr()); err != nil {
		return err
	}
	go func() {
		<-s.full
		_, _ = fmt.Fprintln(out, "held") // whoever waits for it reads it, or is gone
	}()
	return http.Serve(listener, s)
}

// stubProcess is a stub in a process of its own.
type stubProcess struct {
	*spawn.Process
	url   string
	lines *bufio.Reader
}

func startStub(ctx context.Context, job stubJob, cpus []int) (*stubProcess, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args, err := childArgs(childJob{Serve: &job})
	if err != nil {
		return nil, err
	}
	s := &stubProcess{}
	s.Process, err = spawn.Start(ctx, spawn.Spec{Name: "stub", Path: path, Args: args, CPUs: cpus, Stdio: true, Grace: stubGrace, Ready: s.serves})
	return s, err
}

// stubGrace is short, for a stub ends by nothing but a signal, and has nothing to put in order.
const stubGrace = time.Millisecond

// serves is satisfied when the stub has told its address.
func (s *stubProcess) serves(_ context.Context, p *spawn.Process) error {
	s.lines = bufio.NewReader(p.Stdout())
	url, err := s.lines.ReadString('\n')
	s.url = strings.TrimSpace(url)
	return err
}

// full receives when every client is held, or an error when the stub ended before.
func (s *stubProcess) full() <-chan error {
	told := make(chan error, 1)
	go func() {
		_, err := s.lines.ReadString('\n')
		told <- err
	}()
	return told
}

func TestStub(t *testing.T) {
	s, err := newStub(stubJob{Calls: 1, Clients: 1})
	require.NoError(t, err)
	assert.InEpsilon(t, 3e6, len(s.replies[toolsList]), 0.05, "a listing is as large as the table says")

	ask := func(ctx context.Context, method, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Mcp-Method", method)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, http.StatusBadRequest, ask(t.Context(), "ping", `{"id":1}`).Code)
	assert.Equal(t, http.StatusBadRequest, ask(t.Context(), toolsCall, `{}`).Code)
	assert.Equal(t, http.StatusBadRequest, ask(t.Context(), toolsCall, `{"id":1,`+strings.Repeat(" ", 5000)).Code)
	assert.Contains(t, ask(t.Context(), toolsCall, `{"id":17}`).Body.String(), `{"jsonrpc":"2.0","id":17,"result":{`)

	gone, hangUp := context.WithCancel(t.Context())
	go func() {
		<-s.full
		hangUp()
	}()
	assert.Empty(t, ask(gone, toolsCall, `{"id":18}`).Body.String(), "a call beyond the last is held until its client hangs up")
}
