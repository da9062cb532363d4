package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// burn keeps the calling thread busy until it has used d of processor time since, and returns what it used: d
// or up to about a microsecond more. It counts the thread's own clock (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID), so that time in which the thread had no processor is not taken for work.
func burn(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, x := threadCPU(), uint64(1)
	for {
		x = churn(x)
		if used := threadCPU() - start; used >= d {
			runtime.KeepAlive(x)
			return used
		}
	}
}

// churn is a fraction of a microsecond of arithmetic, so that reading the clock is not all that is done.
func churn(x uint64) uint64 {
	for range 256 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// threadCPU is the processor time that the calling thread has used.
func threadCPU() time.Duration {
	var t unix.Timespec
	// The clock and the address are right, and then it cannot fail.
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
