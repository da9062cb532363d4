package spawn

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// How is what it took to end a process.
type How string

// The ways a process ends, from the best to the worst.
const (
	OnItsOwn    How = "on its own"             // before it was asked
	StdinClosed How = "after its input closed" // stdio only
	Terminated  How = "after SIGTERM"          // within the grace
	Killed      How = "killed after its grace" // or at once, when Stop's context had ended
)

// Exit is the end of a process.
type Exit struct {
	Code   int            // -1 when a signal ended it
	Signal syscall.Signal // 0 when none did
	How    How
	Took   time.Duration // from the request until the whole group was gone; 0 if it was gone already
	Strays int           // descendants left when the child was gone and the grace over
	CPU    time.Duration // of the child and the descendants it waited for, by getrusage(2)
}

// Clean reports whether the process ended as it should: when asked, unforced, with code 0, all of it.
func (e Exit) Clean() bool {
	return (e.How == StdinClosed || e.How == Terminated) && e.Code == 0 && e.Strays == 0
}

func (e Exit) String() string {
	status := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != 0 {
		status = fmt.Sprintf("signal %d (%v)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("%s, %s", status, e.How)
}

// Stop ends the process and everything in its group, and returns when nothing is left of it: it closes the
// child's input if it has one, and after the grace sends SIGTERM, and after the grace SIGKILL. The end of
// ctx is the end of all grace. (The context of a test or benchmark has ended by the time its Cleanup runs:
// there, use another.) Only the first call does this; every other waits for it and returns the same.
// The error is about what could not be done, an [*Error]; how the child ended is in Exit.
func (p *Process) Stop(ctx context.Context) (Exit, error) {
	release := context.AfterFunc(ctx, p.rush)
	defer release()
	if ctx.Err() != nil {
		p.rush()
	}
	p.stopping.Do(func() { p.exit, p.stopErr = p.stop() })
	return p.exit, p.stopErr
}

func (p *Process) stop() (Exit, error) {
	asked := time.Now()
	exit := Exit{}
	err := p.end(&exit)
	exit.Took = time.Since(asked)
	if exit.How == OnItsOwn {
		exit.Took = 0
	}
	err = errors.Join(err, p.reap(&exit), p.guard.dismiss())
	p.awaitDrained(drainWait)
	p.pipes.closeOwnEnds()
	if err != nil {
		return exit, &Error{Name: p.spec.Name, Phase: PhaseStop, Err: err, Tail: p.Tail()}
	}
	return exit, nil
}

// end asks ever less politely until the group is gone.
func (p *Process) end(exit *Exit) error {
	if exit.How = OnItsOwn; p.gone(0, exit) {
		return nil
	}
	if p.pipes.stdin != nil {
		_ = p.pipes.stdin.Close() // the caller may have closed it
		if exit.How = StdinClosed; p.gone(p.spec.Grace, exit) {
			return nil
		}
	}
	p.signal(syscall.SIGTERM)
	if exit.How = Terminated; p.gone(p.spec.Grace, exit) {
		return nil
	}
	p.signal(syscall.SIGKILL)
	if exit.How = Killed; p.gone(killWait, exit) {
		return nil
	}
	if _, err := groupMembers(p.PID()); err != nil {
		return fmt.Errorf("whether process group %d is gone after SIGKILL is not known: %w", p.PID(), err)
	}
	return fmt.Errorf("process group %d is still there %v after SIGKILL", p.PID(), killWait)
}

// killWait is how long the kernel may take to carry out a SIGKILL. It is not cut short by a context.
const killWait = 10 * time.Second

func (p *Process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.PID(), s) // ESRCH: it ended by itself meanwhile
}

// gone waits at most d for the child to end, and then for the rest of its group.
func (p *Process) gone(d time.Duration, exit *Exit) bool {
	rushed := p.rushed
	if exit.How == Killed {
		rushed = nil
	}
	limit := time.NewTimer(d)
	defer limit.Stop()
	if !p.childGone(limit.C, rushed) {
		return false
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		rest, err := groupMembers(p.PID())
		if len(rest) == 0 && err == nil {
			return true
		}
		select {
		case <-time.After(pause):
			continue
		case <-limit.C:
		case <-rushed:
		}
		exit.Strays = max(exit.Strays, len(rest))
		return false
	}
}

// childGone waits for the child itself to end, or for either of the others.
func (p *Process) childGone(limit <-chan time.Time, rushed <-chan struct{}) bool {
	select {
	case <-p.exited:
		return true
	default:
	}
	select {
	case <-p.exited:
		return true
	case <-limit:
	case <-rushed:
	}
	return false
}

// reap collects the child, once, after which its id is free.
func (p *Process) reap(exit *Exit) error {
	select {
	case <-p.exited:
	default:
		return nil // it survived SIGKILL; waiting would last as long as it does
	}
	err := p.cmd.Wait()
	if failure := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failure) {
		return fmt.Errorf("wait for the process: %w", err)
	}
	state := p.cmd.ProcessState
	exit.Code = state.ExitCode()
	exit.CPU = state.UserTime() + state.SystemTime()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return nil
}
