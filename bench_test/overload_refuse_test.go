package bench_test

import (
	"context"
	"sync"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/load"
	"mcpbench/internal/meter"
)

// refusing is what refusals alone came to.
type refusing struct {
	refused int64
	other   int64
	cpu     time.Duration
	grown   *int64 // bytes of live heap
}

// refusers is how many connections are refused over and over while as many calls as the bound are in progress.
const refusers = 8

// refuse measures what refusals alone take and keep, where the variant has any.
func (r *overloadRun) refuse(ctx context.Context) error {
	if !r.plan.Refuses() {
		return nil
	}
	conns, err := r.dial(ctx, busyCredential, refusers)
	if err != nil {
		return err
	}
	// What connections take by themselves, to GitLab as well, is not to be taken for what refusals leave.
	for _, callers := range [][]load.Worker{r.workers(conns), r.alone()} {
		if _, err := load.Closed(ctx, callers, load.Options{Calls: 1, Drain: answerWithin}); err != nil {
			return err
		}
	}
	before, err := r.liveHeap(ctx)
	if err != nil {
		return err
	}
	if r.found.refusing, err = r.refuseAll(ctx, r.workers(conns)); err != nil {
		return err
	}
	after, err := r.liveHeap(ctx)
	if before != nil && after != nil {
		grown := *after - *before
		r.found.refusing.grown = &grown
	}
	return err
}

// refuseAll fills the bound with calls that GitLab does not answer, and has others refused meanwhile.
func (r *overloadRun) refuseAll(ctx context.Context, refused []load.Worker) (*refusing, error) {
	r.gitlab.SetFault(r.route(), fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	asked := r.gitlab.Total()
	var holding sync.WaitGroup
	held, letGo := context.WithCancel(ctx)
	holding.Go(func() { _, _ = load.Closed(held, r.alone(), load.Options{Calls: 1}) })
	defer func() {
		r.gitlab.ClearFaults()
		defer time.AfterFunc(answerWithin, letGo).Stop() // one that has no answer by then gets none
		holding.Wait()
		letGo()
	}()
	// A subject that queues does not ask GitLab for all of them: what then is refused says how it went.
	for begun := time.Now(); r.gitlab.Total() < asked+int64(r.plan.Bound) && time.Since(begun) < longestFill; {
		if !wait(ctx, time.Millisecond) {
			return nil, context.Cause(ctx)
		}
	}
	// Where one call is not refused, others are not either, and would be waited for until GitLab answers.
	if one, err := r.refuseCalls(ctx, refused[:1], 1, patience); err != nil || one.other > 0 {
		return one, err
	}
	return r.refuseCalls(ctx, refused, r.plan.Refusals/refusers, longestRefusing)
}

// refuseCalls has each worker make calls that should all be refused.
func (r *overloadRun) refuseCalls(ctx context.Context, workers []load.Worker, each int, longest time.Duration) (*refusing, error) {
	timed, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	start, err := r.instance().tree.Read()
	if err != nil {
		return nil, err
	}
	p, err := load.Closed(timed, workers, load.Options{Calls: each})
	if err != nil && ctx.Err() != nil || p == nil {
		return nil, err
	}
	end, err := r.instance().tree.Read()
	return &refusing{refused: p.Refused(), other: p.Calls() - p.Refused() + p.Cut, cpu: end.CPU - start.CPU}, err
}

// longestFill is how long it may take until the bound is filled, and longestRefusing until all have been refused.
const longestFill, longestRefusing = 5 * time.Second, 5 * time.Minute

// liveHeap is the subject's heap that is still reachable, or nil where it cannot be read.
func (r *overloadRun) liveHeap(ctx context.Context) (*int64, error) {
	heap := r.instance().heap
	if heap == nil {
		return nil, nil
	}
	reading, err := meter.LiveHeap(ctx, heap)
	return reading.Live, err
}
