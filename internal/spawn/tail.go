package spawn

import (
	"bytes"
	"strings"
	"sync"
)

const (
	tailBytes = 8 << 10
	tailLines = 20
)

// tail is a writer that remembers the end of what was written: a bounded number of bytes, of which String
// shows a bounded number of lines. Neither a flood nor a line without an end makes it grow.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // something before buf was forgotten
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if len(b) > tailBytes {
		b, t.cut = b[len(b)-tailBytes:], true
	}
	if over := len(t.buf) + len(b) - tailBytes; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	t.buf = append(t.buf, b...)
	return n, nil
}

// String returns the last lines; a line whose beginning was forgotten starts with an ellipsis.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(bytes.TrimRight(t.buf, "\r\n")), "\uFFFD")
	lines := strings.Split(text, "\n")
	if t.cut {
		lines[0] = "…" + lines[0]
	}
	if len(lines) > tailLines {
		lines = lines[len(lines)-tailLines:]
	}
	return strings.Join(lines, "\n")
}
