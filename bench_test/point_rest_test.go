package bench_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpbench/internal/meter"
)

// settle reads the memory at rest, connections open.
func (r *pointRun) settle(ctx context.Context) error {
	settled, err := r.people.settle(ctx)
	if err != nil {
		return err
	}
	r.settledAll(settled)
	var pss int64
	for _, in := range r.people.instances {
		m, err := in.tree.Breakdown()
		if err != nil {
			return err
		}
		pss += m.PSS
	}
	r.sheet.set("rest-PSS-bytes", float64(pss))
	return nil
}

// settledAll sums what came to rest.
func (r *pointRun) settledAll(settled []meter.Settled) {
	var heap, rss int64
	var took time.Duration
	for _, s := range settled {
		rss += s.RSS
		took = max(took, s.Took)
		if !s.Rested {
			r.sheet.doubt("the resident set did not come to rest")
		}
		if s.Heap == nil || s.Heap.Live == nil {
			r.sheet.absent(noHeap, "rest-heap-bytes")
			continue
		}
		heap += *s.Heap.Live
	}
	r.sheet.set("rest-RSS-bytes", float64(rss))
	r.sheet.set("rest-ns", float64(took))
	if heap > 0 {
		r.sheet.set("rest-heap-bytes", float64(heap))
	}
}

// noHeap is why figures of the heap are absent.
const noHeap = "the subject offers no way to read its heap"

// close ends the clients and the processes. One that does not end cleanly fails the scenario.
func (r *pointRun) close(ctx context.Context) error {
	exits, err := r.people.close(ctx)
	if err != nil {
		return err
	}
	var slowest time.Duration
	for _, exit := range exits {
		slowest = max(slowest, exit.Took)
		if !exit.Clean() {
			r.sheet.doubt("the process ended %s", exit)
			r.broken = fmt.Errorf("the process ended %s", exit)
		}
	}
	r.sheet.set("exit-ns", float64(slowest))
	if unknown := r.gitlab.Unknown(); len(unknown) > 0 {
		r.broken = fmt.Errorf("the stand-in was asked for routes it does not know: %s", strings.Join(unknown, ", "))
	}
	r.checkTelemetry()
	return nil
}

// checkTelemetry makes sure that telemetry which was on was really paid for, and gave no token away.
func (r *pointRun) checkTelemetry() {
	if r.receiver == nil {
		return
	}
	switch refused, err := r.receiver.Failures(); {
	case refused > 0:
		r.broken = fmt.Errorf("the receiver refused %d exports: %w", refused, err)
	case len(r.receiver.Spans()) == 0 || len(r.receiver.Points()) == 0:
		r.broken = fmt.Errorf("telemetry was on and brought %d kinds of spans and %d of metrics", len(r.receiver.Spans()), len(r.receiver.Points()))
	case len(r.receiver.Found()) > 0:
		r.broken = fmt.Errorf("telemetry gives a token away: %v", r.receiver.Found())
	}
}
