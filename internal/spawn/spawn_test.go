package spawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartRunsUntilStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, spec("echo"))
	require.NoError(t, err)
	cancel() // Start's context has no hold on it any more
	for _, word := range []string{"one", "two"} {
		_, err := fmt.Fprintln(p.Stdin(), word)
		require.NoError(t, err)
		assert.Equal(t, word, line(t, p))
	}
	exit := stop(t, p)
	assert.True(t, exit.Clean(), exit)
	assert.Equal(t, StdinClosed, exit.How)
	assert.Positive(t, exit.CPU)
	assert.Positive(t, p.ReadyAfter())
	assert.Equal(t, "test/echo", p.Name())
	requireGone(t, p.PID())
}

func TestEnvironmentIsExactlyTheSpecs(t *testing.T) {
	t.Setenv("MCPBENCH_TEST_LEAK", "leaked")
	s := spec("facts")
	s.Env = append(s.Env, "A=1")
	p := start(t, s)
	line(t, p)
	assert.Equal(t, role+"=facts A=1", line(t, p))
	stop(t, p)
	assert.Equal(t, []string{"MCPBENCH_TEST_LEAK=leaked"}, Inherit("MCPBENCH_TEST_LEAK", "MCPBENCH_TEST_NONE"))
}

func TestHTTPReady(t *testing.T) {
	t.Parallel()
	ports, err := FreePorts("127.0.0.1", 1)
	require.NoError(t, err)
	addr := fmt.Sprintf("127.0.0.1:%d", ports[0])
	const delay = 150 * time.Millisecond
	s := spec("serve", addr, delay.String())
	s.Stdio, s.Listen, s.Ready = false, addr, HTTPReady("http://"+addr+"/health")
	p := start(t, s)
	assert.GreaterOrEqual(t, p.ReadyAfter(), delay)
	assert.Nil(t, p.Stdin())
	assert.Nil(t, p.Stdout())
	exit := stop(t, p)
	assert.True(t, exit.Clean(), exit)
	assert.Equal(t, Terminated, exit.How)
}

func TestPollStep(t *testing.T) {
	t.Parallel()
	for elapsed, want := range map[time.Duration]time.Duration{
		0:                      time.Millisecond,
		500 * time.Millisecond: time.Millisecond,
		2 * time.Second:        2 * time.Millisecond,
		time.Hour:              20 * time.Millisecond,
	} {
		assert.Equal(t, want, pollStep(elapsed), elapsed)
	}
}

// A failed start returns no process, says why, and leaves nothing behind (TestMain looks).
func TestFailedStart(t *testing.T) {
	t.Parallel()
	never := func(ctx context.Context, _ *Process) error { <-ctx.Done(); return ctx.Err() }
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	addr := taken.Addr().String()
	broken := errors.New("no such protocol")
	for name, test := range map[string]struct {
		spec  func(s *Spec)
		role  []string
		is    error
		phase Phase
		says  []string
	}{
		"exits at start": {
			role: []string{"fail", "bad flag", "usage: …"}, spec: func(s *Spec) { s.Ready = never },
			is: ErrExited, phase: PhaseReady, says: []string{"test/fail: await ready", "exit code 3", "    bad flag\n    usage: …"},
		},
		"exits at start, seen by the probe first": {
			role: []string{"fail", "bad flag"}, is: ErrExited, phase: PhaseReady,
			spec: func(s *Spec) {
				s.Ready = func(_ context.Context, p *Process) error {
					_, err := io.ReadFull(p.Stdout(), make([]byte, 1))
					return err
				}
			},
			says: []string{"exit code 3", "bad flag"},
		},
		"never ready": {
			role: []string{"wait"}, spec: func(s *Spec) { s.Ready, s.ReadyTimeout = never, 50*time.Millisecond },
			is: ErrNotReady, phase: PhaseReady, says: []string{"test/wait", "not ready within 50ms"},
		},
		"never ready and deaf, with a stuck probe": {
			role: []string{"deaf"}, is: ErrNotReady, phase: PhaseReady,
			spec: func(s *Spec) {
				s.ReadyTimeout = 50 * time.Millisecond
				s.Ready = func(_ context.Context, p *Process) error {
					_, err := io.Copy(io.Discard, p.Stdout())
					return err
				}
			},
			says: []string{"test/deaf"},
		},
		"ready in another protocol": {
			role: []string{"wait"}, is: broken, phase: PhaseReady, says: []string{"no such protocol"},
			spec: func(s *Spec) { s.Ready = func(context.Context, *Process) error { return broken } },
		},
		"no such program": {
			role: []string{"wait"}, spec: func(s *Spec) { s.Path = "/no/such/program" },
			is: os.ErrNotExist, phase: PhaseStart, says: []string{"/no/such/program"},
		},
		"no such CPU": {
			role: []string{"wait"}, spec: func(s *Spec) { s.CPUs = []int{0, 1023} },
			phase: PhaseStart, says: []string{"confine to CPUs 0,1023"},
		},
		"port taken": {
			role: []string{"serve", addr, "0s"}, spec: func(s *Spec) { s.Listen = addr },
			is: ErrPortUsed, phase: PhaseStart, says: []string{"something else listens on " + addr},
		},
		"port taken, seen by the child": {
			role: []string{"serve", addr, "0s"}, spec: func(s *Spec) { s.Ready = never },
			is: ErrExited, phase: PhaseReady, says: []string{"exit code 1", "address already in use"},
		},
		"not to be listened on": {
			role: []string{"wait"}, spec: func(s *Spec) { s.Listen = "127.0.0.1:http:" },
			phase: PhaseStart, says: []string{"cannot listen on"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(test.role[0], test.role[1:]...)
			test.spec(&s)
			p, err := Start(t.Context(), s)
			assert.Nil(t, p)
			failure := new(Error)
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, test.phase, failure.Phase)
			if test.is != nil {
				require.ErrorIs(t, err, test.is)
			}
			for _, words := range test.says {
				assert.Contains(t, err.Error(), words)
			}
		})
	}
}

