package spawn

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// drainWait is how long the last output of an ended process may take to come through the pipe. It comes at
// once unless a descendant that left the group holds the other end.
const drainWait = 250 * time.Millisecond

// pipes are the suite's ends of a child's standard files, and the child's ends until it has them.
type pipes struct {
	stdin  *os.File // nil without stdio
	stdout *os.File // nil without stdio
	log    *os.File
	child  []*os.File

	tail    tail
	drained chan struct{}
}

// connect gives cmd its standard files.
func connect(cmd *exec.Cmd, stdio bool) (*pipes, error) {
	p := &pipes{drained: make(chan struct{})}
	if err := p.open(cmd, stdio); err != nil {
		p.closeChildEnds()
		p.closeOwnEnds()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	return p, nil
}

func (p *pipes) open(cmd *exec.Cmd, stdio bool) error {
	log, errs, err := os.Pipe()
	if err != nil {
		return err
	}
	p.log, p.child = log, append(p.child, errs)
	cmd.Stdout, cmd.Stderr = errs, errs
	if !stdio {
		return nil
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	p.stdin, p.child = stdin, append(p.child, in)
	stdout, out, err := os.Pipe()
	if err != nil {
		return err
	}
	p.stdout, p.child = stdout, append(p.child, out)
	cmd.Stdin, cmd.Stdout = in, out
	return nil
}

// drain reads the child's log to its end, whatever its rate, so that the child never blocks on it.
func (p *pipes) drain() {
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(&p.tail, p.log) // ends with the last writer, or when Stop closes the pipe
	}()
}

// closeChildEnds closes the ends the child has inherited, so that they close for good when it ends.
func (p *pipes) closeChildEnds() {
	for _, f := range p.child {
		_ = f.Close()
	}
	p.child = nil
}

// closeOwnEnds closes what is left. Standard input may have been closed before; that is no matter.
func (p *pipes) closeOwnEnds() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.log} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// awaitDrained waits until the log has come to its end, at most d.
func (p *Process) awaitDrained(d time.Duration) {
	select {
	case <-p.pipes.drained:
	case <-time.After(d):
	}
}
