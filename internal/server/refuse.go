package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/upstream"
)

// refuse says why a request is not served.
func (e *endpoint) refuse(w http.ResponseWriter, err error) {
	var admission *upstream.AdmissionError
	var over *jsonrpc.Error
	switch {
	case errors.As(err, &admission):
		refuseCredential(w, admission)
	case errors.As(err, &over) && over.Code == limit.CodeBusy:
		refuseWork(w, http.StatusServiceUnavailable, over, limit.RetryAfterBusy)
	case errors.As(err, &over) && over.Code == limit.CodeRate:
		refuseWork(w, http.StatusTooManyRequests, over, limit.RetryAfterRate(e.rps))
	case errors.Is(err, context.Canceled):
		// Nobody is there to be told.
	default:
		e.protocol.log.Error("a request cannot be served", "error", err)
		writeError(w, http.StatusInternalServerError, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error: see the server's log"})
	}
}

func refuseCredential(w http.ResponseWriter, err *upstream.AdmissionError) {
	challenge := `Bearer realm="gitlab-mcp-server"`
	switch {
	case err.Status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", challenge)
	case err.Status == http.StatusForbidden:
		w.Header().Set("WWW-Authenticate", challenge+`, error="insufficient_scope", scope="api"`)
	case err.RetryAfter != "":
		w.Header().Set("Retry-After", err.RetryAfter)
	case err.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", limit.Seconds(limit.RetryAfterBusy))
	}
	writeError(w, err.Status, &jsonrpc.Error{Code: codeCredential, Message: err.Reason})
}

// codeCredential is the JSON-RPC code of a request whose credential was not admitted.
const codeCredential = -32010

func refuseWork(w http.ResponseWriter, status int, err *jsonrpc.Error, after time.Duration) {
	w.Header().Set("Retry-After", limit.Seconds(after))
	writeError(w, status, err)
}

// writeError writes a JSON-RPC error that answers no message in particular: none was read yet.
func writeError(w http.ResponseWriter, status int, err *jsonrpc.Error) {
	body, encodeErr := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      *int           `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{Version: "2.0", Error: err})
	if encodeErr != nil {
		http.Error(w, err.Message, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// lateBody is how long a refusal waits for a body that did not come with its head.
const lateBody = 100 * time.Millisecond

// hurryBody bounds the time for the body of a request that is refused without it. Package net/http reads such a body
// before it answers, and waits for it; once the time is up it answers, and closes the connection. A body that has come
// already, as those of most clients have, costs no time and no connection.
func hurryBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // without a body, net/http reads from the connection to see who leaves
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lateBody))
	}
}
