package load

import (
	"sync/atomic"
	"time"
)

// term says how long calls are begun: to its end, and then, if too few have
// ended by then, until enough have, but never beyond its last moment. It also
// counts what ended while the load was steady.
type term struct {
	start, end, last time.Time
	enough           int64 // calls that must have ended
	workers          int64

	ended  atomic.Int64
	filled atomic.Int64 // when enough had ended, in ns since start; 0 before
	first  atomic.Int64 // workers that had their first answer
	steady atomic.Int64 // when the last of them had it, in ns since start; 0 before
	within atomic.Int64 // calls that ended in the steady part
}

// open reports whether calls may be begun.
func (t *term) open(now time.Time) bool {
	return now.Before(t.end) || t.ended.Load() < t.enough && now.Before(t.last)
}

// note counts a call that ended, the worker's nth, from 0.
func (t *term) note(n int, at time.Time) {
	since := max(1, int64(at.Sub(t.start)))
	if from := t.steady.Load(); from > 0 && since > from && t.open(at) {
		t.within.Add(1)
	}
	if n == 0 && t.first.Add(1) == t.workers {
		t.steady.CompareAndSwap(0, since)
	}
	if t.ended.Add(1) == t.enough {
		t.filled.Store(since)
	}
}

// over is when the last call may be begun, as far as it is known.
func (t *term) over() time.Time {
	filled := t.start.Add(time.Duration(t.filled.Load()))
	switch {
	case t.ended.Load() < t.enough || filled.After(t.last):
		return t.last
	case filled.After(t.end):
		return filled
	default:
		return t.end
	}
}

// window is the steady part of a phase that was over at end.
func (t *term) window(end time.Time) Window {
	from := t.steady.Load()
	if over := t.over(); over.Before(end) {
		end = over
	}
	start := t.start.Add(time.Duration(from))
	if from == 0 || !start.Before(end) {
		return Window{}
	}
	return Window{Start: start, End: end, Calls: t.within.Load()}
}
