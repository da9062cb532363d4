package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/mcp"
)

// newServer answers every request rightly, but refuses each tenth.
func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	id := regexp.MustCompile(`"id":(\d+)`)
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n.Add(1)%10 == 0 {
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id.FindSubmatch(body)[1])
	}))
	t.Cleanup(server.Close)
	return server
}

func TestClosedOverHTTP(t *testing.T) {
	server := newServer(t)
	req := request(t, "call")
	ws := make([]Worker, 50)
	for i := range ws {
		c, err := mcp.DialHTTP(t.Context(), mcp.HTTPConfig{URL: server.URL, Version: mcp.V20260728})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, c.Close()) })
		ws[i] = Worker{Conn: c, Requests: []*mcp.Request{req}}
	}
	p, err := Closed(t.Context(), ws, Options{Calls: 20, Spread: 10 * time.Millisecond})
	require.NoError(t, err)
	m := p.Methods["call"]
	assert.Equal(t, [3]int64{900, 100, 0}, [3]int64{m.OK, m.Refused, m.Failed})
	assert.Equal(t, map[string]int64{"status 429: later": 100}, m.Reasons)
	assert.Positive(t, m.Min)
	assert.GreaterOrEqual(t, m.Max, m.Min)
}
