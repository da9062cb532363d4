package bench_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// The benchmarks of sizing take as long as all others together, so they run only where -bench names them.

// BenchmarkImage records how large the binary is, and a container image of it.
func BenchmarkImage(b *testing.B) { bench.size(b, record.Image) }

// BenchmarkEndpoint asks cheap endpoints as fast as they answer.
func BenchmarkEndpoint(b *testing.B) { bench.size(b, record.Endpoint) }

// BenchmarkLadder makes so many calls whose answers from GitLab are large, and watches whether memory comes back.
func BenchmarkLadder(b *testing.B) { bench.climb(b) }

// BenchmarkHeld has GitLab hold so many calls open at once.
func BenchmarkHeld(b *testing.B) { bench.size(b, record.Held) }

// BenchmarkSession has so many sessions of an older revision open at once, and then abandoned.
func BenchmarkSession(b *testing.B) { bench.size(b, record.Session) }

// BenchmarkConfigs has one process serve several surfaces at once.
func BenchmarkConfigs(b *testing.B) { bench.size(b, record.Configs) }

// BenchmarkSweep moves one setting over a list of values.
func BenchmarkSweep(b *testing.B) { bench.size(b, record.Sweep) }

// sizingKinds are the kinds of sizing in the order in which they run.
func sizingKinds() []record.Kind {
	return []record.Kind{
		record.Image, record.Endpoint, record.Ladder, record.Held, record.Session, record.Configs, record.Sweep,
	}
}

// size runs the benchmarks of a kind of sizing.
func (s *suite) size(b *testing.B, kind record.Kind) {
	b.Helper()
	if !named(kind) {
		b.Skipf("left out: -bench has to name %s", kind)
	}
	for _, r := range s.sizes(kind) {
		b.Run(r.name, func(b *testing.B) { r.measure(b, string(kind)+"/"+r.name) })
	}
}

// sizingNames are the names of the benchmarks of sizing that -bench asks for.
func (s *suite) sizingNames() []string {
	var names []string
	for _, kind := range sizingKinds() {
		if !named(kind) {
			continue
		}
		for _, r := range s.sizes(kind) {
			names = append(names, string(kind)+"/"+r.name)
		}
	}
	return names
}

// sizes are the benchmarks of a kind of sizing.
func (s *suite) sizes(kind record.Kind) []repetition {
	switch subject := s.subject; kind {
	case record.Image:
		return []repetition{{"subject=" + subject.Name, s.image}}
	case record.Endpoint:
		return sizesOf(scenarios.Probes(subject), s.probe, func(p scenarios.Probe) string { return p.Name(subject.Name) })
	case record.Ladder:
		return sizesOf(scenarios.Rungs(subject), s.rung, func(r scenarios.Rung) string { return r.Name(subject.Name) })
	case record.Held:
		return sizesOf(scenarios.HeldCalls(subject), s.hold, func(h scenarios.Holding) string { return h.Name(subject.Name, "calls") })
	case record.Session:
		return sizesOf(scenarios.OpenSessions(subject), s.sessions, func(h scenarios.Holding) string { return h.Name(subject.Name, "sessions") })
	case record.Configs:
		return sizesOf(scenarios.Configurations(subject), s.configuration, func(c scenarios.Configuration) string { return c.Name(subject.Name) })
	case record.Sweep:
		return sizesOf(scenarios.Settings(subject, len(s.cpus.Subject)), s.setting, func(w scenarios.Setting) string { return w.BenchmarkName(subject.Name) })
	default:
		return nil
	}
}

// sizesOf has each of many measured under its name.
func sizesOf[T any](all []T, measure func(*testing.B, string, T), name func(T) string) []repetition {
	sizes := make([]repetition, len(all))
	for i, one := range all {
		sizes[i] = repetition{name(one), func(b *testing.B, name string) {
			b.Helper()
			measure(b, name, one)
		}}
	}
	return sizes
}

// sizing measures one result in the phases that parts makes, and records what came of it.
func (s *suite) sizing(b *testing.B, l launch, method, settings string, phases func(*trial) []phase) {
	b.Helper()
	if _, held := s.skipWith(b, l.name, s.settingsFor(l, settings)); held {
		return
	}
	s.progress.begin(s.short(l.name))
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	t := newTrial(b, s, l, method, settings)
	verdict = t.run(phases(t))
}

