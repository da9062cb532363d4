package cgroup

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What takes a kernel is tested where children are started, in package spawn; here is what goes without one.

func TestLimitRefuses(t *testing.T) {
	t.Parallel()
	_, err := Group{}.Limit("child", 1)
	require.ErrorContains(t, err, "no memory cgroup that can be seen")

	dir := t.TempDir()
	_, err = Group{version: 1, mount: dir}.Limit("child", 1)
	require.ErrorContains(t, err, "memory.limit_in_bytes", "a folder in which the kernel makes no files is no group")
	assert.NoDirExists(t, filepath.Join(dir, "child"))

	require.NoError(t, os.Mkdir(filepath.Join(dir, "child"), 0o700))
	_, err = Group{version: 2, mount: dir}.Limit("child", 1)
	require.ErrorIs(t, err, os.ErrExist, "another's group is not taken over")
	assert.DirExists(t, filepath.Join(dir, "child"))
}

// made plants a group's files and returns the group as if it had been made.
func made(t *testing.T, version int, files map[string]string) *Limited {
	t.Helper()
	g := Group{version: version, mount: plant(t, files), path: "child"}
	handle, err := os.Open(g.dir())
	require.NoError(t, err)
	return &Limited{Group: g, parent: Group{version: version, mount: g.mount}, handle: handle}
}

func TestLimitedOfVersion2(t *testing.T) {
	t.Parallel()
	l := made(t, 2, map[string]string{
		"child/memory.events": "low 0\noom 3\noom_kill 2\n", "child/memory.peak": "4096\n",
		"child/memory.max": "max\n", "child/memory.swap.max": "max\n",
	})
	kills, err := l.Kills()
	require.NoError(t, err)
	assert.EqualValues(t, 2, kills)
	peak, err := l.Peak()
	require.NoError(t, err)
	assert.EqualValues(t, 4096, peak)

	attr := &syscall.SysProcAttr{}
	leave, err := l.Enter(attr)
	require.NoError(t, err)
	assert.True(t, attr.UseCgroupFD)
	assert.Equal(t, int(l.handle.Fd()), attr.CgroupFD)
	require.NoError(t, leave())
	require.Error(t, l.Remove(), "a folder with files of others is not removed")
}

func TestLimitedOfVersion1(t *testing.T) {
	t.Parallel()
	l := made(t, 1, map[string]string{"child/tasks": "", "child/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"})
	kills, err := l.Kills()
	require.NoError(t, err)
	assert.EqualValues(t, 1, kills)
	_, err = l.Peak()
	require.ErrorIs(t, err, os.ErrNotExist)

	attr := &syscall.SysProcAttr{}
	leave, err := l.Enter(attr)
	require.NoError(t, err)
	assert.False(t, attr.UseCgroupFD)
	assert.FileExists(t, filepath.Join(l.dir(), "tasks"))
	require.ErrorContains(t, leave(), "leave the memory cgroup", "the parent is gone, and the thread must not go back to work")

	require.NoError(t, os.Remove(filepath.Join(l.dir(), "tasks")))
	_, err = l.Enter(attr)
	require.ErrorContains(t, err, "enter the memory cgroup")
}
