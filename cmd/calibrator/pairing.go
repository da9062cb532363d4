package main

import (
	"sync"
	"time"
)

// patience is how long a reply waits for one to change places with.
const patience = 100 * time.Millisecond

// pairing brings replies together that are to change places.
type pairing struct {
	mu      sync.Mutex
	waiting *half
}

// half is a reply that waits for another.
type half struct {
	mine   []byte
	theirs chan []byte
}

// meet waits for a further message, or finds one that waits. Of two that met, first is the one that waited;
// if met is false nobody came.
func (p *pairing) meet(mine []byte) (theirs []byte, first, met bool) {
	p.mu.Lock()
	if other := p.waiting; other != nil {
		p.waiting = nil
		p.mu.Unlock()
		other.theirs <- mine
		return other.mine, false, true
	}
	h := &half{mine: mine, theirs: make(chan []byte, 1)}
	p.waiting = h
	p.mu.Unlock()
	select {
	case theirs = <-h.theirs:
		return theirs, true, true
	case <-time.After(patience):
		return p.leave(h)
	}
}

// leave stops waiting, unless somebody has just come.
func (p *pairing) leave(h *half) (theirs []byte, first, met bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == h {
		p.waiting = nil
		return nil, true, false
	}
	return <-h.theirs, true, true
}
