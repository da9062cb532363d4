package spawn

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CPUs returns the CPUs the calling process may run on, in ascending order (sched_getaffinity(2)).
func CPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read CPU set: %w", err)
	}
	var cpus []int
	for cpu := range maxCPUs {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// maxCPUs is the size of unix.CPUSet.
const maxCPUs = 1024

// ParseCPUs reads a list such as "0-3,8", as taskset(1) and the kernel write it.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		lo, err1 := strconv.Atoi(first)
		hi, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || lo < 0 || hi < lo || hi >= maxCPUs {
			return nil, fmt.Errorf("CPU list %q: want numbers and ranges such as 0-3,8", list)
		}
		for cpu := lo; cpu <= hi; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// FormatCPUs writes cpus, in ascending order, as [ParseCPUs] reads them.
func FormatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

var errAffinity = errors.New("the thread's CPUs could not be put back")

// confine confines the calling thread to cpus, all of them: the kernel would be content with those that exist
// and are allowed (sched_setaffinity(2)). It returns how to put the set back, which it has done if it fails.
func confine(cpus []int) (restore func() error, err error) {
	var before, want, got unix.CPUSet
	for _, cpu := range cpus {
		want.Set(cpu)
	}
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("read CPU set: %w", err)
	}
	restore = func() error {
		if err := unix.SchedSetaffinity(0, &before); err != nil {
			return fmt.Errorf("%w: %w", errAffinity, err)
		}
		return nil
	}
	err = unix.SchedSetaffinity(0, &want)
	if err == nil {
		err = unix.SchedGetaffinity(0, &got)
	}
	if err == nil && (got != want || want.Count() != len(cpus)) {
		err = errors.New("not all of them exist and are allowed here")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("confine to CPUs %s: %w", FormatCPUs(cpus), err), restore())
	}
	return restore, nil
}
