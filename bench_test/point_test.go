package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/fakegitlab/otlp"
	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// BenchmarkPoint measures each point scenario: what the subject costs idle, with one client, with all
// of them, and while all of them call.
func BenchmarkPoint(b *testing.B) {
	for _, p := range scenarios.Points() {
		name := p.Name(bench.subject.Name)
		b.Run(name, func(b *testing.B) { bench.point(b, p, "Point/"+name) })
	}
}

// point measures one scenario and records what came of it.
func (s *suite) point(b *testing.B, p scenarios.Point, name string) {
	s.progress.begin(strings.TrimPrefix(name, "Point/subject="+s.subject.Name+"/"))
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	if err := p.Validate(s.subject); err != nil {
		b.Fatal(err)
	}
	run := newPointRun(b, s, p, name)
	if err := run.measure(b.Context()); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	for _, unit := range run.sheet.unmeasured() {
		b.Errorf("%s: %s was not measured, and nothing says why", name, unit)
	}
	if err := s.writer.Write(run.sheet.result); err != nil {
		b.Fatal(err)
	}
	run.sheet.report(b)
	if run.broken != nil {
		b.Fatalf("%s: %v", name, run.broken)
	}
	verdict = "ok"
	if doubts := run.sheet.result.Certificate; len(doubts) > 0 {
		verdict = "measured, but: " + strings.Join(doubts, "; ")
	}
}

// pointRun is one scenario while it is measured.
type pointRun struct {
	b      *testing.B
	suite  *suite
	point  scenarios.Point
	gitlab *fakegitlab.Server
	// receiver takes the subject's telemetry; nil where that is off.
	receiver *otlp.Receiver
	surface  *scenarios.SurfaceSpec
	requests requests
	people   *population
	sheet    *sheet
	// broken is why the scenario fails although it could be measured to its end.
	broken error
}

func newPointRun(b *testing.B, s *suite, p scenarios.Point, name string) *pointRun {
	b.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{Latency: s.gitlabLatency})
	b.Cleanup(gitlab.Close)
	vars := standInVars(gitlab)
	var receiver *otlp.Receiver
	if p.Telemetry {
		receiver = otlp.New(otlp.Options{Needles: []string{gitlab.Token(0)}})
		b.Cleanup(receiver.Close)
		vars["otlp"] = receiver.URL()
	}
	surface := s.subject.Surfaces[p.Surface]
	built, err := buildRequests(s.subject, surface, vars)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	config := s.config()
	config[record.KeyMethod] = pointMethod
	config[record.KeySettings] = fmt.Sprintf("gitlab-latency=%s clients=%d rounds-per-method=%d", s.gitlabLatency, p.Clients, p.Rounds)
	return &pointRun{
		b: b, suite: s, point: p, gitlab: gitlab, receiver: receiver, surface: surface, requests: built,
		sheet: newSheet(name, config, s.identity()),
		people: &population{suite: s, token: gitlab.Token, launch: launch{
			name: name, transport: p.Transport, surface: p.Surface, telemetry: p.Telemetry,
			cpus: s.cpus.subject, vars: vars,
		}},
	}
}

// pointMethod says in the record how the figures of a point scenario came about.
const pointMethod = "closed loop, one method at a time, all clients at once; " +
	"HDR histogram of 3 figures, nearest-rank percentiles, order-statistics intervals of 95%"

// standInVars are the placeholders that the GitLab stand-in gives values to.
func standInVars(gitlab *fakegitlab.Server) scenarios.Vars {
	project := gitlab.Project(0)
	return scenarios.Vars{
		"gitlab": gitlab.URL(), "gitlab_api": gitlab.APIURL(),
		"project_id": fmt.Sprint(project.ID), "project": project.Name,
	}
}

// measure goes through the phases of the scenario. Every reading belongs to one of them.
func (r *pointRun) measure(ctx context.Context) error {
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
	}{{"idle", r.idle}, {"admit", r.admit}, {"load", r.load}, {"settle", r.settle}, {"close", r.close}} {
		r.suite.progress.phase("%s", phase.name)
		if err := phase.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	return nil
}

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
		first, err := timed(ctx, r.people.clients[i], r.requests[record.List])
		if err != nil {
			return fmt.Errorf("client %d: %w", i, err)
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
	return r.warm(ctx)
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
	if r.point.Transport == scenarios.HTTP {
		// Later credentials find the surface built.
		firsts = firsts[:1]
	}
	r.sheet.set("first-list-ns", median(firsts))
}

