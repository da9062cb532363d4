package bench_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// stepRun is one step of a series while it is measured.
type stepRun struct {
	*trial
	step scenarios.Step
	// conns are all connections, those of one credential after those of the other.
	conns []mcp.Conn
}

func (r *stepRun) phases() []phase {
	return []phase{
		{"idle", r.idle}, {"admit", r.guarded(r.admit)}, {"alone", r.guarded(r.alone)}, {"profile", r.guarded(r.profile)},
		{"load", r.guarded(r.mixed)}, {"methods", r.guarded(r.methods)}, {"settle", r.guarded(r.settle)}, {"close", r.guarded(r.close)},
	}
}

// idle reads a process that serves nobody.
func (r *stepRun) idle(ctx context.Context) error {
	r.sheet.set("clients", float64(r.step.Creds))
	r.sheet.set("inflight", float64(r.step.Connections()))
	if err := r.people.startIdle(r.b); err != nil {
		return err
	}
	r.sheet.set("ready-ns", float64(r.people.instances[0].process.ReadyAfter()))
	rss, err := r.people.resting(ctx)
	r.sheet.set("idle-RSS-bytes", rss)
	return err
}

// admitAtOnce is how many credentials are admitted at a time.
const admitAtOnce = 8

// admit lets the credentials in, each with a first tools/list, and opens their further connections.
func (r *stepRun) admit(ctx context.Context) error {
	watch, err := startWatch(r.people)
	if err != nil {
		return err
	}
	r.conns = make([]mcp.Conn, r.step.Connections())
	replies := make([]mcp.Reply, r.step.Creds)
	err = load.Each(ctx, r.step.Creds, admitAtOnce, func(ctx context.Context, i int) error { return r.admitOne(ctx, i, &replies[i]) })
	r.people.clients = r.conns
	if err != nil {
		return err
	}
	spent, err := watch.stop()
	if err != nil {
		return err
	}
	r.checkAdmission()
	r.sheet.set("admit-cpu-ns/client", float64(spent.cpu)/float64(r.step.Creds))
	r.sheet.set("first-list-ns", float64(replies[0].Latency()))
	r.sheet.set("list-bytes", float64(replies[0].Bytes))
	r.sheet.set("tools", float64(replies[0].Tools))
	rss, err := r.people.resting(ctx)
	r.sheet.set("all-RSS-bytes", rss)
	return err
}

// admitOne opens the connections of the i-th credential and makes its first call.
func (r *stepRun) admitOne(ctx context.Context, i int, reply *mcp.Reply) error {
	waiting, end := r.suite.guards.await(ctx)
	defer end()
	if err := r.connect(waiting, i, reply); err != nil {
		return fmt.Errorf("credential %d: %w", i, explain(waiting, err))
	}
	return nil
}

func (r *stepRun) connect(ctx context.Context, i int, reply *mcp.Reply) error {
	first, err := r.people.instances[0].dial(ctx, r.people.token(i))
	if err != nil {
		return err
	}
	own := r.conns[i*r.step.InFlight:][:r.step.InFlight]
	own[0] = first
	list := r.requests[record.List]
	first.Do(ctx, list, reply)
	if err := failure(list, reply); err != nil {
		return err
	}
	for j := 1; j < len(own); j++ {
		if own[j], err = first.Another(ctx); err != nil {
			return err
		}
	}
	return nil
}

// guarded runs a phase under the watchdog. A step that it ends is over, but recorded as far as it got.
func (t *trial) guarded(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		watched, end := t.suite.guards.watchdog(ctx, func() (usage, error) {
			reading, err := t.people.read()
			if err != nil {
				return usage{}, err
			}
			available, err := meter.AvailableMemory()
			return usage{reading.RSS, available}, err
		})
		defer end()
		err := run(watched)
		if cause := context.Cause(watched); errors.Is(cause, errMemory) {
			return &earlyEnd{stopWatchdog, cause.Error()}
		}
		return err
	}
}

// settle reads the memory at rest with the connections open, and what it is made of.
func (r *stepRun) settle(ctx context.Context) error {
	settled, err := r.rest(ctx, "rest-RSS-bytes", "rest-heap-bytes", "rest-ns")
	if err != nil {
		return err
	}
	_, err = r.composition("rest", settled[0].Heap)
	return err
}

// close closes the connections, reads the memory at rest again, and ends the process.
func (r *stepRun) close(ctx context.Context) error {
	if err := r.people.disconnect(); err != nil {
		return err
	}
	if _, err := r.rest(ctx, "closed-RSS-bytes", "closed-heap-bytes", "closed-rest-ns"); err != nil {
		return err
	}
	return r.stop(ctx)
}

// composition writes what the resident set is made of, and returns that resident set.
func (r *stepRun) composition(at string, heap *meter.HeapReading) (int64, error) {
	breakdown, err := r.people.instances[0].tree.Breakdown()
	if err != nil {
		return 0, err
	}
	r.sheet.optional(at+"-file-bytes", breakdown.FileRSS(), "the kernel does not tell")
	if heap == nil {
		heap = &meter.HeapReading{}
	}
	r.sheet.optional(at+"-inuse-bytes", heap.InUse, noHeap)
	r.sheet.optional(at+"-stacks-bytes", heap.Stacks, noHeap)
	r.sheet.optional(at+"-runtime-bytes", heap.Runtime, noHeap)
	if heap.Idle == nil || heap.Released == nil {
		r.sheet.absent(noHeap, at+"-free-bytes")
		return breakdown.RSS, nil
	}
	r.sheet.set(at+"-free-bytes", float64(*heap.Idle-*heap.Released))
	return breakdown.RSS, nil
}

// lookAhead decides whether the next step may follow this one.
func (c *climb) lookAhead(r *stepRun, next *scenarios.Step) func(context.Context) error {
	return func(context.Context) error {
		c.before = append(c.before, stepFigures(r.sheet.result, r.step))
		if r.broken != nil {
			r.sheet.result.Stop = stoppedByFailure(r.step)
			return nil
		}
		if next != nil {
			r.sheet.result.Stop = c.suite.guards.next(c.before, *next, c.suite.subject.Many.UpstreamConnections)
		}
		return nil
	}
}

// spreadOf is the time over which the first calls of a load are spread.
func spreadOf(d time.Duration) time.Duration { return min(d/10, time.Second) }
