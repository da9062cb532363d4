package meter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
)

// goPprof reads a Go process through the handlers of net/http/pprof.
type goPprof struct {
	base   string
	client *http.Client
}

// GoPprof returns the reader of a Go process that serves net/http/pprof at addr, a host:port. Each question
// uses a connection of its own, so that between questions none of them leaves anything in the process.
func GoPprof(addr string) Heap {
	return &goPprof{
		base:   "http://" + addr + "/debug/pprof/",
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
}

// Collect asks for a profile with a collection before it, and for the form that is cheapest to make.
func (g *goPprof) Collect(ctx context.Context) error {
	return g.get(ctx, "heap?debug=1&gc=1", io.Discard)
}

// Live reads the account that ends the profile in text form.
func (g *goPprof) Live(ctx context.Context) (HeapReading, error) {
	return g.account(ctx, "heap?debug=1")
}

// Collected relies on the order in which the answer is made: the collection, the account, and then the profile, which
// is what takes memory (net/http/pprof, handler.ServeHTTP; runtime/pprof, writeHeapInternal).
func (g *goPprof) Collected(ctx context.Context) (HeapReading, error) {
	return g.account(ctx, "heap?debug=1&gc=1")
}

func (g *goPprof) account(ctx context.Context, question string) (HeapReading, error) {
	var text bytes.Buffer
	if err := g.get(ctx, question, &text); err != nil {
		return HeapReading{}, err
	}
	return parseMemStats(text.Bytes())
}

// asking is how many goroutines serve a question of net/http/pprof: the connection's own, and its reader.
const asking = 2

// Goroutines counts those that are there between questions.
func (g *goPprof) Goroutines(ctx context.Context) (int, error) {
	var text bytes.Buffer
	if err := g.get(ctx, "goroutine?debug=1", &text); err != nil {
		return 0, err
	}
	var n int
	if _, err := fmt.Sscanf(text.String(), "goroutine profile: total %d", &n); err != nil {
		first, _, _ := strings.Cut(text.String(), "\n")
		return 0, fmt.Errorf("goroutine profile begins with %q: %w", first, err)
	}
	return n - asking, nil
}

// CPUProfile rounds d up to whole seconds, which is all that can be asked for.
func (g *goPprof) CPUProfile(ctx context.Context, d time.Duration, w io.Writer) error {
	seconds := max(1, int(math.Ceil(d.Seconds())))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+answerIn)
	defer cancel()
	return g.fetch(ctx, fmt.Sprintf("profile?seconds=%d", seconds), w)
}

// HeapProfile collects first.
func (g *goPprof) HeapProfile(ctx context.Context, w io.Writer) error {
	return g.get(ctx, "heap?gc=1", w)
}

// answerIn is how long an answer may take: a heap of many gigabytes is collected in some seconds.
const answerIn = time.Minute

func (g *goPprof) get(ctx context.Context, question string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	return g.fetch(ctx, question, w)
}

func (g *goPprof) fetch(ctx context.Context, question string, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+question, nil)
	if err != nil {
		return fmt.Errorf("read the heap: %w", err)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return fmt.Errorf("read the heap: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("read the heap: GET %s: %s", req.URL, resp.Status)
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("read the heap: GET %s: %w", req.URL, err)
	}
	return nil
}
