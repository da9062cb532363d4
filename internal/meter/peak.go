package meter

import (
	"fmt"
	"os"
)

// ResetPeak makes the kernel forget the high-water marks of the tree's resident sets, so that [Tree.Peak]
// speaks of what comes after (proc_pid_clear_refs(5), value 5).
func (t *Tree) ResetPeak() error {
	return t.visit(func(p *proc) error {
		if _, err := p.readStat(); err != nil { // the id is still this process's
			return err
		}
		return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0)
	})
}

// Peak returns the sum of the processes' high-water marks in bytes since ResetPeak (VmHWM,
// proc_pid_status(5)). The kernel keeps them, so no peak is too short to be in them. They need not have been
// reached at the same time, which makes the sum of several an upper bound; processes that have ended are
// not in it.
func (t *Tree) Peak() (int64, error) {
	var sum int64
	err := t.visit(func(p *proc) error {
		text, err := p.readWhole("status")
		if err != nil {
			return err
		}
		sizes, err := parseKB(text)
		if err != nil {
			return err
		}
		if hwm := optional(sizes, "VmHWM"); hwm != nil {
			sum += *hwm
			return nil
		}
		return t.unlessRoot(p) // a process that has ended has no memory to report
	})
	if err != nil {
		return 0, err
	}
	return sum, nil
}

// visit looks for new processes and calls f for each.
func (t *Tree) visit(f func(*proc) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.grow(); err != nil {
		return err
	}
	return t.each(f)
}
