package bench_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// suiteRun is a run of the suite in a session of its own (setsid(2)), in which everything stays that it starts.
type suiteRun struct {
	cmd *exec.Cmd
	out spoken

	// err is how it ended, and took how long it took, or how long it went on after a signal. An endless one was killed.
	err     error
	took    time.Duration
	endless bool
}

// moment is when a signal comes to a run: some time after it said something.
type moment struct {
	signal syscall.Signal
	said   string
	after  time.Duration
}

// newSuiteRun prepares a run, under a limit of ulimit if one is given.
func newSuiteRun(cmd *exec.Cmd, limit string) *suiteRun {
	r := &suiteRun{cmd: cmd}
	if limit != "" {
		cmd.Path = "/bin/sh"
		cmd.Args = append([]string{"sh", "-c", "ulimit " + limit + ` && exec "$0" "$@"`}, cmd.Args...)
	}
	// Out of reach of the terminal's signals, it is to end with the test all the same.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Stdout, cmd.Stderr = &r.out, &r.out
	return r
}

// run runs the suite for so long at most, counted anew from a signal if one is sent. One that does not end is killed.
func (r *suiteRun) run(within time.Duration, m *moment) {
	if m != nil {
		r.out.waitFor(m.said)
	}
	begun := time.Now()
	if r.err = r.cmd.Start(); r.err != nil {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.err = r.cmd.Wait()
	}()
	if m != nil {
		r.signal(m, within, ended)
		begun = time.Now()
	}
	select {
	case <-ended:
	case <-time.After(within):
		r.endless = true
		_ = r.cmd.Process.Kill()
		<-ended
	}
	r.took = time.Since(begun)
}

// signal sends a signal at its moment. A run that ends before, or that never says what is waited for, is found out by
// how it ends.
func (r *suiteRun) signal(m *moment, within time.Duration, ended <-chan struct{}) {
	select {
	case <-r.out.said:
	case <-ended:
		return
	case <-time.After(within):
		return
	}
	select {
	case <-time.After(m.after):
		_ = r.cmd.Process.Signal(m.signal)
	case <-ended:
	}
}

// exit returns the code that the suite ended with, or -1 if a signal ended it.
func (r *suiteRun) exit(t *testing.T) int {
	t.Helper()
	if exit := (*exec.ExitError)(nil); errors.As(r.err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, r.err)
	return 0
}

// leftNothing looks for processes that outlive the run: those of its session, the guardians among them, and those of a
// binary, should they have left that.
func (r *suiteRun) leftNothing(t *testing.T, binary string) {
	t.Helper()
	left := func() []string { return append(inSession(t, r.cmd.Process.Pid), running(t, binary)...) }
	assert.Eventually(t, func() bool { return len(left()) == 0 }, 10*time.Second, 10*time.Millisecond, "left behind: %v", left())
}

// inSession lists the processes of a session that have not ended, by their names and numbers (proc_pid_stat(5)).
func inSession(t *testing.T, session int) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var found []string
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		i := bytes.LastIndex(stat, []byte(") "))
		require.Positive(t, i, "%s", stat)
		fields := strings.Fields(string(stat[i+2:]))
		const state, ofSession = 0, 3
		if fields[ofSession] == strconv.Itoa(session) && !strings.Contains("ZX", fields[state]) {
			found = append(found, string(stat[:i+1]))
		}
	}
	return found
}

// spoken keeps what a run says.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
	// said is closed once mark was said.
	mark string
	said chan struct{}
}

// waitFor has said closed once a text is said. It is called at most once, before anything is.
func (s *spoken) waitFor(text string) { s.mark, s.said = text, make(chan struct{}) }

// Write implements io.Writer.
func (s *spoken) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	if s.mark != "" && strings.Contains(s.text.String(), s.mark) {
		close(s.said)
		s.mark = ""
	}
	return len(b), nil
}

// String returns all that was said.
func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestInSession sees what outlives the leader of a session.
func TestInSession(t *testing.T) {
	r := newSuiteRun(exec.CommandContext(t.Context(), "/bin/sh", "-c", "sleep 60 >&- 2>&- & echo $!"), "")
	r.run(20*time.Second, nil)
	require.NoError(t, r.err)
	pid, err := strconv.Atoi(strings.TrimSpace(r.out.String()))
	require.NoError(t, err)
	assert.Equal(t, []string{strconv.Itoa(pid) + " (sleep)"}, inSession(t, r.cmd.Process.Pid))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	r.leftNothing(t, "/no/such/binary")
}
