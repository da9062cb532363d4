package main

import (
	"encoding/json"
	"errors"
	"strconv"
)

// request is a JSON-RPC message of a client.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// notification reports whether no reply is expected.
func (r *request) notification() bool { return len(r.ID) == 0 }

// parseRequest reads a message.
func parseRequest(data []byte) (*request, error) {
	var r request
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Method == "" {
		return nil, errors.New("no method")
	}
	return &r, nil
}

// reply is what is answered to a message. A reply without a head has no message.
type reply struct {
	// status is the HTTP status, 200 where it is 0.
	status int
	// session is the id of the session that the reply opens, on HTTP.
	session string
	// head and tail are the message, the tail of a listing shared by all.
	head, tail []byte
	// call is the number of the tools/call that this answers, the first being 1; 0 for anything else.
	call int64
}

// empty reports whether there is no message to be sent.
func (r *reply) empty() bool { return len(r.head) == 0 }

// message returns the whole message.
func (r *reply) message() []byte {
	if len(r.tail) == 0 {
		return r.head
	}
	return append(append(make([]byte, 0, len(r.head)+len(r.tail)), r.head...), r.tail...)
}

// opening is what every reply begins with; the digits of the id follow.
const opening = `{"jsonrpc":"2.0","id":`

// result answers with a result, which is a JSON object.
func (r *request) result(object []byte) reply {
	head := append(append([]byte(opening), r.ID...), `,"result":`...)
	return reply{head: append(append(head, object...), '}')}
}

// failure answers with a JSON-RPC error.
func (r *request) failure(code int, text string) reply {
	id := r.ID
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	head := append(append([]byte(opening), id...), `,"error":{"code":`...)
	head = strconv.AppendInt(head, int64(code), 10)
	head = append(append(head, `,"message":`...), quote(text)...)
	return reply{head: append(head, "}}"...)}
}

// quote returns text as a JSON string.
func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string always marshals
	return quoted
}

// Codes of JSON-RPC errors. The last is one that servers use for a limit passed; none is reserved for that.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeMethod   = -32601
	codeParams   = -32602
	codeInternal = -32603
	codeTooMany  = -32005
)
