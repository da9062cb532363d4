package mcp

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestBytes(t *testing.T) {
	tests := map[string]struct {
		spec Spec
		want string
	}{
		"no params, old":  {Spec{Method: "tools/list", Version: V20251125}, `{"jsonrpc":"2.0","id":100000000,"method":"tools/list"}`},
		"params on lines": {Spec{Method: "a", Version: V20241105, Params: []byte("{\n \"b\": 1\n}")}, `{"jsonrpc":"2.0","id":100000000,"method":"a","params":{"b":1}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(newRequest(t, tt.spec).body))
		})
	}
}

func TestRequestRefuses(t *testing.T) {
	for text, spec := range map[string]Spec{
		"no method":                {Version: V20251125},
		"unknown protocol version": {Method: "a", Version: "1"},
		"must be a JSON object":    {Method: "a", Version: V20251125, Params: json.RawMessage(`[1]`)},
		"and are \"null\"":         {Method: "a", Version: V20260728, Params: json.RawMessage(`null`)},
		"printable ASCII only":     {Method: "a", Version: V20260728, Name: "é"},
	} {
		_, err := NewRequest(spec)
		require.ErrorContains(t, err, text)
	}
	req := newRequest(t, Spec{Label: "x", Method: "a"})
	assert.Equal(t, "x", req.Label())
	assert.Equal(t, "a", req.Method())
}

func TestIDs(t *testing.T) {
	var s sequence
	assert.Equal(t, int64(firstID), s.next())
	s.n.Store(idCount - 1)
	last := s.next()
	assert.Equal(t, int64(999_999_999), last)
	assert.Equal(t, int64(firstID), s.next(), "nine digits still")

	b := []byte("[.........]")
	putID(b[1:], last)
	assert.Equal(t, "[999999999]", string(b))
	assert.True(t, isID(b[1:10], last))
	assert.False(t, isID(b[1:10], last-1))
	assert.False(t, isID(b[1:9], last))
}

func TestReplyWords(t *testing.T) {
	var words []string
	for o := range Cut + 2 {
		words = append(words, o.String())
	}
	assert.Equal(t, []string{"ok", "refused", "failed", "cut", "unknown"}, words)
	assert.Equal(t, "shape", Category("shape: 2 tools: expected 3"))
	assert.Equal(t, "status 500", Category("status 500"))
	now := time.Now()
	assert.Equal(t, time.Second, (&Reply{Start: now, End: now.Add(time.Second)}).Latency())
}

func TestTransportTroubleHasStableNames(t *testing.T) {
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for want, err := range map[string]error{
		"connection refused":         &net.OpError{Op: "dial", Addr: address, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"read: odd":                  &net.OpError{Op: "read", Addr: address, Err: errors.New("odd")},
		"closed before the response": io.EOF,
		"malformed chunk":            errChunk,
	} {
		assert.Equal(t, want, describe(err))
	}
}

func TestMessageIsBounded(t *testing.T) {
	var m message
	m.begin(newRequest(t, Spec{}), testID, nil)
	m.size = maxMessage
	m.enlarge()
	m.feed([]byte(`{"a"`))
	kind, why := m.end(new(Reply))
	require.Equal(t, kindGarbage, kind)
	assert.Equal(t, "json: a message of 67108868 bytes, more than 67108864", why)
}
