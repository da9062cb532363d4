package main

import (
	"flag"
	"sync"
	"time"
)

// overload is how calls are refused, and what is wrong with it.
type overload struct {
	refuseAboveEach int
	retainRefusal   size
	refuseAfter     time.Duration
	refuseSilently  bool
}

func (o *overload) defineOverload(f *flag.FlagSet) {
	f.IntVar(&o.refuseAboveEach, "refuse-above-each", -1, "refuse a tools/call while `N` others of the same credential are being answered; below 0 none")
	f.Var(&o.retainRefusal, "retain-refusal", "leak `BYTES` of Go's heap in each tools/call that is refused")
	f.DurationVar(&o.refuseAfter, "refuse-after", 0, "refuse a tools/call no sooner than `DURATION` after it came")
	f.BoolVar(&o.refuseSilently, "refuse-silently", false, "refuse without Retry-After")
}

// refuse refuses a call as the flags want it.
func (s *server) refuse(a asking) reply {
	s.account.refused.Add(1)
	s.vault.leak(s.perRefusal)
	s.alarm.until(a.arrived.Add(s.config.refuseAfter))
	return s.config.refusal.reply(a.request)
}

// crowd counts the calls of each credential that are being answered.
type crowd struct {
	above int // how many are let in at once; below 0 any number

	mu     sync.Mutex
	inside map[string]int
}

func newCrowd(above int) *crowd { return &crowd{above: above, inside: make(map[string]int)} }

// enter lets a call of a credential in. A call that was let in has to leave.
func (c *crowd) enter(token string) bool {
	if c.above < 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[token] >= c.above {
		return false
	}
	c.inside[token]++
	return true
}

// leave notes that a call is over. A credential without calls is forgotten.
func (c *crowd) leave(token string) {
	if c.above < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside[token]--; c.inside[token] == 0 {
		delete(c.inside, token)
	}
}
