package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newSDKServer returns a server of the official SDK, with one tool.
func newSDKServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	type arguments struct {
		Word string `json:"word"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "repeats a word"},
		func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "heard " + a.Word}}}, nil, nil
		})
	return server
}

// specs are a listing, a call, and a call that must fail.
func specs(version Version) []Spec {
	return []Spec{
		{Method: "tools/list", Version: version, Expect: Expect{Tools: 1}},
		{
			Method: "tools/call", Name: "echo", Version: version, Params: []byte(`{"name":"echo","arguments":{"word":"<é>"}}`),
			Expect: Expect{Contains: []string{"heard <é>"}},
		},
		{
			Method: "tools/call", Name: "echo", Version: version, Params: []byte(`{"name":"echo","arguments":{"word":1}}`),
			Expect: Expect{Error: true},
		},
	}
}

func TestOfficialSDKOverHTTP(t *testing.T) {
	for _, version := range []Version{V20260728, V20251125, V20250618, V20250326, V20241105} {
		for _, json := range []bool{true, false} {
			t.Run(string(version), func(t *testing.T) {
				sdk := newSDKServer()
				handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdk },
					&mcp.StreamableHTTPOptions{JSONResponse: json, Stateless: !version.Initializes()})
				server := httptest.NewServer(handler)
				defer server.Close()
				c := dial(t, HTTPConfig{URL: server.URL, Version: version})
				require.NoError(t, c.Handshake(t.Context()))
				assert.Equal(t, version.Initializes(), c.session != "")
				other, err := c.Another(t.Context())
				require.NoError(t, err)
				defer func() { assert.NoError(t, other.Close()) }()
				for _, spec := range specs(version) {
					req := newRequest(t, spec)
					for _, conn := range []*HTTPConn{c, other, c} {
						got := do(t, conn, req)
						require.Equal(t, OK, got.Outcome, got.Reason)
					}
				}
				require.NoError(t, c.End(t.Context()))
				if version.Initializes() {
					assert.Contains(t, do(t, other, newRequest(t, specs(version)[0])).Reason, "status 404")
				}
			})
		}
	}
}

func TestOfficialSDKOverStdio(t *testing.T) {
	for _, version := range []Version{V20260728, V20251125, V20241105} {
		t.Run(string(version), func(t *testing.T) {
			stdin, toProcess, err := os.Pipe()
			require.NoError(t, err)
			fromProcess, stdout, err := os.Pipe()
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() {
				ended <- newSDKServer().Run(context.WithoutCancel(t.Context()), &mcp.IOTransport{Reader: stdin, Writer: stdout})
			}()
			c := NewStdio(fromProcess, toProcess, version)
			require.NoError(t, c.Handshake(t.Context()))
			for _, spec := range specs(version) {
				req := newRequest(t, spec)
				for range 3 {
					got := do(t, c, req)
					require.Equal(t, OK, got.Outcome, got.Reason)
				}
			}
			require.NoError(t, c.Close())
			assert.NoError(t, <-ended)
		})
	}
}

func TestHandshakeRefused(t *testing.T) {
	for text, reply := range map[string]string{
		"speaks 2024-11-05, not 2025-11-25": withLength("200 OK", aJSON, `{"id":`+anID+`,"result":{"protocolVersion":"2024-11-05"}}`),
		"cannot unmarshal":                  withLength("200 OK", aJSON, `{"id":`+anID+`,"result":{"protocolVersion":1}}`),
		"cannot be sent back": strings.Replace(
			withLength("200 OK", aJSON, `{"id":`+anID+`,"result":{"protocolVersion":"2025-11-25"}}`),
			"\r\n", "\r\nMcp-Session-Id: \x01\r\n", 1),
		"status 401": withLength("401 No", "text/plain", "who"),
	} {
		s := newStub(t, always(reply))
		c := dial(t, HTTPConfig{URL: s.url, Version: V20251125})
		assert.ErrorContains(t, c.Handshake(t.Context()), text)
	}
}

func TestHandshakeAndEndHalfway(t *testing.T) {
	s := newStub(t, func(n int) (string, bool) {
		if n == 0 {
			return strings.Replace(withLength("200 OK", aJSON, `{"id":`+anID+`,"result":{"protocolVersion":"2025-11-25"}}`),
				"\r\n", "\r\nMcp-Session-Id: s\r\n", 1), false
		}
		return withLength("500 No", "text/plain", ""), false
	})
	c := dial(t, HTTPConfig{URL: s.url, Version: V20251125})
	require.EqualError(t, c.Handshake(t.Context()), "notifications/initialized failed: status 500")
	require.EqualError(t, c.End(t.Context()), "end session failed: status 500")
	heads, _ := s.noted()
	assert.Contains(t, heads[2], "DELETE /mcp\r\n")
	assert.Contains(t, heads[2], "Mcp-Session-Id: s\r\n")
}
