package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/listing"
	"mcpbench/internal/server/pool"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/telemetry"
)

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"

	maxBody       = mcp.DefaultMaxRequestBodyBytes
	maxUnseen     = 64 << 10        // memory for a body of which only the length has come
	answerTimeout = 5 * time.Minute // for a call to be made, until its answer begins
)

// endpoint serves MCP over streamable HTTP. Before the protocol library it finds out who asks, whether
// they may, and which session is meant; and it answers tools/list itself.
type endpoint struct {
	pool      *pool.Pool
	gate      *limit.Gate // of all requests
	newcomers *limit.Gate // of those whose credential is not known yet
	rps       float64
	protocol  *protocol
	closing   context.Context // ends when the server is told to

	legacy http.Handler // versions with sessions
	modern http.Handler // 2026-07-28 and later, without
}

// newEndpoint returns an endpoint over two handlers of the protocol library: one handler cannot have both
// sessions and the versions without.
func newEndpoint(closing context.Context, p *protocol, pool *pool.Pool, c Config) *endpoint {
	handler := func(stateless bool) http.Handler {
		s := p.newServer()
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
			Stateless:                    stateless,
			JSONResponse:                 true,
			PropagateRequestCancellation: true,
			Logger:                       slog.New(atLeast{p.log.Handler(), slog.LevelError}),
		})
	}
	return &endpoint{
		pool: pool, gate: limit.NewGate(c.MaxConcurrent), newcomers: limit.NewGate(halfOf(c.MaxConcurrent)), rps: c.RateLimit,
		protocol: p, closing: closing,
		legacy: handler(false), modern: handler(true),
	}
}

// on serves one surface.
func (e *endpoint) on(kind surface.Kind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.serve(w, r, kind) })
}

