package spawn

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// groupMembers returns the live processes of a group. It looks into /proc rather than asking kill(2), for
// which the unreaped, such as the leader that Stop holds on to, are still members.
func groupMembers(group int) []int {
	var members []int
	eachProcess(func(pid int, s procStat) {
		if s.group == group && !s.dead() {
			members = append(members, pid)
		}
	})
	return members
}

// Leftovers returns the ids of all children the calling process has, ended but never waited for included.
// A suite that has stopped everything it started has none; a suite checks that before it exits.
func Leftovers() []int {
	var children []int
	eachProcess(func(pid int, s procStat) {
		if s.parent == os.Getpid() {
			children = append(children, pid)
		}
	})
	return children
}

// procStat is the part of /proc/PID/stat that tells how processes belong together (proc_pid_stat(5)).
type procStat struct {
	state         byte
	parent, group int
}

func (s procStat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// eachProcess visits the processes there are. One that ends during the visit is not there.
func eachProcess(visit func(pid int, s procStat)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if s, err := parseStat(text); err == nil {
			visit(pid, s)
		}
	}
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
