// Package pool holds the credentials that are in use: for each a GitLab client, its sessions, and a share
// in the tools of the surfaces it asked for.
//
// It is bounded in number and in idle time, and refuses to hold a token of its own: a credential is known
// by its hash. A credential that leaves takes its sessions with it; one with requests in flight leaves
// last.
package pool

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/shared"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/toolset"
	"mcpbench/internal/server/upstream"
)

// Options configure a Pool.
type Options struct {
	// Max bounds the number of credentials held; it is 1 or more.
	Max int
	// IdleTimeout is how long a credential without requests is held; 0 is for ever.
	IdleTimeout time.Duration
	// SessionTimeout is how long a session without requests is held; 0 is for ever.
	SessionTimeout time.Duration
	// NewLimiter, if set, makes the limiter of a credential.
	NewLimiter func() *rate.Limiter
	// MaxConcurrent bounds the requests in progress of each credential; 0 is no bound.
	MaxConcurrent int
	// MaxSessions bounds the sessions open at once, and MaxSessionsOfOne those of each credential; 0 is no bound.
	MaxSessions, MaxSessionsOfOne int
	// Admit asks whether a credential is good and makes its client. It is not called twice at once for
	// one credential. The client is to call revoked when GitLab stops to accept the credential, with the
	// error that Admit would return from then on.
	Admit func(_ context.Context, _ upstream.Credential, revoked func(error)) (*gitlab.Client, error)
	// Build builds the tools of a surface. It is not called twice at once for one surface.
	Build func(surface.Kind) (*toolset.Toolset, error)
	// Now tells the time; nil is time.Now.
	Now func() time.Time
}

// Pool is a bounded set of credentials; safe for concurrent use.
type Pool struct {
	opts     Options
	toolsets *shared.Values[surface.Kind, *toolset.Toolset]
	admits   singleflight.Group

	mu       sync.Mutex
	entries  map[upstream.Key]*entry
	byUse    *list.List // of *entry, most recently used first
	sessions map[string]*session
	refusals refusals
	opening  int // sessions for which room is kept
	inFlight int
}

// entry is one credential. Its fields are guarded by Pool.mu, but for client, limiter and gate, which are fixed.
type entry struct {
	key      upstream.Key
	client   *gitlab.Client
	limiter  *rate.Limiter
	gate     *limit.Gate // nil without a bound
	toolsets map[surface.Kind]*toolset.Toolset
	sessions map[string]*session
	opening  int // sessions for which room is kept
	inFlight int
	lastUse  time.Time
	place    *list.Element // nil once the entry left the pool
}

// New returns an empty pool.
func New(opts Options) *Pool {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Pool{
		opts:     opts,
		toolsets: shared.New(opts.Build),
		entries:  make(map[upstream.Key]*entry),
		byUse:    list.New(),
		sessions: make(map[string]*session),
		refusals: make(refusals),
	}
}

// Acquire returns a lease on a credential and on the tools of a surface, for one request. A credential
// that is not held is admitted first; tools that nobody holds are built first. The error of a refused
// credential is the one that Options.Admit returned.
func (p *Pool) Acquire(ctx context.Context, c upstream.Credential, kind surface.Kind) (*Lease, error) {
	key := c.Key()
	e, err := p.use(key)
	if err != nil {
		return nil, err
	}
	if e == nil {
		admitted, err := p.admit(ctx, key, c)
		if err != nil {
			return nil, err
		}
		e = p.enter(admitted)
	}
	tools, err := p.toolset(ctx, e, kind)
	if err != nil {
		p.done(e)
		return nil, err
	}
	return &Lease{Client: e.client, Toolset: tools, pool: p, entry: e, kind: kind}, nil
}

// Held is Acquire where nothing has to be asked or built, and nil where something has.
func (p *Pool) Held(c upstream.Credential, kind surface.Kind) *Lease {
	key := c.Key()
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.entries[key]
	if e == nil || e.toolsets[kind] == nil {
		return nil
	}
	p.count(e, 1)
	return &Lease{Client: e.client, Toolset: e.toolsets[kind], pool: p, entry: e, kind: kind}
}

// use finds a credential and counts a request in. The error is that of one refused a moment ago.
func (p *Pool) use(key upstream.Key) (*entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.known(key)
	if e != nil {
		p.count(e, 1)
	}
	return e, err
}

// find finds a credential without use of it.
func (p *Pool) find(key upstream.Key) (*entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known(key)
}

// known is what is known of a credential without a question: that it is held, or was refused a moment ago.
// The caller holds p.mu.
func (p *Pool) known(key upstream.Key) (*entry, error) {
	if e := p.entries[key]; e != nil {
		return e, nil
	}
	return nil, p.refusals.recent(key, p.opts.Now())
}

// enter counts a request in on a credential that may have been pushed out since it was admitted: it is
// served all the same, or a crowded pool would ask GitLab about it without end.
func (p *Pool) enter(e *entry) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(e, 1)
	return e
}

// count counts a request in or out and makes the credential the most recently used.
func (p *Pool) count(e *entry, n int) {
	p.inFlight += n
	e.inFlight += n
	e.lastUse = p.opts.Now()
	if e.place != nil {
		p.byUse.MoveToFront(e.place)
	}
}

