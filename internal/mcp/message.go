package mcp

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
)

// maxMessage is the size at which a message is given up.
const maxMessage = 64 << 20

// kind is what a message turned out to be.
type kind uint8

const (
	kindReply   kind = iota // the reply that was waited for, right or wrong
	kindNotice              // a notification or a request of the server's
	kindForeign             // a reply to something else
	kindGarbage             // no JSON-RPC message at all
)

// message takes one JSON-RPC message in as it streams past and judges it. A
// small one is held until it is whole. A large one is either compared with the
// one shape that is to be expected, or scanned.
type message struct {
	req  *Request
	id   int64
	keep *bytes.Buffer // gets a copy, unless nil

	size   int64
	held   *[]byte
	scan   *scanner
	want   *shape
	sum    uint32
	idSeen [idDigits]byte
	other  int64 // the id of a reply to something else, 0 where it is no number
}

// heldPool and scanners lend what a message needs only while it arrives.
var (
	heldPool = sync.Pool{New: func() any { b := make([]byte, 0, smallReply); return &b }}
	scanners = sync.Pool{New: func() any { return new(scanner) }}
)

// begin makes m ready for the next message on the way to the reply to req.
func (m *message) begin(req *Request, id int64, keep *bytes.Buffer) {
	m.release()
	*m = message{req: req, id: id, keep: keep}
	if keep != nil {
		keep.Reset()
	}
}

// release gives back what was lent.
func (m *message) release() {
	if m.held != nil {
		*m.held = (*m.held)[:0]
		heldPool.Put(m.held)
		m.held = nil
	}
	if m.scan != nil {
		m.scan.reset(nil)
		scanners.Put(m.scan)
		m.scan = nil
	}
}

// feed takes the next piece in.
func (m *message) feed(p []byte) {
	if m.keep != nil && m.size <= maxMessage {
		m.keep.Write(p)
	}
	if m.scan == nil && m.want == nil {
		if m.size+int64(len(p)) <= smallReply {
			m.hold(p)
			return
		}
		m.enlarge()
	}
	m.pass(p)
}

// hold keeps a piece of what may yet be a small message.
func (m *message) hold(p []byte) {
	if m.held == nil {
		m.held = heldPool.Get().(*[]byte)
	}
	*m.held = append(*m.held, p...)
	m.size += int64(len(p))
}

// enlarge decides how the message is read on, now that it is not a small one.
func (m *message) enlarge() {
	if m.want = m.req.memory.trusted(); m.want == nil {
		m.startScan()
	}
	if m.held != nil {
		m.size = 0
		m.pass(*m.held)
		*m.held = (*m.held)[:0]
		heldPool.Put(m.held)
		m.held = nil
	}
}

func (m *message) startScan() {
	m.scan = scanners.Get().(*scanner)
	m.scan.reset(m.req.needles)
}

// pass compares or scans a piece, and sums it up but for the id's digits.
func (m *message) pass(p []byte) {
	var idAt int64
	if m.want != nil {
		idAt = m.want.idAt
	} else {
		m.scan.feed(p)
		if idAt = m.scan.idAt; m.scan.ids == 0 {
			idAt = maxMessage
		}
	}
	from, to := clamp(idAt-m.size, len(p)), clamp(idAt+idDigits-m.size, len(p))
	m.sum = crc32.Update(m.sum, castagnoli, p[:from])
	if from < to {
		copy(m.idSeen[m.size+int64(from)-idAt:], p[from:to])
	}
	m.sum = crc32.Update(m.sum, castagnoli, p[to:])
	m.size += int64(len(p))
}

// clamp brings an offset into a piece of n bytes.
func clamp(at int64, n int) int { return int(max(0, min(at, int64(n)))) }

// end judges the message, now that it is whole. For a reply it fills in what
// is known of it.
func (m *message) end(reply *Reply) (kind, string) {
	defer m.release()
	if m.size > maxMessage {
		return kindGarbage, fmt.Sprintf("json: a message of %d bytes, more than %d", m.size, maxMessage)
	}
	if m.want != nil {
		return m.endLarge(reply)
	}
	var body []byte
	if m.held != nil {
		body = *m.held
		if s, ok := m.req.memory.know(body, m.id); ok {
			m.right(reply, s)
			return kindReply, ""
		}
	}
	return m.endScan(reply, body)
}

// endLarge judges a message that had to be like one before.
func (m *message) endLarge(reply *Reply) (kind, string) {
	switch w := m.want; {
	case m.size != w.size:
		m.wrong(reply, fmt.Sprintf("changed: %d bytes, %d before", m.size, w.size))
	case m.sum != w.crc:
		m.wrong(reply, "changed: not the bytes there were before")
	case !isID(m.idSeen[:], m.id):
		return m.foreign(m.idSeen[:])
	default:
		m.right(reply, *w)
	}
	return kindReply, ""
}

// endScan judges a message by a scan of all of it; body is a small one.
func (m *message) endScan(reply *Reply, body []byte) (kind, string) {
	if m.scan == nil {
		m.startScan()
		m.scan.feed(body)
	}
	s := m.scan
	if !s.whole() || !s.object {
		return kindGarbage, "json: not a whole JSON object: " + excerpt(body)
	}
	if s.method {
		return kindNotice, ""
	}
	orphan := s.errored && (s.ids == 0 || string(s.id) == "null" && !s.quote)
	if !orphan && (s.quote || !isID(s.id, m.id)) {
		return m.foreign(s.id)
	}
	reply.Bytes, reply.Tools, reply.More = m.size, s.tools, s.more
	reply.set(judge(s, m.req.spec.Expect, m.size-int64(len(s.id))))
	if reply.Outcome == OK && s.ids == 1 {
		m.learn(body)
	}
	return kindReply, ""
}

// learn remembers a right reply; body is a small one.
func (m *message) learn(body []byte) {
	s := shape{size: m.size, idAt: m.scan.idAt, crc: m.sum, tools: m.scan.tools, more: m.scan.more}
	if body != nil {
		s.crc = checksum(body, s.idAt)
	}
	m.req.memory.learn(s)
}

// right fills in a reply that is like one that was found right.
func (m *message) right(reply *Reply, s shape) {
	reply.Bytes, reply.Tools, reply.More = s.size, s.tools, s.more
	reply.set(OK, "")
}

// wrong fills in a reply that is not.
func (m *message) wrong(reply *Reply, reason string) {
	reply.Bytes = m.size
	reply.set(Failed, reason)
}

// foreign says that a message is a reply to something else.
func (m *message) foreign(id []byte) (kind, string) {
	m.other, _ = parseDecimal(id)
	if len(id) == 0 {
		return kindForeign, fmt.Sprintf("id: none, expected %d", m.id)
	}
	return kindForeign, fmt.Sprintf("id: %s, expected %d", excerpt(id), m.id)
}

// excerpt is the beginning of b, fit for one line of text.
func excerpt(b []byte) string {
	if len(b) > maxText {
		b = b[:maxText]
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "")), " ")
}