// warmCalls is how many listings of one client the warm figure is the median of.
const warmCalls = 21

// warm times the listing of one client while nothing else runs.
func (r *pointRun) warm(ctx context.Context) error {
	list := r.requests[record.List]
	var took []float64
	for range warmCalls {
		d, err := timed(ctx, r.people.clients[0], list)
		if err != nil {
			return err
		}
		took = append(took, float64(d))
	}
	r.sheet.set("warm-list-ns", median(took))
	var reply mcp.Reply
	r.people.clients[0].Do(ctx, list, &reply)
	if err := failure(list, &reply); err != nil {
		return err
	}
	r.sheet.set("list-bytes", float64(reply.Bytes))
	r.sheet.set("tools", float64(reply.Tools))
	return nil
}

// load makes all clients call at once, one method after the other.
func (r *pointRun) load(ctx context.Context) error {
	if err := r.people.resetPeak(); err != nil {
		return err
	}
	var total loadTotal
	for _, method := range record.Methods() {
		if r.requests[method] == nil {
			r.sheet.absent("the surface has no such call", methodUnits(method)...)
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
	wall, cpu, suite       time.Duration
	calls, refused, failed int64
	steal                  time.Duration
}

func (t *loadTotal) write(r *pointRun) {
	r.sheet.set("loaded-cpu-cores", t.cpu.Seconds()/t.wall.Seconds())
	r.sheet.set("cpu-ns/call", float64(t.cpu)/float64(t.calls))
	r.sheet.set("suite-cpu-cores", t.suite.Seconds()/t.wall.Seconds())
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
	t.cpu += spent.cpu
	t.suite += spent.suite
	t.steal += spent.steal
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

// settle reads the memory at rest, connections open.
func (r *pointRun) settle(ctx context.Context) error {
	settled, err := r.people.settle(ctx)
	if err != nil {
		return err
	}
	r.settledAll(settled)
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

// settledAll sums what came to rest.
func (r *pointRun) settledAll(settled []meter.Settled) {
	var heap, rss int64
	var took time.Duration
	for _, s := range settled {
		rss += s.RSS
		took = max(took, s.Took)
		if !s.Rested {
			r.sheet.doubt("the resident set did not come to rest")
		}
		if s.Heap == nil || s.Heap.Live == nil {
			r.sheet.absent(noHeap, "rest-heap-bytes")
			continue
		}
		heap += *s.Heap.Live
	}
	r.sheet.set("rest-RSS-bytes", float64(rss))
	r.sheet.set("rest-ns", float64(took))
	if heap > 0 {
		r.sheet.set("rest-heap-bytes", float64(heap))
	}
}

// noHeap is why figures of the heap are absent.
const noHeap = "the subject offers no way to read its heap"

// close ends the clients and the processes. One that does not end cleanly fails the scenario.
func (r *pointRun) close(ctx context.Context) error {
	exits, err := r.people.close(ctx)
	if err != nil {
		return err
	}
	var slowest time.Duration
	for _, exit := range exits {
		slowest = max(slowest, exit.Took)
		if !exit.Clean() {
			r.sheet.doubt("the process ended %s", exit)
			r.broken = fmt.Errorf("the process ended %s", exit)
		}
	}
	r.sheet.set("exit-ns", float64(slowest))
	if unknown := r.gitlab.Unknown(); len(unknown) > 0 {
		r.broken = fmt.Errorf("the stand-in was asked for routes it does not know: %s", strings.Join(unknown, ", "))
	}
	r.checkTelemetry()
	return nil
}

// checkTelemetry makes sure that telemetry which was on was really paid for, and gave no token away.
func (r *pointRun) checkTelemetry() {
	if r.receiver == nil {
		return
	}
	switch refused, err := r.receiver.Failures(); {
	case refused > 0:
		r.broken = fmt.Errorf("the receiver refused %d exports: %w", refused, err)
	case len(r.receiver.Spans()) == 0 || len(r.receiver.Points()) == 0:
		r.broken = fmt.Errorf("telemetry was on and brought %d kinds of spans and %d of metrics", len(r.receiver.Spans()), len(r.receiver.Points()))
	case len(r.receiver.Found()) > 0:
		r.broken = fmt.Errorf("telemetry gives a token away: %v", r.receiver.Found())
	}
}
