package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
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

// HTTPConn is one keep-alive connection to a streamable HTTP endpoint. It
// holds no buffer while it waits.
type HTTPConn struct {
	config HTTPConfig
	addr   string
	host   string
	target string
	ids    *sequence // of the session

	prefix  []byte // beginning of each request's head
	session string
	greeted bool // the handshake is over

	guard  guard
	tcp    *net.TCPConn
	raw    syscall.RawConn
	served bool // the connection has carried a whole exchange
	redial bool // the next dial replaces a connection that the server ended
	again  int64

	ready   func(uintptr) bool
	x       exchange
	sent    bool
	got     bool // a byte of the response has come
	ioError error
}

// DialHTTP connects to the endpoint. It does not begin a conversation: see
// Handshake.
func DialHTTP(ctx context.Context, config HTTPConfig) (*HTTPConn, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("dial %q: give an http URL with a host", config.URL)
	}
	if !config.Version.Known() {
		return nil, fmt.Errorf("dial %s: unknown protocol version %q", config.URL, config.Version)
	}
	addr := u.Host
	if u.Port() == "" {
		addr = net.JoinHostPort(u.Hostname(), "80")
	}
	c := &HTTPConn{config: config, addr: addr, host: u.Host, target: u.RequestURI(), ids: new(sequence)}
	return c.open(ctx)
}

// Another returns a further connection of the same credential and session. It
// shares ids with c, so that none is in flight twice in the session.
func (c *HTTPConn) Another(ctx context.Context) (*HTTPConn, error) {
	return (&HTTPConn{
		config: c.config, addr: c.addr, host: c.host, target: c.target, ids: c.ids,
		session: c.session, greeted: c.greeted,
	}).open(ctx)
}

// open connects a new connection.
func (c *HTTPConn) open(ctx context.Context) (*HTTPConn, error) {
	c.ready = c.onReady
	if err := c.writePrefix(); err != nil {
		return nil, fmt.Errorf("dial %s: %w", c.config.URL, err)
	}
	if err := c.dial(ctx); err != nil {
		return nil, fmt.Errorf("dial %s: %w", c.config.URL, err)
	}
	return c, nil
}

// writePrefix renders the part of the head that all requests share. Revisions
// with a handshake name themselves in a header only once it is over.
func (c *HTTPConn) writePrefix() error {
	version := c.config.Version
	if version.Initializes() && (!c.greeted || !version.hasVersionHeader()) {
		version = ""
	}
	prefix, err := connHead(c.host, c.target, c.config.Header, version, c.session)
	c.prefix = prefix
	return err
}

// dial connects, or connects anew.
func (c *HTTPConn) dial(ctx context.Context) error {
	d := net.Dialer{KeepAlive: -1}
	if c.config.SourceIP != "" {
		ip := net.ParseIP(c.config.SourceIP)
		if ip == nil {
			return fmt.Errorf("source address %q is no IP address", c.config.SourceIP)
		}
		d.LocalAddr = &net.TCPAddr{IP: ip}
	}
	conn, err := d.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	tcp := conn.(*net.TCPConn) // what "tcp" dials
	raw, err := tcp.SyscallConn()
	if err != nil {
		return errors.Join(err, tcp.Close())
	}
	c.tcp, c.raw, c.served = tcp, raw, false
	c.guard.set(tcp)
	if c.redial {
		c.redial = false
		c.again++
	}
	return nil
}

// Reconnects counts the connections opened in place of one that the server
// had ended, or that a failure had spoiled, so that what Do makes good is not
// hidden.
func (c *HTTPConn) Reconnects() int64 { return c.again }

// Do implements Conn. A request that the server let go unanswered by closing a
// connection that had served before is sent once more on a new one: the server
// may have closed it before the request arrived. Reconnects counts these.
func (c *HTTPConn) Do(ctx context.Context, req *Request, reply *Reply) { c.do(ctx, req, reply, nil) }

// Fetch implements Conn.
func (c *HTTPConn) Fetch(ctx context.Context, req *Request) ([]byte, Reply) {
	var keep bytes.Buffer
	var reply Reply
	c.do(ctx, req, &reply, &keep)
	return keep.Bytes(), reply
}

// do is Do, and copies the message to keep unless that is nil.
func (c *HTTPConn) do(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) {
	*reply = Reply{Start: time.Now()}
	if req.spec.Version != c.config.Version {
		reply.set(Failed, "request: written in "+string(req.spec.Version)+", not the connection's "+string(c.config.Version))
	} else {
		c.guard.watch(ctx)
		c.call(ctx, req, reply, keep)
	}
	reply.End = time.Now()
}

// call makes the exchange, a second time on a new connection where the server
// had closed the old one while it was idle.
func (c *HTTPConn) call(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) {
	err := c.attempt(ctx, req, reply, keep)
	if err != nil && c.served && !c.got && isClosed(err) {
		c.drop(true)
		err = c.attempt(ctx, req, reply, keep)
	}
	switch {
	case err == nil && !c.x.closing:
		c.served = true
		return
	case err == nil:
		c.drop(true)
	case ctx.Err() != nil:
		c.drop(false)
		reply.set(Cut, "cut: "+ctx.Err().Error())
	default:
		c.drop(true)
		reply.set(Failed, "transport: "+describe(err))
	}
}

// attempt makes one exchange on the open connection, or on a new one.
func (c *HTTPConn) attempt(ctx context.Context, req *Request, reply *Reply, keep *bytes.Buffer) error {
	c.got = false
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.tcp == nil {
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	c.x.begin(req, c.ids.next(), reply, keep)
	defer c.x.close()
	c.sent, c.ioError = false, nil
	if err := c.raw.Read(c.ready); err != nil {
		return err
	}
	if c.ioError != nil {
		return c.ioError
	}
	c.x.end()
	return nil
}

// drop closes the connection. It is dialled again by the next call; lost says
// that this is to be counted.
func (c *HTTPConn) drop(lost bool) {
	if c.tcp == nil {
		return
	}
	c.guard.set(nil)
	_ = c.tcp.Close() // nothing is left to lose
	c.tcp, c.raw, c.redial = nil, nil, lost
}

// Close implements Conn.
func (c *HTTPConn) Close() error {
	c.guard.stop()
	if c.tcp == nil {
		return nil
	}
	err := c.tcp.Close()
	c.tcp, c.raw = nil, nil
	return err
}
