package bench_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// death is the end of one process whose client died.
type death struct {
	took time.Duration
	// left says that the process, or something that it had started, was still there after the grace.
	left bool
}

// tryDeaths has clients on stdio die in the middle of a call.
func (a *abandoned) tryDeaths(t *testing.T, s *suite) error {
	t.Helper()
	n, left, longest := batch(a.event), 0, time.Duration(0)
	for range n {
		d, err := dieInACall(t, s)
		if err != nil {
			return err
		}
		longest = max(longest, d.took)
		if d.left {
			left++
		}
	}
	const ended = "what a process held ends with it"
	a.sheet.set("abandoned-events", float64(n))
	a.sheet.set("retained-processes", float64(left))
	a.sheet.absent(ended, "retained-bytes/event", "retained-lo-bytes/event", "retained-hi-bytes/event", "retained-budget-bytes/event",
		"retained-goroutines", "retained-descriptors", "held-bytes/event", "held-goroutines/event", "held-descriptors/event")
	if left > 0 {
		a.sheet.absent("not all were gone in time", "gone-ns")
	} else {
		a.sheet.set("gone-ns", float64(longest))
	}
	grace := s.subject.Transports[scenarios.Stdio].Grace.Std()
	a.ruling.passes("processes left", left == 0, fmt.Sprintf("%d of %d, gone within %v", left, n, longest.Round(time.Millisecond)),
		fmt.Sprintf("none after %v", grace))
	return nil
}

// dieInACall starts a process, has a call wait for GitLab where there is one that asks it, and closes both ends of the
// conversation at once, which is all that a process sees of a client that was killed.
func dieInACall(t *testing.T, s *suite) (death, error) {
	t.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{})
	defer gitlab.Close()
	surface := s.subject.SurfaceNames()[0]
	vars := standInVars(gitlab)
	vars["token"] = gitlab.Token(0)
	requests, err := buildRequests(s.subject, s.subject.Surfaces[surface], vars)
	if err != nil {
		return death{}, err
	}
	in, err := startInTraffic(t, s, launch{name: scenarios.ClientDead, transport: scenarios.Stdio, surface: surface, cpus: s.cpus.Subject, vars: vars})
	if err != nil {
		return death{}, err
	}
	if err := beginCall(t.Context(), in, gitlab, s.subject.Surfaces[surface].Calls[scenarios.CallRead].Route, requests[record.Call]); err != nil {
		return death{}, err
	}
	died := time.Now()
	if out, ok := in.process.Stdout().(io.Closer); ok {
		_ = out.Close()
	}
	_ = in.process.Stdin().Close()
	grace := in.subject.Transports[scenarios.Stdio].Grace.Std()
	select {
	case <-in.process.Exited():
	case <-time.After(grace):
	}
	d := death{took: time.Since(died), left: !in.ended()}
	exit, err := in.process.Stop(t.Context())
	d.left = d.left || exit.Strays > 0
	return d, err
}

// beginCall sends a call whose answer nobody will read, and waits until it has reached GitLab, if it is to.
func beginCall(ctx context.Context, in *instance, gitlab *fakegitlab.Server, route string, request *mcp.Request) error {
	if route == "" {
		var reply mcp.Reply
		in.stdio.Do(ctx, request, &reply)
		return failure(request, &reply)
	}
	gitlab.SetFault(route, fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	brief, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		var reply mcp.Reply
		in.stdio.Do(brief, request, &reply)
	}()
	limit := time.Now().Add(wireTimeout)
	for gitlab.Count(route) == 0 {
		if time.Now().After(limit) {
			return fmt.Errorf("a call on stdio did not reach GitLab")
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-over
	return nil
}
