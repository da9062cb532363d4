package meter

import (
	"math"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a process that has ended is asked for is absent, not zero, whether it was waited for or not.
func TestEndedProcess(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	tree := newTree(t, c.pid)
	c.kill()
	requireEnded := func() {
		_, err := tree.Read()
		require.ErrorIs(t, err, ErrEnded)
		_, err = tree.Peak()
		require.ErrorIs(t, err, ErrEnded)
		_, err = tree.Breakdown()
		require.ErrorIs(t, err, ErrEnded)
		_, err = NewTree(c.pid)
		require.ErrorIs(t, err, ErrEnded)
	}
	requireEnded()
	require.Error(t, c.cmd.Wait())
	requireEnded()
	require.ErrorIs(t, tree.ResetPeak(), ErrEnded)
	require.NoError(t, tree.Close())
	requireEnded()
	_, err := NewTree(math.MaxInt32)
	require.ErrorIs(t, err, ErrEnded)
}

// A descendant whose parent has ended belongs to the tree still.
func TestOrphanStaysInTheTree(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	middle := int(c.number("child"))
	c.tell("tell child")
	tree := newTree(t, c.pid)
	require.Equal(t, 3, read(t, tree).Processes)
	require.NoError(t, syscall.Kill(middle, syscall.SIGSTOP)) // so that its own child sees no end of input
	orphan := tree.procs[2].pid
	require.NoError(t, syscall.Kill(orphan, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(orphan, syscall.SIGKILL) })
	require.NoError(t, syscall.Kill(middle, syscall.SIGKILL))
	require.Eventually(t, func() bool { return read(t, tree).Processes == 2 }, eventually, tick)
	assert.Equal(t, orphan, tree.procs[len(tree.procs)-1].pid)
}

func TestSelf(t *testing.T) {
	t.Parallel()
	before, err := SelfCPU()
	require.NoError(t, err)
	rss, err := SelfRSS()
	require.NoError(t, err)
	peak, err := SelfPeak()
	require.NoError(t, err)
	after, err := SelfCPU()
	require.NoError(t, err)
	assert.Greater(t, after, before)
	assert.Positive(t, rss)
	assert.Positive(t, peak)
}

func TestDescriptors(t *testing.T) {
	t.Parallel()
	n, err := descriptors(os.Getpid())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, n, 3)
	_, err = descriptors(math.MaxInt32)
	assert.True(t, ended(err), err)
}
