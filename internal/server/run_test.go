package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running is the program in this process, which lets the race detector see it.
type running struct {
	in  *io.PipeWriter
	out *bufio.Reader
	log *lockedBuffer
	end context.CancelFunc
	err chan error
}

func start(t *testing.T, g *fakeGitLab, args ...string) *running {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{in: inW, out: bufio.NewReader(outR), log: &lockedBuffer{}, end: cancel, err: make(chan error, 1)}
	go func() {
		err := run(ctx, append([]string{"--gitlab-url", g.URL}, args...), env(), Streams{In: inR, Out: outW, Err: r.log}, Build{Version: "v1"})
		_ = outW.Close()
		_ = inR.Close()
		r.err <- err
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
	})
	return r
}

func (r *running) say(t *testing.T, format string, args ...any) {
	t.Helper()
	_, err := fmt.Fprintf(r.in, format+"\n", args...)
	require.NoError(t, err)
}

func (r *running) hear(t *testing.T) map[string]any {
	t.Helper()
	line, err := r.out.ReadBytes('\n')
	require.NoError(t, err, r.log)
	var m map[string]any
	require.NoError(t, json.Unmarshal(line, &m))
	return m
}

func (r *running) hello(t *testing.T) {
	t.Helper()
	r.say(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	require.Contains(t, r.hear(t), "result")
	r.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func TestRunStdio(t *testing.T) {
	g := newGitLab(t)
	r := start(t, g)
	r.hello(t)
	const calls = 40
	go func() {
		for i := range calls {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i)
			if i%2 == 0 {
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"gitlab://version"}}`, i)
			}
			_, _ = io.WriteString(r.in, line+"\n")
		}
	}()
	ids := make(map[any]bool)
	for range calls {
		m := r.hear(t)
		assert.Contains(t, m, "result")
		ids[m["id"]] = true
	}
	assert.Len(t, ids, calls)
	require.NoError(t, r.in.Close())
	require.NoError(t, <-r.err)
}

func TestRunStdioUntilTold(t *testing.T) {
	g := newGitLab(t)
	g.delay.Store(int64(100 * time.Millisecond))
	r := start(t, g)
	r.hello(t)
	r.say(t, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"gitlab://version"}}`)
	require.Eventually(t, func() bool { return g.others.Load() == 1 }, 5*time.Second, time.Millisecond)
	r.end()
	assert.Contains(t, r.hear(t), "result", "what was in progress is finished")
	require.NoError(t, <-r.err)
}

func TestRunHTTPUntilTold(t *testing.T) {
	r := start(t, newGitLab(t), "--http", "--http-addr", "127.0.0.1:0", "--pprof-addr", ":0")
	const mark = "msg=serving address="
	require.Eventually(t, func() bool { return strings.Contains(r.log.String(), mark) }, 5*time.Second, time.Millisecond)
	_, after, _ := strings.Cut(r.log.String(), mark)
	addr, _, _ := strings.Cut(after, " ")
	resp, err := http.Get("http://" + addr + "/health")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	r.end()
	require.NoError(t, <-r.err)
}

func TestRunSaysWhatIsAsked(t *testing.T) {
	for arg, want := range map[string]string{"--help": "Usage:", "--version": "gitlab-mcp-server v1"} {
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), []string{arg}, env(), Streams{Out: &out, Err: io.Discard}, Build{Version: "v1"}))
		assert.Contains(t, out.String(), want)
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct{ name, in, want string }{
		{"takes whole lines", "a\nTAKE\nb\n", "a\nb\n"},
		{"passes on an unfinished line", "a\nTAKE", "a\nTAKE"},
		{"passes on long lines", long + "TAKE\nTAKE\nb\n", long + "TAKE\nb\n"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &lineReader{
				in:   bufio.NewReaderSize(strings.NewReader(tt.in), 64<<10),
				take: func(line []byte) bool { return string(line) == "TAKE\n" },
			}
			got, err := io.ReadAll(r)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
			require.NoError(t, r.Close())
		})
	}
}

func TestInProgress(t *testing.T) {
	var p inProgress
	assert.True(t, p.wait(0), "nothing is in progress")
	p.begin()
	p.begin()
	assert.False(t, p.wait(time.Millisecond))
	p.end()
	done := make(chan bool)
	go func() { done <- p.wait(time.Minute) }()
	p.end()
	assert.True(t, <-done)
}

func TestPanicIsOneCallsFailure(t *testing.T) {
	g := newGitLab(t)
	log := &lockedBuffer{}
	config, err := parse([]string{"--gitlab-url", g.URL}, env(), io.Discard)
	require.NoError(t, err)
	a, err := newApp(t.Context(), config, Build{}, log)
	require.NoError(t, err)
	handle := a.protocol.middleware(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic(canary) })
	_, err = handle(withBinding(t.Context(), &binding{}), "resources/list", &mcp.ListResourcesRequest{})
	require.ErrorContains(t, err, "internal error")
	assert.Contains(t, log.String(), "a call panicked")
	assert.NotContains(t, err.Error()+log.String(), canary)
}
