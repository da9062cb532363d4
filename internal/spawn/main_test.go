package spawn

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// role makes the test binary play one of the children below.
const role = "MCPBENCH_TEST_ROLE"

func TestMain(m *testing.M) {
	if name := os.Getenv(role); name != "" {
		roles[name](os.Args[1:])
		quit(0)
	}
	code := m.Run()
	if left, err := Leftovers(); len(left) > 0 || err != nil {
		fmt.Fprintln(os.Stderr, "children left behind:", left, err)
		code = 1
	}
	os.Exit(code)
}

var roles = map[string]func(args []string){
	"echo": func([]string) {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			say(in.Text())
		}
	},
	"deaf": func([]string) {
		signal.Ignore(syscall.SIGTERM)
		say("deaf")
		time.Sleep(time.Hour)
	},
	"wait": func([]string) {
		say("waiting")
		time.Sleep(time.Hour)
	},
	"fail": func(args []string) {
		fmt.Fprintln(os.Stderr, strings.Join(args, "\n"))
		quit(3)
	},
	"flood": func([]string) {
		line := strings.Repeat("x", 1<<16)
		for range 512 { // 32 MiB without a newline
			_, _ = os.Stderr.WriteString(line)
		}
		fmt.Fprintln(os.Stderr, "\nlast words")
		say("flooded")
	},
	"facts": func([]string) {
		cpus, err := CPUs()
		say(fmt.Sprintln(runtime.GOMAXPROCS(0), FormatCPUs(cpus), err))
		say(strings.Join(os.Environ(), " "))
	},
	// Each line read is how many bytes more to take and hold.
	"hog": func([]string) {
		var held [][]byte
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			n, err := strconv.Atoi(in.Text())
			if err != nil {
				quit(2)
			}
			more := make([]byte, n)
			for i := 0; i < n; i += os.Getpagesize() {
				more[i] = 1
			}
			held = append(held, more)
			say(fmt.Sprint(len(held)))
		}
	},
	"serve":   serve,
	"wrapper": wrapper,
	"suite":   suite,
	"pin":     pin,
}

// quit ends a child without what a test binary does at its end: wait for the race detector, write coverage.
func quit(code int) { syscall.Exit(code) }

func say(s string) { _, _ = fmt.Fprintln(os.Stdout, strings.TrimSpace(s)) }

// serve listens on args[0] after args[1] and ends with code 0 on SIGTERM.
func serve(args []string) {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	delay, _ := time.ParseDuration(args[1])
	time.Sleep(delay)
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		quit(1)
	}
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // loopback
			if r.URL.Path != "/health" {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
	}()
	<-term
}

// wrapper starts a child of the role args[0], says its id, and ends with its own input, leaving the child.
func wrapper(args []string) {
	child := exec.Command(os.Args[0])
	child.Env = []string{role + "=" + args[0]}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		panic(err)
	}
	_, _ = bufio.NewReader(out).ReadString('\n') // it has set itself up
	say(strconv.Itoa(child.Process.Pid))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// suite starts two trees, says that it has, and ends in the way args[0] says without stopping them.
func suite(args []string) {
	for range 2 {
		p, err := Start(context.Background(), spec("wrapper", "deaf"))
		if err != nil {
			panic(err)
		}
		_, _ = bufio.NewReader(p.Stdout()).ReadString('\n')
	}
	say("started")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	switch args[0] {
	case "exit":
		os.Exit(2)
	case "panic":
		go panic("test timed out")
	}
	time.Sleep(time.Hour)
}

// pin confines itself to the CPUs args[0] and says what it then sees.
func pin(args []string) {
	cpus, _ := ParseCPUs(args[0])
	if err := PinSelf(cpus); err != nil {
		say(err.Error())
		return
	}
	now, _ := CPUs()
	_, marked := os.LookupEnv(pinned)
	say(fmt.Sprintln(os.Getpid(), runtime.GOMAXPROCS(0), FormatCPUs(now), marked, len(os.Args)))
}

// spec describes a child of the named role on stdio.
func spec(name string, args ...string) Spec {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		panic(err)
	}
	return Spec{
		Name: "test/" + name, Path: self, Args: args, Env: []string{role + "=" + name},
		Stdio: true, ReadyTimeout: 20 * time.Second, Grace: 20 * time.Second,
	}
}

// start starts s and fails the test if it is not stopped by its end.
func start(t *testing.T, s Spec) *Process {
	t.Helper()
	p, err := Start(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			t.Errorf("%s was never stopped", s.Name)
			_, err := p.Stop(context.Background())
			assert.NoError(t, err)
		}
	})
	return p
}

// stop stops p with all the grace it has.
func stop(t *testing.T, p *Process) Exit {
	t.Helper()
	exit, err := p.Stop(context.Background())
	require.NoError(t, err)
	return exit
}

// line reads what the child says next.
func line(t *testing.T, p *Process) string {
	t.Helper()
	var b strings.Builder
	for one := make([]byte, 1); ; {
		if _, err := p.Stdout().Read(one); err != nil || one[0] == '\n' {
			require.NoError(t, err)
			return b.String()
		}
		b.WriteByte(one[0])
	}
}

// requireGone waits until none of the processes is alive.
func requireGone(t *testing.T, pids ...int) {
	t.Helper()
	require.Eventually(t, func() bool {
		alive := 0
		err := eachProcess(func(pid int, s procStat) {
			for _, p := range pids {
				if p == pid && !s.dead() {
					alive++
				}
			}
		})
		return alive == 0 && err == nil
	}, 20*time.Second, 5*time.Millisecond, "still alive among %v", pids)
}

// descendants returns the ids of all processes below pid.
func descendants(pid int) []int {
	var below []int
	_ = eachProcess(func(child int, s procStat) {
		if s.parent == pid {
			below = append(append(below, child), descendants(child)...)
		}
	})
	return below
}
