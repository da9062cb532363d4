package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ClientConn makes calls by way of a client of net/http, for what this package does not speak itself: TLS and
// HTTP/2. They are judged as any others are, but what that client costs is in their latencies.
type ClientConn struct {
	client *http.Client
	config HTTPConfig
	ids    sequence
	x      exchange
}

// NewClient returns a connection to the endpoint, whose URL may be an https one. How many there really are is the
// client's business. Revisions with a handshake are refused.
func NewClient(client *http.Client, config HTTPConfig) (*ClientConn, error) {
	if !config.Version.Known() || config.Version.Initializes() {
		return nil, fmt.Errorf("client of %s: protocol version %q: give one without sessions", config.URL, config.Version)
	}
	return &ClientConn{client: client, config: config}, nil
}

// Do implements Conn.
func (c *ClientConn) Do(ctx context.Context, req *Request, reply *Reply) { c.do(ctx, req, reply, nil) }

// Fetch implements Conn.
func (c *ClientConn) Fetch(ctx context.Context, req *Request) ([]byte, Reply) {
	var keep bytes.Buffer
	var reply Reply
	c.do(ctx, req, &reply, &keep)
	return keep.Bytes(), reply
}

// Close implements Conn.
func (c *ClientConn) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

func (c *ClientConn) do(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) {
	*reply = Reply{Start: time.Now()}
	switch err := c.attempt(ctx, req, reply, keep); {
	case err == nil:
	case ctx.Err() != nil:
		reply.set(Cut, "cut: "+ctx.Err().Error())
	default:
		reply.set(Failed, "transport: "+describe(err))
	}
	reply.End = time.Now()
}

// attempt makes the exchange.
func (c *ClientConn) attempt(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) error {
	id := c.ids.next()
	c.x.begin(req, id, reply, keep)
	defer c.x.close()
	out, err := c.request(ctx, req, id)
	if err != nil {
		return err
	}
	in, err := c.client.Do(out)
	if err != nil {
		return err
	}
	defer func() { _ = in.Body.Close() }() // read to its end, or given up
	c.x.status, c.x.media = in.StatusCode, mediaOf([]byte(in.Header.Get("Content-Type")))
	if _, err := io.Copy(feeder{&c.x}, io.LimitReader(in.Body, maxMessage)); err != nil {
		return err
	}
	c.x.end()
	return nil
}

// request is the message as net/http sends it.
func (c *ClientConn) request(ctx context.Context, req *Request, id int64) (*http.Request, error) {
	body := bytes.Clone(req.body)
	putID(body[req.idAt:], id)
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, values := range c.config.Header {
		out.Header[key] = values
	}
	out.Header.Set("Content-Type", "application/json")
	out.Header.Set("Accept", "application/json, text/event-stream")
	out.Header.Set("Mcp-Protocol-Version", string(c.config.Version))
	out.Header.Set("Mcp-Method", req.spec.Method)
	if req.spec.Name != "" {
		out.Header.Set("Mcp-Name", req.spec.Name)
	}
	return out, nil
}

// feeder passes a body on to an exchange.
type feeder struct{ x *exchange }

func (f feeder) Write(p []byte) (int, error) {
	f.x.body(p)
	return len(p), nil
}
