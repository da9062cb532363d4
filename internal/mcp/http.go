package mcp

import (
	"context"
	"errors"
	"net/http"
)

// HTTPConfig says where a connection goes and what each request carries.
type HTTPConfig struct {
	// URL is the endpoint, http only, such as http://127.0.0.1:8080/mcp.
	URL string
	// Header is sent with every request; the credential goes here.
	Header http.Header
	// Version is the protocol revision spoken.
	Version Version
	// SourceIP is the local address to connect from; empty for any. Distinct
	// addresses in 127.0.0.0/8 tell a server's per-address limits apart.
	SourceIP string
}

// HTTPConn is one keep-alive connection to a streamable HTTP endpoint.
type HTTPConn struct{}

// DialHTTP connects to the endpoint. It does not begin a conversation: see
// Handshake.
func DialHTTP(context.Context, HTTPConfig) (*HTTPConn, error) { return nil, errors.New("not built") }

// Another returns a further connection of the same credential and session.
func (c *HTTPConn) Another(context.Context) (*HTTPConn, error) { return nil, errors.New("not built") }

// Do implements Conn.
func (c *HTTPConn) Do(_ context.Context, _ *Request, reply *Reply) { reply.set(Failed, "not built") }

// Fetch implements Conn.
func (c *HTTPConn) Fetch(context.Context, *Request) ([]byte, Reply) { return nil, Reply{Outcome: Failed} }

// Close implements Conn.
func (c *HTTPConn) Close() error { return nil }

// Handshake begins the conversation, where the revision has a beginning.
func (c *HTTPConn) Handshake(context.Context) error { return nil }

// End takes leave of the server: it deletes the session, where there is one.
func (c *HTTPConn) End(context.Context) error { return nil }

// Reconnects counts the times the server had closed the idle connection and a
// call had to open another.
func (c *HTTPConn) Reconnects() int64 { return 0 }
