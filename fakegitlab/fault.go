package fakegitlab

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// FaultKind is the way an answer goes wrong.
type FaultKind int

// The ways an answer goes wrong.
const (
	// FaultStatus answers with Status, Header and Body instead of the data.
	FaultStatus FaultKind = iota
	// FaultReset closes the connection with a reset before a byte of the answer.
	FaultReset
	// FaultBrokenJSON sends the true status and the first half of the true body, well framed.
	FaultBrokenJSON
	// FaultSlowBody sends the true answer in pieces, pausing for Delay between them.
	FaultSlowBody
	// FaultHang answers nothing until ClearFaults, Close, or the client gives up.
	FaultHang

	faultKinds // how many there are
)

// FaultKinds lists the ways there are, for whoever has to try them all.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, faultKinds)
	for i := range kinds {
		kinds[i] = FaultKind(i)
	}
	return kinds
}

// Fault is one way to go wrong. The zero value is a 500 for ever.
type Fault struct {
	Kind FaultKind
	// Status is the HTTP status of FaultStatus: 500 when zero.
	Status int
	// Header and Body are what FaultStatus answers with besides the status; an empty Body is a JSON
	// message of the status.
	Header http.Header
	Body   string
	// Delay is the pause between the pieces of FaultSlowBody: 10 ms when zero.
	Delay time.Duration
	// Times is how many requests go wrong before the fault is used up; 0 is all of them.
	Times int
}

// slowPieces is into how many pieces FaultSlowBody cuts a body.
const slowPieces = 8

// armed is a fault in force. Hanging requests wait for released.
type armed struct {
	Fault
	left     int
	released chan struct{}
}

// RateLimited is the fault of GitLab's request throttle: text and RateLimit headers, no JSON. reset is
// when, from now, the client may ask again; GitLab tells it in whole seconds.
func RateLimited(limit int, reset time.Duration) Fault {
	at := time.Now().Add(reset)
	h := http.Header{"Content-Type": {"text/plain"}, "Retry-After": {strconv.Itoa(int(reset.Seconds()))}}
	setRateLimit(h, limit, limit+1, at)
	return Fault{Status: http.StatusTooManyRequests, Header: h, Body: "Retry later\n"}
}

// ApplicationLimited is the fault of a limit inside the application: JSON and no RateLimit headers.
func ApplicationLimited() Fault {
	return Fault{
		Status: http.StatusTooManyRequests,
		Body:   `{"message":{"error":"This endpoint has been requested too many times. Try again later."}}`,
	}
}

// SetFault makes a route go wrong from now on, replacing what was set for it. The route is named as in
// Counts; an empty name means every route that has no fault of its own. It panics when there is no such
// route: a fault that can never happen would let a test pass for nothing.
func (s *Server) SetFault(route string, f Fault) {
	if route != "" {
		r, ok := s.routes.byName[route]
		if !ok {
			panic("fakegitlab: no route is called " + strconv.Quote(route) + "; Routes lists the names")
		}
		route = r.name
	}
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	if old, ok := s.faults[route]; ok {
		close(old.released)
	}
	s.faults[route] = &armed{Fault: f, left: f.Times, released: make(chan struct{})}
	s.faulty.Store(true)
}

// Hanging is how many requests wait, for want of an answer, for their fault to be cleared.
func (s *Server) Hanging() int64 { return s.hanging.Load() }

// ClearFaults ends all faults and lets hanging requests be answered.
func (s *Server) ClearFaults() {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	for route, f := range maps.All(s.faults) {
		close(f.released)
		delete(s.faults, route)
	}
	s.faulty.Store(false)
}

// takeFault returns the fault the next request to a route meets, or nil.
func (s *Server) takeFault(route string) *armed {
	if !s.faulty.Load() {
		return nil
	}
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	for _, name := range []string{route, ""} {
		f, ok := s.faults[name]
		if !ok {
			continue
		}
		if f.Times > 0 {
			if f.left == 0 {
				continue
			}
			f.left--
		}
		return f
	}
	return nil
}

// hang waits until the fault is released, the client leaves or the server closes.
func (f *armed) hang(ctx context.Context, closed <-chan struct{}) {
	select {
	case <-f.released:
	case <-ctx.Done():
	case <-closed:
	}
}

// answerStatus is FaultStatus.
func (f *armed) answerStatus(w http.ResponseWriter) {
	status := f.Status
	setDefault(&status, http.StatusInternalServerError)
	body := f.Body
	if body == "" {
		body = message(status, http.StatusText(status))
	}
	h := w.Header()
	h.Set("Content-Type", jsonType)
	maps.Copy(h, f.Header)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// answerSlowly is FaultSlowBody.
func (f *armed) answerSlowly(ctx context.Context, w http.ResponseWriter, a *answer) {
	delay := f.Delay
	setDefault(&delay, 10*time.Millisecond)
	a.writeHead(w)
	control := http.NewResponseController(w)
	piece := max(1, (len(a.body)+slowPieces-1)/slowPieces)
	for rest := a.body; len(rest) > 0; {
		n := min(piece, len(rest))
		if _, err := w.Write(rest[:n]); err != nil || control.Flush() != nil {
			return
		}
		rest = rest[n:]
		if !pause(ctx, delay) {
			return
		}
	}
}

// reset closes the connection so that the peer sees a reset and not an end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, which httptest does not offer unless asked
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// pause waits; it reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
