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
	"errors"
	"fmt"
	"time"

	"mcpbench/internal/mcp"
)

const (
	// LateAfter is how far behind its time an idle worker may send a call of
	// an open loop before the call counts as late.
	LateAfter = 5 * time.Millisecond

	defaultDrain = 30 * time.Second
	progressTick = time.Second

	// openLead is how long before the first call of an open loop can be due
	// its workers are set off, so that none is late because it was not there.
	openLead = 50 * time.Millisecond
)

// Worker is one connection and what it asks, over and over in this order. The
// workers of a phase begin at different places in it.
type Worker struct {
	Conn     mcp.Conn
	Requests []*mcp.Request
}

// Options say how long a phase is and how it goes about it.
type Options struct {
	// Duration is how long calls are begun. It is given for an open loop, and
	// for a closed one either it or Calls.
	Duration time.Duration
	// Enough is how many calls, on average, each worker of a closed loop must
	// have ended before the loop stops beginning any. Where there are too few
	// at the end of Duration it goes on, but not beyond Longest.
	Enough  int
	Longest time.Duration
	// Calls is how many calls each worker of a closed loop makes.
	Calls int
	// Spread is the time over which the workers' first calls in a closed loop
	// are spread, so that they do not arrive as a herd.
	Spread time.Duration
	// Drain is how long calls in flight may take after Duration before they
	// are cut; 0 means 30 s. Where Calls is given they are cut when none has
	// ended for that long; 0 means never.
	Drain time.Duration
	// After, unless nil, is told each reply, by as many goroutines as there are
	// workers, and says how long the worker waits before its next call of a
	// closed loop, as a client does that was asked to come back later. What a
	// worker waits is in no latency.
	After func(reply *mcp.Reply) time.Duration
	// StopOnFailure begins no call after the first that failed.
	StopOnFailure bool
	// Progress, unless nil, is told the calls ended so far, about once a
	// second and at the end, from one goroutine.
	Progress func(calls int64)
}

// Closed runs the workers in a closed loop. It returns the phase as far as it
// got, and an error if ctx ended it.
func Closed(ctx context.Context, workers []Worker, options Options) (*Phase, error) {
	if (options.Duration > 0) == (options.Calls > 0) {
		return nil, errors.New("closed loop: give either a duration or a number of calls")
	}
	if options.Enough > 0 && options.Longest < options.Duration {
		return nil, errors.New("closed loop: a load that goes on until enough calls have ended needs a longest duration")
	}
	return run(ctx, workers, options, &closed{
		calls: options.Calls, spread: options.Spread, workers: len(workers),
	})
}

// Open runs the workers in an open loop at rate calls a second, each taken by
// whichever worker is idle. Calls fall due at random, as those of many callers
// do who know nothing of each other: a Poisson process, given the number of its
// events, which is the rate times the duration. The moments are the same in
// every loop of that number. A call's latency counts from when it was due, so
// that waiting for a worker is part of it. It returns the phase as far as it
// got, and an error if ctx ended it.
func Open(ctx context.Context, workers []Worker, rate float64, options Options) (*Phase, error) {
	if rate <= 0 || options.Duration <= 0 || options.Calls != 0 || options.Enough != 0 {
		return nil, errors.New("open loop: give a rate above 0 and a duration, and no number of calls")
	}
	return run(ctx, workers, options, newOpen(rate, options.Duration))
}

// run drives the workers at a pace and collects what became of their calls.
func run(ctx context.Context, workers []Worker, options Options, pace pacer) (*Phase, error) {
	if err := check(workers); err != nil {
		return nil, err
	}
	r := newRunner(ctx, workers, options, pace)
	defer r.cancel()
	r.start()
	r.wait()
	phase := r.phase()
	if err := ctx.Err(); err != nil {
		return phase, fmt.Errorf("load: %w", err)
	}
	return phase, nil
}

// check refuses what cannot be run.
func check(workers []Worker) error {
	if len(workers) == 0 {
		return errors.New("load: no workers")
	}
	for i, w := range workers {
		if w.Conn == nil || len(w.Requests) == 0 {
			return fmt.Errorf("load: worker %d has no connection or no requests", i)
		}
	}
	return nil
}
