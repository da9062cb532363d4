package mcp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gather is a sink that holds all it gets.
type gather struct{ strings.Builder }

func (g *gather) body(p []byte) { g.Write(p) }
func (g *gather) data(p []byte) { g.Write(p) }
func (g *gather) event()        { g.WriteString("|") }

// responded reads a response in pieces of n bytes to the connection's end.
func responded(text string, n int) (response, string, error) {
	var r response
	var g gather
	var err error
	for len(text) > 0 && err == nil {
		k := min(n, len(text))
		err = r.feed([]byte(text[:k]), &g)
		text = text[k:]
	}
	if err == nil && !r.done() {
		err = r.eof()
	}
	return r, g.String(), err
}

func TestResponseHead(t *testing.T) {
	r, body, err := responded("HTTP/1.1 404 Not Found\r\nMCP-session-ID:  s-1 \r\nConnection: Keep-Alive\r\n"+
		"Content-Type: text/event-stream\r\nContent-Length: 2\r\nContent-Length: 2\r\nContent-Encoding: identity\r\n\r\noh", 3)
	require.NoError(t, err)
	assert.Equal(t, "oh", body)
	assert.Equal(t, head{status: 404, length: 2, media: mediaSSE, session: "s-1"}, r.head)
}

func TestResponseHeadRefused(t *testing.T) {
	for text, want := range map[string]error{
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n":                         errCoding,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n": errCoding,
		"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n":                                          errHead,
		"HTTP/1.1 200 OK\r\nA : b\r\n\r\n":                                                    errHead,
		"HTTP/1.1 200 OK\r\n: b\r\n\r\n":                                                      errHead,
		"HTTP/1.1 200 OK\r\nContent-Length: 1234567890123456789\r\n\r\n":                      errHead,
		"HTTP/1.1 200OK!\r\n\r\n":                                                             errHead,
		"HTTP/1.2 200 OK\r\n\r\n":                                                             errHead,
		"HTTP/1.1 099 OK\r\n\r\n":                                                             errHead,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0123456789abcdef0\r\n":          errChunk,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1x\r\n":                         errChunk,
	} {
		_, _, err := responded(text, len(text))
		assert.ErrorIs(t, err, want, text)
	}
}

// FuzzResponse compares a response read at once with one read in pieces.
func FuzzResponse(f *testing.F) {
	for _, text := range []string{
		withLength("200 OK", aJSON, right), chunked(aJSON, right, 9), chunked(anSSE, "data: "+right+"\r\n\r\n", 11),
		"HTTP/1.0 200\r\n\r\nto the end", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\nx",
	} {
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		one, body, err := responded(text, len(text))
		many, again, err2 := responded(text, int(n)+1)
		require.Equal(t, err, err2)
		require.Equal(t, body, again)
		if err == nil {
			require.Equal(t, one.head, many.head)
		}
	})
}

func TestEvents(t *testing.T) {
	tests := map[string]string{
		"data: a\n\n":                        "a|",
		"data:a\r\n\r\n":                     "a|",
		"data:  a\r\n\r\n":                   " a|",
		"data: a\ndata: b\ndata\n\n":         "a\nb|",
		"data: a\rb\r\r\n\n":                 "a\rb\r|",
		"event: x\nid: 1\nretry: 2\n:c\n\n":  "",
		"database: x\ndat: y\ndata: z\n\n\n": "z|",
		"data:\n\n":                          "|",
		"data: half":                         "half",
	}
	for text, want := range tests {
		for n := 1; n <= len(text); n++ {
			var s sse
			var g gather
			for rest := text; rest != ""; {
				k := min(n, len(rest))
				s.feed([]byte(rest[:k]), &g)
				rest = rest[k:]
			}
			assert.Equal(t, want, g.String(), "%q in pieces of %d", text, n)
		}
	}
}
