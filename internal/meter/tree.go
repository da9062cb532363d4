package meter

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Tree is a process and its descendants. A descendant belongs to the tree from the first reading that finds
// it until it ends, whoever its parent is by then. Its methods may be called from several goroutines.
type Tree struct {
	mu    sync.Mutex
	root  int
	procs []*proc // parents before their children
	// What is known of the ended: their last values, and the account the kernel keeps with the parents that
	// waited for them. Either may lack some, so the larger one counts.
	last, reaped time.Duration
}

// Reading is a tree at one instant.
type Reading struct {
	At  time.Time
	RSS int64 // resident bytes, summed over the processes: memory they share is counted several times
	// CPU is what the tree has consumed since its processes started, the ended included: for those whose
	// parent waited for them to 10 ms, for others up to the last reading that saw them.
	CPU         time.Duration
	Threads     int
	Descriptors int
	Processes   int
}

// NewTree returns the tree under the process pid. The error is [ErrEnded] if there is no such process.
func NewTree(pid int) (*Tree, error) {
	root, err := openProc(pid)
	if err != nil {
		return nil, explain(pid, err)
	}
	t := &Tree{root: pid, procs: []*proc{root}}
	if _, err := t.Read(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close frees the tree's files. The tree is of no use afterwards.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, p := range t.procs {
		errs = append(errs, p.close())
	}
	t.procs = nil
	return errors.Join(errs...)
}

// Read takes a reading, in some 100 µs for a process of ten threads. The error is [ErrEnded] if the root
// has ended.
func (t *Tree) Read() (Reading, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.grow(); err != nil {
		return Reading{}, err
	}
	r := Reading{At: time.Now()}
	var reaped time.Duration
	// Parents are read first: a child that is waited for in between is then in neither account for a
	// moment, rather than in both.
	err := t.each(func(p *proc) error {
		s, err := p.look()
		if err != nil {
			return err
		}
		r.CPU += p.cpu
		reaped += s.reaped
		if s.dead() {
			return t.unlessRoot(p)
		}
		r.RSS += s.rss
		r.Threads += s.threads
		r.Descriptors += s.descriptors
		r.Processes++
		return nil
	})
	t.reaped = max(t.reaped, reaped)
	r.CPU += max(t.last, t.reaped)
	if err != nil {
		return Reading{}, err
	}
	return r, nil
}

// unlessRoot fails for the root: a tree without it is not what was to be measured.
func (t *Tree) unlessRoot(p *proc) error {
	if p.pid != t.root {
		return nil
	}
	return ErrEnded
}

// each visits the processes and lets go of those that are found to have ended, keeping their CPU.
func (t *Tree) each(visit func(*proc) error) error {
	if len(t.procs) == 0 {
		return explain(t.root, ErrEnded)
	}
	kept := make([]*proc, 0, len(t.procs))
	var failure error
	for _, p := range t.procs {
		err := visit(p)
		if ended(err) && p.pid != t.root {
			t.last += p.cpu
			_ = p.close() // it was only read
			continue
		}
		if err != nil && failure == nil {
			failure = explain(p.pid, err)
		}
		kept = append(kept, p)
	}
	t.procs = kept
	return failure
}

// grow adds the descendants that are new.
func (t *Tree) grow() error {
	known := make(map[int]bool, len(t.procs))
	for _, p := range t.procs {
		known[p.pid] = true
	}
	for i := 0; i < len(t.procs); i++ { // the list grows as it is walked
		pids, err := children(t.procs[i].pid)
		if err != nil && !ended(err) {
			return explain(t.procs[i].pid, err)
		}
		for _, pid := range pids {
			if known[pid] {
				continue
			}
			known[pid] = true
			p, err := openProc(pid)
			if ended(err) {
				continue
			}
			if err != nil {
				return explain(pid, err)
			}
			t.procs = append(t.procs, p)
		}
	}
	return nil
}

// explain names the process in an error, and says ErrEnded for what the kernel says in several ways.
func explain(pid int, err error) error {
	if ended(err) {
		err = ErrEnded
	}
	return fmt.Errorf("process %d: %w", pid, err)
}
