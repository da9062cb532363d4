package mcp

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const okLine = `{"jsonrpc":"2.0","result":{},"id":` + anID + `}` + "\n"

// newProcess returns the conversation with a process that answers its nth line
// with what answer returns, anID standing for the request's id; an empty answer
// ends it.
func newProcess(t *testing.T, answer func(n int) string) *StdioConn {
	t.Helper()
	stdin, toProcess, err := os.Pipe()
	require.NoError(t, err)
	fromProcess, stdout, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		defer func() { _, _ = stdin.Close(), stdout.Close() }()
		lines := bufio.NewScanner(stdin)
		for n := 0; lines.Scan(); n++ {
			id := idPattern.FindStringSubmatch(lines.Text())
			text := answer(n)
			if text == "" {
				return
			}
			_, _ = io.WriteString(stdout, strings.ReplaceAll(text, anID, id[1]))
		}
	}()
	c := NewStdio(fromProcess, toProcess, V20260728)
	t.Cleanup(func() { _, _ = c.Close(), fromProcess.Close() })
	return c
}

func TestStdio(t *testing.T) {
	const first = `{"result":{},"id":100000000}` + "\n"
	huge := strings.TrimSuffix(strings.Replace(listing(testID, 10_000, "does a thing"), "123456789", anID, 1), "\n") + "\n"
	tests := map[string]struct {
		answers []string
		reasons []string
	}{
		"replies":               {[]string{okLine, okLine}, []string{"", ""}},
		"CRLF and blank lines":  {[]string{"\n\r\n" + strings.Replace(okLine, "\n", "\r\n", 1), okLine}, []string{"", ""}},
		"notification between":  {[]string{note + "\n" + okLine + note + "\n", okLine}, []string{"", ""}},
		"large":                 {[]string{huge, huge, huge, huge, huge, huge}, make([]string, 6)},
		"duplicate":             {[]string{okLine + okLine, okLine, okLine}, []string{"", "id: 100000000, expected 100000001", ""}},
		"late reply passed by":  {[]string{`{"result":{},"id":5}` + "\n", first + okLine}, []string{"id: 5, expected 100000000", ""}},
		"garbage":               {[]string{"hello\n" + okLine, okLine}, []string{"json: not a whole JSON object: hello", ""}},
		"closed":                {[]string{okLine, ""}, []string{"", "transport: closed before the response", "transport: closed before the response"}},
		"closed in the middle":  {[]string{okLine[:9], ""}, nil},
		"tool error":            {[]string{`{"result":{"isError":true,"content":[{"text":"no"}]},"id":` + anID + "}\n"}, []string{"isError: no"}},
		"error for want of id":  {[]string{`{"error":{"code":-32700,"message":"no"},"id":null}` + "\n"}, []string{"json-rpc -32700: no"}},
		"request of the server": {[]string{`{"method":"ping","id":` + anID + "}\n" + okLine}, []string{""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newProcess(t, func(n int) string { return tt.answers[n] })
			req := newRequest(t, Spec{})
			for _, reason := range tt.reasons {
				got := do(t, c, req)
				assert.Equal(t, reason, got.Reason)
				assert.Equal(t, reason == "", got.Outcome == OK)
			}
		})
	}
}

func TestStdioByteByByte(t *testing.T) {
	fromProcess, stdout := io.Pipe()
	stdin, toProcess := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, stdin) }()
	go func() {
		text := note + "\r\n\n" + strings.Replace(okLine, anID, "100000000", 1)
		for i := range text {
			_, _ = io.WriteString(stdout, text[i:i+1])
		}
		_, _ = io.WriteString(stdout, okLine[:12])
		_ = stdout.Close()
	}()
	c := NewStdio(fromProcess, toProcess, V20260728)
	body, got := c.Fetch(t.Context(), newRequest(t, Spec{}))
	assert.Equal(t, OK, got.Outcome, got.Reason)
	assert.JSONEq(t, `{"jsonrpc":"2.0","result":{},"id":100000000}`, string(body))
	for range 2 {
		assert.Equal(t, "transport: closed in the middle of the response", do(t, c, newRequest(t, Spec{})).Reason)
	}
	assert.NoError(t, c.Close())
}

func TestStdioLineIsBounded(t *testing.T) {
	c := NewStdio(io.MultiReader(strings.NewReader(`{"a":"`), endless{}), discard{}, V20260728)
	for range 2 {
		assert.Equal(t, "transport: a message too large to go on with", do(t, c, newRequest(t, Spec{})).Reason)
	}
}

// endless is a stream of one letter.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// discard is a process's input that nobody reads.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func TestStdioCut(t *testing.T) {
	asked := make(chan struct{})
	goOn := make(chan struct{})
	c := newProcess(t, func(n int) string {
		if n == 1 {
			close(asked)
			<-goOn
		}
		return okLine
	})
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
	close(goOn)
	got := do(t, c, req)
	assert.Equal(t, OK, got.Outcome, "the late reply is passed by: %s", got.Reason)
}

// tapped is a pipe that tells of each read.
type tapped struct {
	*os.File
	read func()
}

func (f tapped) Read(p []byte) (int, error) {
	defer f.read()
	return f.File.Read(p)
}

func TestStdioCutInTheMiddleOfALine(t *testing.T) {
	fromProcess, stdout, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _, _ = fromProcess.Close(), stdout.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	c := NewStdio(tapped{fromProcess, cancel}, discard{}, V20260728)
	_, err = io.WriteString(stdout, `{"result":{},`)
	require.NoError(t, err)
	var reply Reply
	c.Do(ctx, newRequest(t, Spec{}), &reply)
	assert.Equal(t, Cut, reply.Outcome)
	_, err = io.WriteString(stdout, `"id":100000000}`+"\n"+strings.Replace(okLine, anID, "100000001", 1))
	require.NoError(t, err)
	got := do(t, c, newRequest(t, Spec{}))
	assert.Equal(t, OK, got.Outcome, got.Reason)
}

func TestStdioCutClosesStreamsWithoutDeadlines(t *testing.T) {
	fromProcess, _ := io.Pipe()
	_, toProcess := io.Pipe()
	c := NewStdio(fromProcess, toProcess, V20260728)
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	var reply Reply
	c.Do(ctx, newRequest(t, Spec{}), &reply)
	assert.Equal(t, Cut, reply.Outcome)
}

func TestStdioRequestCutInTheMiddle(t *testing.T) {
	fromProcess, stdout, err := os.Pipe()
	require.NoError(t, err)
	stdin, toProcess, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _, _, _ = fromProcess.Close(), stdout.Close(), stdin.Close() }()
	c := NewStdio(fromProcess, toProcess, V20260728)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = stdin.Read(make([]byte, 1))
		cancel()
	}()
	var reply Reply
	req := newRequest(t, Spec{Params: []byte(`{"text":"` + strings.Repeat("a", 1<<20) + `"}`)})
	c.Do(ctx, req, &reply)
	assert.Equal(t, Cut, reply.Outcome)
	assert.Contains(t, do(t, c, req).Reason, "transport: an earlier request was cut in the middle")
	assert.NoError(t, c.Close())
}