// named serves the surface that the path names.
func (e *endpoint) named(w http.ResponseWriter, r *http.Request) {
	kind, err := surface.ParseKind(r.PathValue("surface"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	e.serve(w, r, kind)
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request, kind surface.Kind) {
	v, err := e.admit(r, kind)
	if err != nil {
		hurryBody(w, r)
		e.refuse(w, err)
		return
	}
	defer v.end()
	if r.Method == http.MethodPost {
		e.servePost(w, r, v.lease)
		return
	}
	if r.Method == http.MethodGet {
		v.rest() // a stream may stay open for hours, and is no work
	}
	e.serveStream(w, r, v.lease)
}

// servePost serves a message.
func (e *endpoint) servePost(w http.ResponseWriter, r *http.Request, lease *pool.Lease) {
	body, status := readBody(w, r)
	if status != 0 {
		w.Header().Set("Connection", "close")
		http.Error(w, "the request's body cannot be read: "+http.StatusText(status), status)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	modern := isModern(r.Header, body)
	if !modern && !e.joinOrOpen(w, r, lease) {
		return
	}
	if list := listing.Parse(body); list != nil && canAnswer(r.Header, list, modern) {
		e.list(w, r, lease, list)
		return
	}
	ctx := withBinding(r.Context(), &binding{
		client: lease.Client, tools: always(lease.Toolset), opened: lease.OpenSession,
	})
	if modern {
		e.modern.ServeHTTP(w, r.WithContext(ctx))
	} else {
		e.legacy.ServeHTTP(w, r.WithContext(ctx))
	}
}

// serveStream serves what is no message: the stream of a session, and its end.
func (e *endpoint) serveStream(w http.ResponseWriter, r *http.Request, lease *pool.Lease) {
	ctx, cancel := e.untilClosing(withBinding(r.Context(), &binding{client: lease.Client, tools: always(lease.Toolset)}))
	defer cancel()
	r, w = r.WithContext(ctx), endless(w)
	if isModern(r.Header, nil) {
		e.modern.ServeHTTP(w, r)
		return
	}
	if !joinSession(w, r, lease) {
		return
	}
	e.legacy.ServeHTTP(w, r)
	if r.Method == http.MethodDelete {
		lease.ForgetSession(r.Header.Get(sessionHeader))
	}
}

// untilClosing ends a context when the server is told to end: a stream would keep it from ending.
func (e *endpoint) untilClosing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.closing, cancel)
	return ctx, func() { stop(); cancel() }
}

// joinOrOpen takes part in the session that a message names. For one that names none there must be room: it opens one.
func (e *endpoint) joinOrOpen(w http.ResponseWriter, r *http.Request, lease *pool.Lease) bool {
	if r.Header.Get(sessionHeader) != "" {
		return joinSession(w, r, lease)
	}
	if !lease.ReserveSession() {
		e.refuse(w, limit.ErrSessions())
		return false
	}
	return true
}

// joinSession takes part in the session a request names, if it names one. A session of somebody else, or
// of another surface, is as unknown as one that never was.
func joinSession(w http.ResponseWriter, r *http.Request, lease *pool.Lease) bool {
	id := r.Header.Get(sessionHeader)
	if id == "" || lease.JoinSession(id, r.Method == http.MethodPost) {
		return true
	}
	http.Error(w, "session not found", http.StatusNotFound)
	return false
}

// isModern says whether a request is one of 2026-07-28 or later: by its header or, if it has none and is
// not of a session, by what the message says. The latter is an error that the modern handler explains.
func isModern(h http.Header, body []byte) bool {
	if v := h.Get(versionHeader); v != "" {
		return v >= listing.FirstModern
	}
	if h.Get(sessionHeader) != "" || !bytes.Contains(body, []byte(mcp.MetaKeyProtocolVersion)) {
		return false
	}
	var message struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	return json.Unmarshal(body, &message) == nil && message.Params.Meta[mcp.MetaKeyProtocolVersion] != nil
}

// canAnswer says whether a listing can be answered here: everything that the protocol library checks is in
// order. If not, the library answers, and says what is wrong.
func canAnswer(h http.Header, list *listing.Request, modern bool) bool {
	if !slices.Contains(h.Values("Content-Type"), "application/json") || !acceptsBoth(h.Values("Accept")) || h.Get("Last-Event-ID") != "" {
		return false
	}
	version := h.Get(versionHeader)
	if modern {
		return list.Modern && list.Version == version && h.Get("Mcp-Method") == listing.Method && supported(version)
	}
	return list.Version == "" && h.Get(sessionHeader) != "" && (version == "" || supported(version))
}

func supported(version string) bool {
	return slices.Contains(mcp.SupportedProtocolVersions(), version)
}

// acceptsBoth says whether a client takes both kinds of answer, as all versions demand. It knows the plain
// forms; the library knows the others.
func acceptsBoth(accept []string) bool {
	var asJSON, asStream bool
	for _, line := range accept {
		for part := range bytes.SplitSeq([]byte(line), []byte(",")) {
			switch string(bytes.TrimSpace(part)) {
			case "application/json":
				asJSON = true
			case "text/event-stream":
				asStream = true
			case "*/*":
				asJSON, asStream = true, true
			}
		}
	}
	return asJSON && asStream
}

// list answers tools/list from the bytes that were made once.
func (e *endpoint) list(w http.ResponseWriter, r *http.Request, lease *pool.Lease, list *listing.Request) {
	_, end := e.protocol.begin(r.Context(), r.Header, listing.Method, "")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	if list.Cursor != "" {
		end(telemetry.Failed)
		if list.Modern {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write(list.InvalidCursor())
		return
	}
	reply := lease.Toolset.Listing.Reply(list)
	w.Header().Set("Content-Length", strconv.Itoa(reply.Len()))
	if _, err := reply.WriteTo(w); err != nil {
		end(telemetry.Failed)
		return
	}
	end(telemetry.OK)
}

// readBody reads a message of bounded size, in the time that is left for it. The status is 0 if that went well. If not,
// that time stays the bound for what package net/http reads on.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	var buf bytes.Buffer
	if n := r.ContentLength; n > 0 {
		buf.Grow(int(min(n+bytes.MinRead, maxUnseen)))
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a client may wait as long as it likes
	return buf.Bytes(), 0
}
