package spawn

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
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
		err := p.forkOn(p.spec.CPUs)
		started <- err
		if err == nil {
			p.awaitExit()
		}
		// Still locked when the set could not be put back: the thread then ends, after its child.
		if !errors.Is(err, errAffinity) {
			runtime.UnlockOSThread()
		}
	}()
	return <-started
}

// forkOn forks with the calling thread narrowed to cpus.
func (p *Process) forkOn(cpus []int) error {
	if len(cpus) == 0 {
		p.exec = time.Now()
		return p.cmd.Start()
	}
	restore, err := confine(cpus)
	if err != nil {
		return err
	}
	p.exec = time.Now()
	err = p.cmd.Start()
	if back := restore(); back != nil {
		return errors.Join(err, back, p.discard(err == nil))
	}
	return err
}

// discard kills a child that must not live on after a failed fork.
func (p *Process) discard(started bool) error {
	if !started {
		return nil
	}
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = p.cmd.Wait() // says "signal: killed"
	return nil
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
