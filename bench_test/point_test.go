package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpbench/scenarios"
)

// BenchmarkPoint measures each point scenario: what the subject costs idle, with one client, with all
// of them, and while all of them call.
func BenchmarkPoint(b *testing.B) {
	for _, p := range scenarios.Points(bench.subject) {
		name := p.Name(bench.subject.Name)
		b.Run(name, func(b *testing.B) { bench.point(b, p, "Point/"+name) })
	}
}

// point measures one scenario and records what came of it.
func (s *suite) point(b *testing.B, p scenarios.Point, name string) {
	b.Helper()
	settings := fmt.Sprintf("clients=%d rounds-per-method=%d", p.Clients, p.Rounds)
	if _, held := s.skip(b, name, settings); held {
		return
	}
	s.progress.begin(strings.TrimPrefix(name, "Point/subject="+s.subject.Name+"/"))
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	l := launch{name: name, transport: p.Transport, surface: p.Surface, telemetry: p.Telemetry, clients: p.Clients}
	r := &pointRun{newTrial(b, s, l, pointMethod, settings), p}
	verdict = r.run([]phase{{"idle", r.idle}, {"admit", r.admit}, {"load", r.load}, {"settle", r.settle}, {"close", r.close}})
}

// pointRun is one scenario while it is measured.
type pointRun struct {
	*trial
	point scenarios.Point
}

// pointMethod says in the record how the figures of a point scenario came about.
const pointMethod = "closed loop, one method at a time, all clients at once; " + statistics

// statistics says in the record how latencies became figures.
const statistics = "HDR histogram of 3 figures, nearest-rank percentiles, order-statistics intervals of 95%"

// settle reads the memory at rest, connections open.
func (r *pointRun) settle(ctx context.Context) error {
	if _, err := r.rest(ctx, "rest-RSS-bytes", "rest-heap-bytes", "rest-ns"); err != nil {
		return err
	}
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

// close ends the clients and the processes.
func (r *pointRun) close(ctx context.Context) error {
	if err := r.people.disconnect(); err != nil {
		return err
	}
	return r.stop(ctx)
}
