// Package upstream is the way to GitLab: one pool of connections for all credentials, a client for each,
// and the question whether GitLab knows a credential.
//
// It refuses to repeat a token: no error of this package holds one, and a redirect to another host does
// not take one along.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

// Limits of one exchange with GitLab.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 60 * time.Second
	admitTimeout  = 10 * time.Second
	idleTimeout   = 90 * time.Second
	idlePerHost   = 64
	drainLimit    = 64 << 10 // bytes read of an answer nobody needs, so that its connection can be used again
)

// Options are what can be set about the way to GitLab.
type Options struct {
	// MaxConns bounds the connections to GitLab; 0 is no bound.
	MaxConns int
	// UserAgent names this program when it asks about a credential.
	UserAgent string
	// Wrap, if set, sees every request to GitLab.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Log is told when GitLab cannot be reached.
	Log *slog.Logger
}

// GitLab makes clients of one GitLab. It is safe for concurrent use.
type GitLab struct {
	base      string // without a trailing slash and without /api/v4
	userAgent string
	transport *http.Transport
	client    *http.Client
}

// New returns the GitLab at base.
func New(base string, opts Options) (*GitLab, error) {
	root, err := ParseURL(base)
	if err != nil {
		return nil, err
	}
	transport := newTransport(opts.MaxConns)
	var rt http.RoundTripper = transport
	if opts.Log != nil {
		rt = tellOfFailure{rt, opts.Log}
	}
	if opts.Wrap != nil {
		rt = opts.Wrap(rt)
	}
	return &GitLab{
		base: root, userAgent: opts.UserAgent, transport: transport,
		client: &http.Client{Transport: rt, CheckRedirect: catalog.DropToken},
	}, nil
}

// ParseURL reads the address of a GitLab, with or without /api/v4, and returns it in the one form that
// this package uses.
func ParseURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("not a URL: use one like https://gitlab.example.com")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", fmt.Errorf("%q is not an http or https URL: use one like https://gitlab.example.com", u.Redacted())
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("a GitLab URL has no user, query or fragment: use one like https://gitlab.example.com")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/api/v4")
	return strings.TrimRight(u.String(), "/"), nil
}

func newTransport(maxConns int) *http.Transport {
	idle := idlePerHost
	if maxConns > 0 {
		idle = maxConns
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       idleTimeout,
		MaxConnsPerHost:       maxConns,
		MaxIdleConnsPerHost:   idle,
	}
}

// tellOfFailure logs requests that got no answer: over stdio, nobody else tells the person who looks.
type tellOfFailure struct {
	next http.RoundTripper
	log  *slog.Logger
}

// RoundTrip implements http.RoundTripper.
func (t tellOfFailure) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil && r.Context().Err() == nil {
		t.log.Warn("GitLab did not answer", "host", r.URL.Host, "reason", cause(err))
	}
	return resp, err
}

// Client returns a client of the official library for a credential, without asking GitLab anything. When
// GitLab stops to accept the credential, the call that is told so calls revoked, if set, with the
// *AdmissionError that Admit would return.
func (g *GitLab) Client(c Credential, revoked func(error)) (*gitlab.Client, error) {
	hc := g.client
	if revoked != nil {
		hc = &http.Client{Transport: &watched{g, c, revoked}, CheckRedirect: g.client.CheckRedirect}
	}
	if c.Scheme == Bearer {
		return catalog.NewBearerClient(g.base, c.token, hc)
	}
	return catalog.NewClient(g.base, c.token, hc)
}

// Admit asks GitLab once who the credential is, and returns Client. Its error is an *AdmissionError.
func (g *GitLab) Admit(ctx context.Context, c Credential, revoked func(error)) (*gitlab.Client, error) {
	if err := g.ask(ctx, c); err != nil {
		return nil, err
	}
	return g.Client(c, revoked)
}

// ask asks GitLab who the credential is.
func (g *GitLab) ask(ctx context.Context, c Credential) error {
	ctx, cancel := context.WithTimeout(ctx, admitTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/api/v4/user", nil)
	if err != nil {
		return &AdmissionError{Status: http.StatusBadGateway, Reason: "the GitLab URL cannot be asked"}
	}
	c.sign(req.Header)
	req.Header.Set("User-Agent", g.userAgent)
	resp, err := g.client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, drainLimit)
	return judge(resp)
}

// watched is the way of one credential. A 401 alone does not say that the credential is no good any more:
// GitLab also answers so to a merge that its user may not make. So a 401 has it asked again who this is.
type watched struct {
	gitlab     *GitLab
	credential Credential
	revoked    func(error)
}

// RoundTrip implements http.RoundTripper.
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.gitlab.client.Transport.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	var refused *AdmissionError
	if errors.As(w.gitlab.ask(r.Context(), w.credential), &refused) && refused.Refused() {
		w.revoked(refused)
	}
	return resp, nil
}

// Close closes idle connections.
func (g *GitLab) Close() { g.transport.CloseIdleConnections() }
