package fakegitlab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
)

const projectRoute = "GET projects/{project_id}"

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends one request below the API root; headers are pairs of name and value.
func ask(ctx context.Context, s *fakegitlab.Server, verb, path, body string, headers ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, verb, s.APIURL()+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	raw, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(raw)}, errors.Join(err, resp.Body.Close())
}

// get reads a path as the first user.
func get(t *testing.T, s *fakegitlab.Server, path string, headers ...string) reply {
	t.Helper()
	r, err := ask(t.Context(), s, http.MethodGet, path, "", append([]string{"PRIVATE-TOKEN", s.Token(0)}, headers...)...)
	require.NoError(t, err)
	return r
}

func TestAuthentication(t *testing.T) {
	s := start(t, fakegitlab.Options{Tokens: []string{"glpat-chosen-by-hand-01"}})
	const unauthorized = `{"message":"401 Unauthorized"}`
	tests := map[string]struct {
		header, value string
		status        int
		body          string
	}{
		"private token":     {"PRIVATE-TOKEN", s.Token(0), http.StatusOK, `"id":1,`},
		"bearer":            {"Authorization", "Bearer " + s.Token(1), http.StatusOK, `"id":2,`},
		"job token":         {"JOB-TOKEN", s.Token(2), http.StatusOK, `"id":3,`},
		"read-only token":   {"PRIVATE-TOKEN", s.ReadOnlyToken(2), http.StatusOK, `"id":3,`},
		"beyond the users":  {"PRIVATE-TOKEN", s.Token(4999), http.StatusOK, `"id":5000,`},
		"chosen token":      {"PRIVATE-TOKEN", "glpat-chosen-by-hand-01", http.StatusOK, `"id":2001,`},
		"none":              {"X-Other", "x", http.StatusUnauthorized, unauthorized},
		"unknown":           {"PRIVATE-TOKEN", "glpat-unknown", http.StatusUnauthorized, unauthorized},
		"forged number":     {"PRIVATE-TOKEN", s.Token(1)[:26] + "7", http.StatusUnauthorized, unauthorized},
		"basic is no token": {"Authorization", "Basic " + s.Token(1), http.StatusUnauthorized, unauthorized},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ask(t.Context(), s, http.MethodGet, "/user", "", test.header, test.value)
			require.NoError(t, err)
			assert.Equal(t, test.status, r.status)
			assert.Contains(t, r.body, test.body)
		})
	}
}

func TestTokensAreWellFormedAndDistinct(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	seen := map[string]bool{}
	for i := range 1000 {
		token := s.Token(i)
		assert.Regexp(t, `^[-A-Za-z0-9_.]{20,}$`, token)
		assert.False(t, seen[token])
		seen[token] = true
	}
}

func TestRevokedTokenIsRefusedUntilRestored(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	assert.Equal(t, http.StatusOK, get(t, s, "/user").status)
	s.Revoke(s.Token(0))
	assert.Equal(t, http.StatusUnauthorized, get(t, s, "/user").status)
	s.Restore(s.Token(0))
	assert.Equal(t, http.StatusOK, get(t, s, "/user").status)
}

