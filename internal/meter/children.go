package meter

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// children returns the processes that the threads of pid have started and not yet waited for
// (/proc/PID/task/TID/children, proc_tid_children(5)). A thread that ends meanwhile hands its children to
// another, so a child can be missed once.
func children(pid int) ([]int, error) {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := readNames(tasks)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + "/" + thread + "/children")
		if ended(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		some, err := parseChildren(text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func parseChildren(text []byte) ([]int, error) {
	var pids []int
	for _, field := range bytes.Fields(text) {
		pid, err := strconv.Atoi(string(field))
		if err != nil {
			return nil, fmt.Errorf("malformed /proc children list %q: %w", text, err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

func readNames(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	return names, errors.Join(err, dir.Close())
}
