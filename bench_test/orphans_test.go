package bench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoOrphans ends a measuring suite in every way it can end and looks for processes left behind.
func TestNoOrphans(t *testing.T) {
	s := requireSuite(t)
	for _, tt := range []struct {
		name, transport string
		end             syscall.Signal
	}{
		{"interrupt", "http", syscall.SIGINT},
		{"terminate", "http", syscall.SIGTERM},
		// What go test sends when a run of benchmarks has passed its -timeout.
		{"timeout", "http", syscall.SIGQUIT},
		{"kill", "http", syscall.SIGKILL},
		{"kill over stdio", "stdio", syscall.SIGKILL},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A binary of its own is how this run's children are told from all others.
			binary := filepath.Join(t.TempDir(), "subject")
			copyFile(t, s.build.path, binary)
			cmd := measuring(t, "Point/transport="+tt.transport+"/surface=dynamic/telemetry=off",
				"-binary="+binary, "-record="+filepath.Join(t.TempDir(), "record.txt"))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			require.NoError(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			require.Eventually(t, func() bool { return len(running(t, binary)) > 0 }, 20*time.Second, 10*time.Millisecond, "the suite starts its children")
			require.NoError(t, cmd.Process.Signal(tt.end))
			select {
			case err := <-ended:
				require.Error(t, err, "the suite was ended before it was done")
			case <-time.After(20 * time.Second):
				require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
				t.Fatal("the suite did not end")
			}
			assert.Eventually(t, func() bool { return len(running(t, binary)) == 0 }, 10*time.Second, 10*time.Millisecond,
				"left behind: %v\n%s", running(t, binary), &out)
		})
	}
}

// measuring is a run of this suite that measures what the pattern selects.
func measuring(t *testing.T, pattern string, flags ...string) *exec.Cmd {
	t.Helper()
	args := append([]string{"-test.run=^$", "-test.benchtime=1x", "-test.bench=" + pattern}, flags...)
	return exec.CommandContext(t.Context(), os.Args[0], args...)
}

// running lists the processes of a binary, by /proc/PID/exe (proc(5)).
func running(t *testing.T, binary string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(t, err)
	var pids []string
	for _, link := range links {
		// A process may end between the two looks at it.
		if exe, err := os.Readlink(link); err == nil && exe == binary {
			pids = append(pids, strings.Split(link, "/")[2])
		}
	}
	return pids
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o700))
}
