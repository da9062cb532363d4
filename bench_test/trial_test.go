package bench_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/fakegitlab/otlp"
	"mcpbench/internal/load"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// trial is one result while it is measured: the stand-ins, the subject's processes and their clients, and
// the sheet that fills up.
type trial struct {
	b      *testing.B
	suite  *suite
	gitlab *fakegitlab.Server
	// receiver takes the subject's telemetry; nil where that is off.
	receiver *otlp.Receiver
	surface  *scenarios.SurfaceSpec
	requests requests
	// read is the call that record.Call stands for.
	read *scenarios.Call
	// readmits says that the subject may let go of credentials and ask GitLab about them again, and readmitted how
	// often it did.
	readmits   bool
	readmitted int64
	people     *population
	sheet      *sheet
	// loads counts the loads that ran, and outcomes what became of their calls.
	loads    int
	outcomes outcomes
	// broken is why the trial fails although it could be measured to its end.
	broken error
	// phase is the name of the one that runs, and over whether one ended the trial early.
	phase string
	over  bool
}

// phase is a part of a trial's time. Every reading belongs to exactly one.
type phase struct {
	name string
	run  func(context.Context) error
}

// newTrial prepares what a trial needs and starts nothing of the subject yet. The launch's name is the full
// name of the result.
func newTrial(b *testing.B, s *suite, l launch, method, settings string) *trial {
	b.Helper()
	// What the trial before left behind is not to be this one's.
	debug.FreeOSMemory()
	gitlab := fakegitlab.New(fakegitlab.Options{Latency: s.latencyFor(l), Download: l.download})
	b.Cleanup(gitlab.Close)
	s.gitlabFault.arm(gitlab)
	t := &trial{b: b, suite: s, gitlab: gitlab, surface: s.subject.Surfaces[l.surface]}
	t.read = t.surface.Calls[scenarios.CallRead]
	vars := standInVars(gitlab)
	for name, value := range l.vars {
		vars[name] = value
	}
	if l.telemetry {
		t.receiver = otlp.New(otlp.Options{Needles: tokens(gitlab, l.clients)})
		b.Cleanup(t.receiver.Close)
		vars["otlp"] = t.receiver.URL()
	}
	var err error
	if t.requests, err = buildRequests(s.subject, t.surface, vars); err != nil {
		b.Fatalf("%s: %v", l.name, err)
	}
	l.vars, l.cpus = vars, s.cpus.Subject
	t.people = &population{suite: s, token: gitlab.Token, launch: l}
	// A trial that ended early has left its connections open.
	b.Cleanup(func() { _ = t.people.disconnect() })
	config := s.config()
	config[record.KeyMethod] = method
	config[record.KeySettings] = s.settingsFor(l, settings)
	t.sheet = newSheet(l.name, config, s.identity())
	return t
}

// tokens are those that the clients of a trial use.
func tokens(gitlab *fakegitlab.Server, clients int) []string {
	all := make([]string, clients)
	for i := range all {
		all[i] = gitlab.Token(i)
	}
	return all
}

// standInVars are the placeholders that the GitLab stand-in gives values to.
func standInVars(gitlab *fakegitlab.Server) scenarios.Vars {
	project := gitlab.Project(0)
	return scenarios.Vars{
		"gitlab": gitlab.URL(), "gitlab_api": gitlab.APIURL(),
		"project_id": fmt.Sprint(project.ID), "project": project.Name, "download": fmt.Sprint(gitlab.DownloadBytes()),
	}
}

// run goes through the phases, records what came of them, and fails the benchmark if anything was not as it
// must be. It returns the verdict in words.
func (t *trial) run(phases []phase) string {
	if err := t.through(phases); err != nil {
		t.b.Fatal(err)
	}
	name := t.sheet.result.Name
	for _, unit := range t.sheet.unmeasured() {
		t.b.Errorf("%s: %s was not measured, and nothing says why", name, unit)
	}
	if err := t.suite.keep(t.sheet.result); err != nil {
		t.b.Fatalf("%s: record: %v", name, err)
	}
	t.sheet.report(t.b)
	if t.broken != nil {
		t.b.Fatalf("%s: %v%s", name, t.broken, t.people.tails())
	}
	if doubts := t.sheet.result.Certificate; len(doubts) > 0 {
		return "measured, but: " + strings.Join(doubts, "; ")
	}
	return "ok"
}

