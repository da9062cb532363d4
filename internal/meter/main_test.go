package meter

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// childPath is the built testdata/child. It is built without -race, whose shadow memory is not to be measured.
var childPath string

func TestMain(m *testing.M) {
	os.Exit(runWithChild(m))
}

func runWithChild(m *testing.M) int {
	dir, err := os.MkdirTemp("", "meter")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	childPath = filepath.Join(dir, "child")
	build := exec.Command("go", "build", "-o", childPath, "./testdata/child")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the child: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// child is a running testdata/child.
type child struct {
	tb  testing.TB
	pid int
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startChild(tb testing.TB) *child {
	tb.Helper()
	cmd := exec.Command(childPath)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &child{tb: tb, pid: cmd.Process.Pid, cmd: cmd, in: in, out: bufio.NewReader(out)}
}

// tell gives a command and returns the answer.
func (c *child) tell(format string, args ...any) string {
	c.tb.Helper()
	_, err := fmt.Fprintf(c.in, format+"\n", args...)
	require.NoError(c.tb, err)
	answer, err := c.out.ReadString('\n')
	require.NoError(c.tb, err)
	require.NotContains(c.tb, answer, "error: ")
	return strings.TrimSpace(answer)
}

// number gives a command whose answer is a number.
func (c *child) number(command string) int64 {
	c.tb.Helper()
	n, err := strconv.ParseInt(c.tell("%s", command), 10, 64)
	require.NoError(c.tb, err)
	return n
}

// kill ends the child but leaves it unreaped.
func (c *child) kill() {
	c.tb.Helper()
	require.NoError(c.tb, c.cmd.Process.Kill())
	require.Eventually(c.tb, func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.pid))
		require.NoError(c.tb, err)
		s, err := parseStat(text)
		return err == nil && s.dead()
	}, eventually, tick)
}

func newTree(tb testing.TB, pid int) *Tree {
	tb.Helper()
	tree, err := NewTree(pid)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = tree.Close() })
	return tree
}

func read(tb testing.TB, tree *Tree) Reading {
	tb.Helper()
	r, err := tree.Read()
	require.NoError(tb, err)
	return r
}
