package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// burner burns processor time whose sum is exact: what one portion took too much, the next takes less.
//
// A portion is counted by the clock of the thread that burns it (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID), so that
// time without a processor is not taken for work. With it counts what the runtime's monitor thread takes
// meanwhile: once a process at rest has something to do, that thread looks around every 20 µs at first (runtime,
// proc.go, sysmon), which costs several percent of a portion of some milliseconds.
type burner struct {
	monitor int32 // the clock of the monitor thread

	mu     sync.Mutex
	active int           // portions that are being burned
	seen   time.Duration // of the monitor's time, what has been counted or is not to be
	ahead  time.Duration // burned beyond what was due; below 0 what is still due
	burned time.Duration
}

func newBurner() (*burner, error) {
	thread, err := monitorThread()
	if err != nil {
		return nil, fmt.Errorf("find the runtime's monitor: %w", err)
	}
	// CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of the kernel's posix-timers.h.
	return &burner{monitor: int32(^thread<<3 | 4 | 2)}, nil
}

// lookEvery is how often a portion looks at the monitor's time.
const lookEvery = 200 * time.Microsecond

// burn keeps the calling thread busy for d of processor time.
func (b *burner) burn(d time.Duration) {
	if d <= 0 {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, x := clock(unix.CLOCK_THREAD_CPUTIME_ID), uint64(1)
	due, look, rounds, done := b.begin(d), lookEvery, fewest, 0
	for {
		x = churn(x, rounds)
		done += rounds
		spent := clock(unix.CLOCK_THREAD_CPUTIME_ID) - start
		if spent >= look {
			due -= b.watch()
			look = spent + lookEvery
		}
		if spent >= due {
			break
		}
		rounds = next(due-spent, min(fastest, float64(done)/float64(spent)))
	}
	runtime.KeepAlive(x)
	b.end(due, start)
}

// begin returns what is due for a portion of d.
func (b *burner) begin(d time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.active == 0 {
		b.seen = clock(b.monitor)
	}
	b.active++
	due := max(0, d-b.ahead)
	b.ahead -= d - due
	return due
}

// watch returns what the monitor took since it was last looked at, by whichever portion.
func (b *burner) watch() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.look()
}

func (b *burner) look() time.Duration {
	now := clock(b.monitor)
	took := now - b.seen
	b.seen = now
	b.burned += took
	return took
}

// end takes account of a portion that began at start on the thread's clock. Its own time counts too.
func (b *burner) end(due, start time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active--
	due -= b.look()
	spent := clock(unix.CLOCK_THREAD_CPUTIME_ID) - start
	b.ahead += spent - due
	b.burned += spent
}

// total is what was burned so far.
func (b *burner) total() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.burned
}

const (
	fewest  = 256 // rounds, which take a fraction of a microsecond
	fastest = 8.0 // rounds a nanosecond, more than any processor does
)

// next returns how many rounds to churn before the clock is read again, when so much time is left and rounds have
// been done at a pace a nanosecond: almost all that are left. A clock that is read all the time would itself be most
// of the work, and takes several percent of time that none of its readings shows.
func next(left time.Duration, pace float64) int {
	return max(fewest, int(0.9*pace*float64(min(left, lookEvery))))
}

// churn is so many rounds of arithmetic.
func churn(x uint64, rounds int) uint64 {
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// clock reads a clock.
func clock(id int32) time.Duration {
	var t unix.Timespec
	// The clock is there as long as the process, and then it cannot fail.
	_ = unix.ClockGettime(id, &t)
	return time.Duration(t.Nano())
}

// monitorThread is the id of the runtime's monitor thread: the first that a program starts (runtime, proc.go, main),
// and so the one whose id follows that of the process.
func monitorThread() (int, error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0, err
	}
	var ids []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil && id != os.Getpid() {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return 0, fmt.Errorf("process %d has one thread only", os.Getpid())
	}
	return follows(os.Getpid(), ids), nil
}

// follows is the id that was given first after that of the process. Ids ascend, and begin at the bottom again after the
// greatest that the kernel gives (pid_max, proc_sys_kernel(5)).
func follows(process int, ids []int) int {
	return slices.MinFunc(ids, func(a, b int) int {
		if (a > process) != (b > process) {
			return b - a // the one above the process is the greater
		}
		return a - b
	})
}
