package load

import (
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
	// begin sets the times of the phase. A zero end is none.
	begin(start, end time.Time)
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

	start, end time.Time
}

func (c *closed) begin(start, end time.Time) { c.start, c.end = start, end }

func (c *closed) next(worker, n int, now time.Time) (slot, bool) {
	due := now
	if n == 0 {
		due = c.start.Add(c.spread * time.Duration(worker) / time.Duration(c.workers))
	}
	if c.calls > 0 {
		return slot{due: due}, n < c.calls
	}
	return slot{due: due}, due.Before(c.end)
}

func (c *closed) unsent() int64 { return 0 }

// open has a call due every 1/rate of a second. All workers draw from the same
// calls, so that none waits behind a busy worker while another is idle.
type open struct {
	rate float64 // calls a second

	start, end time.Time
	total      int64
	taken      atomic.Int64
}

func (o *open) begin(start, end time.Time) {
	o.start, o.end = start, end
	o.total = int64(end.Sub(start).Seconds() * o.rate)
}

// next leaves what is still to be taken at the end unsent: to go on would be to
// measure how the backlog is worked off.
func (o *open) next(_, _ int, now time.Time) (slot, bool) {
	if !now.Before(o.end) {
		return slot{}, false
	}
	k := o.taken.Add(1) - 1
	due := o.start.Add(time.Duration(float64(k) / o.rate * float64(time.Second)))
	return slot{due: due, fixed: true}, k < o.total
}

func (o *open) unsent() int64 { return max(0, o.total-o.taken.Load()) }
