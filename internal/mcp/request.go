package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Spec says what to ask and what a right answer looks like.
type Spec struct {
	// Label is the name results are kept under, such as "call".
	Label string
	// Method is the JSON-RPC method.
	Method string
	// Name is the tool, prompt or URI that Params address. It is sent as
	// Mcp-Name where the revision wants it, and may be empty elsewhere.
	Name string
	// Params is the params object, without _meta; empty for none.
	Params json.RawMessage
	// Version is the revision the request is written in.
	Version Version
	// Expect is the shape of a right answer.
	Expect Expect
	// Varies says that right answers differ from one another. Small ones may
	// do so anyway; a large one that is not like the first is otherwise a
	// failure, because only a likeness can be checked at the speed of load.
	Varies bool
}

// Expect is the shape of a right answer.
type Expect struct {
	// Tools is the exact number of elements in the result's tools; 0 leaves
	// it unchecked.
	Tools int
	// Bytes is the exact size of the JSON-RPC message less the digits of its
	// id; 0 leaves it unchecked.
	Bytes int64
	// Contains are strings that must each stand in the result, its JSON
	// escapes decoded.
	Contains []string
	// Error says that an isError result or a JSON-RPC error is the right
	// answer, and any other a wrong one.
	Error bool
}

// Request is a request whose bytes are ready but for its id. It may be used on
// any number of connections at once, and learns from the replies what the
// right one looks like.
type Request struct {
	spec    Spec
	head    []byte // header lines that depend on the request
	body    []byte // the JSON-RPC message, digits of the id included
	idAt    int    // offset of those digits in body
	needles []needle
	memory  memory

	plain        string // what a page that is no message must contain; empty for messages
	notification bool   // it has no id and gets no reply
	verb         string // the HTTP verb, POST where empty
}

// NewRequest marshals everything that can be marshalled before a call is made.
// It refuses an unknown version, a missing method, and params that are not a
// JSON object.
func NewRequest(spec Spec) (*Request, error) {
	if spec.Method == "" {
		return nil, errors.New("request: no method: name one, such as tools/list")
	}
	if !spec.Version.Known() {
		return nil, fmt.Errorf("request %s: unknown protocol version %q", spec.Method, spec.Version)
	}
	params, err := withMeta(spec)
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", spec.Method, err)
	}
	r := &Request{spec: spec}
	r.body, r.idAt = encode(spec.Method, params, true)
	if r.head, err = requestHead(spec, len(r.body)); err != nil {
		return nil, fmt.Errorf("request %s: %w", spec.Method, err)
	}
	for _, s := range spec.Expect.Contains {
		r.needles = append(r.needles, newNeedle(s))
	}
	r.memory.varies.Store(spec.Varies)
	return r, nil
}

// NewGet returns a request for the page at a connection's URL, which is no message: the right answer has status 200
// and contains a text among its first 200 bytes.
func NewGet(label string, version Version, contains string) *Request {
	return &Request{spec: Spec{Label: label, Method: "GET", Version: version}, plain: contains, verb: "GET", head: []byte("\r\n")}
}

// Label is the name results are kept under.
func (r *Request) Label() string { return r.spec.Label }

// Method is the JSON-RPC method.
func (r *Request) Method() string { return r.spec.Method }

// withMeta returns the params object on one line, with the _meta the revision
// wants.
func withMeta(spec Spec) (json.RawMessage, error) {
	params := map[string]json.RawMessage{}
	if len(spec.Params) > 0 {
		if err := json.Unmarshal(spec.Params, &params); err != nil || params == nil {
			return nil, fmt.Errorf("params must be a JSON object, and are %.40q", spec.Params)
		}
	}
	if !spec.Version.Initializes() {
		params["_meta"] = json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"` + string(spec.Version) +
			`","io.modelcontextprotocol/clientInfo":{"name":"` + clientName + `","version":"` + clientVersion +
			`"},"io.modelcontextprotocol/clientCapabilities":{}}`)
	}
	if len(params) == 0 {
		return nil, nil
	}
	return json.Marshal(params)
}

// encode returns a JSON-RPC message and the offset of its id's digits; a
// notification has none.
func encode(method string, params json.RawMessage, id bool) ([]byte, int) {
	b := []byte(`{"jsonrpc":"2.0",`)
	at := 0
	if id {
		b = append(b, `"id":`...)
		at = len(b)
		b = strconv.AppendInt(b, firstID, 10)
		b = append(b, ',')
	}
	b = append(b, `"method":`...)
	quoted, _ := json.Marshal(method) // a string always marshals
	b = append(b, quoted...)
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}'), at
}
