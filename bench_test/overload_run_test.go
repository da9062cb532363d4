package bench_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"mcpbench/fakegitlab"
	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// overloadRun is one variant of overload while it is tried.
type overloadRun struct {
	t      *testing.T
	suite  *suite
	plan   scenarios.Overload
	gitlab *fakegitlab.Server
	people *population
	call   *mcp.Request
	// without says which variants the subject does not offer.
	without string
	// latency is what GitLab takes but for during the overload.
	latency time.Duration

	busy, probes []*mcp.HTTPConn
	found        overloadFound
}

// Credentials of the stand-in.
const (
	busyCredential = iota
	probeCredential
	firstOfMany
)

// overloadFound is what was measured.
type overloadFound struct {
	// tried is what the bound came to while GitLab took the time asked for, if that was tried.
	tried *float64
	// begun is when the first phase that counts began.
	begun                 time.Time
	before, during, after overloadPhase
	probe, health         []heard
	readings              []meter.Reading
	silence               *silence
	// descriptors are the subject's before and after all phases, none of them of connections to GitLab.
	descriptorsBefore, descriptorsAfter int
	refusing                            *refusing
}

// overloadPhase is a load of the busy credential, or of many.
type overloadPhase struct {
	// From and to are the part in which the load was even: all connections had had an answer.
	from, to, ended time.Time
	heard           []heard
	spent           spending
	wall            time.Duration
	doubts          []string
	// others is how many requests reached GitLab that were none of a call.
	others int64
}

// longestOverload is how many times the time of its phases a variant may take, with longestRefusing besides: a subject
// that answers nothing any more is not waited for.
const longestOverload = 5

// tryOverload tries a variant on the subject of a suite. After an error what was found is not whole.
func tryOverload(t *testing.T, s *suite, plan scenarios.Overload) (*overloadRun, error) {
	t.Helper()
	r := &overloadRun{t: t, suite: s, plan: plan, latency: plan.Latency}
	if err := r.start(); err != nil {
		return r, err
	}
	longest := longestRefusing + longestOverload*(plan.Before+plan.Ramp+plan.During+plan.After)
	ctx, cancel := context.WithTimeoutCause(t.Context(), longest, fmt.Errorf("not over after %v", longest))
	defer cancel()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{{"connect", r.connect}, {"find a latency", r.size}, {"overload", r.overload}, {"refuse", r.refuse}} {
		s.doing.enter(r.people.launch.name, step.name)
		s.progress.enter(step.name)
		if err := step.do(ctx); err != nil {
			return r, fmt.Errorf("%s: %w%s", step.name, err, r.people.tails())
		}
	}
	return r, nil
}

// start starts the stand-in and the subject.
func (r *overloadRun) start() error {
	r.gitlab = fakegitlab.New(fakegitlab.Options{Latency: r.latency})
	r.t.Cleanup(r.gitlab.Close)
	surface := upstreamSurface(r.suite.subject)
	vars := standInVars(r.gitlab)
	vars["bound"] = fmt.Sprint(r.plan.Bound)
	vars["clients"] = fmt.Sprint(r.plan.Pool)
	built, err := buildRequests(r.suite.subject, r.suite.subject.Surfaces[surface], vars)
	if err != nil {
		return err
	}
	r.call = built[record.Call]
	r.people = &population{suite: r.suite, token: r.gitlab.Token, launch: launch{
		name: r.name(), transport: scenarios.HTTP, surface: surface,
		bounded: r.suite.subject.Bounded != nil, many: r.plan.Pool > 0, cpus: r.suite.cpus.Subject, vars: vars,
	}}
	return r.people.startIdle(r.t)
}

// upstreamSurface is the smallest surface whose read asks GitLab: a call that does not takes no time.
func upstreamSurface(s *scenarios.Subject) scenarios.Surface {
	for _, name := range s.SurfaceNames() {
		if s.Surfaces[name].Calls[scenarios.CallRead].Upstream > 0 {
			return name
		}
	}
	return s.SurfaceNames()[0]
}

// name is what the record calls the variant.
func (r *overloadRun) name() string { return "Overload/" + r.plan.Name(r.suite.subject.Name) }

func (r *overloadRun) instance() *instance { return r.people.instances[0] }

// connect opens the connections that call before and after the overload, of which each credential's first one is
// answered once.
func (r *overloadRun) connect(ctx context.Context) (err error) {
	if r.busy, err = r.dial(ctx, busyCredential, r.plan.Bound); err != nil {
		return err
	}
	if r.probes, err = r.dial(ctx, probeCredential, r.plan.Probes); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, fmt.Errorf("no answer within %v", answerWithin))
	defer cancel()
	_, err = load.Admit(ctx, r.workers([]*mcp.HTTPConn{r.busy[0], r.probes[0]}), 1)
	return err
}

