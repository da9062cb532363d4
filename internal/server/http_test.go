package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/pool"
)

func TestPagesNeedNothing(t *testing.T) {
	s := serveTest(t)
	for path, want := range map[string]string{
		"/health":  `{"status":"ok","version":"v1"}`,
		"/version": `{"version":"v1","commit":"c1","go":"go1"}`,
	} {
		resp, err := s.Client().Get(s.URL + path)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.JSONEq(t, want, string(body))
	}
	assert.Zero(t, s.gitlab.users.Load()+s.gitlab.others.Load())
	assert.Equal(t, pool.Stats{}, s.pool.Stats(), "no catalog before a credential")
}

func TestCredentials(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		header      map[string]string
		gitlab      int
		want        int
		challenge   bool
		message     string
	}{
		{name: "private token", token: "a", want: 200},
		{name: "bearer", token: "-", header: map[string]string{"Authorization": "Bearer a"}, want: 200},
		{name: "none", token: "-", want: 401, challenge: true, message: "no GitLab token"},
		{name: "unknown", token: "unknown", want: 401, challenge: true, message: "does not know this token"},
		{name: "blocked", token: "blocked", want: 403, challenge: true, message: "refuses this token"},
		{name: "GitLab broken", token: "a", gitlab: 500, want: 502, message: "status 500"},
		{name: "GitLab busy", token: "a", gitlab: 429, want: 503, message: "busy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveTest(t)
			s.gitlab.refuseAll.Store(int64(tt.gitlab))
			m := modern("resources/list", "", "").by(tt.token)
			for k, v := range tt.header {
				m = m.with(k, v)
			}
			a := s.send(t, m)
			assert.Equal(t, tt.want, a.status, a.body)
			assert.Equal(t, tt.challenge, a.header.Get("WWW-Authenticate") != "")
			assert.Equal(t, tt.want == 503, a.header.Get("Retry-After") != "")
			if tt.message != "" {
				require.NotNil(t, a.Error, a.body)
				assert.Contains(t, a.Error.Message, tt.message)
			}
		})
	}
}

func TestUnreachableGitLab(t *testing.T) {
	s := serveTest(t)
	s.gitlab.Close()
	a := s.send(t, modern("tools/list", "", ""))
	assert.Equal(t, http.StatusBadGateway, a.status)
	assert.Contains(t, a.body, "GitLab cannot be reached")
	assert.NotContains(t, a.body+s.log.String(), canary)
}

func TestOneQuestionPerCredential(t *testing.T) {
	s := serveTest(t)
	for range 5 {
		for _, token := range []string{"a", "b"} {
			require.Equal(t, 200, s.send(t, modern("resources/list", "", "").by(token)).status)
		}
	}
	assert.EqualValues(t, 2, s.gitlab.users.Load())
	assert.Equal(t, pool.Stats{Credentials: 2, Toolsets: 1}, s.pool.Stats())
}

// TestListing compares the short way through package listing with what the library makes of the same
// request: over HTTP the two are told apart by an Accept header that only the library reads.
func TestListing(t *testing.T) {
	s := serveTest(t)
	for _, path := range []string{"/mcp", "/mcp/dynamic", "/mcp/meta", "/mcp/individual"} {
		t.Run(path, func(t *testing.T) {
			session := s.open(t, path, "")
			for name, m := range map[string]message{
				"modern": modern("tools/list", "", "").on(path),
				"legacy": legacy(session, "tools/list", "").on(path),
			} {
				t.Run(name, func(t *testing.T) {
					short := s.send(t, m)
					long := s.send(t, m.with("Accept", "application/json;q=1, text/event-stream;q=1"))
					require.Equal(t, 200, short.status, short.body)
					require.Equal(t, 200, long.status, long.body)
					require.Nil(t, short.Error)
					assert.JSONEq(t, long.body, short.body)
					assert.Equal(t, long.header.Get("Content-Type"), short.header.Get("Content-Type"))
					assert.Equal(t, fmt.Sprint(len(short.body)), short.header.Get("Content-Length"))
					assert.Contains(t, short.body, `"ttlMs":300000`)
					assert.Contains(t, short.body, `"cacheScope":"private"`)
					assert.Contains(t, short.body, `"inputSchema"`)
					assert.Equal(t, name == "modern", strings.Contains(short.body, `"resultType":"complete"`))
				})
			}
		})
	}
}

