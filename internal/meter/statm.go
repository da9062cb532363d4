package meter

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// parseStatm returns the resident set in bytes: the second field of /proc/PID/statm, in pages
// (proc_pid_statm(5)). The kernel batches its counts per CPU, so it may be off by some hundred KiB.
func parseStatm(text []byte) (int64, error) {
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, fmt.Errorf("malformed /proc statm line %q", text)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("malformed /proc statm line %q: %w", text, err)
	}
	return pages * int64(os.Getpagesize()), nil
}