func TestReadOnlyTokenMayNotWrite(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	r, err := ask(t.Context(), s, http.MethodPost, "/projects", `{"name":"x"}`, "PRIVATE-TOKEN", s.ReadOnlyToken(0))
	require.NoError(t, err)
	assert.Equal(t, http.StatusForbidden, r.status)
	assert.Contains(t, r.body, `"error":"insufficient_scope"`)
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	tests := map[string]string{
		"/projects/99999":                             "404 Project Not Found",
		"/projects/no%2Fsuch-1":                       "404 Project Not Found",
		"/projects/99999/issues":                      "404 Project Not Found",
		"/projects/1/issues/99999":                    "404 Issue Not Found",
		"/projects/1/issues/99999/notes":              "404 Issue Not Found",
		"/projects/1/merge_requests/0":                "404 Not found",
		"/projects/1/repository/branches/nothing":     "404 Branch Not Found",
		"/projects/1/repository/commits/nothing":      "404 Commit Not Found",
		"/groups/99999":                               "404 Group Not Found",
		"/users/99999":                                "404 User Not Found",
		"/projects/1/repository/tags/v99":             "404 Tag Not Found",
		"/projects/1/labels/nothing":                  "404 Label Not Found",
		"/projects/1/hooks/99999":                     "404 Not found",
		"/projects/1/issues/1/notes/99999":            "404 Not found",
		"/projects/1/pipelines/99999/jobs":            "404 Not found",
		"/projects/1/merge_requests/99999/pipelines":  "404 Not found",
		"/projects/1/merge_requests/1/notes/99999999": "404 Not found",
	}
	for path, message := range tests {
		t.Run(path, func(t *testing.T) {
			r := get(t, s, path)
			assert.Equal(t, http.StatusNotFound, r.status)
			assert.JSONEq(t, `{"message":"`+message+`"}`, r.body)
		})
	}
	assert.Empty(t, s.Unknown())
}