// short is a name without what all names have in common.
func (s *suite) short(name string) string {
	return strings.Replace(name, "/subject="+s.subject.Name+"/transport=http", "", 1)
}

// sizingLoad is how long a load of sizing lasts: half as long as that of a step.
func sizingLoad() time.Duration { return opts.stepDuration / 2 }

// started starts the process, and says how long it took.
func (t *trial) started(context.Context) error {
	if err := t.people.startIdle(t.b); err != nil {
		return err
	}
	t.sheet.set("ready-ns", float64(t.people.instances[0].process.ReadyAfter()))
	return nil
}

// turnTo has tools/call be another call of the subject file from now on.
func (t *trial) turnTo(call string) error {
	t.read = t.surface.Calls[call]
	spec, err := callSpec(t.read, t.people.launch.vars)
	if err != nil {
		return err
	}
	spec.Label, spec.Version = string(record.Call), t.people.instances[0].version()
	t.requests[record.Call], err = mcp.NewRequest(spec)
	return err
}

// connect opens n connections of each credential and has each list its tools, so that what follows is not the
// credential's admission: a server may close connections on which nothing was ever asked. The connections of one
// credential stand together.
func (t *trial) connect(ctx context.Context, n int) error {
	t.people.clients = make([]mcp.Conn, n*t.people.launch.clients)
	list := t.requests[record.List]
	err := load.Each(ctx, t.people.launch.clients, admitAtOnce, func(ctx context.Context, i int) error {
		own := t.people.clients[i*n:][:n]
		first, err := t.people.instances[0].dial(ctx, t.people.token(i))
		if err != nil {
			return fmt.Errorf("credential %d: %w", i, err)
		}
		own[0] = first
		for j := 1; j < n; j++ {
			if own[j], err = first.Another(ctx); err != nil {
				return fmt.Errorf("credential %d: %w", i, err)
			}
		}
		for _, conn := range own {
			if _, err := timed(ctx, conn, list); err != nil {
				return fmt.Errorf("credential %d: %w", i, err)
			}
		}
		return nil
	})
	if err == nil {
		t.checkAdmission()
	}
	return err
}

// left closes the connections and ends the process.
func (t *trial) left(ctx context.Context) error {
	return errors.Join(t.people.disconnect(), t.stop(ctx))
}

// checked counts calls that were not made by a load, all of which were as they should be.
func (t *trial) checked() { t.count(new(load.Phase)) }

// stand is what is read of a process at rest, by the quantities of package record; what cannot be read is missing.
type stand map[string]float64

// stand brings the process to rest and reads it in a state.
func (t *trial) stand(ctx context.Context, as record.Standing) (stand, error) {
	settled, err := t.people.settle(ctx, restOptions())
	if err != nil {
		return nil, err
	}
	if !settled[0].Rested {
		t.sheet.doubt("%s: the resident set did not come to rest", as)
	}
	reading, err := t.people.quiet(ctx)
	if err != nil {
		return nil, err
	}
	now := stand{"RSS-bytes": float64(settled[0].RSS), "descriptors": float64(reading.Descriptors)}
	if live := liveHeap(settled); live != nil {
		now["heap-bytes"] = float64(*live)
	}
	if heap := t.people.instances[0].heap; heap != nil {
		goroutines, err := heap.Goroutines(ctx)
		if err != nil {
			return nil, err
		}
		now["goroutines"] = float64(goroutines)
	}
	for _, q := range record.Quantities() {
		t.setOr(as.Unit(q), now, q, 0, 1)
	}
	return now, nil
}

// each writes what each of n takes that there are more of now than before.
func (t *trial) each(as record.Standing, before, now stand, n int) {
	for _, q := range record.Quantities() {
		t.setOr(as.UnitEach(q), now, q, before[q], float64(n))
	}
}

// setOr sets a metric to what a quantity is more than before, over n, or says why it is absent.
func (t *trial) setOr(unit string, now stand, quantity string, before, n float64) {
	amount, known := now[quantity]
	if !known {
		t.sheet.absent(noHeap, unit)
		return
	}
	t.sheet.set(unit, (amount-before)/n)
}
