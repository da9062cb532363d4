package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testID = 123456789

func newRequest(t *testing.T, spec Spec) *Request {
	t.Helper()
	if spec.Method == "" {
		spec.Method = "tools/list"
	}
	if spec.Version == "" {
		spec.Version = V20260728
	}
	req, err := NewRequest(spec)
	require.NoError(t, err)
	return req
}

// exchanged reads a response in pieces of n bytes, and then the connection's
// end if the response was not over.
func exchanged(req *Request, response string, n int) Reply {
	var x exchange
	var reply Reply
	x.begin(req, testID, &reply, nil)
	defer x.close()
	var err error
	for p := []byte(response); err == nil && len(p) > 0; {
		k := min(n, len(p))
		err = x.feed(p[:k], &x)
		p = p[k:]
	}
	if err == nil && !x.done() {
		err = x.eof()
	}
	if err != nil {
		reply.set(Failed, "transport: "+err.Error())
		return reply
	}
	x.end()
	return reply
}

// withLength is a response of Content-Length, chunked one in chunks of n bytes.
func withLength(status, media, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, media, len(body), body)
}

func chunked(media, body string, n int) string {
	b := "HTTP/1.1 200 OK\r\ncontent-type: " + media + "\r\ntransfer-encoding: Chunked\r\n\r\n"
	for len(body) > 0 {
		k := min(n, len(body))
		b += strconv.FormatInt(int64(k), 16) + ";x=y\r\n" + body[:k] + "\r\n"
		body = body[k:]
	}
	return b + "0\r\nTrailer: x\r\n\r\n"
}

const (
	aJSON = "application/json; charset=utf-8"
	anSSE = "text/event-stream"
	right = `{"jsonrpc":"2.0","id":123456789,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`
	note  = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":1}}`
)