// answerWithin is how long an answer is waited for while nothing is too much.
const answerWithin = 30 * time.Second

func (r *overloadRun) dial(ctx context.Context, credential, n int) ([]*mcp.HTTPConn, error) {
	first, err := r.instance().dial(ctx, r.gitlab.Token(credential))
	if err != nil {
		return nil, err
	}
	conns := []*mcp.HTTPConn{first}
	r.t.Cleanup(func() { assert.NoError(r.t, first.Close()) })
	for len(conns) < n {
		conn, err := first.Another(ctx)
		if err != nil {
			return nil, err
		}
		conns = append(conns, conn)
		r.t.Cleanup(func() { assert.NoError(r.t, conn.Close()) })
	}
	return conns, nil
}

func (r *overloadRun) workers(conns []*mcp.HTTPConn) []load.Worker {
	workers := make([]load.Worker, len(conns))
	for i, conn := range conns {
		workers[i] = load.Worker{Conn: conn, Requests: []*mcp.Request{r.call}}
	}
	return workers
}

// alone are as many connections of the busy credential as the bound.
func (r *overloadRun) alone() []load.Worker { return r.workers(r.busy) }

const (
	// sizing is how long a latency of GitLab is tried.
	sizing = 2 * time.Second
	// boundHolds is the part of its capacity that the bound must come to, and mostBusy the part of its processors
	// that the subject may need for that: refusals take some as well, and are not to be what slows calls down.
	boundHolds, mostBusy = 0.95, 0.5
)

// size doubles the time that GitLab takes until it is the bound that holds calls back, and not the processors.
func (r *overloadRun) size(ctx context.Context) error {
	for range r.plan.Doublings {
		p, err := r.phase(ctx, r.alone(), load.Options{Duration: sizing, Spread: r.latency}, 0)
		if err != nil {
			return err
		}
		rate := p.rate(mcp.OK)
		if r.found.tried == nil {
			r.found.tried = &rate
		}
		busy := p.spent.cpu.Seconds() / p.wall.Seconds() / float64(r.processors())
		if rate >= boundHolds*r.plan.Capacity(r.latency) && busy <= mostBusy {
			return nil
		}
		r.latency *= 2
		r.gitlab.SetLatency(r.latency)
	}
	return nil
}

// processors is how many the subject may use.
func (r *overloadRun) processors() int {
	if n := len(r.suite.cpus.Subject); n > 0 {
		return n
	}
	return runtime.NumCPU()
}

// readingsEvery is how often the subject is read.
const readingsEvery = 100 * time.Millisecond

// overload measures before, during and after, with a probe and a look at its health all the while.
func (r *overloadRun) overload(ctx context.Context) error {
	var err error
	if r.found.descriptorsBefore, err = r.descriptors(ctx); err != nil {
		return err
	}
	stopWatching, err := r.watch(ctx)
	if err != nil {
		return err
	}
	r.found.begun = time.Now()
	if err := errors.Join(r.phases(ctx), stopWatching()); err != nil {
		return err
	}
	r.found.descriptorsAfter, err = r.descriptors(ctx)
	return err
}

func (r *overloadRun) phases(ctx context.Context) (err error) {
	if r.found.before, err = r.calm(ctx, r.plan.Before); err != nil {
		return err
	}
	r.gitlab.SetLatency(r.latency * time.Duration(r.plan.Slower))
	if r.plan.Idle+r.plan.Trickling > 0 {
		address := net.JoinHostPort(loopback, r.instance().vars["port"])
		r.found.silence = keepSilent(address, r.plan.Idle, r.plan.Trickling, r.plan.Ramp)
	}
	err = r.crowded(ctx)
	if r.found.silence != nil {
		r.found.silence.stop()
	}
	r.gitlab.SetLatency(r.latency)
	if err != nil {
		return err
	}
	r.found.after, err = r.calm(ctx, r.plan.After)
	return err
}

// crowded is the phase of the overload. Who has come for it goes away at its end.
func (r *overloadRun) crowded(ctx context.Context) error {
	come, callers, err := r.crowd(ctx)
	if err != nil {
		return err
	}
	r.found.during, err = r.phase(ctx, r.workers(callers), load.Options{
		Duration: r.plan.Ramp + r.plan.During, Spread: r.plan.Ramp,
	}, r.plan.Pause)
	for _, conn := range come {
		err = errors.Join(err, conn.Close())
	}
	return err
}