// enter says which phase begins.
func (t *trial) enter(phase string) {
	t.phase = phase
	t.suite.doing.enter(t.sheet.result.Name, phase)
	t.suite.progress.enter(phase)
}

// through goes through phases, unless one before them ended the trial early, which is no error.
func (t *trial) through(phases []phase) error {
	defer t.suite.doing.enter("", "")
	for _, p := range phases {
		if t.over {
			return nil
		}
		t.enter(p.name)
		err := p.run(t.b.Context())
		if early := new(earlyEnd); errors.As(err, &early) {
			t.endEarly(p.name, early)
			continue
		}
		if err != nil {
			// Its connections are descriptors, which may be what was short, and to end the processes takes some.
			_ = t.people.disconnect()
			return fmt.Errorf("%s: %s: %w%s", t.sheet.result.Name, p.name, err, t.people.tails())
		}
	}
	return nil
}

// earlyEnd ends a trial early without failing it: what it has measured is recorded.
type earlyEnd struct {
	kind stopKind
	why  string
}

// endedEarly is how the record tells a step that was ended from one that the next may not follow.
const endedEarly = "ended early: "

func (e *earlyEnd) Error() string { return endedEarly + e.why }

// outcomes counts calls that did not end as they should have.
type outcomes struct{ refused, failed, cut int64 }

// count adds what became of a load's calls, whoever ended it.
func (t *trial) count(p *load.Phase) {
	t.loads++
	t.outcomes.refused += p.Refused()
	t.outcomes.failed += p.Failed()
	t.outcomes.cut += p.Cut
}

// writeOutcomes adds to the sheet what became of the calls of all loads.
func (t *trial) writeOutcomes() {
	for _, o := range []struct {
		unit string
		n    int64
	}{{"refused-calls", t.outcomes.refused}, {"failed-calls", t.outcomes.failed}, {"cut-calls", t.outcomes.cut}} {
		switch {
		case !t.sheet.wants(o.unit):
		case t.loads == 0:
			t.sheet.absent("no load ran", o.unit)
		default:
			t.sheet.set(o.unit, float64(o.n))
		}
	}
}

// endEarly marks everything that was not measured as absent, and tells what the processes said last.
func (t *trial) endEarly(phase string, early *earlyEnd) {
	t.over = true
	t.sheet.doubt("%s: %v", phase, early)
	t.sheet.result.Stop = early.kind.because("%s: %v", phase, early)
	t.suite.progress.tell("bench_test: %s: %s: %v%s", t.sheet.result.Name, phase, early, t.people.tails())
	t.writeOutcomes()
	t.sheet.absent("the step was ended early", t.sheet.unmeasured()...)
}

// fail makes the trial fail once it is over: what it has measured is recorded, marked.
func (t *trial) fail(format string, args ...any) {
	err := fmt.Errorf(t.phase+": "+format, args...)
	t.sheet.doubt("%v", err)
	t.broken = errors.Join(t.broken, err)
}

// checkOutcomes makes calls that failed or were refused fail the trial.
func (t *trial) checkOutcomes(method record.Method, m *load.Method) {
	if m.Failed > 0 || m.Refused > 0 {
		t.fail("%s: %d calls failed and %d were refused: %s", method, m.Failed, m.Refused, countedReasons(m.Reasons))
	}
}

// checkUpstream compares the requests that reached the stand-in with what the calls must have caused.
func (t *trial) checkUpstream(reads, requests int64) {
	want := reads * int64(t.read.Upstream)
	if t.readmits {
		t.readmitted += requests - want
	}
	if requests != want && (!t.readmits || requests < want) {
		t.fail("%d requests reached GitLab where %d reads must cause %d", requests, reads, want)
	}
}

// connected reads what is best read with every client connected and no call in flight.
func (t *trial) connected(ctx context.Context) error {
	reading, err := t.people.read()
	if err != nil {
		return err
	}
	t.sheet.set("threads", float64(reading.Threads))
	t.sheet.set("descriptors", float64(reading.Descriptors))
	heap := t.people.instances[0].heap
	if heap == nil {
		t.sheet.absent(noHeap, "goroutines")
		return nil
	}
	goroutines, err := heap.Goroutines(ctx)
	t.sheet.set("goroutines", float64(goroutines))
	return err
}

