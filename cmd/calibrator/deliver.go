package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// The kinds of body that a reply comes in.
const (
	kindJSON   = "application/json"
	kindEvents = "text/event-stream"
)

// deliver sends a reply, or what a fault makes of it.
func (s *server) deliver(w http.ResponseWriter, r reply) {
	if r.session != "" {
		w.Header().Set(sessionHeader, r.session)
	}
	if (r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable) && !s.config.refuseSilently {
		w.Header().Set("Retry-After", "1")
	}
	if r.empty() {
		w.WriteHeader(cmp.Or(r.status, http.StatusOK))
		return
	}
	wire := s.config.faults.wire(r.call)
	if wire == outOfOrder {
		if theirs, _, met := s.pairing.meet(r.message()); met {
			r = reply{head: theirs}
		}
	}
	b := body{kind: kindJSON, status: cmp.Or(r.status, http.StatusOK), parts: [][]byte{r.head, r.tail}}
	if s.config.faults.process(asEvents) {
		b.kind = kindEvents
		b.parts = [][]byte{[]byte("event: message\ndata: "), r.head, r.tail, []byte("\n\n")}
	}
	b.send(w, wire)
}

// body is the body of a response, in parts.
type body struct {
	kind   string
	status int
	parts  [][]byte
}

// send sends a body, or what a fault in how it is sent makes of it.
func (b *body) send(w http.ResponseWriter, wire string) {
	w.Header().Set("Content-Type", b.kind)
	switch wire {
	case truncated:
		b.truncate(w)
	case byteAtATime:
		b.dribble(w)
	case halfClosed, reset:
		b.cut(w, wire)
	case duplicated:
		b.parts = append(b.parts, b.parts...)
		fallthrough
	default:
		b.announce(w)
		for _, p := range b.parts {
			_, _ = w.Write(p) // whoever went away does not want it
		}
	}
}

// announce sends the head.
func (b *body) announce(w http.ResponseWriter) {
	n := 0
	for _, p := range b.parts {
		n += len(p)
	}
	w.Header().Set("Content-Length", strconv.Itoa(n))
	w.WriteHeader(b.status)
}

// whole is the body in one part.
func (b *body) whole() []byte { return bytes.Join(b.parts, nil) }

// truncate announces all and sends half.
func (b *body) truncate(w http.ResponseWriter) {
	all := b.whole()
	b.announce(w)
	_, _ = w.Write(all[:len(all)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler) // by which a handler has the connection closed
}

// dribble sends each byte as a chunk of its own.
func (b *body) dribble(w http.ResponseWriter) {
	w.WriteHeader(b.status)
	control := http.NewResponseController(w)
	all := b.whole()
	for i := range all {
		_, _ = w.Write(all[i : i+1])
		_ = control.Flush()
	}
}

// cut sends half and then ends the connection in the way that the fault wants.
func (b *body) cut(w http.ResponseWriter, wire string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer func() { _ = conn.Close() }()
	all := b.whole()
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		b.status, http.StatusText(b.status), b.kind, len(all), all[:len(all)/2])
	tcp, ok := conn.(*net.TCPConn)
	switch {
	case !ok:
	case wire == reset:
		_ = tcp.SetLinger(0) // close(2) then resets, see socket(7)
	default:
		_ = tcp.CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
	}
}
