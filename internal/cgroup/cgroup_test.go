package cgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func bytes64(n int64) *int64 { return &n }

// plant writes files under a new root.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

const (
	mountV1   = "30 23 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
	mountCPU  = "31 23 0:27 / /sys/fs/cgroup/cpu rw,relatime shared:10 - cgroup cgroup rw,cpu\nmalformed\n"
	mountV2   = "29 23 0:25 / /sys/fs/cgroup rw,relatime shared:8 - cgroup2 cgroup2 rw\n"
	mountSelf = "30 23 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	unlimited = "9223372036854771712\n"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	const v1, v2 = "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	for name, test := range map[string]struct {
		files            map[string]string
		version          int
		limit, available *int64
	}{
		"no cgroups": {files: map[string]string{}},
		"version 2, the parent is the tightest": {
			map[string]string{
				"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": mountV2,
				v2 + "a/memory.max": "1000\n", v2 + "a/memory.current": "600\n", v2 + "a/memory.stat": "anon 500\ninactive_file 50\n",
				v2 + "a/b/memory.max": "5000\n", v2 + "a/b/memory.current": "100\n", v2 + "a/b/memory.stat": "inactive_file 0\n",
			}, 2, bytes64(1000), bytes64(450),
		},
		"version 2, no limit": {
			map[string]string{
				"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mountV2, v2 + "a/memory.max": "max\n",
			}, 2, nil, nil,
		},
		"version 1 beside version 2": {
			map[string]string{
				"proc/self/cgroup":                "nonsense\n4:memory,hugetlb:/a\n1:cpu:/\n0::/\n",
				"proc/self/mountinfo":             mountV2 + mountCPU + mountV1,
				v1 + "a/memory.limit_in_bytes":    "2000\n",
				v1 + "a/memory.usage_in_bytes":    "700\n",
				v1 + "a/memory.stat":              "inactive_file 1\ntotal_inactive_file 200\n",
				v1 + "memory.limit_in_bytes":      unlimited,
				v2 + "memory.max":                 "1\n",
				v1 + "a/b/memory.limit_in_bytes":  "1\n",
				v1 + "other/memory.limit_in_byte": "1\n",
			}, 1, bytes64(2000), bytes64(1500),
		},
		"version 1 in a container that sees itself as the root": {
			map[string]string{
				"proc/self/cgroup": "4:memory:/docker/abc\n", "proc/self/mountinfo": mountSelf,
				v1 + "memory.limit_in_bytes": "2000\n", v1 + "memory.usage_in_bytes": "700\n",
				v1 + "memory.stat": "total_inactive_file 0\n",
			}, 1, bytes64(2000), bytes64(1300),
		},
		"not mounted": {
			files: map[string]string{"proc/self/cgroup": "4:memory:/\n", "proc/self/mountinfo": mountCPU},
		},
		"no hierarchy of memory": {
			files: map[string]string{"proc/self/cgroup": "1:cpu:/\n", "proc/self/mountinfo": mountCPU},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := own(plant(t, test.files))
			require.NoError(t, err)
			assert.Equal(t, test.version, g.Version())
			bounds, err := g.Bounds()
			require.NoError(t, err)
			assert.Equal(t, Bounds{test.limit, test.available}, bounds)
		})
	}
}

func TestBoundsFail(t *testing.T) {
	t.Parallel()
	base := map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2}
	const dir = "sys/fs/cgroup/memory."
	for name, files := range map[string]map[string]string{
		"a limit that is no number": {dir + "max": "much\n"},
		"no usage":                  {dir + "max": "1\n"},
		"no statistics":             {dir + "max": "1\n", dir + "current": "1\n"},
		"no line for the cache":     {dir + "max": "1\n", dir + "current": "1\n", dir + "stat": "anon 1\n"},
		"a folder for a limit":      {dir + "max/x": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := plant(t, base)
			for name, text := range files {
				path := filepath.Join(root, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			g, err := own(root)
			require.NoError(t, err)
			_, err = g.Bounds()
			assert.ErrorContains(t, err, "read the memory cgroup: ")
		})
	}
	_, err := own(plant(t, map[string]string{"proc/self/cgroup": "0::/\n"}))
	require.Error(t, err)
	_, err = own(plant(t, map[string]string{"proc/self/cgroup/x": ""}))
	assert.Error(t, err)
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{
		{"/", "/", ""}, {"/", "/a/b", "a/b"}, {"/a", "/a/b", "b"}, {"/a", "/a", ""}, {"/a/b", "/c", ""}, {"/..", "x", ""},
	} {
		assert.Equal(t, test[2], below(test[0], test[1]), test)
	}
}

func TestTighter(t *testing.T) {
	t.Parallel()
	one, two := bytes64(1), bytes64(2)
	assert.Nil(t, tighter(nil, nil))
	assert.Equal(t, one, tighter(one, nil))
	assert.Equal(t, one, tighter(nil, one))
	assert.Equal(t, one, tighter(one, two))
	assert.Equal(t, one, tighter(two, one))
}