func TestUnknownRouteIsNamedAndRemembered(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	r := get(t, s, "/no/such/route?x=1")
	assert.Equal(t, http.StatusNotFound, r.status)
	assert.Contains(t, r.body, "GET /api/v4/no/such/route")
	_, err := ask(t.Context(), s, http.MethodPatch, "/projects/1", "", "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	get(t, s, "/no/such/route")
	assert.Equal(t, []string{"GET /api/v4/no/such/route", "PATCH /api/v4/projects/1"}, s.Unknown())
	s.Reset()
	assert.Empty(t, s.Unknown())
}

func TestCountsAreExact(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	for range 3 {
		get(t, s, "/projects/1")
	}
	get(t, s, "/projects/group%2Fproject")
	get(t, s, "/user")
	get(t, s, "/nothing")
	assert.Equal(t, map[string]int64{projectRoute: 4, "GET user": 1}, s.Counts())
	assert.EqualValues(t, 4, s.Count(projectRoute))
	assert.Zero(t, s.Count("GET nothing"))
	assert.EqualValues(t, 6, s.Total())
	s.Reset()
	assert.Empty(t, s.Counts())
	assert.Zero(t, s.Total())
	assert.Contains(t, s.Routes(), projectRoute)
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	first, second := get(t, s, "/version"), get(t, s, "/version")
	assert.Equal(t, "Origin", first.header.Get("Vary"))
	assert.NotEmpty(t, first.header.Get("X-Request-Id"))
	assert.NotEqual(t, first.header.Get("X-Request-Id"), second.header.Get("X-Request-Id"))
	assert.Regexp(t, `^\d+\.\d{6}$`, first.header.Get("X-Runtime"))
	assert.Equal(t, "application/json", first.header.Get("Content-Type"))
	for name := range first.header {
		assert.NotContains(t, name, "Ratelimit")
	}
	assert.Empty(t, first.header.Get("ETag"))
}

func TestSwitches(t *testing.T) {
	s := start(t, fakegitlab.Options{ETag: true, Gzip: true, RateLimit: 600, Latency: time.Microsecond, Seed: 5})
	r := get(t, s, "/projects/1")
	assert.True(t, json.Valid([]byte(r.body)), "the client undoes gzip")
	assert.Equal(t, "600", r.header.Get("RateLimit-Limit"))
	assert.Equal(t, "599", r.header.Get("RateLimit-Remaining"))
	require.NotEmpty(t, r.header.Get("ETag"))

	unchanged := get(t, s, "/projects/1", "If-None-Match", r.header.Get("ETag"))
	assert.Equal(t, http.StatusNotModified, unchanged.status)
	assert.Empty(t, unchanged.body)

	zipped := get(t, s, "/projects/1", "Accept-Encoding", "gzip")
	assert.Equal(t, "gzip", zipped.header.Get("Content-Encoding"))
	assert.Less(t, len(zipped.body), len(r.body)/2)

	assert.Equal(t, map[string]string{
		"gitlab-latency": "1µs", "gitlab-etag": "true", "gitlab-gzip": "true", "gitlab-rate-limit": "600", "gitlab-seed": "5",
	}, s.Settings())
}

func TestEqualSeedsGiveEqualBytes(t *testing.T) {
	a, b := start(t, fakegitlab.Options{Seed: 7}), start(t, fakegitlab.Options{Seed: 7})
	other := start(t, fakegitlab.Options{Seed: 8})
	for _, path := range []string{
		"/projects/1", "/projects?page=3", "/projects/2/issues/3", "/projects/2/merge_requests?state=opened",
		"/users/9", "/user", "/projects/1/repository/branches", "/runners/all", "/projects/1/repository/files/a.go/raw",
	} {
		assert.Equal(t, get(t, a, path).body, get(t, b, path).body, path)
		assert.NotEqual(t, get(t, a, path).body, get(t, other, path).body, path)
	}
}

func TestLatencyIsAddedAndChangesWhileRunning(t *testing.T) {
	s := start(t, fakegitlab.Options{Latency: 30 * time.Millisecond})
	took := func() time.Duration {
		started := time.Now()
		get(t, s, "/version")
		return time.Since(started)
	}
	assert.GreaterOrEqual(t, took(), 30*time.Millisecond)
	s.SetLatency(60 * time.Millisecond)
	assert.GreaterOrEqual(t, took(), 60*time.Millisecond)
	s.SetLatency(0)
	assert.Zero(t, s.Latency())
}

func TestFaultStatus(t *testing.T) {
	tests := map[string]struct {
		fault  fakegitlab.Fault
		status int
		body   string
		header map[string]string
	}{
		"zero value": {fakegitlab.Fault{}, 500, `{"message":"500 Internal Server Error"}`, nil},
		"status":     {fakegitlab.Fault{Status: 502, Body: "<html>"}, 502, "<html>", nil},
		"throttled": {fakegitlab.RateLimited(100, 30*time.Second), 429, "Retry later\n",
			map[string]string{"Content-Type": "text/plain", "Retry-After": "30", "RateLimit-Limit": "100", "RateLimit-Remaining": "0"}},
		"limited by the application": {fakegitlab.ApplicationLimited(), 429,
			`{"message":{"error":"This endpoint has been requested too many times. Try again later."}}`,
			map[string]string{"Content-Type": "application/json", "RateLimit-Limit": ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := start(t, fakegitlab.Options{})
			s.SetFault("", test.fault)
			r := get(t, s, "/version")
			assert.Equal(t, test.status, r.status)
			assert.Equal(t, test.body, r.body)
			for name, value := range test.header {
				assert.Equal(t, value, r.header.Get(name), name)
			}
			s.ClearFaults()
			assert.Equal(t, http.StatusOK, get(t, s, "/version").status)
		})
	}
}

func TestFaultIsOfItsRouteAndUsedUp(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	s.SetFault(projectRoute, fakegitlab.Fault{Status: 503, Times: 2})
	assert.Equal(t, http.StatusOK, get(t, s, "/version").status)
	for _, status := range []int{503, 503, 200} {
		assert.Equal(t, status, get(t, s, "/projects/1").status)
	}
	s.SetFault(projectRoute, fakegitlab.Fault{Status: 504})
	s.SetFault("", fakegitlab.Fault{Status: 500})
	assert.Equal(t, 504, get(t, s, "/projects/1").status)
	assert.Equal(t, 500, get(t, s, "/version").status)
	s.ClearFaults()
	s.SetFault("GET projects/{project_id}/repository/commits/{commit_sha}/discussions", fakegitlab.Fault{})
	assert.Equal(t, 500, get(t, s, "/projects/1/repository/commits/main/discussions").status)
	assert.Panics(t, func() { s.SetFault("GET nothing", fakegitlab.Fault{}) })
}

func TestFaultReset(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	s.SetFault("", fakegitlab.Fault{Kind: fakegitlab.FaultReset})
	_, err := ask(t.Context(), s, http.MethodPost, "/projects", `{"name":"x"}`, "PRIVATE-TOKEN", s.Token(0))
	require.Error(t, err)
	assert.True(t, errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF), "%v", err)
}

