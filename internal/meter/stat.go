package meter

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// userTick is the unit of times in /proc: 1/sysconf(_SC_CLK_TCK) s, which Linux fixes at 100 Hz for user
// space on every architecture Go runs on (time(7), USER_HZ).
const userTick = 10 * time.Millisecond

// procStat is what is used of /proc/PID/stat (proc_pid_stat(5)).
type procStat struct {
	state   byte
	parent  int
	reaped  time.Duration // fields 16 and 17, CPU of children waited for, rounded down to ticks
	threads int           // field 20
	started uint64        // field 22, ticks since boot
}

// dead reports whether the process has ended; until its parent waits for it its CPU can still be read.
func (s procStat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// parseStat reads the fields behind the command, which may hold spaces and parentheses itself.
func parseStat(text []byte) (procStat, error) {
	const first = 3 // the number of the field behind the command
	end := bytes.LastIndexByte(text, ')')
	fields := bytes.Fields(text[end+1:])
	if end < 0 || len(fields) <= 22-first {
		return procStat{}, fmt.Errorf("malformed /proc stat line %q", text)
	}
	number := func(field int) (uint64, error) { return strconv.ParseUint(string(fields[field-first]), 10, 64) }
	var n [5]uint64
	for i, field := range []int{4, 16, 17, 20, 22} {
		var err error
		if n[i], err = number(field); err != nil {
			return procStat{}, fmt.Errorf("malformed /proc stat line %q: field %d: %w", text, field, err)
		}
	}
	return procStat{
		state:   fields[0][0],
		parent:  int(n[0]),
		reaped:  time.Duration(n[1]+n[2]) * userTick,
		threads: int(n[3]),
		started: n[4],
	}, nil
}
