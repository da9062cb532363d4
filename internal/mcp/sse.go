package mcp

import "bytes"

// events is where the data of server-sent events goes.
type events interface {
	data(p []byte) // a piece of the current event's data
	event()        // the current event is over
}

// sse reads a stream of server-sent events, in pieces cut anywhere, and holds
// nothing of it. Of an event only the data counts. Lines end in LF or CRLF: the
// lone CR that the standard also allows is taken for data.
type sse struct {
	name   [5]byte // of the field, as far as it is needed
	n      int     // bytes of the name so far, len(name) for too long a one
	stage  sseStage
	isData bool
	lines  int  // lines of data in the current event
	cr     bool // a CR is held back: it may belong to the line's end
}

type sseStage uint8

const (
	sseName  sseStage = iota // in a field's name
	sseSpace                 // after its colon, where one space does not count
	sseValue
)

// feed reads the next piece.
func (s *sse) feed(p []byte, out events) {
	for len(p) > 0 {
		switch s.stage {
		case sseName:
			s.feedName(p[0], out)
			p = p[1:]
		case sseSpace:
			s.stage = sseValue
			if p[0] == ' ' {
				p = p[1:]
			}
		default:
			p = p[s.feedValue(p, out):]
		}
	}
}

// feedName reads a byte of a field's name.
func (s *sse) feedName(c byte, out events) {
	switch c {
	case ':':
		s.colon(out)
	case '\n':
		if s.n == 0 {
			s.blank(out)
		}
		s.n = 0
	case '\r':
	default:
		if s.n < len(s.name) {
			s.name[s.n] = c
			s.n++
		}
	}
}

// colon ends a field's name.
func (s *sse) colon(out events) {
	s.stage = sseSpace
	s.isData = string(s.name[:s.n]) == "data"
	s.n = 0
	if s.isData {
		if s.lines++; s.lines > 1 {
			out.data([]byte("\n"))
		}
	}
}

// blank ends an event.
func (s *sse) blank(out events) {
	if s.lines > 0 {
		out.event()
	}
	s.lines = 0
}

// feedValue reads on in a field's value, to its end if p holds that.
func (s *sse) feedValue(p []byte, out events) int {
	end := bytes.IndexByte(p, '\n')
	value := p
	if end >= 0 {
		value = p[:end]
	}
	s.value(value, end >= 0, out)
	if end < 0 {
		return len(p)
	}
	s.stage = sseName
	return end + 1
}

// value passes a piece of a value on, less a CR at the end of the line.
func (s *sse) value(p []byte, last bool, out events) {
	if !s.isData {
		return
	}
	if s.cr && len(p) > 0 {
		out.data([]byte("\r"))
	}
	s.cr = (s.cr && len(p) == 0 || len(p) > 0 && p[len(p)-1] == '\r') && !last
	if n := len(p); n > 0 && p[n-1] == '\r' {
		p = p[:n-1]
	}
	if len(p) > 0 {
		out.data(p)
	}
}