func TestFaultBrokenJSON(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	whole := get(t, s, "/projects/1").body
	s.SetFault("", fakegitlab.Fault{Kind: fakegitlab.FaultBrokenJSON})
	r := get(t, s, "/projects/1")
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, whole[:len(whole)/2], r.body)
}

func TestFaultSlowBody(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	whole := get(t, s, "/projects/1").body
	s.SetFault("", fakegitlab.Fault{Kind: fakegitlab.FaultSlowBody, Delay: 3 * time.Millisecond})
	started := time.Now()
	assert.Equal(t, whole, get(t, s, "/projects/1").body)
	assert.GreaterOrEqual(t, time.Since(started), 7*3*time.Millisecond)
}

func TestFaultHangEndsWhenReleased(t *testing.T) {
	tests := map[string]struct {
		release func(*fakegitlab.Server, context.CancelFunc)
		status  int // 0 where the client no longer waits for an answer
	}{
		"by clearing":   {func(s *fakegitlab.Server, _ context.CancelFunc) { s.ClearFaults() }, http.StatusOK},
		"by replacing":  {func(s *fakegitlab.Server, _ context.CancelFunc) { s.SetFault("", fakegitlab.Fault{}) }, http.StatusOK},
		"by the client": {func(_ *fakegitlab.Server, leave context.CancelFunc) { leave() }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, leave, done := hanging(t)
			test.release(s, leave)
			assert.Equal(t, test.status, (<-done).status)
		})
	}
	t.Run("by closing", func(t *testing.T) {
		s, _, done := hanging(t)
		s.Close()
		<-done
	})
}

// hanging is a server with one request that hangs, a way to give the request up, and its reply.
func hanging(t *testing.T) (*fakegitlab.Server, context.CancelFunc, <-chan reply) {
	t.Helper()
	s := start(t, fakegitlab.Options{})
	s.SetFault("", fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	done := make(chan reply, 1)
	go func() {
		r, _ := ask(ctx, s, http.MethodGet, "/version", "", "PRIVATE-TOKEN", s.Token(0))
		done <- r
	}()
	require.Eventually(t, func() bool { return s.Total() == 1 }, 5*time.Second, time.Millisecond)
	return s, leave, done
}

func TestHeadDescribesAFile(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	r, err := ask(t.Context(), s, http.MethodHead, "/projects/1/repository/files/README.md?ref=main", "", "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, r.status)
	assert.NotEmpty(t, r.header.Get("X-Gitlab-Blob-Id"))
}

func TestBrokenBodyIsRefused(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	r, err := ask(t.Context(), s, http.MethodPost, "/projects", `{"name":`, "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Contains(t, r.body, "read JSON body")
}

func TestGraphQLErrors(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	for body, wanted := range map[string]string{
		`{`:                        "unreadable query",
		`{"query":"{ a { b "}`:     "syntax error",
		`{"query":"{ a { b } }"}`:  `"a":{"b":`,
		`{"query":"no selection"}`: "syntax error",
		`{"query":"` + strings.Repeat("{a", 1000) + `"}`:             "syntax error",
		`{"query":"{ a { ...F } } fragment F on A { b ...F ...F }"}`: `"a":{"b":`,
		`{"query":"query Q($a: X = {b: 1}) { me: currentUser(a: \"x)\") @include(if: true) { ...F ... on U { id } } } fragment F on U { username # c\n }"}`: `"me":{"username":`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/graphql", bytes.NewReader([]byte(body)))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.Token(0))
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		raw, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Contains(t, string(raw), wanted, body)
	}
}