// done counts a request out.
func (p *Pool) done(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.countOut(e)
}

// countOut is done for a caller that holds p.mu.
func (p *Pool) countOut(e *entry) {
	p.count(e, -1)
	if e.place == nil && e.inFlight == 0 {
		p.giveBack(e)
	}
}

// admit asks GitLab about a credential, once for all who wait for the answer. A waiter may give up; the
// question is still asked to the end for the others. It may have been answered since the caller looked for
// the credential, and is not asked again then.
func (p *Pool) admit(ctx context.Context, key upstream.Key, c upstream.Credential) (*entry, error) {
	answer := p.admits.DoChan(string(key[:]), func() (any, error) {
		if e, err := p.find(key); e != nil || err != nil {
			return e, err
		}
		client, err := p.opts.Admit(context.WithoutCancel(ctx), c, func(err error) { p.revoke(key, err) })
		if err != nil {
			p.refused(key, err)
			return nil, err
		}
		return p.add(key, client), nil
	})
	select {
	case a := <-answer:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Val.(*entry), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the request ended before GitLab answered: %w", context.Cause(ctx))
	}
}

// refused notes that a credential was not admitted.
func (p *Pool) refused(key upstream.Key, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals.note(key, err, p.opts.Now())
}

// revoke lets go of a credential that was good and is no more.
func (p *Pool) revoke(key upstream.Key, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals.note(key, err, p.opts.Now())
	if e := p.entries[key]; e != nil {
		p.remove(e)
	}
}

// add holds a new credential, and lets go of the least recently used one if there are too many.
func (p *Pool) add(key upstream.Key, client *gitlab.Client) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &entry{key: key, client: client, lastUse: p.opts.Now()}
	if p.opts.NewLimiter != nil {
		e.limiter = p.opts.NewLimiter()
	}
	if p.opts.MaxConcurrent > 0 {
		e.gate = limit.NewGate(p.opts.MaxConcurrent)
	}
	for len(p.entries) >= p.opts.Max {
		p.remove(p.victim())
	}
	p.entries[key] = e
	e.place = p.byUse.PushFront(e)
	return e
}

// victim is the least recently used credential, one without requests in flight if there is any.
func (p *Pool) victim() *entry {
	for el := p.byUse.Back(); el != nil; el = el.Prev() {
		if e := el.Value.(*entry); e.inFlight == 0 {
			return e
		}
	}
	return p.byUse.Back().Value.(*entry)
}

// remove lets go of a credential and closes its sessions. Its share in the toolsets is given back when
// its last request in flight ends.
func (p *Pool) remove(e *entry) {
	delete(p.entries, e.key)
	p.byUse.Remove(e.place)
	e.place = nil
	for _, s := range e.sessions {
		p.closeSession(s)
	}
	if e.inFlight == 0 {
		p.giveBack(e)
	}
}

func (p *Pool) giveBack(e *entry) {
	for kind := range e.toolsets {
		p.toolsets.Release(kind)
	}
	e.toolsets = nil
}

// toolset returns the tools of a surface, in which the credential takes one share however often it asks.
// The caller has a request in flight on e.
func (p *Pool) toolset(ctx context.Context, e *entry, kind surface.Kind) (*toolset.Toolset, error) {
	if tools := p.held(e, kind); tools != nil {
		return tools, nil
	}
	tools, err := p.toolsets.Acquire(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("the tools cannot be built: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if held := e.toolsets[kind]; held != nil { // another request of this credential was faster
		p.toolsets.Release(kind)
		return held, nil
	}
	if e.toolsets == nil {
		e.toolsets = make(map[surface.Kind]*toolset.Toolset, 1)
	}
	e.toolsets[kind] = tools
	return tools, nil
}

func (p *Pool) held(e *entry, kind surface.Kind) *toolset.Toolset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return e.toolsets[kind]
}

// Sweep lets go of the credentials and sessions that have been idle for too long. It is to be called now
// and then.
func (p *Pool) Sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.opts.Now()
	p.refusals.sweep(now)
	if p.opts.SessionTimeout > 0 {
		for _, s := range p.sessions {
			if s.inFlight == 0 && now.Sub(s.lastUse) >= p.opts.SessionTimeout {
				p.closeSession(s)
			}
		}
	}
	if p.opts.IdleTimeout <= 0 {
		return
	}
	var before *list.Element
	for el := p.byUse.Back(); el != nil; el = before {
		before = el.Prev()
		e := el.Value.(*entry)
		if now.Sub(e.lastUse) < p.opts.IdleTimeout {
			return // nor have the others been idle for as long, which were used later
		}
		if e.inFlight == 0 {
			p.remove(e)
		}
	}
}

// Close lets go of everything.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.entries {
		p.remove(e)
	}
}

// Stats is what a pool holds, and the number of requests in progress.
type Stats struct{ Credentials, Sessions, Toolsets, InFlight int }

// Stats counts what the pool holds.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Credentials: len(p.entries), Sessions: len(p.sessions), Toolsets: p.toolsets.Len(), InFlight: p.inFlight}
}