func TestListingRefuses(t *testing.T) {
	s := serveTest(t)
	session := s.open(t, "", "")
	list := modern("tools/list", "", "")
	for _, tt := range []struct {
		name   string
		m      message
		status int
		code   int
	}{
		{"unknown cursor", modern("tools/list", "", `"cursor":"zz"`), 400, -32602},
		{"unknown cursor, the long way", modern("tools/list", "", `"cursor":"zz"`).with("Accept", "*/*;q=1"), 400, -32602},
		{"unknown cursor in a session", legacy(session, "tools/list", `"cursor":"zz"`), 200, -32602},
		{"another method in the header", list.with("Mcp-Method", "tools/call"), 400, -32020},
		{"no method in the header", list.with("Mcp-Method", ""), 400, -32020},
		{"another version in the header", list.with("Mcp-Protocol-Version", "2027-01-01"), 400, -32020},
		{"no version in the header", list.with("Mcp-Protocol-Version", ""), 400, -32020},
		{"an older version in the header", list.with("Mcp-Protocol-Version", legacyVersion), 400, -32022},
		{"a version nobody speaks", legacy(session, "tools/list", "").with("Mcp-Protocol-Version", "2020-01-01"), 400, 0},
		{"takes no stream", list.with("Accept", "application/json"), 400, 0},
		{"not JSON", list.with("Content-Type", "text/plain"), 415, 0},
		{"no session", legacy("", "tools/list", ""), 200, 0},
		{"unknown session", legacy("nope", "tools/list", ""), 404, 0},
		{"session of another surface", legacy(session, "tools/list", "").on("/mcp/meta"), 404, 0},
		{"session of somebody else", legacy(session, "tools/list", "").by("other"), 404, 0},
		{"unknown surface", list.on("/mcp/all"), 404, 0},
		{"page of another site", list.with("Origin", "https://evil.example").with("Sec-Fetch-Site", "cross-site"), 403, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := s.send(t, tt.m)
			assert.Equal(t, tt.status, a.status, a.body)
			assert.NotContains(t, a.body, `"tools"`)
			if tt.code != 0 {
				require.NotNil(t, a.Error, a.body)
				assert.Equal(t, tt.code, a.Error.Code, a.body)
			}
		})
	}
}

func TestForeignHostIsRefusedOnLoopback(t *testing.T) {
	s := serveTest(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/health", nil)
	require.NoError(t, err)
	r.Host = "rebound.example"
	resp, err := s.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusForbidden, resp.StatusCode)
}

func TestBodyIsBounded(t *testing.T) {
	s := serveTest(t)
	m := modern("tools/list", "", "")
	m.body = strings.Repeat(" ", maxBody+1)
	assert.Equal(t, http.StatusRequestEntityTooLarge, s.send(t, m).status)
}

func TestToolCalls(t *testing.T) {
	s := serveTest(t)
	session := s.open(t, "", "")
	args := `"name":"gitlab_find_action","arguments":{"query":"list the issues of a project"}`
	for name, m := range map[string]message{
		"modern": modern("tools/call", "gitlab_find_action", args),
		"legacy": legacy(session, "tools/call", args),
	} {
		t.Run(name, func(t *testing.T) {
			a := s.send(t, m)
			require.Nil(t, a.Error, a.body)
			assert.Contains(t, a.body, "issue")
			assert.NotContains(t, a.body, `"isError":true`)
			assert.Equal(t, name == "modern", strings.Contains(a.body, `"resultType":"complete"`))
		})
	}
	for name, m := range map[string]message{
		"modern": modern("tools/call", "nope", `"name":"nope"`),
		"legacy": legacy(session, "tools/call", `"name":"nope"`),
	} {
		t.Run("unknown tool, "+name, func(t *testing.T) {
			a := s.send(t, m)
			require.NotNil(t, a.Error, a.body)
			assert.Equal(t, -32602, a.Error.Code)
		})
	}
}

