package load

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"
)

// slot is when a call is due.
type slot struct {
	due time.Time
	// fixed says that the call was due then whether or not a worker was idle,
	// so that its latency counts from then.
	fixed bool
}

// pacer tells workers when to call. Its methods are for many goroutines.
type pacer interface {
	// begin tells how long the phase is.
	begin(*term)
	// lead is how long before the start of the phase workers are set off.
	lead() time.Duration
	// next returns a worker's next call, n being how many it has made; false
	// when it has no more to make.
	next(worker, n int, now time.Time) (slot, bool)
	// unsent counts the calls that fell due and that no worker has taken.
	unsent() int64
}

// closed has each worker call as soon as it can.
type closed struct {
	calls   int
	spread  time.Duration
	workers int

	term *term
}

func (c *closed) begin(t *term) { c.term = t }

func (c *closed) lead() time.Duration { return 0 }

func (c *closed) next(worker, n int, now time.Time) (slot, bool) {
	due := now
	if n == 0 {
		due = c.term.start.Add(c.spread * time.Duration(worker) / time.Duration(c.workers))
	}
	if c.calls > 0 {
		return slot{due: due}, n < c.calls
	}
	return slot{due: due}, c.term.open(due)
}

func (c *closed) unsent() int64 { return 0 }

// open has calls due at given moments. All workers draw from the same calls, so
// that none waits behind a busy worker while another is idle.
type open struct {
	due []time.Duration // since the start, rising

	term  *term
	taken atomic.Int64
}

// openSeed makes every open loop of as many calls the same one.
const openSeed = 1

// newOpen draws the moments. Those of a Poisson process whose number is given
// are so many independent draws from the uniform distribution, in their order
// (Ross, Introduction to Probability Models, 5.3).
func newOpen(rate float64, d time.Duration) *open {
	draw := rand.New(rand.NewPCG(openSeed, openSeed))
	due := make([]time.Duration, int(d.Seconds()*rate))
	for i := range due {
		due[i] = time.Duration(draw.Int64N(int64(d)))
	}
	slices.Sort(due)
	return &open{due: due}
}

// begin has no wait for first answers: an open loop is as even at its start as
// later.
func (o *open) begin(t *term) {
	o.term = t
	t.steady.Store(1)
}

func (o *open) lead() time.Duration { return openLead }

// next leaves what is still to be taken at the end unsent: to go on would be to
// measure how the backlog is worked off.
func (o *open) next(_, _ int, now time.Time) (slot, bool) {
	if !now.Before(o.term.end) {
		return slot{}, false
	}
	k := o.taken.Add(1) - 1
	if k >= int64(len(o.due)) {
		return slot{}, false
	}
	return slot{due: o.term.start.Add(o.due[k]), fixed: true}, true
}

func (o *open) unsent() int64 { return max(0, int64(len(o.due))-o.taken.Load()) }
