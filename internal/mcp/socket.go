package mcp

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"unsafe"
)

// readSize is the size of a read. A listing's cost is mostly the kernel's, which
// copies it: from 64 KiB to 512 KiB no size was found cheaper than another.
const readSize = 128 << 10

// The buffers of all connections are lent out only from the moment a socket
// can be read or written to the moment it would block, so there are about as
// many as there are processors.
var (
	readPool  = sync.Pool{New: func() any { b := make([]byte, readSize); return &b }}
	writePool = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}
)

// onReady is called by the runtime's poller: once at the start of an exchange,
// and then each time the socket may have become readable. It returns true when
// the exchange is over.
//
// The request is written in here, and not before, because the poller forgets
// earlier readiness when a read begins. So the first read can be left until
// the poller has seen the response arrive, and an exchange costs one write, one
// read and one wait.
func (c *HTTPConn) onReady(fd uintptr) bool {
	if c.sent {
		return c.readAll(int(fd))
	}
	c.sent = true
	c.ioError = c.write(int(fd))
	return c.ioError != nil
}

// write sends the request.
func (c *HTTPConn) write(fd int) error {
	out := writePool.Get().(*[]byte)
	defer writePool.Put(out)
	*out = c.x.msg.req.appendHTTP((*out)[:0], c.prefix, c.x.msg.id)
	n, err := transfer(syscall.SYS_WRITE, fd, *out)
	if errors.Is(err, syscall.EAGAIN) {
		n, err = 0, nil
	}
	if err == nil && n < len(*out) {
		_, err = c.tcp.Write((*out)[n:])
	}
	return err
}

// readAll reads until the socket would block or the exchange is over.
func (c *HTTPConn) readAll(fd int) bool {
	buf := readPool.Get().(*[]byte)
	defer readPool.Put(buf)
	for {
		n, err := transfer(syscall.SYS_READ, fd, *buf)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil:
			c.ioError = err
			return true
		case n == 0:
			c.ioError = c.x.eof()
			return true
		}
		c.got = true
		if c.ioError = c.x.feed((*buf)[:n], &c.x); c.ioError != nil || c.x.done() {
			return true
		}
		if c.x.msg.size > maxMessage {
			c.ioError = errTooLong
			return true
		}
	}
}

// transfer reads into b or writes it, as trap says, and again where a signal
// interrupted it. It goes past syscall.Read and syscall.Write because those tell
// the runtime that the thread may wait. A socket that does not block never has
// it wait, but it may keep it for the 20 µs after which the runtime gives the
// thread's processor to another one. That handing over and back took a third of
// a small call's CPU time.
func transfer(trap uintptr, fd int, b []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// isClosed reports whether err is what writing to or reading from a connection
// gives that the other side had closed.
func isClosed(err error) bool {
	return errors.Is(err, errNoReply) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// describe names a transport error without addresses and ports, so that equal
// troubles have equal names.
func describe(err error) string {
	var op *net.OpError
	var errno syscall.Errno
	switch {
	case errors.Is(err, io.EOF):
		return errNoReply.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &op):
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

// appendHTTP appends the whole request with the given id to b.
func (r *Request) appendHTTP(b, prefix []byte, id int64) []byte {
	if r.verb != "" {
		b = append(b, r.verb...)
		prefix = prefix[len("POST"):]
	}
	b = append(b, prefix...)
	b = append(b, r.head...)
	at := len(b) + r.idAt
	b = append(b, r.body...)
	if r.idAt > 0 {
		putID(b[at:], id)
	}
	return b
}
