package spawn

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Probe waits until p can be used. It returns nil then, and otherwise what was wrong when ctx ended. It may
// talk to the child over its pipes.
type Probe func(ctx context.Context, p *Process) error

// HTTPReady is satisfied by the first answer of class 2xx to a GET of url. It asks again after 1 ms, or after
// a thousandth of the time that has passed if that is more, so that the moment is found to that precision
// while a child that is slow to start is not kept busy.
func HTTPReady(url string) Probe {
	return func(ctx context.Context, _ *Process) error {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		began := time.Now()
		last := fmt.Errorf("GET %s: no answer", url)
		for {
			err := get(ctx, client, url)
			if err == nil {
				return nil
			}
			if ctx.Err() == nil { // else err is about the end of the wait
				last = err
			}
			select {
			case <-ctx.Done():
				return last
			case <-time.After(pollStep(time.Since(began))):
			}
		}
	}
}

// pollStep is the pause before the next attempt.
func pollStep(elapsed time.Duration) time.Duration {
	return min(max(time.Millisecond, elapsed/1000), 20*time.Millisecond)
}

func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	return nil
}
