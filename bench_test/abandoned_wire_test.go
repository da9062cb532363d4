package bench_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcpbench/internal/mcp"
)

// wireTimeout bounds every exchange of a client that is about to leave.
const wireTimeout = 20 * time.Second

// wire makes connections that are left in ways that no well-behaved client has.
type wire struct {
	endpoint *url.URL
	// credential goes with every request.
	credential http.Header
}

// asked is one request that goes over a wire.
type asked struct {
	verb, path string // POST and the endpoint's own where empty
	version    mcp.Version
	session    string
	// id is that of the message, 0 for a notification; name is the tool it is for.
	id           int
	method, name string
	params       map[string]any
	header       http.Header
}

// wired is a connection on which one request was sent, or none yet.
type wired struct {
	*net.TCPConn
	in *bufio.Reader
}

// dial connects. A connection that is to be left while it is being answered has a small buffer.
func (w *wire) dial(ctx context.Context, buffer int) (*wired, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", w.endpoint.Host)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn) // what "tcp" dials
	if buffer > 0 {
		if err := tcp.SetReadBuffer(buffer); err != nil {
			return nil, closing(err, tcp)
		}
	}
	if err := tcp.SetDeadline(time.Now().Add(wireTimeout)); err != nil {
		return nil, closing(err, tcp)
	}
	return &wired{TCPConn: tcp, in: bufio.NewReaderSize(tcp, 512)}, nil
}

// closing closes what an error makes useless.
func closing(err error, c io.Closer) error {
	_ = c.Close()
	return err
}

// send connects and sends a request.
func (w *wire) send(ctx context.Context, a asked, buffer int) (*wired, error) {
	r, err := w.request(a)
	if err != nil {
		return nil, err
	}
	conn, err := w.dial(ctx, buffer)
	if err != nil {
		return nil, err
	}
	if err := r.Write(conn); err != nil {
		return nil, closing(err, conn)
	}
	return conn, nil
}

// exchange sends a request on a connection of its own and returns the response, its body read to the end.
func (w *wire) exchange(ctx context.Context, a asked) (*http.Response, string, error) {
	conn, err := w.send(ctx, a, 0)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = conn.Close() }()
	return conn.response()
}

// response reads a response to its end.
func (c *wired) response() (*http.Response, string, error) {
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// reset closes the connection so that the other end sees a reset (socket(7), SO_LINGER).
func (c *wired) reset() error {
	if err := c.SetLinger(0); err != nil {
		return closing(err, c)
	}
	return c.Close()
}

// request is the HTTP request that carries a message.
func (w *wire) request(a asked) (*http.Request, error) {
	target := *w.endpoint
	if a.path != "" {
		target.Path = a.path
	}
	if a.verb != "" {
		r, err := http.NewRequest(a.verb, target.String(), nil)
		if err == nil {
			w.head(r.Header, a)
		}
		return r, err
	}
	body, err := a.message()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target.String(), strings.NewReader(body))
	if err == nil {
		w.head(r.Header, a)
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// head sets the headers that a revision of the protocol wants.
func (w *wire) head(h http.Header, a asked) {
	for _, from := range []http.Header{w.credential, a.header} {
		for name, values := range from {
			h[name] = values
		}
	}
	if h.Get("Accept") == "" {
		h.Set("Accept", "application/json, text/event-stream")
	}
	if a.session != "" {
		h.Set("Mcp-Session-Id", a.session)
	}
	if a.method != "initialize" && a.version != "" {
		h.Set("Mcp-Protocol-Version", string(a.version))
	}
	if a.version.Initializes() {
		return
	}
	h.Set("Mcp-Method", a.method)
	if a.name != "" {
		h.Set("Mcp-Name", a.name)
	}
}

// message is the JSON-RPC message.
func (a *asked) message() (string, error) {
	params := map[string]any{}
	for name, value := range a.params {
		params[name] = value
	}
	if !a.version.Initializes() {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    a.version,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	message := map[string]any{"jsonrpc": "2.0", "method": a.method, "params": params}
	if a.id != 0 {
		message["id"] = a.id
	}
	text, err := json.Marshal(message)
	return string(text), err
}

// openSession opens a session, on a connection of its own, and returns its id.
func (w *wire) openSession(ctx context.Context, version mcp.Version) (string, error) {
	response, body, err := w.exchange(ctx, initialize(version, ""))
	if err != nil {
		return "", fmt.Errorf("initialize: %w", err)
	}
	id := response.Header.Get("Mcp-Session-Id")
	if response.StatusCode != http.StatusOK || id == "" {
		return "", fmt.Errorf("initialize: %s opens no session: %.200s", response.Status, body)
	}
	response, body, err = w.exchange(ctx, asked{version: version, session: id, method: "notifications/initialized"})
	if err != nil {
		return "", fmt.Errorf("notifications/initialized: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return "", fmt.Errorf("notifications/initialized: %s: %.200s", response.Status, body)
	}
	return id, nil
}

// initialize is the message that opens a session, or is sent again in one.
func initialize(version mcp.Version, session string) asked {
	return asked{version: version, session: session, id: 1, method: "initialize", params: map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcpbench", "version": "1"},
	}}
}
