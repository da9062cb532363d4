// Package meter reads what a process tree and its host consume: memory, CPU, threads, descriptors, the heap
// a runtime reports, the moment memory has come to rest.
//
// It reads a process from outside, never the process it is called from by mistake, and it reports what was
// read: nothing is estimated, smoothed or clamped, what a kernel or a runtime does not tell is absent and
// not zero, and a sum says over what it was taken. What a reading means is left to the caller.
//
// gopsutil supplies the facts of the host. For a process this package reads /proc itself, because there
// gopsutil leaves the high-water mark at zero, counts CPU in ticks of 10 ms, and starts a pgrep to find the
// children.
package meter

import "errors"

// ErrEnded is the error of a reading whose process has ended.
var ErrEnded = errors.New("the process has ended")
