package meter

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// processCPU reads the CPU time of all threads of a process, ended ones included, in nanoseconds. The clock
// id is that of clock_getcpuclockid(3): the complement of the process id above three bits, of which 2
// (CPUCLOCK_SCHED) selects the scheduler's own account. Without such a process there is no such clock, which
// the kernel reports as EINVAL and this as ESRCH.
func processCPU(pid int) (time.Duration, error) {
	cpu, err := readClock(int32(^pid<<3 | 2))
	if errors.Is(err, unix.EINVAL) {
		err = unix.ESRCH
	}
	return cpu, err
}

func readClock(id int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
