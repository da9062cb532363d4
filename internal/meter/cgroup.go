package meter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// cgroup is the memory controller that binds a process. Its bounds are nil when nothing binds it.
type cgroup struct {
	version          int
	limit, available *int64
}

// cgroupFiles are the names of one version's files (Documentation/admin-guide/cgroup-v1/memory.rst and
// cgroup-v2.rst).
type cgroupFiles struct {
	limit, usage string
	cache        string // in memory.stat: what the kernel gives up before it refuses memory
}

var cgroupVersions = map[int]cgroupFiles{
	1: {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
	2: {"memory.max", "memory.current", "inactive_file"},
}

// readCgroup reads the memory cgroup of the calling process. The tree of /proc and /sys is looked for under
// root.
func readCgroup(root string) (cgroup, error) {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if errors.Is(err, fs.ErrNotExist) {
		return cgroup{}, nil // a kernel without cgroups
	}
	if err != nil {
		return cgroup{}, fmt.Errorf("read cgroup: %w", err)
	}
	mounts, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return cgroup{}, fmt.Errorf("read cgroup: %w", err)
	}
	place, ok := findMemoryCgroup(string(groups), string(mounts))
	if !ok {
		return cgroup{}, nil
	}
	g, err := place.read(root)
	if err != nil {
		return cgroup{}, fmt.Errorf("read cgroup: %w", err)
	}
	return g, nil
}

// cgroupPlace is a process's group: the folder where its hierarchy is mounted, and the path below it.
type cgroupPlace struct {
	version     int
	mount, path string
}

// findMemoryCgroup reads /proc/self/cgroup, lines of "id:controllers:path" (cgroups(7)), and looks up the
// mount. On a host with both versions the memory controller is in the first that names it.
func findMemoryCgroup(groups, mounts string) (cgroupPlace, bool) {
	var unified string
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), "memory") {
			return mountOf(mounts, 1, parts[2])
		}
		if parts[0] == "0" {
			unified = parts[2]
		}
	}
	if unified == "" {
		return cgroupPlace{}, false
	}
	return mountOf(mounts, 2, unified)
}

// mountOf finds the mount of the hierarchy in /proc/self/mountinfo (proc_pid_mountinfo(5)): fields 4 and 5
// are the root and the place of the mount, and behind a dash follow type, source and options. In a container
// the root of the mount may be the group itself, or one outside of what is visible.
func mountOf(mounts string, version int, group string) (cgroupPlace, bool) {
	for line := range strings.Lines(mounts) {
		left, right, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(left), strings.Fields(right)
		if len(where) < 5 || len(what) < 3 {
			continue
		}
		v1 := what[0] == "cgroup" && slices.Contains(strings.Split(what[2], ","), "memory")
		v2 := what[0] == "cgroup2"
		if (version == 1 && v1) || (version == 2 && v2) {
			return cgroupPlace{version: version, mount: where[4], path: below(where[3], group)}, true
		}
	}
	return cgroupPlace{}, false
}

// below returns group relative to the root of a mount; "" when it is the root or cannot be seen from there.
func below(root, group string) string {
	rel, err := filepath.Rel(root, group)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return ""
	}
	return rel
}

// read takes the tightest bounds of the group and of all above it.
func (p cgroupPlace) read(root string) (cgroup, error) {
	g := cgroup{version: p.version}
	mount := filepath.Join(root, p.mount)
	for dir := filepath.Join(mount, p.path); ; dir = filepath.Dir(dir) {
		limit, available, err := cgroupVersions[p.version].read(dir)
		if err != nil {
			return cgroup{}, err
		}
		g.limit, g.available = tighter(g.limit, limit), tighter(g.available, available)
		if dir == mount {
			return g, nil
		}
	}
}

// read returns the limit of one group and what is left of it, or nil if it has none. The root group of
// version 2 has no such files.
func (f cgroupFiles) read(dir string) (limit, available *int64, err error) {
	text, err := os.ReadFile(filepath.Join(dir, f.limit))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	bound, limited, err := parseLimit(string(text))
	if err != nil || !limited {
		return nil, nil, err
	}
	used, err := readNumber(filepath.Join(dir, f.usage))
	if err != nil {
		return nil, nil, err
	}
	cache, err := readCache(filepath.Join(dir, "memory.stat"), f.cache)
	if err != nil {
		return nil, nil, err
	}
	left := bound - used + cache
	return &bound, &left, nil
}

// parseLimit reads a limit. Version 2 writes "max" for none, version 1 the largest multiple of a page.
func parseLimit(text string) (limit int64, limited bool, err error) {
	text = strings.TrimSpace(text)
	if text == "max" {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("malformed limit: %w", err)
	}
	return n, n < 1<<60, nil
}

func readNumber(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// readCache returns the named line of a memory.stat file.
func readCache(path, name string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key == name {
			return strconv.ParseInt(value, 10, 64)
		}
	}
	return 0, fmt.Errorf("%s: no line %s", path, name)
}

// tighter returns the lesser of two bounds, of which either may be absent.
func tighter(a, b *int64) *int64 {
	if a == nil || (b != nil && *b < *a) {
		return b
	}
	return a
}
