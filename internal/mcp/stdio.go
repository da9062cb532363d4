package mcp

import (
	"context"
	"io"
)

// StdioConn is the conversation with one process over its standard streams.
type StdioConn struct{}

// NewStdio returns a conversation over a process's streams.
func NewStdio(_ io.Reader, _ io.WriteCloser, _ Version) *StdioConn { return nil }

// Do implements Conn.
func (c *StdioConn) Do(_ context.Context, _ *Request, reply *Reply) { reply.set(Failed, "not built") }

// Fetch implements Conn.
func (c *StdioConn) Fetch(context.Context, *Request) ([]byte, Reply) { return nil, Reply{Outcome: Failed} }

// Close closes the process's standard input.
func (c *StdioConn) Close() error { return nil }

// Handshake begins the conversation, where the revision has a beginning.
func (c *StdioConn) Handshake(context.Context) error { return nil }
