package spawn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// groupMembers returns the live processes of a group. It looks into /proc rather than asking kill(2), for
// which the unreaped, such as the leader that Stop holds on to, are still members. With an error there may be more
// of them.
func groupMembers(group int) ([]int, error) {
	var members []int
	err := eachProcess(func(pid int, s procStat) {
		if s.group == group && !s.dead() {
			members = append(members, pid)
		}
	})
	return members, err
}

// Leftovers returns the ids of all children the calling process has, ended but never waited for included.
// A suite that has stopped everything it started has none; a suite checks that before it exits. With an error, which
// a want of descriptors can cause, there may be more of them.
func Leftovers() ([]int, error) {
	var children []int
	err := eachProcess(func(pid int, s procStat) {
		if s.parent == os.Getpid() {
			children = append(children, pid)
		}
	})
	return children, err
}

// procStat is the part of /proc/PID/stat that tells how processes belong together (proc_pid_stat(5)).
type procStat struct {
	state         byte
	parent, group int
}

func (s procStat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// eachProcess visits the processes there are. One that ends during the visit is not there. The error says why some
// could not be seen.
func eachProcess(visit func(pid int, s procStat)) error {
	entries, err := os.ReadDir("/proc")
	errs := []error{err}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		s, malformed := parseStat(text)
		if err := cmp.Or(err, malformed); err != nil {
			errs = append(errs, err)
			continue
		}
		visit(pid, s)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("see which processes there are: %w", err)
	}
	return nil
}

// parseStat reads the fields after the command, whose name may itself hold spaces and parentheses.
func parseStat(text []byte) (procStat, error) {
	_, rest, ok := cutLast(text, ") ")
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 3 {
		return procStat{}, fmt.Errorf("malformed /proc stat line %q", text)
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	if err1 != nil || err2 != nil {
		return procStat{}, fmt.Errorf("malformed /proc stat line %q", text)
	}
	return procStat{state: fields[0][0], parent: parent, group: group}, nil
}

func cutLast(text []byte, sep string) (before, after []byte, ok bool) {
	i := bytes.LastIndex(text, []byte(sep))
	if i < 0 {
		return text, nil, false
	}
	return text[:i], text[i+len(sep):], true
}
