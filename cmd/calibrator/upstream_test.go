package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// gitlab stands in for GitLab and counts.
type gitlab struct {
	*httptest.Server
	asked       atomic.Int64
	token, path atomic.Value
}

func newGitLab(t *testing.T, answer func(http.ResponseWriter)) *gitlab {
	t.Helper()
	g := &gitlab{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.asked.Add(1)
		g.token.Store(r.Header.Get("Private-Token"))
		g.path.Store(r.Method + " " + r.RequestURI)
		answer(w)
	}))
	t.Cleanup(g.Close)
	return g
}

func TestUpstreamIsExact(t *testing.T) {
	g := newGitLab(t, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"name":"<a> & \"b\""}`)) })
	for _, n := range []string{"0", "1", "3"} {
		g.asked.Store(0)
		s, addr := newTestHTTP(t, "-upstream="+n, "-gitlab="+g.URL+"/")
		for range 5 {
			a := post(t, addr, callMessage(1, `"path":"projects/42?statistics=true","echo":"here"`))
			assert.Contains(t, a.body, "here")
			assert.NotContains(t, a.body, `"isError"`)
			if n != "0" {
				assert.Contains(t, a.body, `{\"name\":\"\u003ca\u003e \u0026 \\\"b\\\"\"}`, "GitLab's answer is passed on")
			}
		}
		post(t, addr, message(1, "tools/list", ""))
		want := map[string]int64{"0": 0, "1": 5, "3": 15}[n]
		assert.Equal(t, want, g.asked.Load())
		assert.Equal(t, want, s.totals().Upstream)
	}
	assert.Equal(t, "GET /api/v4/projects/42?statistics=true", g.path.Load())
	assert.Equal(t, token, g.token.Load())
}

func TestUpstreamFails(t *testing.T) {
	g := newGitLab(t, func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error":"insufficient_scope"}`))
	})
	_, addr := newTestHTTP(t, "-upstream=3", "-gitlab="+g.URL)
	a := post(t, addr, callMessage(1, `"path":"x"`))
	assert.Equal(t, http.StatusOK, a.status)
	assert.Contains(t, a.body, `"isError":true`)
	assert.Contains(t, a.body, "GET x: 403 Forbidden")
	assert.Contains(t, a.body, "insufficient_scope")
	assert.EqualValues(t, 1, g.asked.Load(), "nothing more is asked")

	assert.Contains(t, post(t, addr, callMessage(1, `"path":"%"`)).body, `"isError":true`)
	g.Close()
	assert.Contains(t, post(t, addr, callMessage(1, `"path":"x"`)).body, "refused")
	cut := newGitLab(t, func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("short"))
	})
	_, addr = newTestHTTP(t, "-upstream=1", "-gitlab="+cut.URL)
	assert.Contains(t, post(t, addr, callMessage(1, `"path":"x"`)).body, "unexpected EOF")
}
