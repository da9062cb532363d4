package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
)

// gate lets calls in, or not, and has them wait for their turn.
type gate struct {
	above int           // how many are let in at once; below 0 any number
	every int64         // of so many calls the last is refused; 0 for none
	turns chan struct{} // as many as are served at once; nil where none waits

	inside atomic.Int64
}

// newGate returns a gate; served is how many calls are served at once, 0 for any number.
func newGate(above, every, served int) *gate {
	g := &gate{above: above, every: int64(every)}
	if served > 0 {
		g.turns = make(chan struct{}, served)
	}
	return g
}

// turn returns when it is the turn of a call that was let in, and what ends its turn.
func (g *gate) turn() (over func()) {
	g.turns <- struct{}{}
	return func() { <-g.turns }
}

// enter lets a call in, of which number is the ordinal. A call that was let in has to leave.
func (g *gate) enter(number int64) bool {
	if g.every > 0 && number%g.every == 0 {
		return false
	}
	if n := g.inside.Add(1); g.above >= 0 && n > int64(g.above) {
		g.inside.Add(-1)
		return false
	}
	return true
}

// leave notes that a call is over.
func (g *gate) leave() { g.inside.Add(-1) }

// refusal is how a call is refused: 429 or 503, or rpc. As a flag it is one of those.
type refusal struct{ status, code int }

// String implements flag.Value.
func (r *refusal) String() string {
	switch r.status {
	case 0:
		return ""
	case http.StatusOK:
		return "rpc"
	}
	return strconv.Itoa(r.status)
}

// Set implements flag.Value.
func (r *refusal) Set(text string) error {
	switch text {
	case "429":
		*r = refusal{http.StatusTooManyRequests, http.StatusTooManyRequests}
	case "503":
		*r = refusal{http.StatusServiceUnavailable, http.StatusServiceUnavailable}
	case "rpc":
		*r = refusal{http.StatusOK, codeTooMany}
	default:
		return fmt.Errorf("%q: use 429, 503 or rpc", text)
	}
	return nil
}

// reply refuses a call.
func (r *refusal) reply(to *request) reply {
	no := to.failure(r.code, "refused on purpose: try again later")
	no.status = r.status
	return no
}
