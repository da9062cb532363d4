package bench_test

import (
	"context"
	"fmt"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// load makes all clients call at once, one method after the other.
func (r *pointRun) load(ctx context.Context) error {
	if err := r.people.resetPeak(); err != nil {
		return err
	}
	var total loadTotal
	for _, method := range record.Methods() {
		if r.requests[method] == nil {
			r.sheet.absent(noSuchCall, methodUnits(method)...)
			continue
		}
		r.suite.progress.phase("load %s", method)
		if err := r.loadMethod(ctx, method, &total); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	if err := r.endOfLoad(ctx); err != nil {
		return err
	}
	total.write(r)
	return nil
}

// loadTotal sums the methods' phases.
type loadTotal struct {
	wall                   time.Duration
	spent                  spending
	calls, refused, failed int64
}

func (t *loadTotal) write(r *pointRun) {
	r.sheet.set("loaded-cpu-cores", t.spent.cpu.Seconds()/t.wall.Seconds())
	r.sheet.set("cpu-ns/call", float64(t.spent.cpu)/float64(t.calls))
	r.sheet.set("suite-cpu-cores", t.spent.suite.Seconds()/t.wall.Seconds())
	r.sheet.set("refused-calls", float64(t.refused))
	r.sheet.set("failed-calls", float64(t.failed))
	certify(r.sheet, t, r.suite.cpus)
}

// loadMethod is the phase of one method.
func (r *pointRun) loadMethod(ctx context.Context, method record.Method, total *loadTotal) error {
	upstream := r.gitlab.Total()
	before, err := startWatch(r.people)
	if err != nil {
		return err
	}
	phase, err := load.Closed(ctx, r.people.workers(r.requests[method]), load.Options{Calls: r.point.Rounds})
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
	r.checkUpstream(method, m, r.gitlab.Total()-upstream)
	return nil
}

func (t *loadTotal) add(wall time.Duration, spent spending, m *load.Method) {
	t.wall += wall
	t.spent = t.spent.plus(spent)
	t.calls += m.Calls()
	t.refused += m.Refused
	t.failed += m.Failed
}

// checkOutcomes makes a call that failed or was refused fail the scenario.
func (r *pointRun) checkOutcomes(method record.Method, m *load.Method) {
	if m.Failed == 0 && m.Refused == 0 {
		return
	}
	reasons := countedReasons(m.Reasons)
	r.sheet.doubt("%s: %d calls failed and %d were refused (%s)", method, m.Failed, m.Refused, reasons)
	r.broken = fmt.Errorf("%s: %d calls failed, %d were refused: %s", method, m.Failed, m.Refused, reasons)
}

// checkUpstream compares what reached the stand-in with what the calls must have caused.
func (r *pointRun) checkUpstream(method record.Method, m *load.Method, requests int64) {
	want := int64(0)
	if method == record.Call {
		want = m.Calls() * int64(r.surface.Calls[scenarios.CallRead].Upstream)
		r.sheet.set("upstream-requests/call", float64(requests)/float64(m.Calls()))
	}
	if requests != want {
		r.sheet.doubt("%s: %d requests reached GitLab where %d calls must cause %d", method, requests, m.Calls(), want)
		r.broken = fmt.Errorf("%s: %d requests reached GitLab, expected %d", method, requests, want)
	}
}

// endOfLoad reads what is best read with every client connected and no call in flight.
func (r *pointRun) endOfLoad(ctx context.Context) error {
	peak, err := r.people.peak()
	if err != nil {
		return err
	}
	r.sheet.set("peak-RSS-bytes", float64(peak))
	reading, err := r.people.read()
	if err != nil {
		return err
	}
	r.sheet.set("threads", float64(reading.Threads))
	r.sheet.set("descriptors", float64(reading.Descriptors))
	heap := r.people.instances[0].heap
	if heap == nil {
		r.sheet.absent(noHeap, "goroutines")
		return nil
	}
	goroutines, err := heap.Goroutines(ctx)
	r.sheet.set("goroutines", float64(goroutines))
	return err
}