func TestHTTPReadySaysWhatItSawLast(t *testing.T) {
	t.Parallel()
	ports, err := FreePorts("127.0.0.1", 1)
	require.NoError(t, err)
	addr := fmt.Sprintf("127.0.0.1:%d", ports[0])
	for path, want := range map[string]string{
		addr + "/busy":     "503 Service Unavailable",
		"127.0.0.1:1/none": "connection refused",
	} {
		s := spec("serve", addr, "0s")
		s.Ready, s.ReadyTimeout = HTTPReady("http://"+path), time.Second
		_, err := Start(t.Context(), s)
		require.ErrorIs(t, err, ErrNotReady)
		require.ErrorContains(t, err, want)
	}
	assert.Error(t, get(t.Context(), http.DefaultClient, "::"))
}

func TestCancelledStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var pid int
	s := spec("deaf")
	s.Ready = func(ctx context.Context, p *Process) error {
		pid = p.PID()
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	_, err := Start(ctx, s)
	require.ErrorIs(t, err, context.Canceled)
	requireGone(t, pid)
	_, err = Start(ctx, s)
	require.ErrorIs(t, err, context.Canceled)
}

// An affinity given to the child must be what its runtime sees, and must not stay on the suite's threads.
func TestCPUs(t *testing.T) {
	t.Parallel()
	all, err := CPUs()
	require.NoError(t, err)
	for _, want := range [][]int{all[:1], all[len(all)-1:], all} {
		s := spec("facts")
		s.CPUs = want
		p := start(t, s)
		assert.Equal(t, fmt.Sprint(len(want), FormatCPUs(want), " <nil>"), strings.Replace(line(t, p), " ", "", 1))
		stop(t, p)
	}
	statuses, err := filepath.Glob("/proc/self/task/*/status")
	require.NoError(t, err)
	for _, path := range statuses {
		text, err := os.ReadFile(path)
		if err == nil { // else the thread has ended
			assert.Contains(t, string(text), "\nCpus_allowed_list:\t"+FormatCPUs(all)+"\n")
		}
	}
}

// The parent-death signal follows a thread. The one that calls Start may end, locked as it is, and so may any
// that has served the fork before.
func TestChildOutlivesTheThreadOfItsStart(t *testing.T) {
	t.Parallel()
	type result struct {
		p      *Process
		err    error
		thread int
	}
	started := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		p, err := Start(context.Background(), spec("echo"))
		started <- result{p, err, syscall.Gettid()}
	}()
	r := <-started
	require.NoError(t, r.err)
	if r.thread != os.Getpid() { // the first thread is parked instead
		require.Eventually(t, func() bool {
			_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", r.thread))
			return errors.Is(err, os.ErrNotExist)
		}, 10*time.Second, time.Millisecond)
	}
	_, err := fmt.Fprintln(r.p.Stdin(), "alive")
	require.NoError(t, err)
	assert.Equal(t, "alive", line(t, r.p))
	assert.True(t, stop(t, r.p).Clean())
}
