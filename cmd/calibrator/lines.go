package main

import (
	"bufio"
	"io"
	"sync"
)

// lines sends replies as lines, whole ones, or as a fault wants it. Whoever does not read them any more will
// close the input too; so errors of writing are not looked at.
type lines struct {
	faults  faults
	pairing *pairing

	mu  sync.Mutex
	out io.Writer
	buf *bufio.Writer // of out
}

func newLines(out io.Writer, f faults, p *pairing) *lines {
	return &lines{faults: f, pairing: p, out: out, buf: bufio.NewWriterSize(out, 64<<10)}
}

// send sends a reply, if there is a message in it.
func (l *lines) send(r reply) {
	if r.empty() {
		return
	}
	var overtaken []byte
	wire := l.faults.wire(r.call)
	if wire == outOfOrder {
		theirs, first, met := l.pairing.meet(r.message())
		if met && first {
			return // whoever overtook this has sent it
		}
		overtaken = theirs
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.faults.call(garbageStdout, r.call) {
		l.line([]byte("this is a line of a log that belongs on stderr"))
	}
	l.write(r, wire)
	if overtaken != nil {
		l.line(overtaken)
	}
	_ = l.buf.Flush()
}

// write writes a reply in the way that a fault wants.
func (l *lines) write(r reply, wire string) {
	switch wire {
	case duplicated:
		l.line(r.head, r.tail)
		l.line(r.head, r.tail)
	case truncated:
		l.line(r.head[:len(r.head)/2])
	case halfClosed:
		l.close()
	case byteAtATime:
		l.dribble(r.message())
	default:
		l.line(r.head, r.tail)
	}
}

func (l *lines) line(parts ...[]byte) {
	for _, p := range parts {
		_, _ = l.buf.Write(p)
	}
	_ = l.buf.WriteByte('\n')
}

// close closes the stream.
func (l *lines) close() {
	_ = l.buf.Flush()
	if c, ok := l.out.(io.Closer); ok {
		_ = c.Close()
	}
}

// dribble writes a line byte by byte.
func (l *lines) dribble(message []byte) {
	_ = l.buf.Flush()
	for i := range message {
		_, _ = l.out.Write(message[i : i+1])
	}
	_, _ = l.out.Write([]byte{'\n'})
}
