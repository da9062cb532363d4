package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"

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
