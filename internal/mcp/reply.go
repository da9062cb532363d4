package mcp

import (
	"strings"
	"time"
)

// Outcome is what became of a call.
type Outcome uint8

const (
	// OK is a reply that was all it should be.
	OK Outcome = iota
	// Refused is a deliberate no for want of capacity: HTTP status 429 or
	// 503, or a JSON-RPC error whose code says the same.
	Refused
	// Failed is any other reply, and any call that got none.
	Failed
	// Cut is a call that its own context ended before the reply was whole.
	// It says nothing about the server.
	Cut
)

// String returns the outcome in lower case.
func (o Outcome) String() string {
	switch o {
	case OK:
		return "ok"
	case Refused:
		return "refused"
	case Failed:
		return "failed"
	case Cut:
		return "cut"
	}
	return "unknown"
}

// Reply is what became of one call, and what its reply was like.
type Reply struct {
	// Outcome is the judgement.
	Outcome Outcome
	// Reason says why the outcome is not OK: a short stable category, a
	// colon, and the detail. It is empty when the outcome is OK.
	Reason string
	// Status is the HTTP status, 0 on stdio or where there was none.
	Status int
	// Told says that the head had a Retry-After, and RetryAfter is how long it
	// asked to wait (RFC 9110, section 10.2.3).
	Told       bool
	RetryAfter time.Duration
	// Bytes is the size of the JSON-RPC message, framing excluded.
	Bytes int64
	// Tools is the number of elements in the result's tools.
	Tools int
	// More says that the result ended in a cursor to a further page.
	More bool
	// Start is just before the request's first byte was written, and End
	// just after the reply's last byte was read and judged.
	Start, End time.Time
}

// Latency is the time from Start to End.
func (r *Reply) Latency() time.Duration { return r.End.Sub(r.Start) }

// Category is the part of a reason before its detail, by which reasons can be
// counted without the number of different ones growing with the calls.
func Category(reason string) string {
	category, _, _ := strings.Cut(reason, ":")
	return category
}

// set fills the judgement in.
func (r *Reply) set(o Outcome, reason string) { r.Outcome, r.Reason = o, reason }
