package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// child is a process of its own that holds memory and works when it is told to.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser

	mu sync.Mutex
}

// family are the children.
type family []*child

// startFamily starts n children and returns when each holds its memory.
func startFamily(n int, bytes size, cpu time.Duration) (family, error) {
	var f family
	for range n {
		c, err := startChild(bytes, cpu)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start a child: %w", err), f.end())
		}
		f = append(f, c)
	}
	return f, nil
}

func startChild(bytes size, cpu time.Duration) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-as-child", "-child-bytes="+bytes.String(), "-child-cpu="+cpu.String())
	cmd.Stderr = os.Stderr
	c := &child{cmd: cmd}
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.hear(); err != nil {
		return nil, errors.Join(err, c.in.Close(), cmd.Wait())
	}
	return c, nil
}

// hear waits for the byte by which a child says that it is done.
func (c *child) hear() error {
	var b [1]byte
	if _, err := io.ReadFull(c.out, b[:]); err != nil {
		return fmt.Errorf("child %d: %w", c.cmd.Process.Pid, err)
	}
	return nil
}

// work has the child do its work once. Work for several callers is done one after another.
func (c *child) work() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.in.Write([]byte{1}); err != nil {
		return fmt.Errorf("child %d: %w", c.cmd.Process.Pid, err)
	}
	return c.hear()
}

// work has every child do its work once, all at the same time.
func (f family) work() error {
	if len(f) == 0 {
		return nil
	}
	errs := make([]error, len(f))
	var wg sync.WaitGroup
	for i, c := range f {
		wg.Go(func() { errs[i] = c.work() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// end tells the children to end and waits until they have.
func (f family) end() error {
	var errs []error
	for _, c := range f {
		errs = append(errs, c.in.Close())
	}
	for _, c := range f {
		errs = append(errs, c.cmd.Wait())
	}
	return errors.Join(errs...)
}

// beChild holds memory, and burns processor time for each byte that comes in, which it answers with one. It ends
// when its input does, which also happens when the parent dies.
func beChild(c *config, s streams) error {
	// Who tells a whole group to end tells children too, which end when their parent does.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	if c.childBytes > 0 {
		if _, err := resident(c.childBytes); err != nil {
			return err
		}
	}
	heat, err := newBurner()
	if err != nil {
		return err
	}
	// The first byte that goes out says that the memory is held.
	for b := make([]byte, 1); ; heat.burn(c.childCPU) {
		if _, err := s.out.Write(b); err != nil {
			return err
		}
		if _, err := io.ReadFull(s.in, b); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
