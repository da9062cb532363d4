package bench_test

import (
	"context"
	"fmt"
	"testing"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// endpointMethod says in the record how the figures of a cheap endpoint came about.
const endpointMethod = "closed loop, every connection asks again as soon as it was answered"

// probe measures one cheap endpoint.
func (s *suite) probe(b *testing.B, name string, p scenarios.Probe) {
	b.Helper()
	l := launch{name: name, transport: scenarios.HTTP, surface: p.Surface, clients: 1}
	if p.Page != nil {
		l.clients = 0
	}
	settings := fmt.Sprintf("connections=%d load=%s", scenarios.EndpointConnections, sizingLoad())
	s.sizing(b, l, endpointMethod, settings, func(t *trial) []phase {
		r := &endpointRun{trial: t, probe: p}
		return []phase{{"start", t.started}, {"admit", r.admit}, {"load", r.load}, {"close", t.left}}
	})
}

// endpointRun is a measurement of a cheap endpoint.
type endpointRun struct {
	*trial
	probe   scenarios.Probe
	request *mcp.Request
}

// admit opens the connections. A page is asked for without a credential.
func (r *endpointRun) admit(ctx context.Context) error {
	in := r.people.instances[0]
	if r.probe.Page == nil {
		var err error
		r.request, err = mcp.NewRequest(mcp.Spec{Label: r.probe.Endpoint, Method: r.probe.Method, Version: in.version()})
		if err != nil {
			return err
		}
		return r.connect(ctx, scenarios.EndpointConnections)
	}
	r.request = mcp.NewGet(r.probe.Endpoint, in.version(), r.probe.Page.Contains)
	url, err := in.vars.Expand(r.probe.Page.URL)
	if err != nil {
		return err
	}
	for range scenarios.EndpointConnections {
		conn, err := mcp.DialHTTP(ctx, mcp.HTTPConfig{URL: url, Version: in.version()})
		if err != nil {
			return err
		}
		r.people.clients = append(r.people.clients, conn)
	}
	return nil
}

// load has all connections ask at once.
func (r *endpointRun) load(ctx context.Context) error {
	d := sizingLoad()
	l, err := r.watched(func() (*load.Phase, error) {
		return load.Closed(ctx, r.people.workers(r.request), load.Options{Duration: d, Spread: spreadOf(d), Drain: r.suite.guards.patience()})
	})
	if err != nil {
		return err
	}
	r.sheet.set("calls", float64(l.phase.Calls()))
	perSecond, ok := l.phase.Steady.PerSecond()
	if !ok || perSecond == 0 {
		return fmt.Errorf("%s: no call ended in time", r.probe.Endpoint)
	}
	r.sheet.set("calls/s", perSecond)
	total := l.total()
	total.figures(r.trial)
	r.sheet.result.Identity[record.KeyLimit] = limitOf(total, r.suite.cpus)
	if r.suite.cpus.Sharing == spawn.SameCPU {
		r.sheet.doubt("suite and subject share CPU %v", r.suite.cpus.Suite)
	}
	certifyHost(r.sheet, "", total)
	return nil
}

// limitOf says what kept a load from more calls: whoever used most of its processors. Where it was the suite, the
// calls a second are what the server answers at least.
func limitOf(t *loadTotal, cpus spawn.Split) string {
	share := func(spent float64, of []int) float64 { return spent / t.wall.Seconds() / float64(max(1, len(of))) }
	suite, subject := share(t.spent.suite.Seconds(), cpus.Suite), share(t.spent.cpu.Seconds(), cpus.Subject)
	shares := fmt.Sprintf("the server used %.0f%% of its processors and the suite %.0f%%", 100*subject, 100*suite)
	switch {
	case suite > suiteLimit && suite >= subject:
		return record.LimitSuite + ": " + shares
	case subject > suiteLimit:
		return record.LimitServer + ": " + shares
	default:
		return record.LimitNone + ": " + shares
	}
}
