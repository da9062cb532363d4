package main

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// resident returns n bytes of memory, rounded up to pages, that are resident. They come from the system and not
// from Go's heap, which would keep them for a while after they were freed.
func resident(n size) ([]byte, error) {
	region, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", n, err)
	}
	for at := 0; at < len(region); at += osPage {
		region[at] = 1
	}
	return region, nil
}

// spike is memory that is resident for a while and then given back to the system. As a flag it is
// BYTES:DURATION.
type spike struct {
	bytes size
	hold  time.Duration
}

// String implements flag.Value.
func (s *spike) String() string {
	if s.bytes == 0 {
		return ""
	}
	return s.bytes.String() + ":" + s.hold.String()
}

// Set implements flag.Value.
func (s *spike) Set(text string) error {
	left, right, _ := strings.Cut(text, ":")
	var next spike
	if err := next.bytes.Set(left); err != nil {
		return err
	}
	hold, err := parseTime(right)
	if err != nil {
		return err
	}
	if next.bytes == 0 {
		return fmt.Errorf("%q: use BYTES:DURATION with bytes above 0", text)
	}
	next.hold = hold
	*s = next
	return nil
}

// strike has the spike happen and returns when it is over.
func (s spike) strike(a *alarm) error {
	if s.bytes == 0 {
		return nil
	}
	region, err := resident(s.bytes)
	if err != nil {
		return fmt.Errorf("spike: %w", err)
	}
	a.wait(s.hold)
	if err := unix.Munmap(region); err != nil {
		return fmt.Errorf("spike: give %d bytes back: %w", s.bytes, err)
	}
	return nil
}
