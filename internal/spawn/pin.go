package spawn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
)

// pinned marks the environment of a process that has pinned itself, so that a host which does not keep the
// set it is given ends in an error and not in an endless chain.
const pinned = "MCPBENCH_PINNED"

// PinSelf confines the calling process to cpus by running it again, with the same arguments, in its own
// place: the Go runtime settles how parallel it is before main, and threads that exist keep the CPUs they
// have. It returns nil in the process that is confined already. Call it before anything else is done.
func PinSelf(cpus []int) error {
	now, err := CPUs()
	if err != nil {
		return err
	}
	again := os.Getenv(pinned) != ""
	if err := os.Unsetenv(pinned); err != nil {
		return err
	}
	want := slices.Compact(slices.Sorted(slices.Values(cpus)))
	switch {
	case len(want) == 0:
		return errors.New("pin to CPUs: none given")
	case slices.Equal(now, want):
		return nil
	case again:
		return fmt.Errorf("pin to CPUs %s: the process is still on %s", FormatCPUs(want), FormatCPUs(now))
	}
	return reexec(want)
}

// reexec returns only if it fails: execve(2) keeps the CPU set of the thread that calls it.
func reexec(cpus []int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore, err := confine(cpus)
	if err != nil {
		return err
	}
	err = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), pinned+"=1"))
	return fmt.Errorf("pin to CPUs %s: run again: %w", FormatCPUs(cpus), errors.Join(err, restore()))
}
