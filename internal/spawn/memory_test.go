package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/cgroup"
)

// A child that takes less than its limit lives, and one that takes more is killed, alone.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	const limit = 512 << 20 // the race detector has its part
	group := limited(t, limit)
	s := spec("hog")
	s.Memory = group
	p := start(t, s)
	say := func(bytes int) {
		t.Helper()
		_, err := fmt.Fprintln(p.Stdin(), bytes)
		require.NoError(t, err)
	}
	say(64 << 20)
	assert.Equal(t, "1", line(t, p))
	assert.NotContains(t, threadsIn(t), filepath.Base(t.Name()), "no thread of the suite stays in the group")
	peak, err := group.Peak()
	require.NoError(t, err)
	assert.Greater(t, peak, int64(64<<20))
	kills, err := group.Kills()
	require.NoError(t, err)
	assert.Zero(t, kills)

	say(limit)
	select {
	case <-p.Exited():
	case <-time.After(30 * time.Second):
		t.Fatal("it took more than its limit and lives")
	}
	exit := stop(t, p)
	assert.Equal(t, OnItsOwn, exit.How)
	assert.Equal(t, syscall.SIGKILL, exit.Signal)
	kills, err = group.Kills()
	require.NoError(t, err)
	assert.EqualValues(t, 1, kills)
	peak, err = group.Peak()
	require.NoError(t, err)
	assert.InEpsilon(t, limit, peak, 0.01)
}

// limited makes a group for the test, if that can be done here.
func limited(t *testing.T, limit int64) *cgroup.Limited {
	t.Helper()
	own, err := cgroup.Own()
	require.NoError(t, err)
	group, err := own.Limit(fmt.Sprintf("%s-%d", t.Name(), os.Getpid()), limit)
	if err != nil {
		t.Skip("no memory cgroup can be made here: ", err)
	}
	t.Cleanup(func() { assert.NoError(t, group.Remove()) })
	return group
}

// threadsIn is the groups of all threads of this process.
func threadsIn(t *testing.T) string {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/cgroup")
	require.NoError(t, err)
	var all strings.Builder
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		if err == nil { // it may have ended meanwhile
			all.Write(data)
		}
	}
	return all.String()
}
