package spawn

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStopEscalates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		role string
		want Exit
	}{
		"ends with its input": {"echo", Exit{How: StdinClosed}},
		"ends by SIGTERM":     {"wait", Exit{How: Terminated, Code: -1, Signal: syscall.SIGTERM}},
		"has to be killed":    {"deaf", Exit{How: Killed, Code: -1, Signal: syscall.SIGKILL}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(test.role)
			if test.want.How != StdinClosed {
				s.Grace = 300 * time.Millisecond
			}
			p := start(t, s)
			if test.role != "echo" {
				line(t, p) // its signal handling is in place
			}
			got := stop(t, p)
			assert.Positive(t, got.Took)
			got.Took, got.CPU = 0, 0
			assert.Equal(t, test.want, got)
		})
	}
}

func TestStopOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	p := start(t, spec("fail", "gone"))
	<-p.Exited()
	exit := stop(t, p)
	assert.Equal(t, OnItsOwn, exit.How)
	assert.Equal(t, 3, exit.Code)
	assert.Zero(t, exit.Took)
	assert.False(t, exit.Clean())
	assert.Equal(t, "exit code 3, on its own", exit.String())
	assert.Equal(t, "gone", p.Tail())
}

func TestStopWithEndedContextKillsAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, spec("deaf"))
	line(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	exit, err := p.Stop(ctx)
	require.NoError(t, err)
	assert.Equal(t, Killed, exit.How)
	assert.Equal(t, "signal 9 (killed), killed after its grace", exit.String())
}

// A second caller in a hurry cuts the first one's grace short, and both get the same answer.
func TestStopConcurrently(t *testing.T) {
	t.Parallel()
	s := spec("deaf")
	s.Grace = time.Hour
	p := start(t, s)
	line(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	exits := make([]Exit, 4)
	var all sync.WaitGroup
	for i := range exits {
		all.Go(func() {
			var err error
			exits[i], err = p.Stop(ctx)
			assert.NoError(t, err)
		})
	}
	cancel()
	all.Wait()
	for _, exit := range exits {
		assert.Equal(t, exits[0], exit)
	}
	assert.Equal(t, Killed, exits[0].How)
}

func TestStopReachesGrandchildren(t *testing.T) {
	t.Parallel()
	for grandchild, how := range map[string]How{"wait": Terminated, "deaf": Killed} {
		t.Run(grandchild, func(t *testing.T) {
			t.Parallel()
			s := spec("wrapper", grandchild)
			s.Grace = 300 * time.Millisecond
			p := start(t, s)
			pid, err := strconv.Atoi(line(t, p))
			require.NoError(t, err)
			exit := stop(t, p)
			assert.Equal(t, how, exit.How)
			assert.Equal(t, 1, exit.Strays)
			assert.False(t, exit.Clean())
			requireGone(t, p.PID(), pid)
		})
	}
}

// The wrapper ends by itself while what it started lives on.
func TestStopOfAnEndedWrapper(t *testing.T) {
	t.Parallel()
	p := start(t, spec("wrapper", "wait"))
	pid, err := strconv.Atoi(line(t, p))
	require.NoError(t, err)
	require.NoError(t, p.Stdin().Close())
	<-p.Exited()
	members, err := groupMembers(p.PID())
	require.NoError(t, err)
	assert.Equal(t, []int{pid}, members)
	assert.Equal(t, 1, func() int { p.spec.Grace = 300 * time.Millisecond; return stop(t, p).Strays }())
	requireGone(t, pid)
}

func TestFloodIsDrainedAndBounded(t *testing.T) {
	t.Parallel()
	p := start(t, spec("flood"))
	assert.Equal(t, "flooded", line(t, p)) // it was never blocked
	stop(t, p)
	assert.LessOrEqual(t, len(p.Tail()), tailBytes+len("…"))
	assert.True(t, strings.HasPrefix(p.Tail(), "…xxx"))
	assert.True(t, strings.HasSuffix(p.Tail(), "x\nlast words"))
}

// However the suite ends, nothing it started is left.
func TestNothingOutlivesTheSuite(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"exit", "panic", "SIGINT", "SIGKILL", "SIGKILL to the group"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			s := spec("suite", end)
			suite := exec.Command(s.Path, s.Args...)
			suite.Env = s.Env
			suite.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			in, err := suite.StdinPipe()
			require.NoError(t, err)
			out, err := suite.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, suite.Start())
			word, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "started\n", word)

			all := descendants(suite.Process.Pid)
			assert.Len(t, all, 6, "two wrappers, their children, two guardians")
			switch end {
			case "SIGINT":
				require.NoError(t, suite.Process.Signal(syscall.SIGINT))
			case "SIGKILL":
				require.NoError(t, suite.Process.Kill())
			case "SIGKILL to the group":
				require.NoError(t, syscall.Kill(-suite.Process.Pid, syscall.SIGKILL))
			default:
				_, err = io.WriteString(in, "\n")
				require.NoError(t, err)
			}
			require.Error(t, suite.Wait())
			requireGone(t, all...)
		})
	}
}
