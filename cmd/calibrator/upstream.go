package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// keepIdle is how long an idle connection to GitLab is kept. It is short, so that a process at rest has none.
	keepIdle = time.Second
	// maxBody is the largest answer of GitLab's that is passed on.
	maxBody = 1 << 20
)

// upstream asks GitLab.
type upstream struct {
	root   string
	times  int
	client *http.Client
}

// newUpstream returns what asks the GitLab at root so many times for each call.
func newUpstream(root string, times int) *upstream {
	return &upstream{
		root: strings.TrimSuffix(root, "/"), times: times,
		client: &http.Client{Transport: &http.Transport{
			MaxIdleConnsPerHost: expected,
			IdleConnTimeout:     keepIdle,
			DisableCompression:  true,
		}},
	}
}

// get reads path from GitLab's REST interface, as often as it is to be read, counting each request in asked. It
// returns the last answer's body, and stops at the first answer that is not 200.
func (u *upstream) get(ctx context.Context, token, path string, asked *atomic.Int64) (body string, err error) {
	for range u.times {
		asked.Add(1)
		if body, err = u.once(ctx, token, path); err != nil {
			return "", err
		}
	}
	return body, nil
}

func (u *upstream) once(ctx context.Context, token, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.root+"/api/v4/"+path, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Private-Token", token)
	resp, err := u.client.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return "", fmt.Errorf("GET %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET %s: %s: %s", path, resp.Status, body)
	}
	return string(body), nil
}
