package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// soakFifths is into how many parts the first load is divided, to hold the last against the first.
const soakFifths = 5

// soakRun is a soak while it goes on.
type soakRun struct {
	tb     testing.TB
	suite  *suite
	plan   scenarios.Soak
	gitlab *fakegitlab.Server
	vars   scenarios.Vars
	// processes serve the paths: one of them without TLS, and one with it if the subject has it.
	processes *population
	paths     []*soakPath
	without   []string

	started time.Time
	// moments are the readings so far, and rests what there was before and after the loads.
	moments []soakMoment
	rests   map[string]soakRest
	// stretches are what the fifths of the first load cost, and the second load.
	stretches []*loadTotal
	// broke is why the soak did not come to its end.
	broke error
	// unclean says how processes ended that did not end as told.
	unclean string
}

// Names of the moments at rest, as in the record.
const (
	restFresh  = "fresh"
	restOpened = "opened"
	restAfter  = "after"
	restAgain  = "again"
)

// soakRest is what the processes take while nothing is asked of them.
type soakRest struct {
	rss                              float64
	heap                             *int64
	descriptors, threads, goroutines int
	rested                           bool
}

// soak loads the subject on all its paths at once, and rules on what time does to it. What goes wrong meanwhile is held
// against the subject, and only what cannot be recorded is an error.
func (s *suite) soak(tb testing.TB, plan scenarios.Soak) (*ruling, error) {
	tb.Helper()
	r := &soakRun{tb: tb, suite: s, plan: plan, rests: make(map[string]soakRest)}
	r.gitlab = fakegitlab.New(fakegitlab.Options{Latency: s.gitlabLatency})
	tb.Cleanup(r.gitlab.Close)
	r.vars = standInVars(r.gitlab)
	if r.broke = r.start(); r.broke == nil {
		r.broke = r.run(tb.Context())
	}
	if r.broke != nil && r.processes != nil {
		r.broke = fmt.Errorf("%w%s", r.broke, r.processes.tails())
	}
	verdict := r.rule()
	return verdict, r.record(verdict)
}

// start starts the processes and prepares the paths.
func (r *soakRun) start() error {
	paths, without := scenarios.SoakPaths(r.suite.subject)
	r.without = without
	r.processes = &population{suite: r.suite, launch: launch{
		name: "soak", transport: scenarios.HTTP, surface: paths[0].Surface, vars: r.vars, cpus: r.suite.cpus.Subject,
	}}
	for i, p := range paths {
		in, err := r.processFor(p)
		if err != nil {
			return err
		}
		path, err := r.newSoakPath(p, in, r.gitlab.Token(i))
		if err != nil {
			return err
		}
		r.paths = append(r.paths, path)
	}
	return nil
}

// processFor is the process that serves a path, which is started if it is not there yet.
func (r *soakRun) processFor(p scenarios.SoakPath) (*instance, error) {
	overTLS := p.How == scenarios.OverTLS
	for _, in := range r.processes.instances {
		if (in.launch.tls != nil) == overTLS {
			return in, nil
		}
	}
	l := r.processes.launch
	if overTLS {
		made, err := newCertificate(r.tb)
		if err != nil {
			return nil, err
		}
		l.tls, l.vars = made, scenarios.Vars{"cert": made.cert, "key": made.key}
		for name, value := range r.vars {
			l.vars[name] = value
		}
	}
	in, err := r.suite.start(r.tb, l)
	if err != nil {
		return nil, err
	}
	r.processes.instances = append(r.processes.instances, in)
	return in, nil
}

// run goes through the phases: a rest, a call on each connection, a rest, a load in fifths, a rest, a load once more, and a
// rest.
func (r *soakRun) run(ctx context.Context) error {
	if err := r.rest(ctx, restFresh, 0); err != nil {
		return err
	}
	if err := r.phase(ctx, phaseOpen); err != nil {
		return err
	}
	if err := r.rest(ctx, restOpened, 0); err != nil {
		return err
	}
	r.started = time.Now()
	each := r.plan.Load / soakFifths
	if err := r.phase(ctx, phaseLoad, each, each, each, each, each); err != nil {
		return err
	}
	if err := r.rest(ctx, restAfter, r.plan.Load/coolDown); err != nil {
		return err
	}
	if err := r.phase(ctx, phaseAgain, r.plan.Again); err != nil {
		return err
	}
	if err := r.rest(ctx, restAgain, r.plan.Load/coolDown); err != nil {
		return err
	}
	return r.stop(ctx)
}

