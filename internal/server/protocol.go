package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/listing"
	"mcpbench/internal/server/telemetry"
)

const instructions = `Tools of this server read and change what is on a GitLab server, with the rights of the token in use.
If there are the tools gitlab_find_action and gitlab_execute_action, look for an action with the first, in
your own words, and run it with the second. Projects and groups are named by number or by full path.`

// methods with a place of their own in this package.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	methodCallTool   = "tools/call"
)

// listTTLMs is how long, in milliseconds, a client may keep a listing. It never changes while the process
// lives; after a restart with other settings it might.
const listTTLMs = 300_000

// cacheability is what listings say about being kept. They are shown only to those GitLab knows, so no
// cache between may share them.
func cacheability() mcp.Cacheable {
	return mcp.Cacheable{TTLMs: listTTLMs, CacheScope: "private"}
}

// protocol is the part that the protocol library does, set up for this server.
type protocol struct {
	impl      *mcp.Implementation
	log       *slog.Logger
	telemetry *telemetry.Telemetry
}

// newServer returns a protocol server. Tools are not registered with it: they differ between requests, and
// its own copies of them would cost more than the tools.
func (p *protocol) newServer() *mcp.Server {
	s := mcp.NewServer(p.impl, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(atLeast{p.log.Handler(), slog.LevelWarn}),
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{},
			Resources: &mcp.ResourceCapabilities{},
			// There are none, but the library answers prompts/list, and what is answered has to be declared.
			Prompts: &mcp.PromptCapabilities{},
		},
		SetCacheable: func(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
			*c = cacheability()
			if _, ok := req.(*mcp.ReadResourceRequest); ok {
				c.TTLMs = 0
			}
		},
	})
	addResources(s)
	s.AddReceivingMiddleware(p.middleware)
	return s
}

// middleware counts and guards every call, and answers those about tools.
func (p *protocol) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		defer p.recover(method, &err)
		b := bound(ctx)
		ctx, end := p.begin(ctx, headerOf(req), method, p.knownTool(ctx, b, req))
		defer func() { end(outcome(result, err)) }()
		switch req := req.(type) {
		case *mcp.CallToolRequest:
			return p.callTool(ctx, b, req)
		case *mcp.ListToolsRequest:
			return p.listTools(ctx, b, req)
		}
		result, err = next(ctx, method, req)
		if err == nil && method == methodInitialize {
			noteSession(b, req)
		}
		return result, err
	}
}

// begin begins the span of a call; end ends it with an outcome, and at debug tells the log.
func (p *protocol) begin(ctx context.Context, h http.Header, method, tool string) (_ context.Context, end func(telemetry.Outcome)) {
	ctx, endSpan := p.telemetry.Request(ctx, h, method, tool)
	if !p.debugging(ctx) {
		return ctx, endSpan
	}
	start := time.Now()
	return ctx, func(o telemetry.Outcome) {
		endSpan(o)
		p.log.Debug("call", "method", method, "tool", tool, "outcome", string(o), "took", time.Since(start))
	}
}

// refused counts a call that was refused before it began.
func (p *protocol) refused(method string) {
	_, end := p.begin(context.Background(), nil, method, "")
	end(telemetry.Refused)
}

func (p *protocol) debugging(ctx context.Context) bool { return p.log.Enabled(ctx, slog.LevelDebug) }

// limited says whether a method counts against limits. Those by which a session begins and is kept do not.
func limited(method string) bool {
	return method != methodInitialize && method != methodDiscover && method != methodPing
}

// noteSession tells the binding of the session that was opened.
func noteSession(b *binding, req mcp.Request) {
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if ok && b.opened != nil {
		b.opened(ss.ID(), func() { _ = ss.Close() })
	}
}

// callTool runs a tool. A tool that does not exist is a mistake in the request; everything that goes wrong
// in one that does is a result.
func (p *protocol) callTool(ctx context.Context, b *binding, req *mcp.CallToolRequest) (mcp.Result, error) {
	tools, err := b.tools(ctx)
	if err != nil {
		return nil, err
	}
	if !tools.Surface.Has(req.Params.Name) {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("unknown tool %q", req.Params.Name),
		}
	}
	return complete(req, tools.Surface.Call(ctx, b.client, req.Params.Name, req.Params.Arguments))
}

// listTools answers what did not take the short way through package listing, at many times its cost.
func (p *protocol) listTools(ctx context.Context, b *binding, req *mcp.ListToolsRequest) (mcp.Result, error) {
	if req.Params != nil && req.Params.Cursor != "" {
		return nil, listing.ErrCursor()
	}
	tools, err := b.tools(ctx)
	if err != nil {
		return nil, err
	}
	result, err := tools.Listing.Result()
	if err != nil {
		return nil, err
	}
	result.Cacheable = cacheability()
	return result, nil
}

// knownTool is the name of the tool a call is for, if there is such a tool. Other names are the client's
// words and do not go into telemetry.
func (p *protocol) knownTool(ctx context.Context, b *binding, req mcp.Request) string {
	call, ok := req.(*mcp.CallToolRequest)
	if !ok || p.telemetry == nil && !p.debugging(ctx) {
		return ""
	}
	tools, err := b.tools(ctx)
	if err != nil || !tools.Surface.Has(call.Params.Name) {
		return ""
	}
	return call.Params.Name
}

// recover turns a panic into an error of the one call. What was panicked with stays unsaid: it may hold
// anything.
func (p *protocol) recover(method string, err *error) {
	if v := recover(); v != nil {
		p.log.Error("a call panicked", "method", method, "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
		*err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error: see the server's log"}
	}
}

// headerOf is the header of the HTTP request that brought req, nil over stdio.
func headerOf(req mcp.Request) http.Header {
	if extra := req.GetExtra(); extra != nil {
		return extra.Header
	}
	return nil
}

// outcome sorts the end of a call.
func outcome(result mcp.Result, err error) telemetry.Outcome {
	switch call, _ := result.(*mcp.CallToolResult); {
	case err != nil:
		return telemetry.Failed
	case call != nil && call.IsError:
		return telemetry.ToolError
	}
	return telemetry.OK
}

// atLeast drops log records below a level: the protocol library tells of every session at info.
type atLeast struct {
	slog.Handler
	level slog.Level
}

// Enabled implements slog.Handler. At debug, everything is wanted.
func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return h.Handler.Enabled(ctx, l) && (l >= h.level || h.Handler.Enabled(ctx, slog.LevelDebug))
}

// WithAttrs implements slog.Handler.
func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(attrs), h.level}
}

// WithGroup implements slog.Handler.
func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}
