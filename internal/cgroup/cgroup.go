// Package cgroup finds the memory cgroup that a process is in, reads what binds it, and makes one with a limit of its
// own for a child. It knows both versions of the kernel's interface (Documentation/admin-guide/cgroup-v1/memory.rst
// and cgroup-v2.rst).
//
// It starts nothing and judges nothing. Where the kernel or its owner does not let a group be made, that is an error
// and not a group without a limit.
package cgroup

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

// Bounds are what binds the members of a group: the tightest of the group's own and of all above it, in bytes.
// Either is nil where nothing binds.
type Bounds struct {
	Limit     *int64
	Available *int64 // what is left of the tightest, with what the kernel would give up first
}

// files are the names of one version's files.
type files struct {
	limit, usage string
	cache        string // in memory.stat: what the kernel gives up before it refuses memory
	peak         string
	members      string // threads in version 1, processes in version 2
	swap         string // how much may go to swap; version 1 has a tendency instead
	events, oom  string // where kills for want of memory are counted, and the line of it
}

var versions = map[int]files{
	1: {
		"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
		"memory.max_usage_in_bytes", "tasks", "memory.swappiness", "memory.oom_control", "oom_kill",
	},
	2: {
		"memory.max", "memory.current", "inactive_file",
		"memory.peak", "cgroup.procs", "memory.swap.max", "memory.events", "oom_kill",
	},
}

// Group is a memory cgroup.
type Group struct {
	version     int
	mount, path string // where its hierarchy is mounted, and its place below
}

// Version is that of the interface, 1 or 2; 0 for no group at all.
func (g Group) Version() int { return g.version }

func (g Group) dir() string { return filepath.Join(g.mount, g.path) }

// Own finds the memory cgroup of the calling process. On a kernel without cgroups, or where none can be seen, there is
// none, and that is no error: the Group is the zero one.
func Own() (Group, error) { return own("/") }

// own looks for the trees of /proc and /sys under root.
func own(root string) (Group, error) {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if errors.Is(err, fs.ErrNotExist) {
		return Group{}, nil // a kernel without cgroups
	}
	if err != nil {
		return Group{}, fmt.Errorf("find the memory cgroup: %w", err)
	}
	mounts, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return Group{}, fmt.Errorf("find the memory cgroup: %w", err)
	}
	g, ok := find(string(groups), string(mounts))
	if !ok {
		return Group{}, nil
	}
	g.mount = filepath.Join(root, g.mount)
	return g, nil
}

// find reads /proc/self/cgroup, lines of "id:controllers:path" (cgroups(7)), and looks up the
// mount. On a host with both versions the memory controller is in the first that names it.
func find(groups, mounts string) (Group, bool) {
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
		return Group{}, false
	}
	return mountOf(mounts, 2, unified)
}

// mountOf finds the mount of the hierarchy in /proc/self/mountinfo (proc_pid_mountinfo(5)): fields 4 and 5
// are the root and the place of the mount, and behind a dash follow type, source and options. In a container
// the root of the mount may be the group itself, or one outside of what is visible.
func mountOf(mounts string, version int, group string) (Group, bool) {
	for line := range strings.Lines(mounts) {
		left, right, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(left), strings.Fields(right)
		if len(where) < 5 || len(what) < 3 {
			continue
		}
		v1 := what[0] == "cgroup" && slices.Contains(strings.Split(what[2], ","), "memory")
		v2 := what[0] == "cgroup2"
		if (version == 1 && v1) || (version == 2 && v2) {
			return Group{version: version, mount: where[4], path: below(where[3], group)}, true
		}
	}
	return Group{}, false
}

// below returns group relative to the root of a mount; "" when it is the root or cannot be seen from there.
func below(root, group string) string {
	rel, err := filepath.Rel(root, group)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return ""
	}
	return rel
}

// Bounds reads what binds the group's members.
func (g Group) Bounds() (Bounds, error) {
	var b Bounds
	if g.version == 0 {
		return b, nil
	}
	for dir := g.dir(); ; dir = filepath.Dir(dir) {
		limit, available, err := versions[g.version].read(dir)
		if err != nil {
			return Bounds{}, fmt.Errorf("read the memory cgroup: %w", err)
		}
		b.Limit, b.Available = tighter(b.Limit, limit), tighter(b.Available, available)
		if dir == filepath.Clean(g.mount) {
			return b, nil
		}
	}
}

// read returns the limit of one group and what is left of it, or nil if it has none. The root group of
// version 2 has no such files.
func (f files) read(dir string) (limit, available *int64, err error) {
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
	cache, err := readLine(filepath.Join(dir, "memory.stat"), f.cache)
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

// readLine returns the number on the named line of a file.
func readLine(path, name string) (int64, error) {
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