// crowd connects who comes for the overload, and says who calls then. Connections are not opened sooner: the subject
// may end one that asks nothing.
func (r *overloadRun) crowd(ctx context.Context) (come, callers []*mcp.HTTPConn, err error) {
	if more := r.plan.Connections - len(r.busy); more > 0 {
		come, err = r.dial(ctx, busyCredential, more)
	}
	if r.plan.Credentials == 0 {
		return come, slices.Concat(r.busy, come), err
	}
	for i := range r.plan.Credentials {
		conns, err := r.dial(ctx, firstOfMany+i, 1)
		if err != nil {
			return nil, nil, err
		}
		come = append(come, conns...)
	}
	return come, come, nil
}

// calm is a phase in which no more is asked than is admitted.
func (r *overloadRun) calm(ctx context.Context, d time.Duration) (overloadPhase, error) {
	return r.phase(ctx, r.alone(), load.Options{Duration: d, Spread: r.latency}, 0)
}

// descriptors is how many the subject has open while nobody calls, once GitLab has closed its connections to it: those
// are as many as calls were ever in progress, and kept for the next ones.
func (r *overloadRun) descriptors(ctx context.Context) (int, error) {
	r.gitlab.Disconnect()
	last, same := -1, 0
	for begun := time.Now(); same < restingReadings && time.Since(begun) < longestFill; {
		reading, err := r.instance().tree.Read()
		if err != nil {
			return 0, err
		}
		same++
		if reading.Descriptors != last {
			last, same = reading.Descriptors, 0
		}
		if !wait(ctx, restingEvery) {
			return 0, context.Cause(ctx)
		}
	}
	return last, nil
}

// restingReadings is how many readings in a row have to agree before descriptors count as at rest.
const restingReadings = 4

// phase runs a closed loop and keeps every answer. A refused connection comes back when it was told to.
func (r *overloadRun) phase(ctx context.Context, workers []load.Worker, options load.Options, pause time.Duration) (overloadPhase, error) {
	var e ear
	options.After = e.listen(pause)
	others := r.others()
	w, err := startWatch(r.people)
	if err != nil {
		return overloadPhase{}, err
	}
	began := time.Now()
	p, err := load.Closed(ctx, workers, options)
	if err != nil {
		return overloadPhase{}, err
	}
	spent, err := w.stop()
	phase := overloadPhase{
		from: p.Steady.Start, to: p.Steady.End, ended: p.End, heard: e.heard(), spent: spent, wall: p.Elapsed(),
		others: r.others() - others,
	}
	if phase.from.IsZero() { // some had no answer
		phase.from, phase.to = began.Add(options.Spread), began.Add(options.Duration)
	}
	phase.doubts = disturbances(&loadTotal{wall: phase.wall, spent: spent}, r.suite)
	return phase, err
}

// disturbances are what others had a part in a phase with.
func disturbances(total *loadTotal, s *suite) []string {
	var doubts sheet
	certifySuite(&doubts, "", total, s.cpus)
	certifyHost(&doubts, "", total)
	return doubts.result.Certificate
}

// rate is how many calls a second came to an outcome while the load was even.
func (p *overloadPhase) rate(outcome mcp.Outcome) float64 {
	return float64(len(those(p.even(), outcome))) / p.to.Sub(p.from).Seconds()
}

// even is what was heard while the load was even.
func (p *overloadPhase) even() []heard { return during(p.heard, p.from, p.to) }

// watch has a credential that is not busy call, asks for the subject's health and reads it, until the returned
// function is called.
func (r *overloadRun) watch(ctx context.Context) (stop func() error, err error) {
	how := r.suite.subject.Transports[scenarios.HTTP]
	url, err := r.instance().vars.Expand(how.Ready)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var probe, health ear
	var both sync.WaitGroup
	both.Go(func() { watchHealth(ctx, url, &health) })
	both.Go(func() {
		// The end cuts what is in flight, which is known as cut.
		_, _ = load.Closed(ctx, r.workers(r.probes), load.Options{Duration: time.Hour, After: probe.listen(0)})
	})
	reading := readEvery(r.instance().tree, readingsEvery)
	return func() (err error) {
		cancel()
		both.Wait()
		r.found.probe, r.found.health = probe.heard(), health.heard()
		r.found.readings, err = reading.stop()
		return err
	}, nil
}

// upstream is how many requests to GitLab a call takes.
func (r *overloadRun) upstream() int {
	return r.suite.subject.Surfaces[r.people.launch.surface].Calls[scenarios.CallRead].Upstream
}

// others is how many requests reached GitLab so far that no call caused, whose ever it was, of which each asks the route
// once.
func (r *overloadRun) others() int64 {
	return r.gitlab.Total() - r.gitlab.Count(r.route())*int64(r.upstream())
}

// route is what the call asks of GitLab.
func (r *overloadRun) route() string {
	return r.suite.subject.Surfaces[r.people.launch.surface].Calls[scenarios.CallRead].Route
}
