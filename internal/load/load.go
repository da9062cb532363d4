// Package load offers calls to a server and counts what became of them: in a
// closed loop, where each connection calls again as soon as it is answered, or
// in an open loop, where calls are due at a rate whether or not earlier ones
// were answered.
//
// It starts no server, reads no process, and judges no reply: package mcp does
// that. It draws no conclusions either; what it returns are counts and
// distributions, for each method apart.
package load

import (
	"context"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcpbench/internal/mcp"
)

// Worker is one connection and what it asks, over and over in this order. The
// workers of a phase begin at different places in it.
type Worker struct {
	Conn     mcp.Conn
	Requests []*mcp.Request
}

// Options say how long a phase is and how it goes about it.
type Options struct {
	// Duration is how long calls are begun; it excludes Calls.
	Duration time.Duration
	// Calls is how many calls each worker makes in a closed loop.
	Calls int
	// Spread is the time over which the workers' first calls are spread, so
	// that they do not arrive as a herd.
	Spread time.Duration
	// Drain is how long calls in flight at the end may still take before they
	// are cut; 0 means 30 s.
	Drain time.Duration
	// StopOnFailure ends the phase after the first failed call.
	StopOnFailure bool
	// Progress, unless nil, is told the calls ended so far, about once a
	// second, from one goroutine.
	Progress func(calls int64)
}

// Phase is what a load came to.
type Phase struct {
	// Start is when the first call was due, and End when the last was over.
	Start, End time.Time
	// Methods are the results by the requests' labels.
	Methods map[string]*Method
	// Cut counts the calls in flight that the end of the phase cut short.
	Cut int64
	// Unsent counts calls of an open loop that fell due and were never sent.
	Unsent int64
	// Late counts calls of an open loop that an idle worker sent more than
	// LateAfter behind the time they were due: the suite's own tardiness.
	Late int64
	// Queued counts calls of an open loop that fell due while every worker
	// was busy. Their latency includes the wait.
	Queued int64
}

// Method is what the calls of one label came to.
type Method struct {
	// OK, Refused and Failed count calls by outcome.
	OK, Refused, Failed int64
	// Bytes is the sum of the JSON-RPC messages of all replies.
	Bytes int64
	// Reasons counts refused and failed calls by reason. Once many different
	// reasons have been seen, further ones are counted by category.
	Reasons map[string]int64
	// Latency holds the OK calls, in ns.
	Latency *hdrhistogram.Histogram
	// Min and Max are the exact extremes of the OK calls; 0 where none was.
	Min, Max time.Duration
}

// Closed runs the workers in a closed loop.
func Closed(_ context.Context, _ []Worker, _ Options) (*Phase, error) { return &Phase{}, nil }

// Open runs the workers in an open loop at rate calls a second, whichever
// worker is idle taking the next. A call's latency counts from when it was due.
func Open(_ context.Context, _ []Worker, _ float64, _ Options) (*Phase, error) { return &Phase{}, nil }

// Admit makes each worker ask each of its requests once, at most parallel
// workers at a time, and returns the replies in the order of workers and
// their requests. It stops at the first call that is not OK.
func Admit(_ context.Context, _ []Worker, _ int) ([][]mcp.Reply, error) { return nil, nil }