func TestExchange(t *testing.T) {
	two := Expect{Tools: 2, Bytes: int64(len(right) - idDigits)}
	failure := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":123456789,"error":{"code":%d,"message":"no"}}`, code)
	}
	tests := map[string]struct {
		expect   Expect
		response string
		outcome  Outcome
		reason   string
	}{
		"length":         {two, withLength("200 OK", aJSON, right), OK, ""},
		"no phrase":      {two, withLength("200", aJSON, right), OK, ""},
		"chunked":        {two, chunked(aJSON, right, 1), OK, ""},
		"to the end":     {two, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + right, OK, ""},
		"after 103":      {two, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + withLength("200 OK", aJSON, right), OK, ""},
		"event":          {two, chunked(anSSE, "event: message\ndata: "+right+"\n\n", 7), OK, ""},
		"event, CRLF":    {two, chunked(anSSE, ": hi\r\n\r\nid: 1\r\ndata:"+right+"\r\n\r\n", 7), OK, ""},
		"event in lines": {Expect{Tools: 2}, withLength("200 OK", anSSE, "data: "+strings.ReplaceAll(right, ",", ",\ndata: ")+"\n\n"), OK, ""},
		"after a note":   {two, withLength("200 OK", anSSE, "data: "+note+"\n\ndata: "+right+"\n\nevent: end\n\n"), OK, ""},

		"tools":        {Expect{Tools: 3}, withLength("200 OK", aJSON, right), Failed, "shape: 2 tools, expected 3"},
		"bytes":        {Expect{Bytes: 5}, withLength("200 OK", aJSON, right), Failed, "shape: 70 bytes without the id, expected 5"},
		"contains":     {Expect{Contains: []string{`"a"`, "c"}}, withLength("200 OK", aJSON, right), Failed, `shape: no "c" in the result`},
		"wanted error": {Expect{Error: true}, withLength("200 OK", aJSON, right), Failed, "shape: no error, expected one"},
		"pages": {
			Expect{Tools: 1}, withLength("200 OK", aJSON, `{"id":123456789,"result":{"tools":[1],"nextCursor":"x"}}`),
			Failed, "shape: more pages after 1 tools, expected none",
		},
		"both":      {Expect{}, withLength("200 OK", aJSON, `{"id":123456789,"result":{},"error":{}}`), Failed, "shape: both a result and an error"},
		"neither":   {Expect{}, withLength("200 OK", aJSON, `{"id":123456789}`), Failed, "shape: no result that is an object"},
		"not one":   {Expect{}, withLength("200 OK", aJSON, `{"id":123456789,"result":[1]}`), Failed, "shape: no result that is an object"},
		"rpc error": {Expect{}, withLength("200 OK", aJSON, failure(-32602)), Failed, "json-rpc -32602: no"},
		"rpc limit": {Expect{Error: true}, withLength("200 OK", aJSON, failure(-32029)), Refused, "json-rpc -32029: no"},
		"an error":  {Expect{Error: true}, withLength("200 OK", aJSON, failure(-32602)), OK, ""},
		"is error": {
			Expect{}, withLength("200 OK", aJSON, `{"id":123456789,"result":{"content":[{"text":"no\nway"}],"isError":true}}`),
			Failed, "isError: no way",
		},
		"orphan error": {Expect{}, withLength("200 OK", aJSON, `{"id":null,"error":{"code":-32700,"message":"no"}}`), Failed, "json-rpc -32700: no"},
		"foreign":      {Expect{}, withLength("200 OK", aJSON, `{"id":123456780,"result":{}}`), Failed, "id: 123456780, expected 123456789"},
		"foreign kind": {Expect{}, withLength("200 OK", aJSON, `{"id":"123456789","result":{}}`), Failed, "id: 123456789, expected 123456789"},
		"no id":        {Expect{}, withLength("200 OK", aJSON, `{"result":{}}`), Failed, "id: none, expected 123456789"},
		"only a note":  {Expect{}, withLength("200 OK", aJSON, note), Failed, "shape: a notification in place of the reply"},
		"no events":    {Expect{}, withLength("200 OK", anSSE, "data: "+note+"\n\n"), Failed, "shape: the events ended without the reply"},
		"half event":   {Expect{}, withLength("200 OK", anSSE, "data: "+right+"\n"), Failed, "shape: the events ended without the reply"},
		"two replies":  {Expect{}, withLength("200 OK", anSSE, "data: "+right+"\n\ndata: "+right+"\n\n"), Failed, "id: a further reply in the same response"},
		"foreign event": {
			Expect{}, withLength("200 OK", anSSE, "data: {\"id\":5,\"result\":{}}\n\ndata: "+right+"\n\n"),
			Failed, "id: 5, expected 123456789",
		},
		"half a JSON": {Expect{}, withLength("200 OK", aJSON, right[:40]), Failed, "json: not a whole JSON object: " + right[:40]},
		"long rubbish": {
			Expect{}, withLength("200 OK", aJSON, strings.Repeat("x", 300)),
			Failed, "json: not a whole JSON object: " + strings.Repeat("x", 200),
		},
		"empty body": {Expect{}, withLength("200 OK", aJSON, ""), Failed, "json: not a whole JSON object: "},
		"HTML":       {Expect{}, withLength("200 OK", "text/html", "<p>\n hi"), Failed, "shape: neither JSON nor events: <p> hi"},

		"202":           {Expect{}, withLength("202 Accepted", aJSON, ""), Failed, "status 202"},
		"204":           {Expect{}, "HTTP/1.1 204 No Content\r\n\r\n", Failed, "status 204"},
		"500":           {Expect{}, withLength("500 Oh", "text/plain", "went\nwrong"), Failed, "status 500: went wrong"},
		"404 of length": {Expect{}, withLength("404 No", "text/plain", strings.Repeat("é ", 300)), Failed, "status 404: " + strings.TrimSpace(strings.Repeat("é ", 66)+"é")},
		"429":           {Expect{}, withLength("429 Slow", "text/plain", "later"), Refused, "status 429: later"},
		"503":           {Expect{}, withLength("503 Full", "text/plain", ""), Refused, "status 503"},

		"nothing":            {Expect{}, "", Failed, "transport: closed before the response"},
		"half a head":        {Expect{}, "HTTP/1.1 200 OK\r\nCont", Failed, "transport: closed in the middle of the response"},
		"half a body":        {Expect{}, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", Failed, "transport: closed in the middle of the response"},
		"half a chunk":       {Expect{}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{", Failed, "transport: closed in the middle of the response"},
		"too much":           {Expect{}, withLength("200 OK", aJSON, right) + "x", Failed, "transport: bytes after the end of the response"},
		"chunk size":         {Expect{}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", Failed, "transport: malformed chunk"},
		"no chunk size":      {Expect{}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", Failed, "transport: malformed chunk"},
		"chunk end":          {Expect{}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{x", Failed, "transport: malformed chunk"},
		"chunk line":         {Expect{}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\rx", Failed, "transport: malformed chunk"},
		"length and chunked": {Expect{}, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", Failed, "transport: contradictory body length"},
		"two lengths":        {Expect{}, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", Failed, "transport: contradictory body length"},
		"bad length":         {Expect{}, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Failed, "transport: malformed response head"},
		"bad status":         {Expect{}, "HTTP/1.1 2x0 OK\r\n\r\n", Failed, "transport: malformed response head"},
		"bad protocol":       {Expect{}, "ICY 200 OK please\r\n\r\n", Failed, "transport: malformed response head"},
		"bad field":          {Expect{}, "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Failed, "transport: malformed response head"},
		"gzip": {
			Expect{}, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
			Failed, "transport: a content or transfer coding that was not asked for",
		},
		"endless head": {Expect{}, "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", maxHead), Failed, "transport: response head too large"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1 << 20, 1, 2, 3, 7, 50} {
				req := newRequest(t, Spec{Expect: tt.expect})
				for range 2 { // by a scan, and then perhaps by its likeness
					got := exchanged(req, tt.response, n)
					assert.Equal(t, tt.outcome, got.Outcome, got.Reason)
					assert.Equal(t, tt.reason, got.Reason, "pieces of %d", n)
				}
			}
		})
	}
}

func TestExchangeAtEveryCut(t *testing.T) {
	for _, response := range []string{
		withLength("200 OK", aJSON, right), chunked(aJSON, right, 9),
		chunked(anSSE, "data: "+note+"\r\n\r\ndata: "+right+"\r\n\r\n", 11),
	} {
		req := newRequest(t, Spec{Expect: Expect{Tools: 2}})
		for i := range response {
			var x exchange
			var reply Reply
			x.begin(req, testID, &reply, nil)
			require.NoError(t, x.feed([]byte(response[:i]), &x))
			require.NoError(t, x.feed([]byte(response[i:]), &x))
			x.end()
			x.close()
			require.Equal(t, OK, reply.Outcome, "cut at %d: %s", i, reply.Reason)
			require.Equal(t, int64(len(right)), reply.Bytes)
			require.Equal(t, 2, reply.Tools)
		}
	}
}

// listing is a large reply with n tools, each described by text.
func listing(id, n int, text string) string {
	tool := `{"name":"t","description":"` + text + `"}`
	return fmt.Sprintf(`{"jsonrpc":"2.0","result":{"tools":[%s]},"id":%d}`,
		strings.TrimSuffix(strings.Repeat(tool+",", n), ","), id)
}

func TestLargeReplies(t *testing.T) {
	large := withLength("200 OK", aJSON, listing(testID, 1000, "does a thing"))
	require.Greater(t, len(large), 2*smallReply)
	other := withLength("200 OK", aJSON, listing(testID, 1000, "does a thinG"))
	longer := withLength("200 OK", aJSON, listing(testID, 1000, "does things!!"))
	strange := withLength("200 OK", aJSON, listing(testID+1, 1000, "does a thing"))
	little := withLength("200 OK", aJSON, `{"id":123456789,"error":{"code":1,"message":"oh"}}`)

	for _, n := range []int{1, 1000, smallReply, smallReply + 200, 1 << 20} {
		req := newRequest(t, Spec{Expect: Expect{Tools: 1000}})
		for range largeLessons + 2 {
			got := exchanged(req, large, n)
			require.Equal(t, OK, got.Outcome, got.Reason)
			require.Equal(t, 1000, got.Tools)
		}
		require.NotNil(t, req.memory.trusted())
		assert.Equal(t, "changed: not the bytes there were before", exchanged(req, other, n).Reason)
		assert.Equal(t, "changed: 43053 bytes, 42053 before", exchanged(req, longer, n).Reason)
		assert.Equal(t, "id: 123456790, expected 123456789", exchanged(req, strange, n).Reason)
		assert.Equal(t, "json-rpc 1: oh", exchanged(req, little, n).Reason)
		assert.Equal(t, OK, exchanged(req, large, n).Outcome)
	}
}

func TestLargeRepliesThatVary(t *testing.T) {
	one := withLength("200 OK", aJSON, listing(testID, 1000, "does a thing"))
	two := withLength("200 OK", aJSON, listing(testID, 1000, "does a thinG"))
	fewer := withLength("200 OK", aJSON, listing(testID, 999, "does a thing"))
	for name, spec := range map[string]Spec{"found out": {}, "said": {Varies: true}} {
		t.Run(name, func(t *testing.T) {
			spec.Expect.Tools = 1000
			req := newRequest(t, spec)
			for range largeLessons {
				require.Equal(t, OK, exchanged(req, one, 4096).Outcome)
				require.Equal(t, OK, exchanged(req, two, 4096).Outcome)
			}
			assert.Equal(t, "shape: 999 tools, expected 1000", exchanged(req, fewer, 4096).Reason)
		})
	}
}

func TestSmallRepliesMayVary(t *testing.T) {
	req := newRequest(t, Spec{Method: "tools/call", Name: "x", Params: json.RawMessage(`{"name":"x"}`)})
	for i := range 3 * smallShapes {
		body := fmt.Sprintf(`{"id":123456789,"result":{"n":%d}}`, i)
		require.Equal(t, OK, exchanged(req, withLength("200 OK", aJSON, body), 9).Outcome)
	}
	assert.Len(t, *req.memory.small.Load(), smallShapes)
	got := exchanged(req, withLength("200 OK", aJSON, `{"id":123456789,"result":{"isError":true}}`), 9)
	assert.Equal(t, "isError: ", got.Reason)
}
