package mcp_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/mcp"
)

// overTLS is a server that speaks HTTP/2, and a connection to it that does.
func overTLS(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *mcp.ClientConn) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	header := http.Header{}
	header.Set("Private-Token", "secret")
	conn, err := mcp.NewClient(server.Client(), mcp.HTTPConfig{URL: server.URL + "/mcp", Header: header, Version: mcp.V20260728})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return server, conn
}

func callOf(t *testing.T, contains string) *mcp.Request {
	t.Helper()
	req, err := mcp.NewRequest(mcp.Spec{Label: "call", Method: "tools/call", Name: "look", Version: mcp.V20260728,
		Expect: mcp.Expect{Contains: []string{contains}}})
	require.NoError(t, err)
	return req
}

func TestClientSpeaksHTTP2(t *testing.T) {
	_, conn := overTLS(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		assert.Equal(t, 2, r.ProtoMajor)
		assert.Equal(t, "secret", r.Header.Get("Private-Token"))
		assert.Equal(t, "2026-07-28", r.Header.Get("Mcp-Protocol-Version"))
		assert.Equal(t, "tools/call", r.Header.Get("Mcp-Method"))
		assert.Equal(t, "look", r.Header.Get("Mcp-Name"))
		assert.Contains(t, string(body), `"method":"tools/call"`)
		id := string(body)[len(`{"jsonrpc":"2.0","id":`):][:9]
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":"found"}]}}`)
	})
	var reply mcp.Reply
	for range 2 {
		conn.Do(t.Context(), callOf(t, "found"), &reply)
		require.Equal(t, mcp.OK, reply.Outcome, reply.Reason)
		assert.Equal(t, 200, reply.Status)
		assert.Positive(t, reply.Latency())
	}
	conn.Do(t.Context(), callOf(t, "lost"), &reply)
	assert.Equal(t, mcp.Failed, reply.Outcome)
	assert.Contains(t, reply.Reason, `no "lost" in the result`)
	message, reply := conn.Fetch(t.Context(), callOf(t, "found"))
	assert.Equal(t, mcp.OK, reply.Outcome)
	assert.Contains(t, string(message), "found")
}

func TestClientTellsOutcomes(t *testing.T) {
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	server, conn := overTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == "" {
			<-held
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	var reply mcp.Reply
	conn.Do(t.Context(), callOf(t, "found"), &reply)
	assert.Equal(t, mcp.Refused, reply.Outcome)

	list, err := mcp.NewRequest(mcp.Spec{Label: "list", Method: "tools/list", Version: mcp.V20260728})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conn.Do(ctx, list, &reply)
	assert.Equal(t, mcp.Cut, reply.Outcome)

	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}}
	distrustful, err := mcp.NewClient(stranger, mcp.HTTPConfig{URL: server.URL, Version: mcp.V20260728})
	require.NoError(t, err)
	distrustful.Do(t.Context(), list, &reply)
	assert.Equal(t, mcp.Failed, reply.Outcome)
	assert.Contains(t, reply.Reason, "transport: ")

	nowhere, err := mcp.NewClient(stranger, mcp.HTTPConfig{URL: "https://127.0.0.1:bad", Version: mcp.V20260728})
	require.NoError(t, err)
	nowhere.Do(t.Context(), list, &reply)
	assert.Equal(t, mcp.Failed, reply.Outcome)

	_, err = mcp.NewClient(stranger, mcp.HTTPConfig{URL: server.URL, Version: mcp.V20251125})
	require.ErrorContains(t, err, "without sessions")
}
