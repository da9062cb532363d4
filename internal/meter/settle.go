package meter

import (
	"context"
	"fmt"
	"time"
)

// SettleOptions say what rest is. A field left zero has the default named with it.
type SettleOptions struct {
	Every    time.Duration // between readings; 100 ms
	Window   time.Duration // how long the resident set has to keep still; 3 s
	Timeout  time.Duration // after which it is given up; 30 s
	Relative float64       // the change that is none, as a share of the resident set; 0.01
	Absolute int64         // the change that is none, in bytes, where that is more; 256 KiB
}

func (o SettleOptions) withDefaults() SettleOptions {
	if o.Every == 0 {
		o.Every = 100 * time.Millisecond
	}
	if o.Window == 0 {
		o.Window = 3 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Relative == 0 {
		o.Relative = 0.01
	}
	if o.Absolute == 0 {
		o.Absolute = 256 << 10
	}
	return o
}

// Settled is the memory of a tree at rest.
type Settled struct {
	Rested bool  // false: it did not come to rest in time, and RSS is only its last value
	RSS    int64 // resident bytes at rest
	// Took is the time from asking for the collections until a reading found the resident set within the band of
	// RSS, to stay there; never 0.
	// The window in which it had to prove that comes on top and is in Waited.
	Took, Waited time.Duration
	Heap         *HeapReading // at rest, just collected; nil without a heap reader
}

// Settle waits until the tree's memory has come to rest. If h is not nil it first forces two collections, two
// because what a sync.Pool holds survives one; then it reads the resident set until that keeps still, and
// only then, since that may change the resident set again, reads what is reachable, as LiveHeap does.
//
// A resident set that keeps still need not be at rest: the part of Go's runtime that gives memory back sleeps
// for a thousand times as long as its last piece of work took, which on a busy host can be many seconds
// (runtime, mgcscavenge.go). So stillness has to be confirmed: either the runtime's account shows that it
// has given back what it means to, or one more collection, which wakes it, changes nothing.
func Settle(ctx context.Context, t *Tree, h Heap, o SettleOptions) (Settled, error) {
	s, err := settle(ctx, t, h, o.withDefaults())
	if err != nil {
		return Settled{}, fmt.Errorf("settle: %w", err)
	}
	return s, nil
}

func settle(ctx context.Context, t *Tree, h Heap, o SettleOptions) (Settled, error) {
	r := rest{options: o, began: time.Now()}
	if h == nil {
		return awaitRest(ctx, t.Read, nil, r)
	}
	for range 2 {
		if err := h.Collect(ctx); err != nil {
			return Settled{}, err
		}
	}
	s, err := awaitRest(ctx, t.Read, h, r)
	if err != nil {
		return Settled{}, err
	}
	live, err := LiveHeap(ctx, h)
	if err != nil {
		return Settled{}, err
	}
	s.Heap = &live
	return s, nil
}

// LiveHeap reads the heap when nothing but what is reachable is in it: after two collections, since what a first one
// finalizes, and what a sync.Pool holds, only a second one frees, and without what the answers take to make.
func LiveHeap(ctx context.Context, h Heap) (HeapReading, error) {
	if err := h.Collect(ctx); err != nil {
		return HeapReading{}, err
	}
	return h.Collected(ctx)
}

func awaitRest(ctx context.Context, read func() (Reading, error), h Heap, r rest) (Settled, error) {
	tick := time.NewTicker(r.options.Every)
	defer tick.Stop()
	for {
		reading, err := read()
		if err != nil {
			return Settled{}, err
		}
		r.add(reading)
		rested := r.still()
		if rested {
			if rested, err = r.confirm(ctx, h); err != nil {
				return Settled{}, err
			}
		}
		if rested || r.last().at >= r.options.Timeout {
			return r.result(rested), nil
		}
		select {
		case <-ctx.Done():
			return Settled{}, ctx.Err()
		case <-tick.C:
		}
	}
}
