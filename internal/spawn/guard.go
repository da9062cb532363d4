package spawn

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// vigil reads the id of a group, then waits for the word that it is gone. The end of the input in place of
// that word means that the suite is dead, and then the group has to be.
const vigil = `trap '' HUP INT TERM
read -r group || exit 0
read -r word || kill -s KILL -- "-$group"`

// guard is a shell that outlives the suite by as long as it takes to kill one process group. It stands in
// a group of its own, out of reach of the signals a terminal or a CI runner sends to the suite's.
type guard struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func newGuard() (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", vigil)
	cmd.Env = []string{}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guardian (a POSIX shell is needed as /bin/sh): %w", err)
	}
	return &guard{cmd: cmd, in: in}, nil
}

// watch puts the group under guard.
func (g *guard) watch(group int) error {
	if _, err := fmt.Fprintln(g.in, group); err != nil {
		return fmt.Errorf("tell the guardian: %w", err)
	}
	return nil
}

// dismiss ends the guard, which must not kill anything any more: the group is gone.
func (g *guard) dismiss() error {
	_, told := io.WriteString(g.in, "gone\n")
	_ = g.in.Close()
	if err := g.cmd.Wait(); err != nil {
		return fmt.Errorf("dismiss the guardian: %w", errors.Join(told, err))
	}
	return nil
}
