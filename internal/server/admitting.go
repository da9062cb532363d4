package server

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// admitting is a transport that refuses calls over the limits where it reads them. The protocol library reads all that
// there is and has a goroutine for each call: so many refusals could wait there for a client that does not read them.
// Here, nothing more is read from such a client.
type admitting struct {
	mcp.Transport
	limits  limits
	refused func(method string) // is told of each refusal
}

// Connect implements mcp.Transport.
func (t *admitting) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &admittingConn{Connection: conn, admitting: t, in: make(map[jsonrpc.ID]struct{})}, nil
}

type admittingConn struct {
	mcp.Connection
	admitting *admitting

	mu sync.Mutex
	in map[jsonrpc.ID]struct{} // calls that were let in and are not answered
}

// Read implements mcp.Connection.
func (c *admittingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		req, ok := msg.(*jsonrpc.Request)
		if !ok || !req.IsCall() || !limited(req.Method) {
			return msg, nil
		}
		refusal := c.enter(req.ID)
		if refusal == nil {
			return msg, nil
		}
		c.admitting.refused(req.Method)
		if err := c.Connection.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: refusal}); err != nil {
			return nil, err
		}
	}
}

// Write implements mcp.Connection. A call counts until its answer has been written.
func (c *admittingConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if response, ok := msg.(*jsonrpc.Response); ok {
		defer c.leave(response.ID)
	}
	return c.Connection.Write(ctx, msg)
}

// enter lets a call in or returns the error that refuses it. One with an id that is in use is not counted: the library
// drops it, and no answer would end it.
func (c *admittingConn) enter(id jsonrpc.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, is := c.in[id]; is {
		return nil
	}
	if err := c.admitting.limits.enter(); err != nil {
		return err
	}
	c.in[id] = struct{}{}
	return nil
}

func (c *admittingConn) leave(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, is := c.in[id]; is {
		delete(c.in, id)
		c.admitting.limits.leave()
	}
}
