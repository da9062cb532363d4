package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
)

// sampleEvery is how often the resident set is read under load.
const sampleEvery = 100 * time.Millisecond

// aloneShare is the part of the mixed load's time in which one connection calls alone.
const aloneShare = 5

// alone has one connection call while the others are open and silent: the time of a call that waits for no other.
func (r *stepRun) alone(ctx context.Context) error {
	l, err := r.timed(ctx, r.workers(record.Call, record.List)[:1], r.options(r.step.Duration/aloneShare))
	if err != nil {
		return err
	}
	const part = " while one connection called alone"
	certifySuite(r.sheet, part, l.total(), r.suite.cpus)
	certifyHost(r.sheet, part, l.total())
	perSecond, ok := l.phase.Steady.PerSecond()
	if !ok || perSecond == 0 {
		r.sheet.absent("no call ended in time", "alone-ns/call")
		return nil
	}
	r.sheet.set("alone-ns/call", float64(time.Second)/perSecond)
	return nil
}

const (
	// enoughCalls is how many calls a connection must have ended, on average, for the load to have been steady:
	// the first of them is still part of setting off.
	enoughCalls = 6
	// longestLoad is how many times its duration the mixed load may take for that.
	longestLoad = 12
	// suiteMemory is what the suite may take, stand-ins included, with up to suiteConnections.
	suiteMemory, suiteConnections = 100 * mib, 4000
)

// mixed is the load whose latencies are published: every connection calls and lists in turn.
func (r *stepRun) mixed(ctx context.Context) error {
	defer r.frugal()()
	if err := meter.ResetSelfPeak(); err != nil {
		return err
	}
	err := r.resident(func() error {
		options := r.options(r.step.Duration)
		options.Enough, options.Longest = enoughCalls, longestLoad*r.step.Duration
		load, err := r.timed(ctx, r.workers(record.Call, record.List), options)
		if err == nil {
			load.write(r.trial)
			r.sheet.set("load-ns", float64(load.phase.Begun))
			r.checkSteady(load.phase)
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.loaded(ctx)
}

// options are those of a load that all connections take part in.
func (r *stepRun) options(d time.Duration) load.Options {
	return load.Options{Duration: d, Spread: spreadOf(d), Drain: r.suite.guards.patience()}
}

// checkSteady doubts a load in which connections had too few answers for more than their setting off to be seen.
func (r *stepRun) checkSteady(p *load.Phase) {
	if each := float64(p.Calls()) / float64(r.step.Connections()); each < enoughCalls {
		r.sheet.doubt("too few calls: %.1f a connection in %v, and a steady load takes %d", each, p.Begun.Round(time.Second), enoughCalls)
	}
}

// suiteRuntime is what the suite's Go runtime may take for suiteMemory to hold: the pages of its binary come on top.
const suiteRuntime = 80 * mib

// frugal has the suite collect its garbage as often as suiteMemory takes, where that can hold, until the returned
// function is called. Its processor time has room for that. What phases before left behind is given back.
func (r *stepRun) frugal() (end func()) {
	debug.FreeOSMemory()
	if r.step.Connections() > suiteConnections {
		return func() {}
	}
	before := debug.SetMemoryLimit(suiteRuntime)
	return func() { debug.SetMemoryLimit(before) }
}

// checkOwnMemory records what the suite itself took, and doubts a load that was made with too much.
func (r *stepRun) checkOwnMemory() error {
	own, err := meter.SelfPeak()
	if err != nil {
		return err
	}
	r.sheet.set("suite-RSS-bytes", float64(own))
	if r.step.Connections() <= suiteConnections && own > suiteMemory {
		r.sheet.doubt("the suite itself took %d MiB, and %d are allowed up to %d connections", own/mib, suiteMemory/mib, suiteConnections)
	}
	return nil
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
	if err := r.checkOwnMemory(); err != nil {
		return err
	}
	var reading *meter.HeapReading
	if heap := r.people.instances[0].heap; heap != nil {
		live, err := heap.Live(ctx)
		if err != nil {
			return err
		}
		reading = &live
	}
	rss, err := r.composition("load", reading)
	if err != nil {
		return err
	}
	r.sheet.set("load-RSS-bytes", float64(rss))
	return r.connected(ctx)
}

// timedLoad is what a load of given length came to.
type timedLoad struct {
	phase *load.Phase
	spent spending
	// upstream is how many requests reached GitLab.
	upstream int64
}

// timed runs connections in a closed loop.
func (r *stepRun) timed(ctx context.Context, workers []load.Worker, options load.Options) (*timedLoad, error) {
	return r.watched(func() (*load.Phase, error) { return load.Closed(ctx, workers, options) })
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
	if p != nil {
		t.count(p)
	}
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
	l.total().write(t)
	t.sheet.set("calls", float64(l.phase.Calls()))
	if perSecond, ok := l.phase.Steady.PerSecond(); ok {
		t.sheet.set("calls/s", perSecond)
	} else {
		t.sheet.absent("not every connection had an answer before the load ended", "calls/s")
	}
	for _, method := range []record.Method{record.Call, record.List} {
		t.sheet.latencies(method, l.phase.Methods[string(method)])
	}
	reads := int64(0)
	if m := l.phase.Methods[string(record.Call)]; m != nil {
		reads = m.Calls()
	}
	t.sheet.perCall("upstream-requests/call", float64(l.upstream), reads)
}

func (l *timedLoad) total() *loadTotal {
	return &loadTotal{wall: l.phase.Elapsed(), spent: l.spent, calls: l.phase.Calls()}
}

// methodShare is the part of the mixed load's time that each method has to itself.
const methodShare = 3

// methods runs one method at a time, so that each one's own processor time is known.
func (r *stepRun) methods(ctx context.Context) error {
	for _, method := range []record.Method{record.Call, record.List} {
		load, err := r.timed(ctx, r.workers(method), r.options(r.step.Duration/methodShare))
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		// Processor time a call is the subject's own, however busy the suite was.
		certifyHost(r.sheet, fmt.Sprintf(" while tools/%s alone was called", method), load.total())
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
	_, err = r.timed(ctx, r.workers(record.Call, record.List), r.options(length))
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
