package main

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// leaks are what calls leak besides memory, so many in each.
type leaks struct {
	descriptors, goroutines int

	mu   sync.Mutex
	kept []int // the descriptors
}

// leak leaks what one call leaks.
func (l *leaks) leak() error {
	for range l.goroutines {
		go func() { select {} }()
	}
	for range l.descriptors {
		// A socket that is not connected: it has no other end that could be missed.
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("leak a descriptor: %w", err)
		}
		l.mu.Lock()
		l.kept = append(l.kept, fd)
		l.mu.Unlock()
	}
	return nil
}
