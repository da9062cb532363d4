package mcp

import (
	"context"
	"encoding/json"
	"fmt"
)

// How the suite introduces itself to servers.
const (
	clientName    = "mcpbench"
	clientVersion = "1"
)

// newNotification returns a request that has no id and expects no reply.
func newNotification(method string, version Version) (*Request, error) {
	r := &Request{spec: Spec{Label: method, Method: method, Version: version}, notification: true}
	r.body, _ = encode(method, nil, false)
	var err error
	r.head, err = requestHead(r.spec, len(r.body))
	return r, err
}

// newInitialize returns the request that begins a conversation.
func newInitialize(version Version) (*Request, error) {
	return NewRequest(Spec{
		Label:   "initialize",
		Method:  "initialize",
		Version: version,
		Varies:  true,
		Params: json.RawMessage(`{"protocolVersion":"` + string(version) + `","capabilities":{},` +
			`"clientInfo":{"name":"` + clientName + `","version":"` + clientVersion + `"}}`),
	})
}

// handshake initializes the conversation on conn; greeted is called when the
// server has agreed, and before it is told so.
func handshake(ctx context.Context, conn Conn, version Version, greeted func() error) error {
	if !version.Initializes() {
		return nil
	}
	hello, err := newInitialize(version)
	if err != nil {
		return err
	}
	body, reply := conn.Fetch(ctx, hello)
	if reply.Outcome != OK {
		return fmt.Errorf("initialize %s: %s", reply.Outcome, reply.Reason)
	}
	if err := agreed(body, version); err != nil {
		return err
	}
	if err := greeted(); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	ready, err := newNotification("notifications/initialized", version)
	if err != nil {
		return err
	}
	if conn.Do(ctx, ready, &reply); reply.Outcome != OK {
		return fmt.Errorf("notifications/initialized %s: %s", reply.Outcome, reply.Reason)
	}
	return nil
}

// agreed checks that the server speaks the revision it was asked for.
func agreed(body []byte, version Version) error {
	var answer struct {
		Result struct {
			ProtocolVersion Version `json:"protocolVersion"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if got := answer.Result.ProtocolVersion; got != version {
		return fmt.Errorf("initialize: the server speaks %s, not %s: name a version it speaks", got, version)
	}
	return nil
}

// Handshake begins the conversation, where the revision has a beginning, and
// joins the session the server opens for it. Connections made by Another
// afterwards are in the same session and need no handshake of their own.
func (c *HTTPConn) Handshake(ctx context.Context) error {
	return handshake(ctx, c, c.config.Version, func() error {
		c.session, c.greeted = c.x.session, true
		return c.writePrefix()
	})
}

// End takes leave of the server: it deletes the session, where there is one.
// A server may answer 405, that it does not let its clients do so.
func (c *HTTPConn) End(ctx context.Context) error {
	if c.session == "" {
		return nil
	}
	bye := &Request{spec: Spec{Version: c.config.Version}, notification: true, verb: "DELETE", head: []byte("\r\n")}
	var reply Reply
	c.Do(ctx, bye, &reply)
	if reply.Outcome != OK && reply.Status != 405 {
		return fmt.Errorf("end session %s: %s", reply.Outcome, reply.Reason)
	}
	return nil
}

// Handshake begins the conversation, where the revision has a beginning.
func (c *StdioConn) Handshake(ctx context.Context) error {
	return handshake(ctx, c, c.version, func() error { return nil })
}
