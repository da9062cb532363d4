package spawn

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"mcpbench/internal/cgroup"
)

// fork starts the child and begins to wait for its end, both on one goroutine with a thread to itself.
//
// The thread matters twice. The child inherits the CPU set of the thread that forks it, so that set is
// narrowed for the fork and put back. And the kernel sends the parent-death signal when that thread ends,
// not when the process does (prctl(2)), while Go ends a thread whose goroutine returned locked. A thread
// borrowed from the pool could meet that fate in anybody's hands; one that is blocked in the wait for its
// own child cannot.
func (p *Process) fork() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		clean, err := p.forkOn(p.spec.CPUs)
		started <- err
		if err == nil {
			p.awaitExit()
		}
		if clean {
			runtime.UnlockOSThread()
		} // else the thread ends here, after its child
	}()
	return <-started
}

// forkOn forks with the calling thread narrowed to cpus, and reports whether the thread is as it was.
func (p *Process) forkOn(cpus []int) (clean bool, err error) {
	restore := func() error { return nil }
	if len(cpus) > 0 {
		if restore, err = confine(cpus); err != nil {
			return !errors.Is(err, errAffinity), err
		}
	}
	left, err := p.forkIn(p.spec.Memory)
	return restore() == nil && left, err
}

// forkIn forks with the calling thread in the group, and reports whether the thread has left it again.
func (p *Process) forkIn(group *cgroup.Limited) (left bool, err error) {
	leave := func() error { return nil }
	if group != nil {
		if leave, err = group.Enter(p.cmd.SysProcAttr); err != nil {
			return true, err
		}
	}
	p.exec = time.Now()
	err = p.cmd.Start()
	return leave() == nil, err
}

// awaitExit blocks until the child has ended but leaves it unreaped, which keeps its id from being given
// to a stranger before Stop has dealt with the group of that id (waitid(2), WNOWAIT).
func (p *Process) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.exitedAt = time.Now()
	close(p.exited)
}
