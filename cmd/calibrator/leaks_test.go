package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestLeaks(t *testing.T) {
	p, addr := startHTTP(t, "-leak-descriptors=3")
	open := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
		require.NoError(t, err)
		return len(entries)
	}
	post(t, addr, callMessage(1, ""))
	before := open()
	for range 20 {
		post(t, addr, callMessage(1, ""))
	}
	assert.InDelta(t, 60, open()-before, 1, "the last connection may still be there")

	l := leaks{goroutines: 2}
	running := runtime.NumGoroutine()
	for range 10 {
		require.NoError(t, l.leak())
	}
	assert.Equal(t, 20, runtime.NumGoroutine()-running)
}

// TestNoMoreDescriptors has as many open as there may be.
func TestNoMoreDescriptors(t *testing.T) {
	p := start(t, "-leak-descriptors=100")
	p.say(t, message(1, "ping", ""))
	p.hear(t)
	require.NoError(t, unix.Prlimit(p.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 50, Max: 50}, nil))
	p.say(t, callMessage(1, ""))
	assert.Contains(t, p.hear(t), "leak a descriptor: "+syscall.EMFILE.Error())
}

// TestReadyGoroutines has many connections open at once, and looks at the heap when they are closed again.
func TestReadyGoroutines(t *testing.T) {
	const connections = 400
	left := func(args ...string) int64 {
		p, addr := startHTTP(t, append(args, "-pprof=127.0.0.1:0")...)
		profiles := p.said(t, `profiles at (\S+)\n`)
		before := liveHeap(t, profiles)
		var open []net.Conn
		for range connections {
			conn, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			open = append(open, conn)
			_, err = io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
			require.NoError(t, err)
			_, err = bufio.NewReader(conn).ReadString('\n')
			require.NoError(t, err)
		}
		for _, conn := range open {
			require.NoError(t, conn.Close())
		}
		require.Eventually(t, func() bool { return goroutines(t, profiles) < 20 }, longest, 10*time.Millisecond)
		return liveHeap(t, profiles) - before
	}
	without, with := left(), left("-goroutines=1000")
	t.Logf("%d bytes a connection without, %d with", without/connections, with/connections)
	assert.Greater(t, without, int64(connections*300))
	assert.InDelta(t, 0, with, connections*100)
}

// goroutines is how many a process has.
func goroutines(t *testing.T, profiles string) int {
	t.Helper()
	var n int
	_, err := fmt.Sscanf(get(t, "http://"+profiles+"/debug/pprof/goroutine?debug=1"), "goroutine profile: total %d", &n)
	require.NoError(t, err)
	return n
}
