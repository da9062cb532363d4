package bench_test

import (
	"context"
	"fmt"
	"time"

	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// idle reads a process that serves nobody.
func (r *pointRun) idle(ctx context.Context) error {
	r.sheet.set("clients", float64(r.point.Clients))
	if r.point.Transport == scenarios.Stdio {
		r.sheet.absent("a process on stdio has its client from the start", "idle-RSS-bytes")
		return nil
	}
	if err := r.people.startIdle(r.b); err != nil {
		return err
	}
	rss, err := r.people.resting(ctx)
	r.sheet.set("idle-RSS-bytes", rss)
	return err
}

// admit lets the clients in one at a time, each with its first tools/list.
func (r *pointRun) admit(ctx context.Context) error {
	var firsts []float64
	var one float64
	for i := range r.point.Clients {
		r.suite.progress.phase("admit %d/%d", i+1, r.point.Clients)
		if err := r.people.add(ctx, r.b); err != nil {
			return err
		}
		first, err := r.once(ctx, i, r.requests[record.List])
		if err != nil {
			return err
		}
		firsts = append(firsts, float64(first))
		if i > 0 {
			continue
		}
		if one, err = r.people.resting(ctx); err != nil {
			return err
		}
	}
	all, err := r.people.resting(ctx)
	if err != nil {
		return err
	}
	r.admitted(one, all, firsts)
	r.checkAdmission()
	if err := r.warmListing(ctx); err != nil {
		return err
	}
	return r.firstCalls(ctx)
}

func (r *pointRun) admitted(one, all float64, firsts []float64) {
	r.sheet.set("one-RSS-bytes", one)
	r.sheet.set("all-RSS-bytes", all)
	r.sheet.set("further-RSS-bytes/client", (all-one)/float64(r.point.Clients-1))
	var ready []float64
	for _, in := range r.people.instances {
		ready = append(ready, float64(in.process.ReadyAfter()))
	}
	r.sheet.set("ready-ns", median(ready))
	r.sheet.set("first-list-ns", r.first(firsts))
}

// once has a client make one call, and returns how long the reply took.
func (r *pointRun) once(ctx context.Context, client int, request *mcp.Request) (time.Duration, error) {
	waiting, end := r.suite.guards.await(ctx)
	defer end()
	took, err := timed(waiting, r.people.clients[client], request)
	if err != nil {
		return 0, fmt.Errorf("client %d: %w", client, explain(waiting, err))
	}
	return took, nil
}

// first is what a client waits for what nobody asked before: on HTTP later credentials find it built, on
// stdio each process has to build it.
func (r *pointRun) first(took []float64) float64 {
	if r.point.Transport == scenarios.HTTP {
		return took[0]
	}
	return median(took)
}

// warmCalls is how many listings of one client the warm figure is the median of.
const warmCalls = 21

// warmListing times the listing of one client while nothing else runs.
func (r *pointRun) warmListing(ctx context.Context) error {
	list := r.requests[record.List]
	var took []float64
	var reply mcp.Reply
	waiting, end := r.suite.guards.await(ctx)
	defer end()
	for range warmCalls {
		r.people.clients[0].Do(waiting, list, &reply)
		if err := failure(list, &reply); err != nil {
			return explain(waiting, err)
		}
		took = append(took, float64(reply.Latency()))
	}
	r.sheet.set("warm-list-ns", median(took))
	r.sheet.set("list-bytes", float64(reply.Bytes))
	r.sheet.set("tools", float64(reply.Tools))
	return nil
}

// firstCalls has every client make each other call once, one after another. What the first of them waits
// for, such as an index that is built when it is needed, is told apart from the latencies under load.
func (r *pointRun) firstCalls(ctx context.Context) error {
	for _, method := range methodsOf(r.requests) {
		var took []float64
		for i := range r.people.clients {
			first, err := r.once(ctx, i, r.requests[method])
			if err != nil {
				return err
			}
			took = append(took, float64(first))
		}
		if unit := firstUnits[method]; unit != "" {
			r.sheet.set(unit, r.first(took))
		}
	}
	for method, unit := range firstUnits {
		if r.requests[method] == nil {
			r.sheet.absent(noSuchCall, unit)
		}
	}
	return nil
}

// firstUnits are the metrics of first calls. That of the listing was taken when the client was admitted.
var firstUnits = map[record.Method]string{record.Call: "first-call-ns", record.Find: "first-find-ns"}

// noSuchCall is why figures of a method are absent.
const noSuchCall = "the surface has no such call"
