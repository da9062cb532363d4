// Package spawn starts one process, waits until it is ready, and stops it with everything it started.
//
// It owns what can go wrong around a child and must not reach a measurement: an environment that leaks in, a
// child that runs on the wrong CPUs, a pipe nobody drains, a start that fails half-way, a wrapper whose
// children stay behind, a suite that dies without a chance to clean up. It measures nothing but the moments
// of start, readiness and end, and knows nothing of what the child speaks.
//
// Three things keep a child from outliving its suite. It is the leader of a process group of its own, and
// [Process.Stop] ends the group. The kernel kills the child itself when the thread that forked it ends
// (PR_SET_PDEATHSIG, prctl(2)); that thread does nothing else until the child has ended. And a guardian, a
// shell outside the group, kills the group when it sees the suite's end of a pipe close, which the kernel
// does however the suite ends. A descendant that leaves the group (setsid(2)) is beyond all three.
package spawn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"mcpbench/internal/cgroup"
)

// Defaults for the fields of [Spec] left zero.
const (
	DefaultReadyTimeout = 30 * time.Second
	DefaultGrace        = 5 * time.Second
)

// Spec says what to start and how.
type Spec struct {
	// Name is the scenario the child belongs to; it begins every error.
	Name string
	// Path is the program, looked up in the suite's PATH when it has no slash; Args are its arguments
	// without the program's name.
	Path string
	Args []string
	// Env is the whole environment. Nothing is inherited that is not in it; see [Inherit].
	Env []string
	// Dir is the working directory; empty is the suite's.
	Dir string
	// CPUs the child may run on, in force before its first instruction so that a Go child's GOMAXPROCS
	// follows. Empty is the suite's own set.
	CPUs []int
	// Memory is the cgroup whose limit the child is held to from its first instruction; nil is the suite's own. It is
	// the caller's to remove once the process was stopped.
	Memory *cgroup.Limited
	// Listen is the host:port the child is told to listen on, if any. A port that is taken fails the start
	// before a probe can be answered by a stranger.
	Listen string
	// Stdio asks for pipes to the child's standard input and output. Without it the input is empty, and the
	// output is kept beside the standard error.
	Stdio bool
	// Ready decides when the child can be used; nil is as soon as it runs.
	Ready Probe
	// ReadyTimeout bounds Ready. Grace bounds each polite step of Stop. Zero is the default.
	ReadyTimeout, Grace time.Duration
}

// Inherit returns the NAME=value pairs of those of the named variables that the suite itself has.
func Inherit(names ...string) []string {
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Start starts the process s describes and waits until it is ready. When ctx ends before that, or anything
// else fails, all that was started is stopped again and the error is an [*Error]. Once Start has returned
// ctx has no hold on the process: it lives until [Process.Stop].
func Start(ctx context.Context, s Spec) (*Process, error) {
	p, err := begin(ctx, s)
	if err != nil {
		return nil, &Error{Name: s.Name, Phase: PhaseStart, Err: err}
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, p.abandon(PhaseReady, err)
	}
	return p, nil
}

// begin runs the child under its guardian, or leaves nothing behind.
func begin(ctx context.Context, s Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkFree(s.Listen); err != nil {
		return nil, err
	}
	g, err := newGuard()
	if err != nil {
		return nil, err
	}
	p, err := run(s.withDefaults())
	if err != nil {
		return nil, errors.Join(err, g.dismiss())
	}
	p.guard = g
	if err := g.watch(p.PID()); err != nil {
		return nil, p.abandon(PhaseStart, err)
	}
	return p, nil
}

func (s Spec) withDefaults() Spec {
	if s.ReadyTimeout == 0 {
		s.ReadyTimeout = DefaultReadyTimeout
	}
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	return s
}

// run makes the pipes and forks.
func run(s Spec) (*Process, error) {
	cmd := exec.Command(s.Path, s.Args...)
	cmd.Dir = s.Dir
	cmd.Env = append([]string{}, s.Env...) // nil would inherit everything
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	pipes, err := connect(cmd, s.Stdio)
	if err != nil {
		return nil, err
	}
	p := &Process{
		spec: s, cmd: cmd, pipes: pipes,
		exited: make(chan struct{}), rushed: make(chan struct{}),
	}
	p.rush = sync.OnceFunc(func() { close(p.rushed) })
	err = p.fork()
	pipes.closeChildEnds()
	if err != nil {
		pipes.closeOwnEnds()
		return nil, fmt.Errorf("run %s: %w", s.Path, err)
	}
	pipes.drain()
	return p, nil
}

// verdict is what a probe said, and how long after the fork.
type verdict struct {
	err   error
	after time.Duration
}

// awaitReady runs the probe until it says yes, the child ends, ctx ends or the time is up.
func (p *Process) awaitReady(ctx context.Context) error {
	if p.spec.Ready == nil {
		p.ready = time.Since(p.exec)
		return nil
	}
	limit := fmt.Errorf("%w within %v", ErrNotReady, p.spec.ReadyTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, p.spec.ReadyTimeout, limit)
	defer cancel()
	verdicts := make(chan verdict, 1)
	go func() {
		err := p.spec.Ready(ctx, p)
		verdicts <- verdict{err: err, after: time.Since(p.exec)}
	}()
	select {
	case v := <-verdicts:
		p.ready = v.after
		return p.judge(ctx, v.err)
	case <-p.exited:
		return ErrExited
	case <-ctx.Done():
		cancel()
		return notReady(ctx, awaitVerdict(verdicts))
	}
}

// judge turns what a probe answered into the reason of the failure, or nil. A probe that talks to the child
// may see it end before its end is known here, so after a failure that gets a moment.
func (p *Process) judge(ctx context.Context, err error) error {
	moment := time.Duration(0)
	if err != nil && ctx.Err() == nil {
		moment = afterthought
	}
	switch {
	case p.childGone(time.After(moment), nil):
		return ErrExited
	case err != nil && ctx.Err() != nil:
		return notReady(ctx, err)
	default:
		return err
	}
}

// afterthought is how long the second of two sides is waited for that learn of the same event.
const afterthought = 100 * time.Millisecond

// notReady joins why the wait was over with what the probe saw last.
func notReady(ctx context.Context, last error) error {
	if last == nil || errors.Is(last, ctx.Err()) {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), last)
}

// awaitVerdict gives a cancelled probe a moment to say what it last saw. One that is stuck in a read of
// the child's output returns when the child is stopped.
func awaitVerdict(verdicts <-chan verdict) error {
	select {
	case v := <-verdicts:
		return v.err
	case <-time.After(afterthought):
		return nil
	}
}

// abandon stops a process whose start failed and returns the whole story.
func (p *Process) abandon(phase Phase, cause error) error {
	if errors.Is(cause, ErrExited) {
		p.awaitDrained(drainWait) // the last lines may still be in the pipe
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nothing was asked of it yet, so there is nothing to finish
	exit, err := p.Stop(ctx)
	if errors.Is(cause, ErrExited) {
		cause = fmt.Errorf("%w: %v", cause, exit)
	}
	return &Error{Name: p.spec.Name, Phase: phase, Err: errors.Join(cause, err), Tail: p.Tail()}
}
