package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

const (
	// maxRetries, and maxWait before each, bound how long a failing call can take on top of GitLab's
	// own time.
	maxRetries = 2
	maxWait    = 2 * time.Second
	firstWait  = 100 * time.Millisecond
	// maxErrorBody bounds what is kept of a refusal.
	maxErrorBody = 64 << 10
)

// NewClient makes a client of the GitLab at baseURL for one personal, project or group access token.
// Nothing is sent, and the URL is taken as it is: whoever reads it from somebody checks it. hc, which may be nil and is not changed, gives transport and timeout; clients that
// share its transport share connections.
//
// The client repeats at most two times, and only what cannot do harm: a GET or HEAD that met a 500, 502,
// 503, 504 or a broken connection, and any request that was never sent or was turned away with a 429
// whose wait is at most two seconds. It sets itself no rate limit from the first answer it gets.
func NewClient(baseURL, token string, hc *http.Client) (*gitlab.Client, error) {
	return newClient(baseURL, gitlab.AccessTokenAuthSource{Token: token}, hc)
}

// NewBearerClient is NewClient for a token that goes into the Authorization header, such as one that
// OAuth gave out.
func NewBearerClient(baseURL, token string, hc *http.Client) (*gitlab.Client, error) {
	return newClient(baseURL, bearer(token), hc)
}

// bearer is a fixed token in the Authorization header.
type bearer string

// Init has nothing to do.
func (bearer) Init(context.Context, *gitlab.Client) error { return nil }

// Header is the header that authenticates a request.
func (b bearer) Header(context.Context) (key, value string, err error) {
	return gitlab.OAuthTokenHeaderName, "Bearer " + string(b), nil
}

func newClient(baseURL string, auth gitlab.AuthSource, hc *http.Client) (*gitlab.Client, error) {
	return gitlab.NewAuthSourceClient(auth,
		gitlab.WithBaseURL(baseURL),
		gitlab.WithHTTPClient(guarded(hc)),
		gitlab.WithUserAgent("gitlab-mcp-server"),
		gitlab.WithURLWarningLogger(slog.New(slog.DiscardHandler)),
		gitlab.WithCustomLimiter(unlimited{}),
		gitlab.WithCustomRetry(shouldRetry),
		gitlab.WithCustomRetryMax(maxRetries),
		gitlab.WithCustomBackoff(backoff),
	)
}

// unlimited keeps the client from configuring a limiter from the headers of its first answer, which
// would slow everything after it for good.
type unlimited struct{}

// Wait waits for nothing.
func (unlimited) Wait(ctx context.Context) error { return ctx.Err() }

// guarded copies hc and adds what a call relies on: answers of bounded size, the words of a refusal, and
// a token that stays with its host.
func guarded(hc *http.Client) *http.Client {
	if hc == nil {
		hc = http.DefaultClient
	}
	guard := *hc
	next := hc.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	guard.Transport = bounded{next}
	guard.CheckRedirect = DropToken
	return &guard
}

// DropToken is a rule for redirects, as http.Client.CheckRedirect takes one: ten at most, and none to another
// host, such as an object store, with the token. Go itself takes off only the Authorization header.
func DropToken(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		for _, header := range []string{"Private-Token", "Authorization", "Job-Token"} {
			req.Header.Del(header)
		}
	}
	return nil
}

// bounded limits the bodies of answers, and keeps that of a refusal readable after it was closed.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends the request and bounds the answer.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if resp.StatusCode < 400 {
		resp.Body = &limited{resp.Body, MaxAnswer}
		return resp, nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read GitLab's refusal: %w", err)
	}
	resp.Body = &kept{Reader: bytes.NewReader(text)}
	return resp, nil
}

// limited fails, rather than ends, where an answer is longer than it may be.
type limited struct {
	io.ReadCloser
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left+1)])
	if l.left -= n; l.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

// kept is a body that Close rewinds.
type kept struct{ *bytes.Reader }

// Close rewinds.
func (k *kept) Close() error {
	_, err := k.Seek(0, io.SeekStart)
	return err
}

// retried are the statuses of a GitLab, or of what stands before it, that is briefly unwell.
var retried = []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

func shouldRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return retryable(err), nil
	case resp.StatusCode == http.StatusTooManyRequests:
		wait, said := retryAfter(resp.Header)
		return !said || wait <= maxWait, nil
	}
	return isSafe(resp.Request.Method) && slices.Contains(retried, resp.StatusCode), nil
}

func isSafe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// retryable reports whether a request failed before it was sent, or was one that only reads. The client
// writes the method of a *url.Error as Get.
func retryable(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	var at *url.Error
	return errors.As(err, &at) && (at.Op == "Get" || at.Op == "Head") && !errors.Is(err, errTooLarge)
}

// retryAfter reads how long GitLab wants to be left alone.
func retryAfter(h http.Header) (wait time.Duration, said bool) {
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if reset, err := strconv.ParseInt(h.Get("RateLimit-Reset"), 10, 64); err == nil {
		return time.Until(time.Unix(reset, 0)), true
	}
	return 0, false
}

func backoff(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	if resp != nil {
		if wait, said := retryAfter(resp.Header); said {
			return max(0, min(wait, maxWait))
		}
	}
	return firstWait << attempt
}
