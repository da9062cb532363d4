package meter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// proc is one process of a tree. Its files stay open: a read of an open /proc file finds the process it was
// opened for or fails with ESRCH, never a later process of the same id, and costs a third.
type proc struct {
	pid         int
	stat, statm *os.File
	cpu         time.Duration // at the last look
	buf         []byte
}

func openProc(pid int) (*proc, error) {
	stat, err := os.Open(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	statm, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return nil, errors.Join(err, stat.Close())
	}
	return &proc{pid: pid, stat: stat, statm: statm, buf: make([]byte, 1024)}, nil
}

func (p *proc) close() error { return errors.Join(p.stat.Close(), p.statm.Close()) }

// status is one process at one instant.
type status struct {
	procStat
	rss         int64
	descriptors int
}

// look reads the process. The id is used for what has no open file; that the stat file can still be read
// afterwards proves that it was this process's id all along.
func (p *proc) look() (status, error) {
	cpu, err := processCPU(p.pid)
	if err != nil {
		return status{}, err
	}
	var s status
	if s.rss, err = p.readStatm(); err != nil {
		return status{}, err
	}
	open, openErr := descriptors(p.pid)
	if s.procStat, err = p.readStat(); err != nil {
		return status{}, err
	}
	p.cpu = cpu
	if s.dead() {
		return s, nil // its descriptors are gone, or not to be asked for
	}
	s.descriptors = open
	return s, openErr
}

func (p *proc) readStat() (procStat, error) {
	text, err := p.read(p.stat)
	if err != nil {
		return procStat{}, err
	}
	return parseStat(text)
}

func (p *proc) readStatm() (int64, error) {
	text, err := p.read(p.statm)
	if err != nil {
		return 0, err
	}
	return parseStatm(text)
}

// read makes the kernel write the file anew.
func (p *proc) read(f *os.File) ([]byte, error) {
	n, err := f.ReadAt(p.buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return p.buf[:n], nil
}

// readWhole reads another of the process's files, and makes sure it was this process's.
func (p *proc) readWhole(name string) ([]byte, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.pid, name))
	if err != nil {
		return nil, err
	}
	_, err = p.readStat()
	return text, err
}

// command is the name the kernel has for the process, at most 15 bytes (proc_pid_comm(5)).
func (p *proc) command() (string, error) {
	text, err := p.readWhole("comm")
	return strings.TrimSpace(string(text)), err
}

// descriptors counts the open files. Since Linux 6.2 the size of /proc/PID/fd is their number; before that
// it is 0 and the directory has to be listed, which takes long for a process that has thousands.
func descriptors(pid int) (int, error) {
	path := fmt.Sprintf("/proc/%d/fd", pid)
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, err
	}
	if st.Size > 0 {
		return int(st.Size), nil
	}
	names, err := readNames(path)
	return len(names), err
}

// ended reports whether err is how the kernel says that a process is not there any more.
func ended(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
