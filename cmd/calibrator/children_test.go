package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childrenOf are the ids of a process's children.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	var all []int
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	for _, thread := range threads { // a child is that of the thread that started it
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		require.NoError(t, err)
		for word := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(word)
			require.NoError(t, err)
			all = append(all, child)
		}
	}
	return all
}

func gone(pid int) bool { return syscall.Kill(pid, 0) != nil }

func TestChildren(t *testing.T) {
	const bytes, calls, d = 64 << 20, 5, 40 * time.Millisecond
	plain, _ := startHTTP(t, "-children=1")
	alone := status(t, childrenOf(t, plain.Process.Pid)[0], "VmRSS")

	p, addr := startHTTP(t, "-children=2", "-child-bytes=64MiB", "-child-cpu=40ms")
	kin := childrenOf(t, p.Process.Pid)
	require.Len(t, kin, 2)
	before := make(map[int]time.Duration)
	for _, pid := range kin {
		assert.InEpsilon(t, bytes, status(t, pid, "VmRSS")-alone, 0.05, "on top of what a child takes anyway")
		before[pid] = cpu(t, pid)
	}
	for range calls {
		a := post(t, addr, callMessage(1, `"echo":"hello"`))
		require.Contains(t, a.body, "hello")
	}
	for _, pid := range kin {
		// Each time, a child is woken and answers besides.
		assert.InEpsilon(t, float64(calls*d), float64(cpu(t, pid)-before[pid]), 0.02)
	}
	assert.Zero(t, p.term(t))
	for _, pid := range kin {
		assert.True(t, gone(pid), "the parent has waited for it")
	}
}

func TestChildrenDieWithTheirParent(t *testing.T) {
	p, _ := startHTTP(t, "-children=2", "-fault=deaf-to-sigterm")
	kin := childrenOf(t, p.Process.Pid)
	require.Len(t, kin, 2)
	require.NoError(t, p.Process.Kill())
	p.await(t)
	for _, pid := range kin {
		require.Eventually(t, func() bool { return gone(pid) || zombie(pid) }, longest, time.Millisecond)
	}
}

// zombie reports whether a process has ended, and whoever inherited it has not waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(rest, "Z")
}

func TestCallFailsWithoutItsChildren(t *testing.T) {
	p, addr := startHTTP(t, "-children=1")
	child := childrenOf(t, p.Process.Pid)[0]
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
	require.Eventually(t, func() bool { return zombie(child) }, longest, time.Millisecond)
	assert.Contains(t, post(t, addr, callMessage(1, "")).body, fmt.Sprintf("child %d: ", child))
	assert.Equal(t, statusFailed, p.term(t), "the child's end was not a clean one")
}
