package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// setting measures one value of a sweep.
func (s *suite) setting(b *testing.B, name string, w scenarios.Setting) {
	b.Helper()
	l := launch{
		name: name, transport: scenarios.HTTP, surface: w.Surface, clients: w.Credentials, latency: w.Latency,
		more: []scenarios.Option{w.Option}, vars: scenarios.Vars{"value": w.Value},
	}
	s.sizing(b, l, sweepMethod(w), sweepSettings(w), func(t *trial) []phase {
		t.readmits = w.Readmits
		r := &sweepRun{trial: t, setting: w}
		return []phase{
			{"start", t.started}, {"admit", r.admit}, {"load", t.guarded(r.load)}, {"settle", t.guarded(r.settle)}, {"close", t.left},
		}
	})
}

// sweepMethod says in the record how the figures of a sweep came about.
func sweepMethod(w scenarios.Setting) string {
	switch {
	case w.Rate > 0:
		return "open loop, calls due at random as from independent callers, latency from when a call was due; " + statistics
	case w.Pause > 0:
		return "closed loop, every caller rests between an answer and its next call; " + statistics
	default:
		return "closed loop, every caller calls again as soon as it was answered; " + statistics
	}
}

// sweepSettings hold what stays as it is while the value moves. The latency of GitLab may be what moves.
func sweepSettings(w scenarios.Setting) string {
	parts := []string{fmt.Sprintf("credentials=%d callers=%d call=%s", w.Credentials, w.Callers, w.Call)}
	if w.Rate > 0 {
		parts = append(parts, fmt.Sprintf("rate=%g", w.Rate))
	}
	if w.Calls > 0 {
		parts = append(parts, fmt.Sprintf("calls=%d pause=%s", w.Calls, w.Pause.Std()))
	} else {
		parts = append(parts, fmt.Sprintf("load=%s", sizingLoad()))
	}
	return strings.Join(parts, " ")
}

// sweepRun is a measurement of one value of a sweep.
type sweepRun struct {
	*trial
	setting scenarios.Setting
}

// admit has every credential list its tools and opens the connections of all callers.
func (r *sweepRun) admit(ctx context.Context) error {
	w := r.setting
	r.sheet.set("clients", float64(w.Credentials))
	r.sheet.set("inflight", float64(w.Callers))
	if err := r.connect(ctx, (w.Callers+w.Credentials-1)/w.Credentials); err != nil {
		return err
	}
	return r.turnTo(w.Call)
}

// load makes the load.
func (r *sweepRun) load(ctx context.Context) error {
	return r.resident(func() error {
		l, err := r.watched(func() (*load.Phase, error) { return r.drive(ctx) })
		if err != nil {
			return err
		}
		r.write(l)
		return r.connected(ctx)
	})
}

// drive has the callers call.
func (r *sweepRun) drive(ctx context.Context) (*load.Phase, error) {
	w, workers := r.setting, r.callers()
	options := load.Options{Drain: r.suite.guards.patience()}
	switch d := sizingLoad(); {
	case w.Calls > 0:
		options.Calls, options.After = w.Calls, func(*mcp.Reply) time.Duration { return w.Pause.Std() }
	case w.Rate > 0:
		options.Duration = d
		return load.Open(ctx, workers, w.Rate, options)
	default:
		options.Duration, options.Spread = d, spreadOf(d)
	}
	return load.Closed(ctx, workers, options)
}

// callers are as many connections as call, shared out evenly between the credentials.
func (r *sweepRun) callers() []load.Worker {
	w := r.setting
	all := r.people.workers(r.requests[record.Call])
	each := len(all) / w.Credentials
	callers := make([]load.Worker, 0, w.Callers)
	for j := range each {
		for i := range w.Credentials {
			if len(callers) < w.Callers {
				callers = append(callers, all[i*each+j])
			}
		}
	}
	return callers
}

// write adds the figures of the load to the sheet.
func (r *sweepRun) write(l *timedLoad) {
	l.total().write(r.trial)
	r.sheet.set("calls", float64(l.phase.Calls()))
	if perSecond, ok := l.phase.Steady.PerSecond(); ok {
		r.sheet.set("calls/s", perSecond)
	} else {
		r.sheet.absent("callers rest between calls, or not every one had an answer before the load ended", "calls/s")
	}
	r.sheet.latencies(record.Call, l.phase.Methods[string(record.Call)])
	r.sheet.perCall("upstream-requests/call", float64(l.upstream), l.phase.Calls())
	r.sheet.perCall("admissions/call", r.admissions(), l.phase.Calls())
	if r.setting.Rate > 0 {
		r.offered(l.phase, r.setting.Rate)
		return
	}
	r.sheet.absent("no rate was offered: callers wait for their answers", "offered-calls/s", "unsent-calls", "queued-calls", "late-calls")
}

// admissions is how often credentials were admitted again, of which each takes so many requests.
func (r *sweepRun) admissions() float64 {
	each := int64(r.suite.subject.Transports[scenarios.HTTP].AdmissionRequests)
	if each == 0 {
		return 0
	}
	if r.readmitted%each != 0 {
		r.fail("%d requests reached GitLab that no call caused, and an admission takes %d", r.readmitted, each)
	}
	return float64(r.readmitted / each)
}

// settle reads the memory at rest.
func (r *sweepRun) settle(ctx context.Context) error {
	_, err := r.rest(ctx, "rest-RSS-bytes", "rest-heap-bytes", "rest-ns")
	return err
}
