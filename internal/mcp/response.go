package mcp

import (
	"bytes"
	"errors"
	"math"
)

// stage is where in a response the reader is.
type stage uint8

const (
	stageHead stage = iota
	stageBody       // a body of known length, or up to the connection's end
	stageChunkSize
	stageChunkExtension
	stageChunkLF // the line feed that ends a chunk's size
	stageChunk
	stageChunkEnd   // the carriage return after a chunk
	stageChunkEndLF // and its line feed
	stageTrailer    // at a trailer line's start
	stageTrailerLine
	stageTrailerLF // the last line feed of all
	stageDone
)

var (
	errHeadSize  = errors.New("response head too large")
	errChunk     = errors.New("malformed chunk")
	errAfter     = errors.New("bytes after the end of the response")
	errTruncated = errors.New("closed in the middle of the response")
	errNoReply   = errors.New("closed before the response")
	errTooLong   = errors.New("a message too large to go on with")
)

// sink is where a response's body goes, piece by piece.
type sink interface{ body(p []byte) }

// response reads one HTTP/1.1 response, in pieces cut anywhere, and holds of
// it no more than a head cut in two.
type response struct {
	head
	stage  stage
	left   int64 // of the body or the chunk
	digits int   // of the chunk size so far
	part   []byte
}

// reset makes r ready for the next response.
func (r *response) reset() { *r = response{head: head{session: r.session}} }

// done reports whether the response is over.
func (r *response) done() bool { return r.stage == stageDone }

// feed reads the next piece and passes what is body on to out.
func (r *response) feed(p []byte, out sink) error {
	for len(p) > 0 {
		var n int
		var err error
		switch r.stage {
		case stageDone:
			return errAfter
		case stageHead:
			n, err = r.feedHead(p)
		case stageBody, stageChunk:
			n = r.feedBody(p, out)
		default:
			n, err = 1, r.feedChunking(p[0])
		}
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// eof says what the end of the connection means for a response that is not
// over.
func (r *response) eof() error {
	switch {
	case r.stage == stageBody && r.left == math.MaxInt64:
		r.stage = stageDone
		return nil
	case r.stage == stageHead && len(r.part) == 0:
		return errNoReply
	}
	return errTruncated
}

// feedHead looks for the end of the head and reads it.
func (r *response) feedHead(p []byte) (int, error) {
	whole, had := p, len(r.part)
	if had > 0 {
		r.part = append(r.part, p...)
		whole = r.part
	}
	end := bytes.Index(whole, []byte("\r\n\r\n"))
	if end > maxHead || end < 0 && len(whole) >= maxHead+len("\r\n\r\n") {
		return 0, errHeadSize
	}
	if end < 0 {
		if had == 0 {
			r.part = append(r.part, p...)
		}
		return len(p), nil
	}
	h, err := parseHead(whole[:end], r.session)
	r.part = nil
	if err != nil {
		return 0, err
	}
	if h.status >= 200 { // those below announce another
		r.head = h
		r.enter()
	}
	return end + 4 - had, nil
}

// enter decides how the body is delimited.
func (r *response) enter() {
	switch {
	case r.status == 204 || r.status == 304 || r.length == 0:
		r.stage = stageDone
	case r.chunked:
		r.stage, r.digits, r.left = stageChunkSize, 0, 0
	case r.length > 0:
		r.stage, r.left = stageBody, r.length
	default:
		r.stage, r.left, r.closing = stageBody, math.MaxInt64, true
	}
}

// feedBody passes body bytes on.
func (r *response) feedBody(p []byte, out sink) int {
	n := int(min(int64(len(p)), r.left))
	out.body(p[:n])
	if r.left != math.MaxInt64 {
		r.left -= int64(n)
	}
	if r.left == 0 {
		if r.stage = stageDone; r.chunked {
			r.stage = stageChunkEnd
		}
	}
	return n
}

// feedChunking reads one byte between chunks.
func (r *response) feedChunking(c byte) error {
	switch r.stage {
	case stageChunkSize:
		return r.feedSize(c)
	case stageChunkExtension:
		return r.move(c == '\r', stageChunkLF, stageChunkExtension)
	case stageChunkLF:
		if c != '\n' {
			return errChunk
		}
		if r.stage = stageChunk; r.left == 0 {
			r.stage = stageTrailer
		}
		return nil
	case stageChunkEnd:
		return r.must(c == '\r', stageChunkEndLF)
	case stageChunkEndLF:
		r.digits, r.left = 0, 0
		return r.must(c == '\n', stageChunkSize)
	case stageTrailer:
		return r.move(c == '\r', stageTrailerLF, stageTrailerLine)
	case stageTrailerLine:
		return r.move(c == '\n', stageTrailer, stageTrailerLine)
	}
	return r.must(c == '\n', stageDone) // stageTrailerLF
}

// feedSize reads one byte of a chunk's size line.
func (r *response) feedSize(c byte) error {
	if d, ok := hexDigit(c); ok && r.digits < 15 {
		r.digits++
		r.left = r.left<<4 | int64(d)
		return nil
	}
	if r.digits == 0 {
		return errChunk
	}
	switch c {
	case '\r':
		r.stage = stageChunkLF
	case ';', ' ':
		r.stage = stageChunkExtension
	default:
		return errChunk
	}
	return nil
}

// move goes on to one stage or the other.
func (r *response) move(ok bool, then, otherwise stage) error {
	if r.stage = otherwise; ok {
		r.stage = then
	}
	return nil
}

// must goes on to a stage, or finds the chunk malformed.
func (r *response) must(ok bool, then stage) error {
	if !ok {
		return errChunk
	}
	r.stage = then
	return nil
}
