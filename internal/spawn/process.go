package spawn

import (
	"io"
	"os/exec"
	"sync"
	"time"
)

// Process is a child that is running or has run. Its methods may be called from any goroutine.
type Process struct {
	spec  Spec
	cmd   *exec.Cmd
	pipes *pipes
	guard *guard

	exec  time.Time
	ready time.Duration

	exited   chan struct{}
	exitedAt time.Time // valid once exited is closed

	rushed chan struct{}
	rush   func() // ends all polite waiting

	stopping sync.Once
	exit     Exit
	stopErr  error
}

// PID returns the process id, which is also the id of its group. It stays the child's until Stop returns,
// even when the child ended long before.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Name returns the scenario's name, as in the [Spec].
func (p *Process) Name() string { return p.spec.Name }

// Stdin returns the write end of the child's standard input, or nil without [Spec.Stdio].
func (p *Process) Stdin() io.WriteCloser {
	if p.pipes.stdin == nil {
		return nil
	}
	return p.pipes.stdin
}

// Stdout returns the read end of the child's standard output, or nil without [Spec.Stdio]. Somebody has to
// read it until its end: a child blocked on a full pipe does not end by itself.
func (p *Process) Stdout() io.Reader {
	if p.pipes.stdout == nil {
		return nil
	}
	return p.pipes.stdout
}

// Exec returns the moment before the process was forked.
func (p *Process) Exec() time.Time { return p.exec }

// ReadyAfter returns the time from Exec until the probe was satisfied.
func (p *Process) ReadyAfter() time.Duration { return p.ready }

// Exited is closed when the child itself has ended, asked or not.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Tail returns the last lines the child wrote to its standard error (and, without [Spec.Stdio], its
// standard output).
func (p *Process) Tail() string { return p.pipes.tail.String() }
