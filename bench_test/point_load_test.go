package bench_test

import (
	"context"
	"fmt"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
)

// load makes all clients call at once, one method after the other.
func (r *pointRun) load(ctx context.Context) error {
	if err := r.people.resetPeak(); err != nil {
		return err
	}
	var total loadTotal
	for _, method := range record.Methods() {
		if r.requests[method] == nil {
			r.sheet.absent(noSuchCall, r.sheet.methodUnits(method)...)
			continue
		}
		r.suite.progress.phase("load %s", method)
		if err := r.loadMethod(ctx, method, &total); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	peak, err := r.people.peak()
	if err != nil {
		return err
	}
	r.sheet.set("peak-RSS-bytes", float64(peak))
	total.write(r.trial)
	return r.connected(ctx)
}

// loadTotal sums the methods' phases.
type loadTotal struct {
	wall  time.Duration
	spent spending
	calls int64
}

func (t *loadTotal) write(r *trial) {
	t.figures(r)
	certify(r.sheet, t, r.suite.cpus)
}

// figures writes what the load took, whether or not it is to be believed.
func (t *loadTotal) figures(r *trial) {
	r.sheet.set("loaded-cpu-cores", t.spent.cpu.Seconds()/t.wall.Seconds())
	r.sheet.perCall("cpu-ns/call", float64(t.spent.cpu), t.calls)
	r.sheet.set("suite-cpu-cores", t.spent.suite.Seconds()/t.wall.Seconds())
}

// loadMethod is the phase of one method.
func (r *pointRun) loadMethod(ctx context.Context, method record.Method, total *loadTotal) error {
	upstream := r.gitlab.Total()
	before, err := startWatch(r.people)
	if err != nil {
		return err
	}
	phase, err := load.Closed(ctx, r.people.workers(r.requests[method]), load.Options{Calls: r.point.Rounds, Drain: r.suite.guards.patience()})
	if phase != nil {
		r.count(phase)
	}
	if err == nil && phase.Cut > 0 {
		err = fmt.Errorf("%w within %v to %d calls", errSilent, r.suite.guards.patience(), phase.Cut)
	}
	if err != nil {
		return err
	}
	spent, err := before.stop()
	if err != nil {
		return err
	}
	m := phase.Methods[string(method)]
	r.sheet.latencies(method, m)
	r.sheet.set(method.Unit("cpu-ns/call"), float64(spent.cpu)/float64(m.Calls()))
	total.add(phase.End.Sub(phase.Start), spent, m)
	r.checkOutcomes(method, m)
	reads, requests := int64(0), r.gitlab.Total()-upstream
	if method == record.Call {
		reads = m.Calls()
		r.sheet.set("upstream-requests/call", float64(requests)/float64(reads))
	}
	r.checkUpstream(reads, requests)
	return nil
}

func (t *loadTotal) add(wall time.Duration, spent spending, m *load.Method) {
	t.wall += wall
	t.spent = t.spent.plus(spent)
	t.calls += m.Calls()
}
