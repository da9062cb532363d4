package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// departures are a running process over HTTP and the clients that leave it in one way.
type departures struct {
	event    scenarios.Abandonment
	gitlab   *fakegitlab.Server
	instance *instance
	wire     *wire
	health   *url.URL

	version, old mcp.Version
	// session is the one that messages of version are sent in; empty where that has none.
	session string
	// read is the call that asks GitLab, if the surface has one, and arguments its arguments.
	read      *scenarios.Call
	arguments json.RawMessage
	ids       atomic.Int64
}

// newDepartures starts a process for one event.
func newDepartures(t *testing.T, s *suite, e scenarios.Abandonment) (*departures, error) {
	t.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{Latency: s.gitlabLatency})
	t.Cleanup(gitlab.Close)
	surface, err := surfaceFor(s.subject, e.Event)
	if err != nil {
		return nil, err
	}
	vars := standInVars(gitlab)
	vars["session_timeout"] = scenarios.SessionTimeout.String()
	l := launch{name: e.Event, transport: scenarios.HTTP, surface: surface, cpus: s.cpus.Subject, vars: vars}
	if e.OfSession() { // of others, the session that messages are sent in is to outlast all of it
		l.more = append(l.more, s.subject.Sessions.Option)
	}
	if s.subject.Heap.Reader == "go-pprof" {
		l.more = append(l.more, unsampled())
	}
	d := &departures{event: e, gitlab: gitlab}
	d.version, d.old = speaks(s.subject, e)
	if d.instance, err = startInTraffic(t, s, l); err != nil {
		return nil, err
	}
	if d.wire, d.health, err = newWire(d.instance, gitlab.Token(0)); err != nil {
		return nil, err
	}
	d.read = s.subject.Surfaces[surface].Calls[scenarios.CallRead]
	if d.arguments, _, err = vars.ExpandCall(d.read); err != nil {
		return nil, err
	}
	if d.version.Initializes() && !e.OfSession() {
		d.session, err = d.wire.openSession(t.Context(), d.version)
	}
	return d, err
}

// startInTraffic starts a process while clients open many connections, one of which may take a port of it after all
// checks: then it is the process itself that ends and says so.
func startInTraffic(t *testing.T, s *suite, l launch) (*instance, error) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		in, err := s.start(t, l)
		if err == nil || attempt == 5 || !strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
			return in, err
		}
	}
}

// unsampled keeps Go's runtime from sampling allocations. The live heap is read at the end of a profile of them, whose
// own size counts among it and grows with every stack that is sampled for the first time (runtime, GODEBUG).
func unsampled() scenarios.Option {
	return scenarios.Option{Env: map[string]string{"GODEBUG": "memprofilerate=0"}}
}

// surfaceFor is the surface on which an event can happen: the one of the largest listing, one whose read asks GitLab,
// or simply the smallest.
func surfaceFor(s *scenarios.Subject, event string) (scenarios.Surface, error) {
	names := s.SurfaceNames()
	switch event {
	case scenarios.ReplyReset:
		return names[len(names)-1], nil
	case scenarios.CallCut, scenarios.CallCancelled:
		for _, name := range names {
			if s.Surfaces[name].Calls[scenarios.CallRead].Route != "" {
				return name, nil
			}
		}
		return "", fmt.Errorf("no surface of %s has a read that asks GitLab, which a call could wait for", s.Name)
	default:
		return names[0], nil
	}
}

// census is what a process has at one moment. Without a way to read its heap, only its descriptors are known.
type census struct {
	live                    int64
	goroutines, descriptors int
}

// over reports whether there are more of what is counted than before.
func (c census) over(before census) bool {
	return c.goroutines > before.goroutines || c.descriptors > before.descriptors
}

// count takes a census, after two collections. Looking takes a connection, which the process closes a moment later: the
// least of a few looks is what is there otherwise.
func (d *departures) count(ctx context.Context) (census, error) {
	c, err := d.glance(ctx)
	for range glances - 1 {
		if err != nil {
			break
		}
		time.Sleep(glanceEvery)
		var again census
		again, err = d.glance(ctx)
		c.live = min(c.live, again.live)
		c.goroutines = min(c.goroutines, again.goroutines)
		c.descriptors = min(c.descriptors, again.descriptors)
	}
	return c, err
}

