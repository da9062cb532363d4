package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// lineRead is the size of a read from a pipe, which holds no more by default.
const lineRead = 64 << 10

// StdioConn is the conversation with one process over its standard streams.
type StdioConn struct {
	stdout  io.Reader
	stdin   io.WriteCloser
	version Version
	ids     sequence
	guard   guard

	out    []byte // the last request's line
	buf    []byte
	unread []byte // of buf
	msg    message
	skip   bool // the rest of the current line belongs to a call that is over
	late   map[int64]bool
	broken error // what made the streams unfit for another call
}

// NewStdio returns a conversation over a process's streams. A call can be cut
// short if they take deadlines, as pipes do; others are closed instead.
func NewStdio(stdout io.Reader, stdin io.WriteCloser, version Version) *StdioConn {
	c := &StdioConn{
		stdout: stdout, stdin: stdin, version: version,
		buf: make([]byte, lineRead), late: map[int64]bool{},
	}
	c.guard.set(streams{stdout, stdin})
	return c
}

// Do implements Conn.
func (c *StdioConn) Do(ctx context.Context, req *Request, reply *Reply) { c.do(ctx, req, reply, nil) }

// Fetch implements Conn.
func (c *StdioConn) Fetch(ctx context.Context, req *Request) ([]byte, Reply) {
	var keep bytes.Buffer
	var reply Reply
	c.do(ctx, req, &reply, &keep)
	return keep.Bytes(), reply
}

// Close closes the process's standard input, which tells it to end.
func (c *StdioConn) Close() error {
	c.guard.stop()
	return c.stdin.Close()
}

// do is Do, and copies the message to keep unless that is nil.
func (c *StdioConn) do(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) {
	*reply = Reply{Start: time.Now()}
	c.guard.watch(ctx)
	if err := c.call(ctx, req, reply, keep); err != nil {
		reply.set(Failed, "transport: "+describe(err))
		if ctx.Err() != nil {
			reply.set(Cut, "cut: "+ctx.Err().Error())
		}
	}
	c.msg.release()
	reply.End = time.Now()
}

// call sends the request and reads on to its reply.
func (c *StdioConn) call(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) error {
	if err := errors.Join(ctx.Err(), c.broken); err != nil {
		return err
	}
	id := c.ids.next()
	if err := c.write(req, id); err != nil {
		return err
	}
	if req.notification {
		reply.set(OK, "")
		return nil
	}
	c.late[id] = true
	for {
		c.msg.begin(req, id, keep)
		if err := c.line(); err != nil {
			return err
		}
		if c.settle(id, reply) {
			return nil
		}
	}
}

// write sends the request as one line. Half a line cannot be taken back.
func (c *StdioConn) write(req *Request, id int64) error {
	c.out = append(append(c.out[:0], req.body...), '\n')
	if req.idAt > 0 {
		putID(c.out[req.idAt:], id)
	}
	n, err := c.stdin.Write(c.out)
	if err != nil && n > 0 {
		c.broken = fmt.Errorf("an earlier request was cut in the middle: %w", err)
	}
	return err
}

// line feeds the message the next line that is not empty.
func (c *StdioConn) line() error {
	for {
		if len(c.unread) == 0 {
			if err := c.read(); err != nil {
				return err
			}
		}
		end := bytes.IndexByte(c.unread, '\n')
		if end < 0 {
			c.piece(c.unread)
			c.unread = nil
			if c.msg.size > maxMessage {
				c.broken = errTooLong
				return errTooLong
			}
			continue
		}
		c.piece(bytes.TrimSuffix(c.unread[:end], []byte("\r")))
		c.unread = c.unread[end+1:]
		c.skip = false
		if c.msg.size > 0 {
			return nil
		}
	}
}

// piece feeds a piece of a line to the message, unless it is to be skipped.
func (c *StdioConn) piece(p []byte) {
	if !c.skip && len(p) > 0 {
		c.msg.feed(p)
	}
}

// read reads more of the process's output.
func (c *StdioConn) read() error {
	n, err := c.stdout.Read(c.buf)
	if c.unread = c.buf[:n]; n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	half := c.msg.size > 0
	c.skip = c.skip || half
	if !errors.Is(err, io.EOF) {
		return err
	}
	if c.broken = errNoReply; half {
		c.broken = errTruncated
	}
	return c.broken
}

// settle judges the message that a line held and reports whether the call is
// over. A reply to a call that was over before its reply came is passed by.
func (c *StdioConn) settle(id int64, reply *Reply) bool {
	kind, why := c.msg.end(reply)
	switch kind {
	case kindReply:
		delete(c.late, id)
		return true
	case kindNotice:
		return false
	case kindForeign:
		if c.late[c.msg.other] {
			delete(c.late, c.msg.other)
			return false
		}
	case kindGarbage:
	}
	reply.set(Failed, why)
	return true
}

// streams ends what waits on a process's streams.
type streams struct {
	stdout io.Reader
	stdin  io.WriteCloser
}

// SetDeadline implements interruptible. A stream that takes no deadline is
// closed by one that has passed.
func (s streams) SetDeadline(t time.Time) error {
	return errors.Join(s.read(t), s.write(t))
}

func (s streams) read(t time.Time) error {
	if d, ok := s.stdout.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(t) == nil {
		return nil
	}
	if closer, ok := s.stdout.(io.Closer); ok && !t.IsZero() {
		return closer.Close()
	}
	return nil
}

func (s streams) write(t time.Time) error {
	if d, ok := s.stdin.(interface{ SetWriteDeadline(time.Time) error }); ok && d.SetWriteDeadline(t) == nil {
		return nil
	}
	if !t.IsZero() {
		return s.stdin.Close()
	}
	return nil
}
