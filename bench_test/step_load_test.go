package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
)

// sampleEvery is how often the resident set is read under load.
const sampleEvery = 100 * time.Millisecond

// mixed is the load whose latencies are published: every connection calls and lists in turn.
func (r *stepRun) mixed(ctx context.Context) error {
	err := r.resident(func() error {
		load, err := r.timed(ctx, r.step.Duration, record.Call, record.List)
		if err == nil {
			load.write(r.trial)
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.loaded(ctx)
}

// resident reads the resident set while load runs: its mean, and the kernel's own high-water mark.
func (t *trial) resident(load func() error) error {
	tree := t.people.instances[0].tree
	if err := tree.ResetPeak(); err != nil {
		return err
	}
	sampler := meter.StartSampler(tree, sampleEvery)
	err := load()
	summary, sampled := sampler.Stop()
	if err := errors.Join(err, sampled); err != nil {
		return err
	}
	peak, err := tree.Peak()
	if err != nil {
		return err
	}
	t.sheet.set("mean-RSS-bytes", float64(summary.Mean))
	t.sheet.set("peak-RSS-bytes", float64(peak))
	return nil
}

// loaded reads what is best read as the load ends, before memory is given back.
func (r *stepRun) loaded(ctx context.Context) error {
	own, err := meter.SelfRSS()
	if err != nil {
		return err
	}
	r.sheet.set("suite-RSS-bytes", float64(own))
	var reading *meter.HeapReading
	if heap := r.people.instances[0].heap; heap != nil {
		live, err := heap.Live(ctx)
		if err != nil {
			return err
		}
		reading = &live
	}
	if err := r.composition("load", reading); err != nil {
		return err
	}
	return r.connected(ctx)
}

// timedLoad is what a load of given length came to.
type timedLoad struct {
	phase *load.Phase
	spent spending
	// upstream is how many requests reached GitLab.
	upstream int64
}

// timed runs all connections in a closed loop over the methods, which each connection takes in turn.
func (r *stepRun) timed(ctx context.Context, d time.Duration, methods ...record.Method) (*timedLoad, error) {
	return r.watched(func() (*load.Phase, error) {
		return load.Closed(ctx, r.workers(methods...), load.Options{Duration: d, Spread: spreadOf(d), Drain: r.suite.guards.latency + time.Minute})
	})
}

// workers makes every connection take the methods in turn.
func (r *stepRun) workers(methods ...record.Method) []load.Worker {
	inTurn := make([]*mcp.Request, len(methods))
	for i, m := range methods {
		inTurn[i] = r.requests[m]
	}
	workers := make([]load.Worker, len(r.conns))
	for i, conn := range r.conns {
		workers[i] = load.Worker{Conn: conn, Requests: inTurn}
	}
	return workers
}

// watched measures what a load costs, and checks its outcomes.
func (t *trial) watched(run func() (*load.Phase, error)) (*timedLoad, error) {
	upstream := t.gitlab.Total()
	watch, err := startWatch(t.people)
	if err != nil {
		return nil, err
	}
	p, err := run()
	if err != nil {
		return nil, err
	}
	spent, err := watch.stop()
	if err != nil {
		return nil, err
	}
	l := &timedLoad{phase: p, spent: spent, upstream: t.gitlab.Total() - upstream}
	return l, l.check(t)
}

// check holds the load to what must be true of any. One that had to cut calls is the end: the subject still works
// on them, and what follows would pay.
func (l *timedLoad) check(t *trial) error {
	var reads int64
	for label, m := range l.phase.Methods {
		t.checkOutcomes(record.Method(label), m)
		if label == string(record.Call) {
			reads = m.Calls()
		}
	}
	if l.phase.Cut > 0 {
		return &earlyEnd{stopLatency, fmt.Sprintf("%d calls had no answer long after the load", l.phase.Cut)}
	}
	t.checkUpstream(reads, l.upstream)
	return nil
}

// write adds the figures of a mixed load to the sheet.
func (l *timedLoad) write(t *trial) {
	calls := l.phase.Calls()
	elapsed := l.phase.Elapsed()
	total := loadTotal{
		wall: elapsed, spent: l.spent, calls: calls, refused: l.phase.Refused(), failed: l.phase.Failed(),
	}
	total.write(t)
	t.sheet.set("calls", float64(calls))
	t.sheet.set("calls/s", float64(calls)/elapsed.Seconds())
	for _, method := range []record.Method{record.Call, record.List} {
		t.sheet.latencies(method, l.phase.Methods[string(method)])
	}
	reads := int64(0)
	if m := l.phase.Methods[string(record.Call)]; m != nil {
		reads = m.Calls()
	}
	t.sheet.perCall("upstream-requests/call", float64(l.upstream), reads)
}

// methodShare is the part of the mixed load's time that each method has to itself.
const methodShare = 3

// methods runs one method at a time, so that each one's own processor time is known.
func (r *stepRun) methods(ctx context.Context) error {
	for _, method := range []record.Method{record.Call, record.List} {
		load, err := r.timed(ctx, r.step.Duration/methodShare, method)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		r.sheet.perCall(method.Unit("cpu-ns/call"), float64(load.spent.cpu), load.phase.Calls())
	}
	return nil
}

// profile takes a CPU and a heap profile under the mixed load, in a phase whose figures nobody sees.
func (r *stepRun) profile(ctx context.Context) error {
	heap := r.people.instances[0].heap
	if heap == nil {
		return nil
	}
	dir, err := r.profileDir()
	if err != nil {
		return err
	}
	length := max(r.step.Duration/methodShare, time.Second)
	failed := make(chan error, 1)
	go func() {
		failed <- writeTo(filepath.Join(dir, "cpu.pprof"), func(f *os.File) error { return heap.CPUProfile(ctx, length, f) })
	}()
	_, err = r.timed(ctx, length, record.Call, record.List)
	if profiled := <-failed; err == nil {
		err = profiled
	}
	if err != nil {
		return err
	}
	return writeTo(filepath.Join(dir, "heap.pprof"), func(f *os.File) error { return heap.HeapProfile(ctx, f) })
}

// profileDir is a folder of the step's own: below -profiles, or where package testing keeps artifacts.
func (r *stepRun) profileDir() (string, error) {
	if r.suite.profiles == "" {
		return r.b.ArtifactDir(), nil
	}
	name := strings.NewReplacer("/", "_", "=", "-").Replace(r.sheet.result.Name)
	dir := filepath.Join(r.suite.profiles, fmt.Sprintf("round-%d", r.suite.round), name)
	return dir, os.MkdirAll(dir, 0o755)
}

func writeTo(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}
