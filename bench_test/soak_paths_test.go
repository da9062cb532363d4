package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/scenarios"
)

// soakPath is a path while it is loaded.
type soakPath struct {
	scenarios.SoakPath
	dial    func(ctx context.Context) (mcp.Conn, error)
	request *mcp.Request
	conns   []mcp.Conn
	// phases are what the loads came to: the fifths of the first, and the second. openings are the first calls on the
	// connections of either.
	phases, openings []*load.Phase
	// reconnects counts the connections that were lost and opened again, once they are closed for good.
	reconnects int64
}

// newSoakPath prepares a path to a process. The ith path has a credential of its own.
func (r *soakRun) newSoakPath(p scenarios.SoakPath, in *instance, token string) (*soakPath, error) {
	path := &soakPath{SoakPath: p}
	version, url, err := r.endpoint(p, in)
	if err != nil {
		return nil, err
	}
	if path.request, err = r.request(p, version); err != nil {
		return nil, err
	}
	dial := func(ctx context.Context) (*mcp.HTTPConn, error) { return in.dialAt(ctx, url, token, version) }
	path.dial = map[scenarios.How]func(context.Context) (mcp.Conn, error){
		scenarios.Kept:    func(ctx context.Context) (mcp.Conn, error) { return dial(ctx) },
		scenarios.Fresh:   func(context.Context) (mcp.Conn, error) { return onceConn{dial}, nil },
		scenarios.Session: func(context.Context) (mcp.Conn, error) { return onceConn{dial}, nil },
		scenarios.Health: func(context.Context) (mcp.Conn, error) {
			return healthConn{&http.Client{Transport: &http.Transport{}, CheckRedirect: noRedirect}, url}, nil
		},
		scenarios.OverTLS: func(context.Context) (mcp.Conn, error) {
			header, err := in.authorised(token)
			if err != nil {
				return nil, err
			}
			return mcp.NewClient(in.launch.tls.client(), mcp.HTTPConfig{URL: url, Header: header, Version: version})
		},
	}[p.How]
	return path, nil
}

// endpoint is where the calls of a path go, and in which revision of the protocol.
func (r *soakRun) endpoint(p scenarios.SoakPath, in *instance) (mcp.Version, string, error) {
	how := in.subject.Transports[scenarios.HTTP]
	version, url := in.version(), how.URL
	switch {
	case p.How == scenarios.Health:
		url = how.Ready
	case p.How == scenarios.OverTLS:
		url = in.subject.TLS.URL
	case in.subject.Sizing.SurfaceURL != "":
		url = in.subject.Sizing.SurfaceURL
	}
	if p.How == scenarios.Session {
		version = mcp.Version(in.subject.Sessions.Protocol)
	}
	vars := scenarios.Vars{"surface": string(p.Surface)}
	for name, value := range in.vars {
		vars[name] = value
	}
	url, err := vars.Expand(url)
	return version, url, err
}

// request is what is asked on a path. Health asks nothing, and has one for its name.
func (r *soakRun) request(p scenarios.SoakPath, version mcp.Version) (*mcp.Request, error) {
	surface := r.suite.subject.Surfaces[p.Surface]
	spec := mcp.Spec{Method: p.Method}
	switch p.Method {
	case "":
		spec.Method = "ping"
	case "tools/list":
		spec.Expect = mcp.Expect{Tools: surface.Tools, Bytes: surface.ListingBytes}
	case "tools/call":
		var err error
		if spec, err = callSpec(surface.Calls[scenarios.CallRead], r.vars); err != nil {
			return nil, err
		}
	}
	spec.Label, spec.Version = p.Name, version
	return mcp.NewRequest(spec)
}

// longestOpening is how long opening a path may take.
const longestOpening = time.Minute

// connect opens the path's connections, each with a call: a server may close one on which nothing is ever asked.
func (p *soakPath) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestOpening)
	defer cancel()
	for range scenarios.SoakConnections {
		conn, err := p.dial(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		p.conns = append(p.conns, conn)
	}
	opening, err := load.Closed(ctx, p.workers(), load.Options{Calls: 1})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.openings = append(p.openings, opening)
	return nil
}

