package upstream_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/upstream"
)

const canary = "glpat-canary-0123456789"

func TestFromRequest(t *testing.T) {
	for _, tt := range []struct {
		name, header, value string
		want                upstream.Credential
		ok                  bool
	}{
		{"none", "X-Other", canary, upstream.Credential{}, false},
		{"private token", "PRIVATE-TOKEN", canary, upstream.NewCredential(upstream.PrivateToken, canary), true},
		{"bearer", "Authorization", "Bearer " + canary, upstream.NewCredential(upstream.Bearer, canary), true},
		{"bearer in any case", "Authorization", "bearer  " + canary + " ", upstream.NewCredential(upstream.Bearer, canary), true},
		{"basic", "Authorization", "Basic " + canary, upstream.Credential{}, false},
		{"empty", "Private-Token", "  ", upstream.Credential{}, false},
		{"bearer of nothing", "Authorization", "Bearer ", upstream.Credential{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			r.Header.Set(tt.header, tt.value)
			got, ok := upstream.FromRequest(r)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestCredentialHidesItsToken(t *testing.T) {
	c := upstream.NewCredential(upstream.Bearer, canary)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c, "p", &c, "in", struct{ C upstream.Credential }{c})
	for _, shown := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %s %q", c, c, &c, []any{c}), log.String()} {
		assert.NotContains(t, shown, canary)
	}
}

func TestKeysDiffer(t *testing.T) {
	a := upstream.NewCredential(upstream.PrivateToken, "a").Key()
	assert.Equal(t, a, upstream.NewCredential(upstream.PrivateToken, "a").Key())
	assert.NotEqual(t, a, upstream.NewCredential(upstream.Bearer, "a").Key())
	assert.NotEqual(t, a, upstream.NewCredential(upstream.PrivateToken, "b").Key())
}

func TestParseURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://gitlab.example.com":                   "https://gitlab.example.com",
		"https://gitlab.example.com/":                  "https://gitlab.example.com",
		"https://gitlab.example.com/api/v4/":           "https://gitlab.example.com",
		"http://127.0.0.1:80/gitlab/api/v4":            "http://127.0.0.1:80/gitlab",
		"gitlab.example.com":                           "",
		"ftp://gitlab.example.com":                     "",
		"https://":                                     "",
		"://":                                          "",
		"https://u:" + canary + "@gitlab.local":        "",
		"https://gitlab.local?private_token=" + canary: "",
		"ftp://u:" + canary + "@gitlab.local":          "",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := upstream.ParseURL(in)
			assert.Equal(t, want, got)
			if want == "" {
				require.Error(t, err)
				assert.NotContains(t, err.Error(), canary)
			}
		})
	}
}

// gitlabThat serves h and returns the way to it.
func gitlabThat(t *testing.T, h http.HandlerFunc, opts upstream.Options) *upstream.GitLab {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	g, err := upstream.New(server.URL+"/api/v4", opts)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		name       string
		answer     int
		retryAfter string
		status     int
		refused    bool
		says       string
	}{
		{"good", 200, "", 0, false, ""},
		{"unknown", 401, "", 401, true, "wrong, expired or revoked"},
		{"without scope", 403, "", 403, true, "needs the scope"},
		{"busy", 429, "7", 503, false, "busy (status 429)"},
		{"down", 503, "", 503, false, "busy (status 503)"},
		{"broken", 500, "", 502, false, "status 500 when asked who the token belongs to: what GitLab logged"},
		{"not a GitLab", 404, "", 502, false, "is the GitLab URL right?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			g := gitlabThat(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				assert.Equal(t, "/api/v4/user", r.URL.Path)
				assert.Equal(t, canary, r.Header.Get("Private-Token"))
				assert.Equal(t, "ua", r.Header.Get("User-Agent"))
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(tt.answer)
				_, _ = fmt.Fprintf(w, `{"message":%q}`, canary)
			}, upstream.Options{UserAgent: "ua"})
			client, err := g.Admit(t.Context(), upstream.NewCredential(upstream.PrivateToken, canary), nil)
			assert.Equal(t, 1, asked, "one question, whatever the answer")
			if tt.status == 0 {
				require.NoError(t, err)
				assert.NotNil(t, client)
				return
			}
			var refused *upstream.AdmissionError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tt.status, refused.Status)
			assert.Equal(t, tt.refused, refused.Refused())
			assert.Equal(t, tt.retryAfter, refused.RetryAfter)
			assert.Contains(t, err.Error(), tt.says)
			assert.NotContains(t, err.Error(), canary)
		})
	}
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var log bytes.Buffer
	g, err := upstream.New(server.URL, upstream.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	_, err = g.Admit(t.Context(), upstream.NewCredential(upstream.PrivateToken, canary), nil)
	var refused *upstream.AdmissionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusBadGateway, refused.Status)
	assert.Contains(t, err.Error(), "connection refused")
	assert.Contains(t, log.String(), "GitLab did not answer")
	assert.NotContains(t, err.Error()+log.String(), canary)
}

