package listing

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Method is the method that this package answers.
const Method = "tools/list"

// FirstModern is the first protocol version whose requests stand alone, without a session.
const FirstModern = "2026-07-28"

// A Request is a tools/list call that can be answered from a Listing.
type Request struct {
	ID      jsonrpc.ID
	Cursor  string // "" for the first page, and there is no other
	Version string // the protocol version the request itself names, "" before 2026-07-28
	Modern  bool   // whether the request names a version of 2026-07-28 or later
}

// meta is what a request says about itself and its sender.
type meta struct {
	Version      string                  `json:"io.modelcontextprotocol/protocolVersion"`
	ClientInfo   json.RawMessage         `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities *mcp.ClientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
}

// envelope is a JSON-RPC message as far as it matters here. The library's own decoder would do, at 64 KiB
// of garbage a message.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// Parse reads a JSON-RPC message. It returns nil for everything but a well-formed call of tools/list:
// another method, a batch, a notification, a malformed message, metadata that are incomplete. Those are
// for the protocol library, which knows how to refuse each.
func Parse(message []byte) *Request {
	if !bytes.Contains(message, []byte(Method)) {
		return nil
	}
	var call envelope
	if err := json.Unmarshal(message, &call); err != nil || call.Version != "2.0" || call.Method != Method {
		return nil
	}
	id, err := jsonrpc.MakeID(call.ID)
	if err != nil || !id.IsValid() {
		return nil
	}
	return parseCall(id, call.Params)
}

// parseCall reads the parameters of a tools/list call.
func parseCall(id jsonrpc.ID, raw json.RawMessage) *Request {
	var params struct {
		Cursor string `json:"cursor"`
		Meta   meta   `json:"_meta"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil
		}
	}
	modern := params.Meta.Version >= FirstModern
	if modern && !params.Meta.complete() {
		return nil
	}
	return &Request{ID: id, Cursor: params.Cursor, Version: params.Meta.Version, Modern: modern}
}

// complete says whether the metadata hold what every request must since 2026-07-28: the client's
// capabilities, and, if it names itself, a readable name.
func (m meta) complete() bool {
	if m.Capabilities == nil {
		return false
	}
	if len(m.ClientInfo) == 0 {
		return true
	}
	var info *mcp.Implementation
	return json.Unmarshal(m.ClientInfo, &info) == nil && info != nil
}

// InvalidCursor is the reply to a request with a cursor: everything is on the first page, so no cursor
// was ever given out.
func (r *Request) InvalidCursor() []byte { return r.Refusal(ErrCursor()) }

// Refusal is the reply that answers the request with err.
func (r *Request) Refusal(err error) []byte {
	reply, encodeErr := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID, Error: err})
	if encodeErr != nil {
		panic(encodeErr) // an id that was decoded and a fixed error always encode
	}
	return reply
}

// ErrCursor is the JSON-RPC error for a cursor that was never given out.
func ErrCursor() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: unknown cursor: the list has one page"}
}

// encodedID is the id as it goes into the reply.
func (r *Request) encodedID() []byte {
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		panic(err) // an id is a number or a string
	}
	return id
}
