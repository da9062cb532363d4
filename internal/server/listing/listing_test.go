package listing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/listing"
)

var (
	impl  = &mcp.Implementation{Name: "n", Title: "<T>", Version: "v1"}
	cache = mcp.Cacheable{TTLMs: 60_000, CacheScope: "private"}
)

func tools(n int) []*mcp.Tool {
	var list []*mcp.Tool
	for i := n; i > 0; i-- { // not in the order of names
		list = append(list, &mcp.Tool{
			Name:        fmt.Sprintf("tool_%03d", i),
			Description: "a <b> & \u2028",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}}}`),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		})
	}
	return list
}

// librarysAnswer is what the protocol library answers when the tools are registered with it.
func librarysAnswer(t *testing.T, list []*mcp.Tool, modern bool, body string) []byte {
	t.Helper()
	s := mcp.NewServer(impl, &mcp.ServerOptions{
		PageSize:     len(list) + 1,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = cache },
	})
	for _, tool := range list {
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	}
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if modern {
		r.Header.Set("Mcp-Protocol-Version", listing.FirstModern)
		r.Header.Set("Mcp-Method", listing.Method)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	return w.Body.Bytes()
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestSameAsTheLibrary(t *testing.T) {
	for _, tt := range []struct {
		name   string
		modern bool
		body   string
	}{
		{"legacy", false, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"legacy, empty params", false, `{"jsonrpc":"2.0","id":"x\"<y","method":"tools/list","params":{}}`},
		{"legacy, empty cursor", false, `{"jsonrpc":"2.0","id":-7,"method":"tools/list","params":{"cursor":""}}`},
		{"legacy, progress token", false, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":1}}}`},
		{"modern", true, `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modernMeta + `}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := listing.New(tools(30), impl, cache)
			require.NoError(t, err)
			req := listing.Parse([]byte(tt.body))
			require.NotNil(t, req)
			assert.Equal(t, tt.modern, req.Modern)
			reply := list.Reply(req)
			var got bytes.Buffer
			n, err := reply.WriteTo(&got)
			require.NoError(t, err)
			assert.EqualValues(t, reply.Len(), n)
			assert.JSONEq(t, string(librarysAnswer(t, tools(30), tt.modern, tt.body)), got.String())
			assert.Equal(t, 30, strings.Count(got.String(), `"name":"tool_`))
			assert.Less(t, strings.Index(got.String(), "tool_001"), strings.Index(got.String(), "tool_030"))

			var line bytes.Buffer
			_, err = reply.Line().WriteTo(&line)
			require.NoError(t, err)
			assert.Equal(t, got.String()+"\n", line.String())
			assert.Equal(t, line.Len(), reply.Line().Len())
		})
	}
}

func TestNoTools(t *testing.T) {
	list, err := listing.New(nil, impl, cache)
	require.NoError(t, err)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	var got bytes.Buffer
	_, err = list.Reply(listing.Parse([]byte(body))).WriteTo(&got)
	require.NoError(t, err)
	assert.JSONEq(t, string(librarysAnswer(t, nil, false, body)), got.String())
}

func TestLeftToTheLibrary(t *testing.T) {
	for name, body := range map[string]string{
		"another method":      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tools/list"}}`,
		"batch":               `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`,
		"notification":        `{"jsonrpc":"2.0","method":"tools/list"}`,
		"response":            `{"jsonrpc":"2.0","id":1,"result":"tools/list"}`,
		"not JSON":            `tools/list`,
		"no version tag":      `{"id":1,"method":"tools/list"}`,
		"bad id":              `{"jsonrpc":"2.0","id":[1],"method":"tools/list"}`,
		"params of a kind":    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}`,
		"cursor of a kind":    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1}}`,
		"no capabilities":     `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		"capabilities a text": `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":"x"}}}`,
		"client a text":       `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":"x"}}}`,
		"client null":         `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":null}}}`,
		"nothing":             ``,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Nil(t, listing.Parse([]byte(body)))
		})
	}
}

func TestClientMayNameItself(t *testing.T) {
	req := listing.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`))
	require.NotNil(t, req)
	assert.Equal(t, "2026-07-28", req.Version)
}

func TestUnknownCursor(t *testing.T) {
	req := listing.Parse([]byte(`{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{"cursor":"zzz"}}`))
	require.NotNil(t, req)
	assert.Equal(t, "zzz", req.Cursor)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"invalid params: unknown cursor: the list has one page"}}`,
		string(req.InvalidCursor()))
}

func TestResultIsTheSameTools(t *testing.T) {
	list, err := listing.New(tools(3), impl, cache)
	require.NoError(t, err)
	assert.Equal(t, 3, list.Tools())
	result, err := list.Result()
	require.NoError(t, err)
	encoded, err := json.Marshal(result.Tools)
	require.NoError(t, err)
	var reply bytes.Buffer
	_, err = list.Reply(listing.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))).WriteTo(&reply)
	require.NoError(t, err)
	var decoded struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal(reply.Bytes(), &decoded))
	assert.JSONEq(t, string(decoded.Result.Tools), string(encoded))
	assert.Len(t, decoded.Result.Tools, list.Bytes())
}

func TestUnencodableTool(t *testing.T) {
	_, err := listing.New([]*mcp.Tool{{Name: "bad", InputSchema: make(chan int)}}, impl, cache)
	require.ErrorContains(t, err, "encode tool bad")
}

type brokenWriter struct{ after int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.after--; w.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	list, err := listing.New(tools(1), impl, cache)
	require.NoError(t, err)
	reply := list.Reply(listing.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	for after := range 3 {
		_, err := reply.WriteTo(&brokenWriter{after})
		require.ErrorIs(t, err, io.ErrClosedPipe)
	}
}

// TestReplyDoesNotCopy holds the point of the package: what a reply costs does not depend on the tools.
func TestReplyDoesNotCopy(t *testing.T) {
	list, err := listing.New(tools(500), impl, cache)
	require.NoError(t, err)
	req := listing.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	allocs := testing.AllocsPerRun(10, func() { _, _ = list.Reply(req).WriteTo(io.Discard) })
	assert.LessOrEqual(t, allocs, 10.0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, _ = list.Reply(req).WriteTo(io.Discard)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/100, uint64(list.Bytes()/10))
}