func TestNoAnswerInTime(t *testing.T) {
	held := make(chan struct{})
	g := gitlabThat(t, func(http.ResponseWriter, *http.Request) { <-held }, upstream.Options{})
	t.Cleanup(func() { close(held) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := g.Admit(ctx, upstream.NewCredential(upstream.PrivateToken, canary), nil)
	var refused *upstream.AdmissionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusGatewayTimeout, refused.Status)
}

func TestBearerTokensGoAsTheyCame(t *testing.T) {
	var got http.Header
	g := gitlabThat(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"username":"ann"}`))
	}, upstream.Options{})
	client, err := g.Admit(t.Context(), upstream.NewCredential(upstream.Bearer, canary), nil)
	require.NoError(t, err)
	assert.Equal(t, "Bearer "+canary, got.Get("Authorization"))
	user, _, err := client.Users.CurrentUser()
	require.NoError(t, err)
	assert.Equal(t, "ann", user.Username)
	assert.Equal(t, "Bearer "+canary, got.Get("Authorization"))
	assert.Empty(t, got.Get("Private-Token"))
}

// TestRevokedIsToldWhenGitLabSaysSo has a call come back with 401 from a GitLab that still knows the token,
// and from one that does not.
func TestRevokedIsToldWhenGitLabSaysSo(t *testing.T) {
	var known, asked atomic.Int32
	known.Store(http.StatusOK)
	g := gitlabThat(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v4/user" {
			asked.Add(1)
			w.WriteHeader(int(known.Load()))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"message":"401 Unauthorized"}`))
	}, upstream.Options{})
	var told []error
	client, err := g.Admit(t.Context(), upstream.NewCredential(upstream.Bearer, canary), func(err error) { told = append(told, err) })
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		user int32
		told int
	}{
		{"may not do this", http.StatusOK, 0},
		{"GitLab cannot say", http.StatusBadGateway, 0},
		{"revoked", http.StatusUnauthorized, 1},
		{"blocked", http.StatusForbidden, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told = nil
			known.Store(tt.user)
			before := asked.Load()
			_, _, err := client.MergeRequests.AcceptMergeRequest(1, 2, nil)
			require.ErrorContains(t, err, "401 Unauthorized", "the call says what it was told")
			assert.EqualValues(t, 1, asked.Load()-before)
			require.Len(t, told, tt.told)
			for _, err := range told {
				var refused *upstream.AdmissionError
				require.ErrorAs(t, err, &refused)
				assert.EqualValues(t, tt.user, refused.Status)
			}
		})
	}
}

func TestTokenStaysWithGitLab(t *testing.T) {
	for name, scheme := range map[string]upstream.Scheme{"private": upstream.PrivateToken, "bearer": upstream.Bearer} {
		t.Run(name, func(t *testing.T) {
			var there http.Header
			storage := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { there = r.Header.Clone() }))
			t.Cleanup(storage.Close)
			g := gitlabThat(t, func(w http.ResponseWriter, r *http.Request) {
				u, _ := url.Parse(storage.URL)
				http.Redirect(w, r, u.String(), http.StatusFound)
			}, upstream.Options{})
			client, err := g.Admit(t.Context(), upstream.NewCredential(scheme, canary), nil)
			require.NoError(t, err)
			require.NotNil(t, there)
			assert.NotContains(t, fmt.Sprint(there), canary, "of the question who it is")
			there = nil
			_, _, err = client.Users.CurrentUser()
			require.Error(t, err, "an empty answer is no user")
			require.NotNil(t, there)
			assert.NotContains(t, fmt.Sprint(there), canary, "of a call")
		})
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	var in, most int
	turn := make(chan struct{}, 1)
	g := gitlabThat(t, func(http.ResponseWriter, *http.Request) {
		turn <- struct{}{}
		in++
		most = max(most, in)
		in--
		<-turn
	}, upstream.Options{MaxConns: 1})
	done := make(chan error)
	for i := range 8 {
		go func() {
			_, err := g.Admit(context.Background(), upstream.NewCredential(upstream.PrivateToken, fmt.Sprint(i)), nil)
			done <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-done)
	}
	assert.Equal(t, 1, most)
}
