package main

import (
	"container/heap"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes goroutines at given instants, some ten microseconds late at most on an idle host. The timers of
// Go's runtime are up to a millisecond late: with nothing to run it waits in epoll, whose timeout counts
// whole milliseconds (runtime, netpoll_epoll.go). A timerfd (timerfd_create(2)) is an event of the kernel's
// high-resolution timers that the same epoll waits for, and takes neither a thread nor a poll.
type alarm struct {
	file *os.File
	fd   int // of file, which os.File.Fd would take out of the poller

	mu      sync.Mutex
	waiting sleepers
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timerfd_create: %w", err)
	}
	a := &alarm{file: os.NewFile(uintptr(fd), "timerfd"), fd: fd}
	go a.run()
	return a, nil
}

// close ends the alarm. Nobody may be waiting.
func (a *alarm) close() error { return a.file.Close() }

// wait returns once d has passed.
func (a *alarm) wait(d time.Duration) { a.until(time.Now().Add(d)) }

// until returns once at has come.
func (a *alarm) until(at time.Time) {
	if time.Until(at) <= 0 {
		return
	}
	s := &sleeper{at: at, due: make(chan struct{})}
	a.mu.Lock()
	heap.Push(&a.waiting, s)
	if a.waiting[0] == s {
		a.arm()
	}
	a.mu.Unlock()
	<-s.due
}

// run wakes those whose time has come each time the timer expires.
func (a *alarm) run() {
	var expirations [8]byte
	for {
		if _, err := a.file.Read(expirations[:]); err != nil {
			return
		}
		a.mu.Lock()
		for now := time.Now(); len(a.waiting) > 0 && !a.waiting[0].at.After(now); {
			close(heap.Pop(&a.waiting).(*sleeper).due)
		}
		a.arm()
		a.mu.Unlock()
	}
}

// arm sets the timer to the first who waits. Zero would disarm it.
func (a *alarm) arm() {
	if len(a.waiting) == 0 {
		return
	}
	d := max(1, step(time.Until(a.waiting[0].at)))
	// Neither the descriptor nor the time can be wrong.
	_ = unix.TimerfdSettime(a.fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil)
}

// shortStep is a wait that is not broken up any more.
const shortStep = 200 * time.Microsecond

// step is how long to sleep when d is left: most of it. A processor that has slept for long wakes late, on a virtual
// machine by as much as some milliseconds; one that has just been awake does not.
func step(d time.Duration) time.Duration {
	if d <= shortStep {
		return d
	}
	return d - max(d/16, shortStep/2)
}

// sleeper is a goroutine that waits.
type sleeper struct {
	at  time.Time
	due chan struct{}
}

// sleepers is a heap, the next to be woken on top.
type sleepers []*sleeper

func (s sleepers) Len() int           { return len(s) }
func (s sleepers) Less(i, j int) bool { return s[i].at.Before(s[j].at) }
func (s sleepers) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Push implements heap.Interface.
func (s *sleepers) Push(x any) { *s = append(*s, x.(*sleeper)) }

// Pop implements heap.Interface.
func (s *sleepers) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return x
}
