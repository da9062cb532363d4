package mcp

import (
	"context"
	"sync"
	"time"
)

// past is a deadline that ends what waits at once.
var past = time.Unix(1, 0)

// interruptible is a stream whose waiting reads and writes a deadline ends.
type interruptible interface{ SetDeadline(time.Time) error }

// guard ends what waits on a stream when a context is done. It stays with a
// context from call to call, since to arm it anew for each would cost more than
// a small call may.
type guard struct {
	done   <-chan struct{}
	disarm func() bool

	mu     sync.Mutex
	stream interruptible
	round  int  // of the context, so that a late interruption is known as one
	cut    bool // the stream has been interrupted in this round
}

// watch puts the guard under ctx.
func (g *guard) watch(ctx context.Context) {
	if ctx.Done() == g.done {
		return
	}
	g.stop()
	g.done = ctx.Done()
	round := g.begin()
	if g.done != nil {
		g.disarm = context.AfterFunc(ctx, func() { g.interrupt(round) })
	}
}

// begin opens a round and undoes an interruption of the one before.
func (g *guard) begin() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut && g.stream != nil {
		_ = g.stream.SetDeadline(time.Time{}) // the next read or write tells
	}
	g.cut = false
	g.round++
	return g.round
}

// interrupt ends what waits on the stream, if round is still the current one.
func (g *guard) interrupt(round int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if round != g.round {
		return
	}
	g.cut = true
	if g.stream != nil {
		_ = g.stream.SetDeadline(past) // a closed stream waits for nothing
	}
}

// set changes the stream that is guarded; nil for none.
func (g *guard) set(stream interruptible) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stream = stream
	if g.cut && stream != nil {
		_ = stream.SetDeadline(past)
	}
}

// stop takes the guard from its context.
func (g *guard) stop() {
	if g.disarm != nil {
		g.disarm()
	}
	g.disarm, g.done = nil, nil
}
