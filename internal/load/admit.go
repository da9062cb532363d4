package load

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mcpbench/internal/mcp"
)

// Admit has each worker ask each of its requests once, at most parallel workers
// at a time, begun in their order. It returns each worker's replies in the
// order of its requests, as many as were made; the first one's latency is what
// it took to be admitted. It stops at the first call that is not OK, and the
// error says whose it was.
func Admit(ctx context.Context, workers []Worker, parallel int) ([][]mcp.Reply, error) {
	if err := check(workers); err != nil {
		return nil, err
	}
	replies := make([][]mcp.Reply, len(workers))
	err := Each(ctx, len(workers), parallel, func(ctx context.Context, i int) error {
		var err error
		replies[i], err = ask(ctx, workers[i])
		if err != nil {
			return fmt.Errorf("admit worker %d: %w", i, err)
		}
		return nil
	})
	return replies, err
}

// ask has a worker ask each of its requests once.
func ask(ctx context.Context, w Worker) ([]mcp.Reply, error) {
	var replies []mcp.Reply
	for _, req := range w.Requests {
		var reply mcp.Reply
		w.Conn.Do(ctx, req, &reply)
		replies = append(replies, reply)
		if reply.Outcome != mcp.OK {
			return replies, fmt.Errorf("%s %s: %s", req.Label(), reply.Outcome, reply.Reason)
		}
	}
	return replies, nil
}

// Each calls do for 0 to n-1, at most parallel at a time and begun in that
// order. The first error ends the context of the others; Each returns it when
// all have returned.
func Each(ctx context.Context, n, parallel int, do func(ctx context.Context, i int) error) error {
	if parallel < 1 {
		return errors.New("nothing can be done fewer than one at a time")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	places := make(chan struct{}, parallel)
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
			<-places
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
