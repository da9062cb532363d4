package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	// childMark has the test binary be the program.
	childMark = "CALIBRATOR_IS_CHILD"
	token     = "glpat-0"
	// longest is how long a test waits for what should come at once.
	longest = 20 * time.Second
)

func TestMain(m *testing.M) {
	if os.Getenv(childMark) != "" {
		os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// process is the program, running.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *watched
	exited chan struct{}
}

// watched is written to by a process and read by a test.
type watched struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// start starts the program.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(self, args...), stderr: &watched{}, exited: make(chan struct{})}
	// The race detector would wait for a second at the end of each process.
	p.Env = []string{childMark + "=1", "GORACE=atexit_sleep_ms=0", "GITLAB_TOKEN=" + token}
	p.Stderr = p.stderr
	p.in, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		p.await(t)
		require.NotContains(t, p.stderr.String(), "DATA RACE")
	})
	return p
}

// await waits for the end of the process and returns its exit code.
func (p *process) await(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	default:
		late := time.AfterFunc(longest, func() { _ = p.Process.Kill() })
		_, _ = io.Copy(io.Discard, p.out)
		_ = p.Wait() // the exit code says it
		late.Stop()
		close(p.exited)
	}
	return p.ProcessState.ExitCode()
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo == 0
}

// said waits until stderr matches, and returns the first group.
func (p *process) said(t *testing.T, pattern string) string {
	t.Helper()
	var match []string
	require.Eventually(t, func() bool {
		match = regexp.MustCompile(pattern).FindStringSubmatch(p.stderr.String())
		return match != nil
	}, longest, time.Millisecond, "stderr does not match %s", pattern)
	return match[len(match)-1]
}

// startHTTP starts the program over HTTP and returns its address too.
func startHTTP(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(t, append([]string{"-http=127.0.0.1:0"}, args...)...)
	return p, p.said(t, `serves at (\S+)\n`)
}

// say sends a message over stdio.
func (p *process) say(t *testing.T, message string) {
	t.Helper()
	_, err := io.WriteString(p.in, message+"\n")
	require.NoError(t, err)
}

// hear reads the next line of standard output.
func (p *process) hear(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(t, err, p.stderr.String())
	return strings.TrimSuffix(line, "\n")
}

// term asks the process to end and returns its exit code.
func (p *process) term(t *testing.T) int {
	t.Helper()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	return p.await(t)
}

// cpu is the processor time that a process has used, its exited threads included: a clock's id is made of a
// process's id as clock_getcpuclockid(3) does.
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	var ts unix.Timespec
	require.NoError(t, unix.ClockGettime(int32(^pid<<3|2), &ts))
	return time.Duration(ts.Nano())
}

// status reads a field of /proc/PID/status that is in kB, as bytes.
func status(t *testing.T, pid int, field string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	match := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(text)
	require.NotNil(t, match, field)
	kB, err := strconv.ParseInt(string(match[1]), 10, 64)
	require.NoError(t, err)
	return kB << 10
}

// newTestServer is a server within the test's own process.
func newTestServer(t *testing.T, args ...string) *server {
	t.Helper()
	c, err := parse(args)
	require.NoError(t, err)
	a, err := newAlarm()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.close()) })
	s, err := newServer(c, streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, a)
	require.NoError(t, err)
	return s
}

// newTestHTTP serves a server of the test's own process over HTTP, and returns its address.
func newTestHTTP(t *testing.T, args ...string) (*server, string) {
	t.Helper()
	s := newTestServer(t, append([]string{"-http=unused"}, args...)...)
	web := httptest.NewServer(s.routes())
	t.Cleanup(web.Close)
	return s, web.Listener.Addr().String()
}

// message is a message of a client, as text.
func message(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
}

// callMessage is a tools/call with the given arguments.
func callMessage(id int, arguments string) string {
	return message(id, "tools/call", `"name":"calibrate","arguments":{`+arguments+`}`)
}

// answer is what came back over HTTP.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends a message, with headers as name and value in turn. The credential and the revision are those of
// the suite unless headers say otherwise; an empty value leaves one out. The connection is closed.
func post(t *testing.T, addr, text string, headers ...string) answer {
	t.Helper()
	a, err := tryPost(t, addr, text, headers...)
	require.NoError(t, err)
	return a
}

func tryPost(t *testing.T, addr, text string, headers ...string) (answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(text))
	if err != nil {
		return answer{}, err
	}
	r.Close = true
	r.Header.Set("Private-Token", token)
	r.Header.Set(versionHeader, stateless)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body)}, err
}

// get fetches a page.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	return string(body)
}
