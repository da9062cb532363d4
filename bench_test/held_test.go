package bench_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// heldMethod says in the record how the figures of calls that are held came about.
const heldMethod = "one credential with a connection for each call, each warmed by one call after another; then all call at once and GitLab " +
	"answers none, until it answers all; every state read at rest, collections forced"

// hold measures so many calls held open at once.
func (s *suite) hold(b *testing.B, name string, h scenarios.Holding) {
	b.Helper()
	l := launch{name: name, transport: scenarios.HTTP, surface: h.Surface, clients: 1}
	s.sizing(b, l, heldMethod, "credentials=1", func(t *trial) []phase {
		r := &heldRun{trial: t, n: h.N}
		return []phase{{"start", t.started}, {"admit", r.admit}, {"hold", t.guarded(r.hold)}, {"close", t.left}}
	})
}

// heldRun is a measurement of calls that are held.
type heldRun struct {
	*trial
	n    int
	bare stand
}

// admit opens the connections, each with a call made, and reads the process.
func (r *heldRun) admit(ctx context.Context) error {
	r.sheet.set("held-calls", float64(r.n))
	if err := r.connect(ctx, r.n); err != nil {
		return err
	}
	for _, conn := range r.people.clients {
		if _, err := timed(ctx, conn, r.requests[record.Call]); err != nil {
			return err
		}
	}
	var err error
	r.bare, err = r.stand(ctx, record.Bare)
	return err
}

// heldCalls is what came of the calls that were held.
type heldCalls struct {
	phase *load.Phase
	err   error
}

// hold has every connection make a call, reads the process while GitLab answers none, and again after it did.
func (r *heldRun) hold(ctx context.Context) error {
	before := r.gitlab.Total()
	r.gitlab.SetFault(r.read.Route, fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	var ended atomic.Int64
	over := make(chan heldCalls, 1)
	go func() {
		p, err := load.Closed(ctx, r.people.workers(r.requests[record.Call]), load.Options{
			Calls: 1, Drain: r.suite.guards.patience(),
			After: func(*mcp.Reply) time.Duration { ended.Add(1); return 0 },
		})
		over <- heldCalls{p, err}
	}()
	held, err := r.held(ctx, before)
	if n := ended.Load(); err == nil && n > 0 {
		err = fmt.Errorf("%d of %d calls ended while GitLab was to hold them", n, r.n)
	}
	r.gitlab.ClearFaults()
	calls := <-over
	if err := errors.Join(err, calls.err); err != nil {
		return err
	}
	r.count(calls.phase)
	if n := calls.phase.Cut; n > 0 {
		return fmt.Errorf("%d calls that were held had no answer afterwards", n)
	}
	r.checkOutcomes(record.Call, calls.phase.Methods[string(record.Call)])
	r.checkUpstream(int64(r.n), r.gitlab.Total()-before)
	r.each(record.CallsHeld, r.bare, held, r.n)
	released, err := r.stand(ctx, record.CallsReleased)
	r.each(record.CallsReleased, r.bare, released, r.n)
	return err
}

// held reads the process once every call has reached GitLab.
func (r *heldRun) held(ctx context.Context, before int64) (stand, error) {
	if err := r.arrived(ctx, before+int64(r.n)); err != nil {
		return nil, err
	}
	return r.stand(ctx, record.CallsHeld)
}

// arriveWithin is how long the calls may take until all of them have reached GitLab.
const arriveWithin = 10 * time.Second

// arrived waits until so many requests have reached GitLab.
func (t *trial) arrived(ctx context.Context, total int64) error {
	ctx, cancel := context.WithTimeout(ctx, arriveWithin)
	defer cancel()
	ticker := time.NewTicker(quietEvery)
	defer ticker.Stop()
	for t.gitlab.Total() < total {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%d requests too few have reached GitLab: %w", total-t.gitlab.Total(), ctx.Err())
		}
	}
	return nil
}