func TestDiscover(t *testing.T) {
	a := serveTest(t).send(t, modern("server/discover", "", ""))
	require.Nil(t, a.Error, a.body)
	for _, want := range []string{modernVersion, legacyVersion, `"tools":{}`, `"resources":{}`, `"prompts":{}`, "gitlab-mcp-server"} {
		assert.Contains(t, a.body, want)
	}
}

func TestSessionsEndWhenTheyShould(t *testing.T) {
	t.Run("deleted", func(t *testing.T) {
		s := serveTest(t)
		id := s.open(t, "", "")
		assert.Equal(t, 404, s.send(t, legacy(id, "", "").verb(http.MethodDelete).by("other")).status)
		assert.Equal(t, 204, s.send(t, legacy(id, "", "").verb(http.MethodDelete)).status)
		assert.Equal(t, 404, s.send(t, legacy(id, "ping", "")).status)
		assert.Zero(t, s.pool.Stats().Sessions)
	})
	t.Run("with the credential", func(t *testing.T) {
		s := serveTest(t, "--max-http-clients", "1")
		id := s.open(t, "", "one")
		require.Equal(t, 200, s.send(t, modern("resources/list", "", "").by("two")).status)
		assert.Equal(t, 404, s.send(t, legacy(id, "ping", "").by("one")).status)
	})
	t.Run("with the token", func(t *testing.T) {
		s := serveTest(t)
		id := s.open(t, "", "one")
		read := `"uri":"gitlab://version"`
		require.Equal(t, 200, s.send(t, legacy(id, "resources/read", read).by("one")).status)
		s.gitlab.refuseAll.Store(http.StatusUnauthorized)
		a := s.send(t, legacy(id, "resources/read", read).by("one"))
		require.NotNil(t, a.Error, a.body)
		assert.Contains(t, a.Error.Message, "GitLab answered 401", "the call is answered before its session ends")
		require.Eventually(t, func() bool { return s.pool.Stats() == pool.Stats{} }, 5*time.Second, time.Millisecond)
		assert.Equal(t, 401, s.send(t, legacy(id, "tools/list", "").by("one")).status)
		assert.Equal(t, 401, s.send(t, modern("tools/list", "", "").by("one")).status)
		s.gitlab.refuseAll.Store(0)
		assert.Equal(t, 200, s.send(t, modern("tools/list", "", "").by("two")).status, "others are not concerned")
	})
	t.Run("not opened by a failure", func(t *testing.T) {
		s := serveTest(t)
		a := s.send(t, message{body: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`})
		assert.NotEqual(t, 0, a.status)
		assert.Zero(t, s.pool.Stats().Sessions)
	})
}

func TestStreamEndsWhenTheServerDoes(t *testing.T) {
	s := serveTest(t)
	id := s.open(t, "", "")
	stream := s.later(t.Context(), legacy(id, "", "").verb(http.MethodGet))
	require.Eventually(t, func() bool { return s.pool.Stats().InFlight == 1 }, 5*time.Second, time.Millisecond)
	s.stop()
	a := <-stream
	assert.Equal(t, 200, a.status, a.body)

	a = s.send(t, modern("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`))
	assert.Contains(t, a.body, `"resultType":"complete"`, "there is nothing to subscribe to, so it ends by itself")
}

// TestNothingIsLeft opens what can be opened, lets go of it in every way there is, and counts goroutines.
func TestNothingIsLeft(t *testing.T) {
	s := serveTest(t)
	s.open(t, "", "first")
	s.pool.Close()
	s.Client().CloseIdleConnections()
	before := runtime.NumGoroutine()

	for i := range 10 {
		token := fmt.Sprint("t", i)
		deleted := s.open(t, "", token)
		s.send(t, legacy(deleted, "", "").verb(http.MethodDelete).by(token))
		abandoned := s.open(t, "/mcp/meta", token)
		ctx, cancel := context.WithCancel(t.Context())
		stream := s.later(ctx, legacy(abandoned, "", "").on("/mcp/meta").verb(http.MethodGet).by(token))
		require.Eventually(t, func() bool { return s.pool.Stats().InFlight == 1 }, 5*time.Second, time.Millisecond)
		cancel()
		<-stream
		s.send(t, message{token: token, body: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`})
		s.send(t, modern("tools/list", "", "").by(token))
	}
	require.Eventually(t, func() bool { return s.pool.Stats().InFlight == 0 }, 5*time.Second, time.Millisecond)
	assert.Equal(t, 10, s.pool.Stats().Sessions, "those that were abandoned")
	s.pool.Close()
	assert.Equal(t, pool.Stats{}, s.pool.Stats())
	s.Client().CloseIdleConnections()
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 5*time.Second, 10*time.Millisecond,
		"%d goroutines before", before)
}

func TestLimits(t *testing.T) {
	t.Run("rate", func(t *testing.T) {
		s := serveTest(t, "--rate-limit-rps", "0.01")
		require.Equal(t, 200, s.send(t, modern("tools/list", "", "")).status)
		a := s.send(t, modern("tools/list", "", ""))
		assert.Equal(t, http.StatusTooManyRequests, a.status)
		assert.Equal(t, "100", a.header.Get("Retry-After"))
		assert.Equal(t, -32029, a.Error.Code)
		assert.Equal(t, 200, s.send(t, modern("tools/list", "", "").by("other")).status, "others are not concerned")
	})
	for _, tt := range []struct {
		name, flag string
		other      int // status of another credential's request meanwhile
	}{
		{"in progress", "--max-concurrent-requests", http.StatusServiceUnavailable},
		{"in progress of one credential", "--max-concurrent-per-credential", http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveTest(t, tt.flag, "1")
			s.gitlab.delay.Store(int64(300 * time.Millisecond))
			slow := s.later(t.Context(), modern("resources/read", "gitlab://version", `"uri":"gitlab://version"`))
			require.Eventually(t, func() bool { return s.gitlab.others.Load() == 1 }, 5*time.Second, time.Millisecond)
			a := s.send(t, modern("tools/list", "", ""))
			assert.Equal(t, http.StatusServiceUnavailable, a.status)
			assert.Equal(t, "1", a.header.Get("Retry-After"))
			assert.Equal(t, -32005, a.Error.Code)
			assert.Equal(t, tt.other, s.send(t, modern("tools/list", "", "").by("other")).status)
			assert.Equal(t, 200, (<-slow).status)
			assert.Equal(t, 200, s.send(t, modern("tools/list", "", "")).status)
		})
	}
}

// TestStrangersHoldNoMoreThanTheBound has many tokens that GitLab is slow to know or not to know, and
// callers who wait for the answer or give up.
func TestStrangersHoldNoMoreThanTheBound(t *testing.T) {
	const bound = 2
	for _, verb := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		t.Run(verb, func(t *testing.T) {
			s := serveTest(t, "--max-concurrent-requests", fmt.Sprint(2*bound))
			s.gitlab.held = make(chan struct{})
			ctx, giveUp := context.WithCancel(t.Context())
			var waiting []<-chan answer
			stranger := func(n int) message { // without a body: the server then sees who gives up
				return message{method: verb, token: fmt.Sprint("s", n)}
			}
			for n := range bound {
				waiting = append(waiting, s.later(ctx, stranger(n)))
			}
			require.Eventually(t, func() bool { return s.gitlab.asking.Load() == bound }, 5*time.Second, time.Millisecond)
			refused := func(n int) {
				soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				a, err := s.try(soon, stranger(n))
				require.NoError(t, err)
				require.NotNil(t, a.Error, a.body)
				assert.Equal(t, http.StatusServiceUnavailable, a.status)
				assert.Equal(t, -32005, a.Error.Code)
				assert.Equal(t, "1", a.header.Get("Retry-After"))
			}
			for n := range 10 {
				refused(bound + n)
			}
			giveUp()
			for _, w := range waiting {
				assert.Zero(t, (<-w).status)
			}
			for n := range 50 { // by and by, the server notices that they gave up
				refused(2*bound + 10 + n)
			}
			assert.EqualValues(t, bound, s.gitlab.asking.Load(), "questions go on to the end")
			close(s.gitlab.held)
			require.Eventually(t, func() bool {
				return s.send(t, modern("tools/list", "", "").by("somebody")).status == http.StatusOK
			}, 5*time.Second, time.Millisecond, "the room is given back")
		})
	}
}

func TestResources(t *testing.T) {
	s := serveTest(t)
	list := s.send(t, modern("resources/list", "", ""))
	for _, uri := range []string{"gitlab://version", "gitlab://user"} {
		assert.Contains(t, list.body, `"uri":"`+uri+`"`)
	}
	templates := s.send(t, modern("resources/templates/list", "", ""))
	for _, uri := range []string{"gitlab://projects/{id}", "gitlab://projects/{id}/issues/{iid}", "gitlab://projects/{id}/merge_requests/{iid}"} {
		assert.Contains(t, templates.body, `"uriTemplate":"`+uri+`"`)
	}
	for uri, want := range map[string]string{
		"gitlab://version":                     "19.0.0",
		"gitlab://user":                        "ann",
		"gitlab://projects/1":                  "group/p",
		"gitlab://projects/group%2Fp":          "group/p",
		"gitlab://projects/1/issues/2":         "an issue",
		"gitlab://projects/1/merge_requests/3": "a merge request",
	} {
		t.Run(uri, func(t *testing.T) {
			a := s.send(t, modern("resources/read", uri, fmt.Sprintf(`"uri":%q`, uri)))
			require.Nil(t, a.Error, a.body)
			assert.Contains(t, a.body, want)
			assert.Contains(t, a.body, `"mimeType":"application/json"`)
		})
	}
	for uri, code := range map[string]int{
		"gitlab://projects/9":          -32602,
		"gitlab://projects/1/issues/x": -32602,
		"gitlab://projects/1/issues/0": -32602,
		"gitlab://nothing":             -32602,
	} {
		t.Run(uri, func(t *testing.T) {
			a := s.send(t, modern("resources/read", uri, fmt.Sprintf(`"uri":%q`, uri)))
			require.NotNil(t, a.Error, a.body)
			assert.Equal(t, code, a.Error.Code)
		})
	}
	t.Run("refused", func(t *testing.T) {
		s.gitlab.refuseAll.Store(http.StatusForbidden)
		a := s.send(t, modern("resources/read", "gitlab://version", `"uri":"gitlab://version"`))
		require.NotNil(t, a.Error, a.body)
		assert.Contains(t, a.Error.Message, "GitLab answered 403")
	})
}

// TestTokenIsWrittenNowhere drives what there is to drive with debug logging on.
func TestTokenIsWrittenNowhere(t *testing.T) {
	s := serveTest(t, "--log-level", "debug")
	id := s.open(t, "", "")
	for _, m := range []message{
		modern("tools/list", "", ""), legacy(id, "tools/list", ""), legacy(id, "nope", ""), legacy("nope", "ping", ""),
		modern("tools/call", canary, `"name":"`+canary+`"`),
		modern("resources/read", "gitlab://projects/9", `"uri":"gitlab://projects/9"`),
		legacy(id, "", "").verb(http.MethodDelete),
	} {
		s.send(t, m)
	}
	s.gitlab.refuseAll.Store(http.StatusInternalServerError)
	s.send(t, modern("tools/list", "", "").by(canary+"x"))
	s.gitlab.Close()
	s.send(t, modern("tools/list", "", "").by(canary+"y"))
	assert.NotEmpty(t, s.log.String())
	assert.NotContains(t, s.log.String(), canary)
}
