package mcp

import "context"

// Conn is one connection to a server, for use by one goroutine at a time.
type Conn interface {
	// Do sends req, reads its reply to the end, and fills reply in. It
	// returns when the call is over or ctx is; trouble of any kind is an
	// outcome and a reason in reply, so that no call can go uncounted.
	Do(ctx context.Context, req *Request, reply *Reply)
	// Fetch is Do, and returns the JSON-RPC message itself as well. It is
	// for looking at an answer, not for load.
	Fetch(ctx context.Context, req *Request) ([]byte, Reply)
	// Close ends the connection without taking leave of the server.
	Close() error
}
