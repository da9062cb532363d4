package pool

import (
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/toolset"
)

// A Lease is a credential and a surface in use by one request.
type Lease struct {
	Client  *gitlab.Client
	Toolset *toolset.Toolset

	pool     *Pool
	entry    *entry
	kind     surface.Kind
	session  *session
	calling  bool // whether the session is held for a call
	working  bool // whether the lease counts among those of the credential that do work
	reserved bool // whether room is kept for a session; guarded by Pool.mu
}

// session is a protocol session: of one credential and one surface, unknown to all others. Its changing
// fields are guarded by Pool.mu.
type session struct {
	id       string
	entry    *entry
	kind     surface.Kind
	close    func()
	inFlight int
	calls    int  // those in flight that are answered and end; the others are streams
	left     bool // whether the session is to be closed once calls is 0
	lastUse  time.Time
}

// Allow says whether the credential may make one more request now.
func (l *Lease) Allow() bool { return limit.Allow(l.entry.limiter) }

// Work says whether the credential may have one more request in progress now. If so the lease is one, until
// it is released.
func (l *Lease) Work() bool {
	l.working = l.entry.gate.Enter()
	return l.working
}

// Rest ends what Work began, before the lease ends.
func (l *Lease) Rest() {
	if l.working {
		l.working = false
		l.entry.gate.Leave()
	}
}

// Release ends the lease.
func (l *Lease) Release() {
	l.Rest()
	if l.session != nil {
		l.pool.leaveSession(l.session, l.calling)
	}
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	l.unreserve()
	p.countOut(l.entry)
}

// ReserveSession says whether there is room for one more session of the credential. If so the room is kept until the
// session is opened or the lease ends.
func (l *Lease) ReserveSession() bool {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if full(len(l.entry.sessions)+l.entry.opening, p.opts.MaxSessionsOfOne) || full(len(p.sessions)+p.opening, p.opts.MaxSessions) {
		return false
	}
	l.reserved = true
	l.entry.opening++
	p.opening++
	return true
}

// full says whether n is all that a bound allows; 0 is no bound.
func full(n, bound int) bool { return bound > 0 && n >= bound }

// unreserve gives back room that is kept for a session. The caller holds Pool.mu.
func (l *Lease) unreserve() {
	if l.reserved {
		l.reserved = false
		l.entry.opening--
		l.pool.opening--
	}
}

// OpenSession notes that the session id, just opened, belongs to the lease's credential and surface.
// The pool calls close, from a goroutine of its own, when the session times out or its credential leaves.
func (l *Lease) OpenSession(id string, close func()) {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	l.unreserve()
	s := &session{id: id, entry: l.entry, kind: l.kind, close: close, lastUse: p.opts.Now()}
	if l.entry.place == nil { // the credential left while the session was opened
		go close()
		return
	}
	if l.entry.sessions == nil {
		l.entry.sessions = make(map[string]*session, 1)
	}
	l.entry.sessions[id] = s
	p.sessions[id] = s
}

// JoinSession says whether the session id belongs to the lease's credential and surface, and if so holds
// it open until the lease ends. A session whose credential leaves is closed after its calls, and does not wait
// for its streams.
func (l *Lease) JoinSession(id string, call bool) bool {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[id]
	if s == nil || s.entry != l.entry || s.kind != l.kind {
		return false
	}
	s.inFlight++
	if call {
		s.calls++
	}
	l.session, l.calling = s, call
	return true
}

// ForgetSession drops a session that the client has ended.
func (l *Lease) ForgetSession(id string) {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.sessions[id]; s != nil && s.entry == l.entry {
		p.dropSession(s)
	}
}

func (p *Pool) leaveSession(s *session, call bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.inFlight--
	if call {
		s.calls--
	}
	s.lastUse = p.opts.Now()
	if s.left && s.calls == 0 {
		s.left = false
		go s.close()
	}
}

// closeSession drops a session and closes it: at once, or else a call in flight would go without its answer,
// when the last of them has ended. To close may take the pool's lock, so it is not waited for here.
func (p *Pool) closeSession(s *session) {
	p.dropSession(s)
	if s.calls > 0 {
		s.left = true
		return
	}
	go s.close()
}

func (p *Pool) dropSession(s *session) {
	delete(p.sessions, s.id)
	delete(s.entry.sessions, s.id)
}