func (p *soakPath) workers() []load.Worker {
	workers := make([]load.Worker, len(p.conns))
	for i, conn := range p.conns {
		workers[i] = load.Worker{Conn: conn, Requests: []*mcp.Request{p.request}}
	}
	return workers
}

// disconnect closes them, and the sessions that they have.
func (p *soakPath) disconnect(ctx context.Context) error {
	var errs []error
	for _, conn := range p.conns {
		if http, ok := conn.(*mcp.HTTPConn); ok {
			p.reconnects += http.Reconnects()
			errs = append(errs, http.End(ctx))
		}
		errs = append(errs, conn.Close())
	}
	p.conns = nil
	return errors.Join(errs...)
}

// load calls for a time.
func (p *soakPath) load(ctx context.Context, d time.Duration, share float64) error {
	phase, err := load.Open(ctx, p.workers(), share*p.Rate, load.Options{Duration: d})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.phases = append(p.phases, phase)
	return nil
}

// stagger is how far paths are apart: open loops fall due at the same moments.
const stagger = 7 * time.Millisecond

// loadAll loads all paths at once.
func (r *soakRun) loadAll(ctx context.Context, d time.Duration) error {
	errs := make([]error, len(r.paths))
	var wg sync.WaitGroup
	for i, p := range r.paths {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * stagger)
			errs[i] = p.load(ctx, d, r.plan.Share)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// onceConn makes each call on a connection of its own, in a session of its own where the revision has them.
type onceConn struct {
	dial func(ctx context.Context) (*mcp.HTTPConn, error)
}

// Do implements mcp.Conn.
func (c onceConn) Do(ctx context.Context, req *mcp.Request, reply *mcp.Reply) {
	start := time.Now()
	if err := c.once(ctx, req, reply); err != nil {
		*reply = unanswered(ctx, err)
	}
	reply.Start, reply.End = start, time.Now()
}

// once makes a call whose outcome is in reply unless there was none, or its end was not as it should be.
func (c onceConn) once(ctx context.Context, req *mcp.Request, reply *mcp.Reply) error {
	conn, err := c.dial(ctx)
	if err != nil {
		if conn != nil {
			_ = conn.Close() // the handshake failed
		}
		return err
	}
	conn.Do(ctx, req, reply)
	err = errors.Join(conn.End(ctx), conn.Close())
	if reply.Outcome != mcp.OK {
		return nil
	}
	return err
}

// Fetch implements mcp.Conn.
func (c onceConn) Fetch(ctx context.Context, req *mcp.Request) ([]byte, mcp.Reply) {
	var reply mcp.Reply
	c.Do(ctx, req, &reply)
	return nil, reply
}

// Close implements mcp.Conn.
func (c onceConn) Close() error { return nil }

// unanswered is the reply to what could not be asked.
func unanswered(ctx context.Context, err error) mcp.Reply {
	if ctx.Err() != nil {
		return mcp.Reply{Outcome: mcp.Cut, Reason: "cut: " + ctx.Err().Error()}
	}
	return mcp.Reply{Outcome: mcp.Failed, Reason: "transport: " + err.Error()}
}

// healthConn asks whether the subject serves.
type healthConn struct {
	client *http.Client
	url    string
}

// Do implements mcp.Conn.
func (c healthConn) Do(ctx context.Context, _ *mcp.Request, reply *mcp.Reply) {
	*reply = mcp.Reply{Start: time.Now()}
	status, err := get(ctx, c.client, c.url)
	switch {
	case err != nil:
		begun := reply.Start
		*reply = unanswered(ctx, err)
		reply.Start = begun
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		reply.Outcome, reply.Reason = mcp.Refused, fmt.Sprintf("status %d", status)
	case status != http.StatusOK:
		reply.Outcome, reply.Reason = mcp.Failed, fmt.Sprintf("status %d", status)
	}
	reply.Status, reply.End = status, time.Now()
}

// Fetch implements mcp.Conn.
func (c healthConn) Fetch(ctx context.Context, req *mcp.Request) ([]byte, mcp.Reply) {
	var reply mcp.Reply
	c.Do(ctx, req, &reply)
	return nil, reply
}

// Close implements mcp.Conn.
func (c healthConn) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// get returns the status of an answer that has come to its end.
func get(ctx context.Context, client *http.Client, url string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	var body bytes.Buffer
	_, err = io.Copy(&body, resp.Body)
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}
