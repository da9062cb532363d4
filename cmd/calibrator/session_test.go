package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// initialize begins a session and returns its id.
func initialize(t *testing.T, addr, version string) string {
	t.Helper()
	a := post(t, addr, message(1, "initialize", `"protocolVersion":"`+version+`"`), versionHeader, "")
	require.Equal(t, http.StatusOK, a.status)
	require.NotEmpty(t, a.header.Get(sessionHeader))
	return a.header.Get(sessionHeader)
}

func TestSessions(t *testing.T) {
	s, addr := newTestHTTP(t, "-retain-session=10KiB")
	ping := message(2, "ping", "")
	one, other := initialize(t, addr, "2025-11-25"), initialize(t, addr, "2024-11-05")
	assert.NotEqual(t, one, other)
	for _, tt := range []struct {
		name, version, session string
		want                   int
	}{
		{"in a session", "2025-11-25", one, http.StatusOK},
		{"in one of a revision without the header", "", other, http.StatusOK},
		{"in none", "2025-11-25", "", http.StatusBadRequest},
		{"in none that there is", "2025-11-25", "00112233445566778899aabbccddeeff", http.StatusNotFound},
		{"in none that there can be", "2025-11-25", "mine", http.StatusNotFound},
		{"in a revision that has none", stateless, "", http.StatusOK},
		{"in a revision that is not spoken", "1999-01-01", one, http.StatusBadRequest},
	} {
		assert.Equal(t, tt.want, post(t, addr, ping, versionHeader, tt.version, sessionHeader, tt.session).status, tt.name)
	}
	assert.Equal(t, totals{Credentials: 1, Sessions: 2, RetainedBytes: 20480}, s.totals())
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://"+addr+"/mcp", nil)
		require.NoError(t, err)
		r.Header.Set(sessionHeader, one)
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, resp.StatusCode)
	}
	assert.Equal(t, http.StatusNotFound, post(t, addr, ping, versionHeader, "2025-11-25", sessionHeader, one).status)
	assert.Equal(t, totals{Credentials: 1, Sessions: 1, RetainedBytes: 10240}, s.totals())
}
