package load

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mcpbench/internal/mcp"
)

// runner is a phase while it goes on.
type runner struct {
	workers []Worker
	options Options
	pace    pacer

	ctx    context.Context // of calls
	cancel context.CancelFunc
	stop   chan struct{} // closed when no call is to be begun any more
	halt   func()

	term   *term
	shards []*shard
	left   sync.WaitGroup
	counts tally
}

// tally counts what is no part of any method.
type tally struct{ cut, dropped, late, queued atomic.Int64 }

func newRunner(ctx context.Context, workers []Worker, options Options, pace pacer) *runner {
	r := &runner{workers: workers, options: options, pace: pace, stop: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.halt = sync.OnceFunc(func() { close(r.stop) })
	for range min(2*runtime.GOMAXPROCS(0), len(workers)) {
		r.shards = append(r.shards, &shard{methods: map[string]*Method{}})
	}
	return r
}

// start sets the workers off.
func (r *runner) start() {
	r.term = r.newTerm(time.Now().Add(r.pace.lead()))
	r.pace.begin(r.term)
	r.left.Add(len(r.workers))
	for i := range r.workers {
		go r.work(i)
	}
}

func (r *runner) newTerm(start time.Time) *term {
	o := r.options
	t := &term{start: start, end: start.Add(o.Duration), workers: int64(len(r.workers))}
	t.last = t.end
	if o.Enough > 0 {
		t.enough, t.last = int64(o.Enough*len(r.workers)), start.Add(o.Longest)
	}
	return t
}

// wait returns when every worker has ended. Past the end of the phase and the
// time to drain, it cuts the calls that are still in flight.
func (r *runner) wait() {
	over := make(chan struct{})
	go func() {
		r.left.Wait()
		close(over)
	}()
	cut := time.NewTimer(time.Until(r.term.end) + r.drain())
	defer cut.Stop()
	if r.options.Calls > 0 && r.options.Drain == 0 {
		cut.Stop()
	}
	silent := r.silence()
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		select {
		case <-over:
			r.progress()
			return
		case <-tick.C:
			r.progress()
		case <-cut.C:
			left := time.Until(r.term.over()) + r.drain()
			if r.options.Calls > 0 {
				left = r.drain() - silent()
			}
			if left > 0 {
				cut.Reset(min(left, progressTick))
				continue
			}
			r.cancel()
		}
	}
}

// silence returns a function that tells for how long it has seen no call end.
func (r *runner) silence() func() time.Duration {
	ended, since := r.term.ended.Load(), time.Now()
	return func() time.Duration {
		if now := r.term.ended.Load(); now > ended {
			ended, since = now, time.Now()
		}
		return time.Since(since)
	}
}

func (r *runner) drain() time.Duration {
	if r.options.Drain > 0 {
		return r.options.Drain
	}
	return defaultDrain
}

func (r *runner) progress() {
	if r.options.Progress != nil {
		r.options.Progress(r.term.ended.Load())
	}
}

// work makes one worker's calls.
func (r *runner) work(i int) {
	defer r.left.Done()
	w, shard := r.workers[i], r.shards[i%len(r.shards)]
	var timer *time.Timer
	var reply mcp.Reply
	for n := 0; !r.stopped(); n++ {
		now := time.Now()
		slot, ok := r.pace.next(i, n, now)
		if !ok {
			return
		}
		if wait := slot.due.Sub(now); wait > 0 && !r.sleep(&timer, wait) {
			r.drop(slot)
			return
		}
		req := w.Requests[(i+n)%len(w.Requests)]
		w.Conn.Do(r.ctx, req, &reply)
		r.note(shard, call{req, n, slot, now}, &reply)
		if !r.back(&timer, &reply) {
			return
		}
	}
}

// back waits as long as a worker stays away after a reply, but not beyond the
// end of the phase, and reports whether it still goes on.
func (r *runner) back(timer **time.Timer, reply *mcp.Reply) bool {
	if r.options.After == nil {
		return true
	}
	wait := r.options.After(reply)
	if wait <= 0 {
		return true
	}
	if r.options.Duration > 0 {
		wait = min(wait, time.Until(r.term.last))
	}
	return r.sleep(timer, wait)
}

// stopped reports whether no call is to be begun any more.
func (r *runner) stopped() bool {
	select {
	case <-r.stop:
		return true
	case <-r.ctx.Done():
		return true
	default:
		return false
	}
}

// sleep waits, and reports whether the phase still goes on.
func (r *runner) sleep(timer **time.Timer, wait time.Duration) bool {
	if *timer == nil {
		*timer = time.NewTimer(wait)
	} else {
		(*timer).Reset(wait)
	}
	select {
	case <-(*timer).C:
		return true
	case <-r.stop:
	case <-r.ctx.Done():
	}
	(*timer).Stop()
	return false
}

// drop counts a call that a worker had taken and did not make.
func (r *runner) drop(s slot) {
	if s.fixed {
		r.counts.dropped.Add(1)
	}
}

// call is a worker's nth call, from 0, for which it was free at a time.
type call struct {
	*mcp.Request
	n    int
	slot slot
	free time.Time
}

// note records what became of a call.
func (r *runner) note(shard *shard, c call, reply *mcp.Reply) {
	if reply.Outcome == mcp.Cut {
		r.counts.cut.Add(1)
		return
	}
	begun := reply.Start
	if c.slot.fixed {
		begun = c.slot.due
		r.noteLag(begun, c.free, reply.Start)
	}
	shard.record(c.Label(), reply, reply.End.Sub(begun))
	r.term.note(c.n, reply.End)
	if reply.Outcome == mcp.Failed && r.options.StopOnFailure {
		r.halt()
	}
}

// noteLag tells a call that no worker was free for from one that was sent late
// all the same.
func (r *runner) noteLag(due, free, sent time.Time) {
	switch {
	case free.After(due):
		r.counts.queued.Add(1)
	case sent.Sub(due) > LateAfter:
		r.counts.late.Add(1)
	}
}

// phase is what the load came to.
func (r *runner) phase() *Phase {
	p := &Phase{
		Start: r.term.start, End: time.Now(), Methods: map[string]*Method{},
		Cut: r.counts.cut.Load(), Late: r.counts.late.Load(), Queued: r.counts.queued.Load(),
		Unsent: r.pace.unsent() + r.counts.dropped.Load(),
	}
	if r.options.Duration > 0 {
		p.Begun, p.Steady = r.begun(p.End), r.term.window(p.End)
	}
	for _, s := range r.shards {
		for label, m := range s.methods {
			p.method(label).merge(m)
		}
	}
	return p
}

// begun is how long calls were begun in a phase that was over at end.
func (r *runner) begun(end time.Time) time.Duration {
	return min(r.term.over().Sub(r.term.start), end.Sub(r.term.start))
}