// phase connects all paths, loads them for some times one after another, reading meanwhile, and disconnects.
func (r *soakRun) phase(ctx context.Context, name string, times ...time.Duration) error {
	r.suite.doing.enter(r.processes.launch.name, name)
	for _, p := range r.paths {
		if err := p.connect(ctx); err != nil {
			return err
		}
	}
	ctx, watch := r.watch(ctx, name)
	var errs []error
	for _, d := range times {
		if err := r.stretch(ctx, d); err != nil {
			errs = append(errs, err)
			break
		}
	}
	if err := watch.stop(); err != nil {
		errs = []error{err} // it ended the load as well
	}
	for _, p := range r.paths {
		errs = append(errs, p.disconnect(ctx))
	}
	return errors.Join(errs...)
}

// stretch loads all paths for a time, and keeps what that cost.
func (r *soakRun) stretch(ctx context.Context, d time.Duration) error {
	begun := time.Now()
	w, err := startWatch(r.processes)
	if err != nil {
		return err
	}
	if err := r.loadAll(ctx, d); err != nil {
		return err
	}
	spent, err := w.stop()
	r.stretches = append(r.stretches, &loadTotal{wall: time.Since(begun), spent: spent})
	return err
}

// coolDown is the part of the load's time for which nothing is asked after a load before the processes are brought to rest, and
// longestWindow how long memory has to keep still then, within longestSettle.
const (
	coolDown      = 30
	longestWindow = 3 * time.Second
	longestSettle = 30 * time.Second
)

// rest brings the processes to rest, and reads what they then hold. Connections to GitLab that are kept for the next
// request are no leak: they are closed, as a GitLab does before long.
func (r *soakRun) rest(ctx context.Context, name string, cool time.Duration) error {
	r.suite.doing.enter(r.processes.launch.name, name+" at rest")
	r.gitlab.Disconnect()
	ctx, watch := r.watch(ctx, phaseRest)
	err := pause(ctx, cool)
	var at soakRest
	if err == nil {
		at, err = r.settle(ctx)
	}
	if err = errors.Join(watch.stop(), err); err == nil {
		r.rests[name] = at
	}
	return err
}

// length is about how long the soak takes.
func (r *soakRun) length() time.Duration {
	return (r.plan.Load + r.plan.Again + 2*(r.plan.Load/coolDown+longestSettle/2)).Round(time.Second)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle reads the processes at rest, summed.
func (r *soakRun) settle(ctx context.Context) (soakRest, error) {
	options := meter.SettleOptions{Window: min(longestWindow, r.plan.Load/10), Timeout: min(longestSettle, r.plan.Load/3)}
	at := soakRest{rested: true}
	settled, err := r.processes.settle(ctx, options)
	if err != nil {
		return at, err
	}
	for _, s := range settled {
		at.rss += float64(s.RSS)
		at.rested = at.rested && s.Rested
	}
	at.heap = liveHeap(settled)
	now, err := r.processes.read()
	if err != nil {
		return at, err
	}
	at.descriptors, at.threads = now.Descriptors, now.Threads
	at.goroutines, err = r.goroutines(ctx)
	return at, err
}

// goroutines counts those of all processes. It is -1 where they cannot be counted.
func (r *soakRun) goroutines(ctx context.Context) (int, error) {
	sum := 0
	for _, in := range r.processes.instances {
		if in.heap == nil {
			return -1, nil
		}
		n, err := in.heap.Goroutines(ctx)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// stop ends the processes.
func (r *soakRun) stop(ctx context.Context) error {
	exits, err := r.processes.stop(ctx)
	for _, exit := range exits {
		if !exit.Clean() {
			r.unclean = strings.TrimPrefix(r.unclean+", ended "+exit.String(), ", ")
		}
	}
	return err
}

// name is what the record calls the soak, or a part of it.
func (r *soakRun) name(kind record.Kind, parts ...string) string {
	return strings.Join(append([]string{string(kind), "subject=" + r.suite.subject.Name}, parts...), "/")
}

// say tells a person how far the soak is, in full.
func (r *soakRun) say(format string, args ...any) {
	if opts.gate {
		fmt.Fprintf(os.Stderr, "soak: "+format+"\n", args...)
	}
}
