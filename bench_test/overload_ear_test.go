package bench_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/stat"
)

// heard is one answer, and when it came.
type heard struct {
	at      time.Time
	latency time.Duration
	outcome mcp.Outcome
	status  int
	told    bool // when to come back
	why     string
}

// ear keeps what many connections are answered.
type ear struct {
	mu  sync.Mutex
	all []heard
}

// hear keeps an answer.
func (e *ear) hear(h heard) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, h)
}

// heard returns what was heard so far.
func (e *ear) heard() []heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// listen returns what a load tells of each reply, and how long it then waits: after an answer as given, after a
// refusal as long as it was told to.
func (e *ear) listen(pause time.Duration) func(*mcp.Reply) time.Duration {
	return func(r *mcp.Reply) time.Duration {
		e.hear(heard{r.End, r.Latency(), r.Outcome, r.Status, r.Told, r.Reason})
		switch r.Outcome {
		case mcp.OK:
			return pause
		case mcp.Refused:
			return backOff(r)
		default:
			return untoldWait
		}
	}
}

// untoldWait is how long a client stays away that was not told how long.
const untoldWait = time.Second

// backOff is how long a refused client stays away: what it was told, and up to a quarter more, so that those who
// were refused together do not come back together.
func backOff(r *mcp.Reply) time.Duration {
	wait := untoldWait
	if r.Told {
		wait = r.RetryAfter
	}
	return wait + rand.N(wait/4+time.Millisecond)
}

// during keeps what was heard from one moment to another.
func during(all []heard, from, to time.Time) []heard {
	return slices.DeleteFunc(slices.Clone(all), func(h heard) bool { return h.at.Before(from) || h.at.After(to) })
}

// those keeps what came of calls in one way.
func those(all []heard, outcome mcp.Outcome) []heard {
	return slices.DeleteFunc(slices.Clone(all), func(h heard) bool { return h.outcome != outcome })
}

// sortedTimes is the latencies of some answers in their order.
type sortedTimes []time.Duration

func latenciesOf(all []heard) sortedTimes {
	s := make(sortedTimes, len(all))
	for i, h := range all {
		s[i] = h.latency
	}
	slices.Sort(s)
	return s
}

// ranked is a percentile of latencies with its interval; known only where there are enough for one.
type ranked struct {
	at, lo, hi time.Duration
	known      bool
	n          int
}

func (s sortedTimes) percentile(p float64) ranked {
	lo, hi, ok := stat.PercentileRanks(len(s), p, stat.Confidence)
	if !ok {
		return ranked{n: len(s)}
	}
	return ranked{s[stat.Rank(len(s), p)-1], s[lo-1], s[hi-1], true, len(s)}
}

func (s sortedTimes) shortest() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[0]
}

func (s sortedTimes) longest() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1]
}

// readings are those of a process, one after another.
type readings struct {
	mu   sync.Mutex
	all  []meter.Reading
	fail error
	end  func()
	done chan struct{}
}

// readEvery reads a process until it is stopped.
func readEvery(tree *meter.Tree, every time.Duration) *readings {
	ctx, cancel := context.WithCancel(context.Background())
	r := &readings{end: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for ctx.Err() == nil {
			r.read(tree)
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		}
	}()
	return r
}

func (r *readings) read(tree *meter.Tree) {
	reading, err := tree.Read()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.fail = err
		return
	}
	r.all = append(r.all, reading)
}

// stop returns what was read.
func (r *readings) stop() ([]meter.Reading, error) {
	r.end()
	<-r.done
	return r.all, r.fail
}

// meanRSS is the mean resident set from one moment to another, and 0 if it was not read.
func meanRSS(all []meter.Reading, from, to time.Time) float64 {
	var sum float64
	n := 0
	for _, r := range all {
		if !r.At.Before(from) && r.At.Before(to) {
			sum += float64(r.RSS)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// healthEvery is how often the address is asked that says whether the subject serves.
const healthEvery = 200 * time.Millisecond

// watchHealth asks an address until ctx ends.
func watchHealth(ctx context.Context, url string, e *ear) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		h := askHealth(ctx, client, url)
		if ctx.Err() == nil {
			e.hear(h)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

func askHealth(ctx context.Context, client *http.Client, url string) heard {
	begun := time.Now()
	h := heard{outcome: mcp.Failed}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		h.why = err.Error()
		return h
	}
	response, err := client.Do(request)
	h.at = time.Now()
	h.latency = h.at.Sub(begun)
	if err != nil {
		h.why = err.Error()
		return h
	}
	_ = response.Body.Close() // nothing in it matters
	if h.status = response.StatusCode; h.status == http.StatusOK {
		h.outcome = mcp.OK
	}
	return h
}
