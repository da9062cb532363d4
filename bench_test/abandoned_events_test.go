package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/scenarios"
)

// leavers is how many clients leave at once.
const leavers = 20

// leaving makes n events happen. What release closes, the clients have left open until then; it may be nil. An error
// says that an event was not what it is called.
type leaving func(ctx context.Context, d *departures, n int) (release func() error, err error)

// leavings are how events happen over HTTP.
func leavings() map[string]leaving {
	return map[string]leaving{
		scenarios.SessionLeft:     each((*departures).leaveSession),
		scenarios.StreamLeft:      leaveStreams,
		scenarios.InitializeAgain: initializeAgain,
		scenarios.ReplyReset:      each((*departures).resetReply),
		scenarios.CallCut:         callsInFlight((*departures).cutCall),
		scenarios.CallCancelled:   callsInFlight((*departures).cancelCall),
		scenarios.UnknownToken:    each((*departures).sendUnknownToken),
		scenarios.HealthCheck:     each((*departures).checkHealth),
	}
}

// each has every event happen by itself, some at once.
func each(one func(*departures, context.Context) error) leaving {
	return func(ctx context.Context, d *departures, n int) (func() error, error) {
		return nil, atOnce(n, func(int) error { return one(d, ctx) })
	}
}

// atOnce does something n times, some at once, and returns the first error.
func atOnce(n int, do func(i int) error) error {
	errs := make([]error, n)
	turns := make(chan int)
	var all sync.WaitGroup
	for range min(leavers, n) {
		all.Go(func() {
			for i := range turns {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		turns <- i
	}
	close(turns)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// leaveSession opens a session and forgets it.
func (d *departures) leaveSession(ctx context.Context) error {
	_, err := d.wire.openSession(ctx, d.old)
	return err
}

// leaveStreams opens streams, each in a session of its own. Their clients vanish when they are released.
func leaveStreams(ctx context.Context, d *departures, n int) (func() error, error) {
	streams := make([]*wired, n)
	err := atOnce(n, func(i int) (err error) {
		streams[i], err = d.openStream(ctx)
		return err
	})
	release := func() error {
		var errs []error
		for _, s := range streams {
			if s != nil {
				errs = append(errs, s.reset())
			}
		}
		return errors.Join(errs...)
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

func (d *departures) openStream(ctx context.Context) (*wired, error) {
	session, err := d.wire.openSession(ctx, d.old)
	if err != nil {
		return nil, err
	}
	conn, err := d.wire.send(ctx, asked{verb: http.MethodGet, version: d.old, session: session,
		header: http.Header{"Accept": {"text/event-stream"}}}, 0)
	if err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(conn.in, nil)
	if err != nil {
		return nil, closing(fmt.Errorf("open a stream: %w", err), conn)
	}
	if response.StatusCode != http.StatusOK { // the body goes on: that is what a stream is
		return nil, closing(fmt.Errorf("open a stream: %s", response.Status), conn)
	}
	return conn, nil
}

// initializeAgain sends initialize again and again in one session, which is forgotten like the others.
func initializeAgain(ctx context.Context, d *departures, n int) (func() error, error) {
	session, err := d.wire.openSession(ctx, d.old)
	if err != nil {
		return nil, err
	}
	for range n {
		// Whether it is answered or refused is the server's affair; an answer it must be.
		response, _, err := d.wire.exchange(ctx, initialize(d.old, session))
		if err != nil {
			return nil, fmt.Errorf("initialize again: %w", err)
		}
		if response.StatusCode >= http.StatusInternalServerError {
			return nil, fmt.Errorf("initialize again: %s", response.Status)
		}
	}
	return nil, nil
}

// resetReply asks for the largest listing, takes the first of it and resets the connection.
func (d *departures) resetReply(ctx context.Context) error {
	conn, err := d.wire.send(ctx, asked{version: d.version, session: d.session, id: 1, method: "tools/list"}, 4096)
	if err != nil {
		return err
	}
	head := make([]byte, 64)
	if _, err := io.ReadFull(conn.in, head); err != nil {
		return closing(fmt.Errorf("the first of a reply: %w", err), conn)
	}
	return conn.reset()
}

// callsInFlight has calls wait for a GitLab that does not answer, and each then be given up.
func callsInFlight(giveUp func(*departures, context.Context, *wired, int) error) leaving {
	return func(ctx context.Context, d *departures, n int) (func() error, error) {
		for done := 0; done < n; done += leavers {
			if err := d.giveUpCalls(ctx, min(leavers, n-done), giveUp); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
}

func (d *departures) giveUpCalls(ctx context.Context, n int, giveUp func(*departures, context.Context, *wired, int) error) error {
	route := d.read.Route
	d.gitlab.SetFault(route, fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	defer d.gitlab.ClearFaults()
	conns, ids := make([]*wired, n), make([]int, n)
	err := atOnce(n, func(i int) (err error) {
		ids[i] = int(d.ids.Add(1))
		conns[i], err = d.wire.send(ctx, d.call(ids[i]), 0)
		return err
	})
	if err != nil {
		return err
	}
	limit := time.Now().Add(wireTimeout)
	for d.gitlab.Hanging() < int64(n) {
		if time.Now().After(limit) {
			return fmt.Errorf("%d of %d calls wait for GitLab", d.gitlab.Hanging(), n)
		}
		time.Sleep(time.Millisecond)
	}
	if err := atOnce(n, func(i int) error { return giveUp(d, ctx, conns[i], ids[i]) }); err != nil {
		return err
	}
	return d.awaitEnds(n)
}

// awaitEnds waits until GitLab is asked no more by the n calls that were given up, where that is to end them.
func (d *departures) awaitEnds(n int) error {
	limit := time.Now().Add(cancelled)
	for d.endsCalls() && d.gitlab.Hanging() > 0 {
		if time.Now().After(limit) {
			return fmt.Errorf("%d of %d calls that were given up still wait for GitLab after %v", d.gitlab.Hanging(), n, cancelled)
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// endsCalls reports whether the event is one that has to end calls: where there are no sessions, to close the
// connection of a call is to cancel it; where there are, it is not.
func (d *departures) endsCalls() bool {
	return d.event.Event == scenarios.CallCancelled || d.event.Event == scenarios.CallCut && !d.version.Initializes()
}

// call is a tools/call that asks GitLab.
func (d *departures) call(id int) asked {
	return asked{version: d.version, session: d.session, id: id, method: "tools/call", name: d.read.Tool,
		params: map[string]any{"name": d.read.Tool, "arguments": d.arguments}}
}

// cutCall closes the connection of a call.
func (d *departures) cutCall(_ context.Context, conn *wired, _ int) error { return conn.Close() }

// cancelled is how long a server may take to let go of a call that was cancelled.
const cancelled = 5 * time.Second

// cancelCall says that a call is not wanted any more, and waits for the end of it.
func (d *departures) cancelCall(ctx context.Context, conn *wired, id int) error {
	defer func() { _ = conn.Close() }()
	response, body, err := d.wire.exchange(ctx, asked{version: d.version, session: d.session, method: "notifications/cancelled",
		params: map[string]any{"requestId": id, "reason": "nobody waits any more"}})
	if err != nil {
		return fmt.Errorf("notifications/cancelled: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("notifications/cancelled: %s: %.200s", response.Status, body)
	}
	if err := conn.SetDeadline(time.Now().Add(cancelled)); err != nil {
		return err
	}
	// The revision says that no answer need come; but the request is over. If it is not, GitLab is still asked, which
	// is what counts.
	_, _, _ = conn.response()
	return nil
}

// sendUnknownToken asks with a token that nobody has ever seen.
func (d *departures) sendUnknownToken(ctx context.Context) error {
	how := d.instance.subject.Transports[scenarios.HTTP]
	token := fmt.Sprintf("nobody-%08d", d.ids.Add(1))
	value, err := scenarios.Vars{"token": token}.Expand(how.CredentialValue)
	if err != nil {
		return err
	}
	stranger := &wire{endpoint: d.wire.endpoint, credential: http.Header{http.CanonicalHeaderKey(how.CredentialHeader): {value}}}
	response, body, err := stranger.exchange(ctx, asked{version: d.version, id: 1, method: "tools/list"})
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
		return fmt.Errorf("an unknown token is answered with %s: %.200s", response.Status, body)
	}
	return nil
}

// checkHealth asks whether the process is well.
func (d *departures) checkHealth(ctx context.Context) error {
	response, body, err := d.wire.exchange(ctx, asked{verb: http.MethodGet, path: d.health.Path})
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the health check is answered with %s: %.200s", response.Status, body)
	}
	return err
}

// newWire prepares connections to an HTTP process.
func newWire(in *instance, token string) (*wire, *url.URL, error) {
	how := in.subject.Transports[scenarios.HTTP]
	var urls [2]*url.URL
	for i, text := range []string{how.URL, how.Ready} {
		address, err := in.vars.Expand(text)
		if err != nil {
			return nil, nil, err
		}
		if urls[i], err = url.Parse(address); err != nil {
			return nil, nil, err
		}
	}
	value, err := scenarios.Vars{"token": token}.Expand(how.CredentialValue)
	if err != nil {
		return nil, nil, err
	}
	return &wire{endpoint: urls[0], credential: http.Header{http.CanonicalHeaderKey(how.CredentialHeader): {value}}}, urls[1], nil
}

// speaks says which revision an event is spoken in, and the one of sessions.
func speaks(s *scenarios.Subject, e scenarios.Abandonment) (version, old mcp.Version) {
	version = mcp.Version(s.Protocol)
	if s.Sessions != nil {
		old = mcp.Version(s.Sessions.Protocol)
	}
	if e.Needs == scenarios.OfCancellation {
		version = old // the revision without sessions cancels by closing the connection
	}
	return version, old
}
