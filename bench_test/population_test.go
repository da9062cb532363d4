package bench_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// population is the clients of one scenario and the processes that serve them: many connections to one
// process on HTTP, a process for each on stdio.
type population struct {
	suite     *suite
	launch    launch
	token     func(i int) string
	instances []*instance
	clients   []mcp.Conn
	// reconnects counts the connections that were lost and opened again, once they are closed for good.
	reconnects int64
}

// startIdle starts the process that serves everybody. On stdio there is none before the first client.
func (p *population) startIdle(tb testing.TB) error {
	tb.Helper()
	if p.launch.transport == scenarios.Stdio {
		return nil
	}
	return p.startInstance(tb, 0)
}

// add admits one more client: a connection with a credential of its own, or a process.
func (p *population) add(ctx context.Context, tb testing.TB) error {
	tb.Helper()
	i := len(p.clients)
	if p.launch.transport == scenarios.Stdio {
		if err := p.startInstance(tb, i); err != nil {
			return err
		}
		p.clients = append(p.clients, p.instances[i].stdio)
		return nil
	}
	conn, err := p.instances[0].dial(ctx, p.token(i))
	if err != nil {
		return fmt.Errorf("credential %d: %w", i, err)
	}
	p.clients = append(p.clients, conn)
	return nil
}

func (p *population) startInstance(tb testing.TB, i int) error {
	tb.Helper()
	l := p.launch
	l.vars = scenarios.Vars{"token": p.token(i)}
	for name, value := range p.launch.vars {
		l.vars[name] = value
	}
	in, err := p.suite.start(tb, l)
	if err != nil {
		return err
	}
	p.instances = append(p.instances, in)
	return nil
}

// workers makes every client call one request.
func (p *population) workers(request *mcp.Request) []load.Worker {
	workers := make([]load.Worker, len(p.clients))
	for i, conn := range p.clients {
		workers[i] = load.Worker{Conn: conn, Requests: []*mcp.Request{request}}
	}
	return workers
}

// read sums the readings of all processes. A sum of resident sets counts a page shared by several
// processes once for each of them.
func (p *population) read() (meter.Reading, error) {
	var sum meter.Reading
	for _, in := range p.instances {
		r, err := in.tree.Read()
		if err != nil {
			return sum, err
		}
		sum.RSS += r.RSS
		sum.CPU += r.CPU
		sum.Threads += r.Threads
		sum.Descriptors += r.Descriptors
		sum.Processes += r.Processes
	}
	return sum, nil
}

// restingWindow is how long readings are averaged to say what the resident set is while nothing runs,
// and restingEvery how far apart they are.
const (
	restingWindow = time.Second
	restingEvery  = 50 * time.Millisecond
)

// resting returns the mean resident set over a window in which nothing is asked of the processes.
func (p *population) resting(ctx context.Context) (float64, error) {
	ticker := time.NewTicker(restingEvery)
	defer ticker.Stop()
	var total float64
	n := 0
	for deadline := time.Now().Add(restingWindow); time.Now().Before(deadline); n++ {
		r, err := p.read()
		if err != nil {
			return 0, err
		}
		total += float64(r.RSS)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return total / float64(n), nil
}

func (p *population) resetPeak() error {
	for _, in := range p.instances {
		if err := in.tree.ResetPeak(); err != nil {
			return err
		}
	}
	return nil
}

// peak sums the high-water marks of all processes, which need not have stood at the same moment.
func (p *population) peak() (int64, error) {
	var sum int64
	for _, in := range p.instances {
		peak, err := in.tree.Peak()
		if err != nil {
			return 0, err
		}
		sum += peak
	}
	return sum, nil
}

// defaultRestWindow is how long the resident set has to keep still. A shorter one is for tests of what does not
// depend on it.
const defaultRestWindow = 3 * time.Second

// restOptions say what rest is.
func restOptions() meter.SettleOptions { return meter.SettleOptions{Window: opts.restWindow} }

// settle brings every process to rest at the same time.
func (p *population) settle(ctx context.Context, o meter.SettleOptions) ([]meter.Settled, error) {
	settled := make([]meter.Settled, len(p.instances))
	errs := make([]error, len(p.instances))
	var wg sync.WaitGroup
	for i, in := range p.instances {
		wg.Go(func() { settled[i], errs[i] = meter.Settle(ctx, in.tree, in.heap, o) })
	}
	wg.Wait()
	return settled, errors.Join(errs...)
}

// disconnect closes every connection to a process that others still use. On stdio the connection is the
// process's own, and ends with it.
func (p *population) disconnect() error {
	if p.launch.transport == scenarios.Stdio {
		return nil
	}
	var errs []error
	for _, conn := range p.clients {
		if conn == nil {
			continue // admission ended before its turn
		}
		if http, ok := conn.(*mcp.HTTPConn); ok {
			p.reconnects += http.Reconnects()
		}
		errs = append(errs, conn.Close())
	}
	p.clients = nil
	return errors.Join(errs...)
}

// stop ends every process, and returns how they ended.
func (p *population) stop(ctx context.Context) ([]spawn.Exit, error) {
	var exits []spawn.Exit
	var errs []error
	for _, in := range p.instances {
		exit, err := in.process.Stop(ctx)
		exits, errs = append(exits, exit), append(errs, err)
	}
	return exits, errors.Join(errs...)
}

// tails returns the last lines of the processes, to end an error with.
func (p *population) tails() string {
	processes := make([]*spawn.Process, len(p.instances))
	for i, in := range p.instances {
		processes[i] = in.process
	}
	return tailsOf(processes)
}

// timed makes one call and returns how long its reply took.
func timed(ctx context.Context, conn mcp.Conn, request *mcp.Request) (time.Duration, error) {
	var reply mcp.Reply
	conn.Do(ctx, request, &reply)
	return reply.Latency(), failure(request, &reply)
}

// methodsOf lists the methods of the requests in the order of publishing.
func methodsOf(r requests) []record.Method {
	var methods []record.Method
	for _, m := range record.Methods() {
		if r[m] != nil {
			methods = append(methods, m)
		}
	}
	return methods
}

// quietLooks is how many looks in a row must find the same number of descriptors, quietEvery apart.
const quietLooks, quietEvery = 5, 20 * time.Millisecond

// quiet reads the processes once they neither open nor close anything: a connection that was closed at one end is
// closed at the other a moment later. Where that goes on for a second, it is part of what is read.
func (p *population) quiet(ctx context.Context) (meter.Reading, error) {
	ticker := time.NewTicker(quietEvery)
	defer ticker.Stop()
	var last meter.Reading
	same := 0
	for deadline := time.Now().Add(time.Second); ; {
		now, err := p.read()
		if err != nil {
			return now, err
		}
		if same++; now.Descriptors != last.Descriptors {
			same = 1
		}
		if same == quietLooks || time.Now().After(deadline) {
			return now, nil
		}
		last = now
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}
