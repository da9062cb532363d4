package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// stall is a time in which nothing is answered.
type stall struct{ at, length time.Duration }

// stalls are in ascending order and do not overlap. As a flag they are AT:LENGTH,….
type stalls []stall

// String implements flag.Value.
func (s *stalls) String() string {
	var parts []string
	for _, one := range *s {
		parts = append(parts, one.at.String()+":"+one.length.String())
	}
	return strings.Join(parts, ",")
}

// Set implements flag.Value.
func (s *stalls) Set(text string) error {
	var all stalls
	end := time.Duration(0)
	for part := range strings.SplitSeq(text, ",") {
		left, right, _ := strings.Cut(part, ":")
		at, err := parseTime(left)
		if err != nil {
			return err
		}
		length, err := parseTime(right)
		if err != nil {
			return err
		}
		if length == 0 || at < end {
			return fmt.Errorf("%q: stalls last longer than 0, in ascending order, and do not overlap", part)
		}
		all, end = append(all, stall{at, length}), at+length
	}
	*s = all
	return nil
}

// over returns when the stall is over that the given instant falls into, which is then if there is none.
func (s stalls) over(at time.Duration) time.Duration {
	for _, one := range s {
		if at >= one.at && at < one.at+one.length {
			return one.at + one.length
		}
	}
	return at
}

// pause applies stalls from the first call on.
type pause struct {
	stalls stalls
	alarm  *alarm

	mu    sync.Mutex
	begun time.Time
}

// begin begins to count time, unless that was done.
func (p *pause) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
}

// hold returns once no stall lasts.
func (p *pause) hold() {
	if len(p.stalls) == 0 {
		return
	}
	p.mu.Lock()
	begun := p.begun
	p.mu.Unlock()
	if !begun.IsZero() {
		p.alarm.until(begun.Add(p.stalls.over(time.Since(begun))))
	}
}