// noHeap is why figures of the heap are absent.
const noHeap = "the subject offers no way to read its heap"

// rest waits until memory has come to rest and sums it over the processes, under metrics of the given names.
func (t *trial) rest(ctx context.Context, rssUnit, heapUnit, tookUnit string) ([]meter.Settled, error) {
	settled, err := t.people.settle(ctx, restOptions())
	if err != nil {
		return nil, err
	}
	var rss int64
	var took time.Duration
	for _, s := range settled {
		rss += s.RSS
		took = max(took, s.Took)
		if !s.Rested {
			t.sheet.doubt("the resident set did not come to rest")
		}
	}
	t.sheet.set(rssUnit, float64(rss))
	t.sheet.set(tookUnit, float64(took))
	t.sheet.optional(heapUnit, liveHeap(settled), noHeap)
	return settled, nil
}

// liveHeap sums the live heaps of all processes, or is nil if one is missing: a part is not the whole.
func liveHeap(settled []meter.Settled) *int64 {
	var sum int64
	for _, s := range settled {
		if s.Heap == nil || s.Heap.Live == nil {
			return nil
		}
		sum += *s.Heap.Live
	}
	return &sum
}

// stop ends the processes. One that does not end cleanly fails the trial.
func (t *trial) stop(ctx context.Context) error {
	exits, err := t.people.stop(ctx)
	if err != nil {
		return err
	}
	var slowest time.Duration
	for _, exit := range exits {
		slowest = max(slowest, exit.Took)
		if !exit.Clean() {
			t.fail("the process ended %s", exit)
		}
	}
	t.sheet.set("exit-ns", float64(slowest))
	t.writeOutcomes()
	t.checkConnections()
	t.checkSecrets()
	if unknown := t.gitlab.Unknown(); len(unknown) > 0 {
		t.fail("the stand-in was asked for routes it does not know: %s", strings.Join(unknown, ", "))
	}
	t.checkTelemetry()
	return nil
}

// checkConnections makes lost connections known: a call that was sent again on a new one looks like any other.
func (t *trial) checkConnections() {
	if t.people.launch.transport == scenarios.Stdio {
		t.sheet.absent("a process on stdio has no connections to lose", "reconnects")
		return
	}
	t.sheet.set("reconnects", float64(t.people.reconnects))
	if n := t.people.reconnects; n > 0 {
		t.sheet.doubt("the server closed %d connections that were in use, and a call had to open them again", n)
	}
}

// checkSecrets looks for the clients' tokens in what the processes said.
func (t *trial) checkSecrets() {
	for _, in := range t.people.instances {
		said := in.process.Tail()
		for _, token := range tokens(t.gitlab, t.people.launch.clients) {
			if strings.Contains(said, token) {
				t.fail("process %d tells a token in its output", in.process.PID())
			}
		}
	}
}

// checkAdmission compares the requests that reached GitLab while clients were admitted with what the subject file
// says that admission causes.
func (t *trial) checkAdmission() {
	each := t.suite.subject.Transports[t.people.launch.transport].AdmissionRequests
	if got, want := t.gitlab.Total(), int64(each*t.people.launch.clients); got != want {
		t.fail("admission caused %d requests to GitLab where %d clients must cause %d", got, t.people.launch.clients, want)
	}
}

// checkTelemetry makes sure that telemetry which was on was really paid for, and gave no token away.
func (t *trial) checkTelemetry() {
	if t.receiver == nil {
		return
	}
	if refused, err := t.receiver.Failures(); refused > 0 {
		t.fail("the receiver refused %d exports: %w", refused, err)
	}
	if spans, points := len(t.receiver.Spans()), len(t.receiver.Points()); spans == 0 || points == 0 {
		t.fail("telemetry was on and brought %d kinds of spans and %d of metrics", spans, points)
	}
	if found := t.receiver.Found(); len(found) > 0 {
		t.fail("telemetry gives a token away: %v", found)
	}
}
