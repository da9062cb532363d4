package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Limited is a group made below another, for a child that may take no more memory than its limit. Its limit counts
// what the kernel charges to a group: pages of the process, and of files that it was the first to read.
type Limited struct {
	Group
	parent Group
	handle *os.File // the open folder, by which version 2 puts a child in at its fork
}

// Limit makes a group of that name below g, whose members may take so many bytes together and swap none of them. It
// takes the right to write to the hierarchy; in version 2 also that g hands the memory controller down, which the
// kernel lets no group do that has processes of its own, but for the root.
func (g Group) Limit(name string, limit int64) (*Limited, error) {
	if g.version == 0 {
		return nil, errors.New("limit memory: this process is in no memory cgroup that can be seen")
	}
	l := &Limited{Group: Group{g.version, g.mount, filepath.Join(g.path, name)}, parent: g}
	if err := l.make(limit); err != nil {
		return nil, fmt.Errorf("limit memory to %d bytes: %w", limit, err)
	}
	return l, nil
}

func (l *Limited) make(limit int64) error {
	if err := os.Mkdir(l.dir(), 0o755); err != nil {
		return err
	}
	err := l.write(versions[l.version].limit, strconv.FormatInt(limit, 10))
	if err == nil {
		err = l.write(versions[l.version].swap, "0")
	}
	if errors.Is(err, fs.ErrNotExist) && !l.has(versions[l.version].swap) && l.has(versions[l.version].limit) {
		err = nil // a kernel that does not count swap
	}
	if err == nil {
		l.handle, err = os.Open(l.dir())
	}
	if err != nil {
		return errors.Join(err, os.Remove(l.dir()))
	}
	return nil
}

func (l *Limited) has(file string) bool {
	_, err := os.Stat(filepath.Join(l.dir(), file))
	return err == nil
}

// write does not create what is not there: only the kernel makes files in a group.
func (g Group) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(g.dir(), file), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Enter has the child that is forked next with attr, by the calling thread, begin in the group, before its first
// instruction. The thread must be locked; leave puts it back. In version 1 a child inherits the group of the thread
// that forks it; in version 2 the kernel is told at the fork (clone3(2), CLONE_INTO_CGROUP).
func (l *Limited) Enter(attr *syscall.SysProcAttr) (leave func() error, err error) {
	if l.version == 2 {
		attr.UseCgroupFD, attr.CgroupFD = true, int(l.handle.Fd())
		return func() error { return nil }, nil
	}
	thread := strconv.Itoa(syscall.Gettid())
	members := versions[l.version].members
	if err := l.write(members, thread); err != nil {
		return nil, fmt.Errorf("enter the memory cgroup: %w", err)
	}
	return func() error {
		if err := l.parent.write(members, thread); err != nil {
			return fmt.Errorf("leave the memory cgroup: %w", err)
		}
		return nil
	}, nil
}

// Kills is how often the kernel killed a member because the group had no memory left.
func (l *Limited) Kills() (int64, error) {
	f := versions[l.version]
	return readLine(filepath.Join(l.dir(), f.events), f.oom)
}

// Peak is the most that was charged to the group at once, in bytes.
func (l *Limited) Peak() (int64, error) {
	return readNumber(filepath.Join(l.dir(), versions[l.version].peak))
}

// removeWait is how long a group may take to be empty after its last process was reaped.
const removeWait = 2 * time.Second

// Remove removes the group, which must have no members any more. What is still charged to it goes to its parent.
func (l *Limited) Remove() error {
	_ = l.handle.Close() // it was only read
	var err error
	for deadline := time.Now().Add(removeWait); ; time.Sleep(10 * time.Millisecond) {
		if err = os.Remove(l.dir()); err == nil || !errors.Is(err, syscall.EBUSY) || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("remove the memory cgroup: %w", err)
	}
	return nil
}
