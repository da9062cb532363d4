package meter

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// SelfCPU returns the CPU time of the calling process, its children not included.
func SelfCPU() (time.Duration, error) {
	cpu, err := readClock(unix.CLOCK_PROCESS_CPUTIME_ID)
	if err != nil {
		return 0, fmt.Errorf("read own CPU clock: %w", err)
	}
	return cpu, nil
}

// SelfRSS returns the resident bytes of the calling process, its children not included.
func SelfRSS() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	return parseStatm(text)
}

// ResetSelfPeak makes [SelfPeak] begin anew (clear_refs, proc_pid_clear_refs(5)).
func ResetSelfPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// SelfPeak returns the highest resident set the calling process has had, in bytes, since its start or
// [ResetSelfPeak].
func SelfPeak() (int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	sizes, err := parseKB(text)
	if err != nil {
		return 0, err
	}
	v, err := required(sizes, "VmHWM")
	if err != nil {
		return 0, err
	}
	return v[0], nil
}
