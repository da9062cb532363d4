package meter

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU reads the CPU time of all threads of a process, ended ones included, in nanoseconds. The clock
// id is that of clock_getcpuclockid(3): the complement of the process id above three bits, of which 2
// (CPUCLOCK_SCHED) selects the scheduler's own account.
func processCPU(pid int) (time.Duration, error) {
	return readClock(int32(^pid<<3 | 2))
}

func readClock(id int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