func (d *departures) glance(ctx context.Context) (census, error) {
	reading, err := d.instance.tree.Read()
	if err != nil || d.instance.heap == nil {
		return census{descriptors: reading.Descriptors}, err
	}
	heap, err := meter.LiveHeap(ctx, d.instance.heap)
	if err != nil {
		return census{}, err
	}
	goroutines, err := d.instance.heap.Goroutines(ctx)
	if err != nil {
		return census{}, err
	}
	if heap.Live == nil {
		return census{}, errors.New("the heap reader does not tell the live heap")
	}
	return census{live: *heap.Live, goroutines: goroutines, descriptors: reading.Descriptors}, nil
}

const (
	glances     = 5
	glanceEvery = 10 * time.Millisecond
	// lagAllowed is how long counts may take to get where they belong, on a host that is busy with other things.
	lagAllowed = 15 * time.Second
	// lagOnceLate is the same after a batch that has used up all of it, but for the last: the verdict is on that.
	lagOnceLate = time.Second
	// stuck is how long counts that are too high stay the same before they are taken to be what stays.
	stuck = 5 * time.Second
)

// restAfter waits as long as the process may hold on to events, and then until it is at rest with no more goroutines
// and descriptors than before, or, when that takes too long, with those that it keeps. Without a before, it waits
// until they do not change.
func (d *departures) restAfter(ctx context.Context, before *census, lag time.Duration) (census, error) {
	time.Sleep(d.event.Budget.Within)
	d.gitlab.Disconnect() // how many connections to GitLab lie idle is chance, and no matter of who left
	limit := time.Now().Add(lag)
	if _, err := meter.Settle(ctx, d.instance.tree, d.instance.heap, shortRest); err != nil {
		return census{}, err
	}
	last, since := census{goroutines: -1}, time.Now()
	for {
		c, err := d.count(ctx)
		back := before != nil && !c.over(*before)
		if c.goroutines != last.goroutines || c.descriptors != last.descriptors {
			last, since = c, time.Now()
		} else if before == nil {
			return c, err
		}
		if err != nil || back || time.Since(since) > stuck || time.Now().After(limit) {
			return c, err
		}
		time.Sleep(glanceEvery * glances)
	}
}

// shortRest is enough to read the live heap by, which does not depend on what was given back to the system.
var shortRest = meter.SettleOptions{Every: 20 * time.Millisecond, Window: 200 * time.Millisecond, Timeout: 5 * time.Second}

// leftovers is what was found of one event.
type leftovers struct {
	events        int
	line          stat.Line
	heap          bool // whether the live heap could be read
	before, after census
	held          []meanwhile
}

// meanwhile is what a process held for each event of a batch, before it had to forget.
type meanwhile struct{ bytes, goroutines, descriptors float64 }

// measure has events happen in batches of n, after one to warm up, and glances at what stays.
func (d *departures) measure(ctx context.Context, batches, n int) (*leftovers, error) {
	if _, err := d.batch(ctx, 2*n, nil); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	before, err := d.restAfter(ctx, nil, lagAllowed)
	if err != nil {
		return nil, err
	}
	found := &leftovers{before: before, after: before, heap: d.instance.heap != nil}
	points := []stat.XY{{X: 0, Y: float64(before.live)}}
	lag := lagAllowed
	for i := range batches {
		h, err := d.batch(ctx, n, &found.after)
		if err != nil {
			return nil, err
		}
		if h != nil {
			found.held = append(found.held, *h)
		}
		if i == batches-1 {
			lag = lagAllowed
		}
		if found.after, err = d.restAfter(ctx, &before, lag); err != nil {
			return nil, err
		}
		if found.after.over(before) {
			lag = lagOnceLate
		}
		found.events += n
		points = append(points, stat.XY{X: float64(found.events), Y: float64(found.after.live)})
	}
	found.line, err = stat.Fit(points)
	return found, err
}

// batch has n events happen and tells what is held for them, if that is of interest and could be read in time.
func (d *departures) batch(ctx context.Context, n int, before *census) (*meanwhile, error) {
	began := time.Now()
	release, err := leavings()[d.event.Event](ctx, d, n)
	if err != nil {
		return nil, err
	}
	var h *meanwhile
	if d.event.Holds && before != nil {
		c, err := d.count(ctx)
		if err != nil {
			return nil, err
		}
		// The first of them is to be there still.
		if release != nil || time.Since(began) < scenarios.SessionTimeout {
			h = &meanwhile{
				bytes:       float64(c.live-before.live) / float64(n),
				goroutines:  float64(c.goroutines-before.goroutines) / float64(n),
				descriptors: float64(c.descriptors-before.descriptors) / float64(n),
			}
		}
	}
	if release != nil {
		err = release()
	}
	return h, err
}
