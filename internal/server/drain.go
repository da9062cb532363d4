package server

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drained is a transport on which the end of the input waits for the calls in progress. The protocol
// library cancels them as soon as nothing more can be read.
type drained struct {
	mcp.Transport
	closing context.Context
	calls   *inProgress
}

// Connect implements mcp.Transport.
func (t *drained) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainedConn{Connection: conn, closing: t.closing, calls: t.calls}, nil
}

type drainedConn struct {
	mcp.Connection
	closing context.Context
	calls   *inProgress
}

// Read implements mcp.Connection. Being told to end is the end of the input.
func (c *drainedConn) Read(context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(c.closing)
	if err != nil {
		c.calls.wait(grace)
		if c.closing.Err() != nil {
			err = io.EOF
		}
		return nil, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.calls.begin()
	}
	return msg, nil
}

// Write implements mcp.Connection.
func (c *drainedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if _, ok := msg.(*jsonrpc.Response); ok {
		defer c.calls.end()
	}
	return c.Connection.Write(ctx, msg)
}

// inProgress counts calls that have not been answered.
type inProgress struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n gets to zero; nil while nobody waits
}

func (p *inProgress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
}

func (p *inProgress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n--
	if p.n == 0 && p.zero != nil {
		close(p.zero)
		p.zero = nil
	}
}

// wait returns when no call is in progress, or after d; it reports which.
func (p *inProgress) wait(d time.Duration) bool {
	p.mu.Lock()
	if p.n <= 0 {
		p.mu.Unlock()
		return true
	}
	if p.zero == nil {
		p.zero = make(chan struct{})
	}
	zero := p.zero
	p.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-zero:
		return true
	case <-timer.C:
		return false
	}
}
