package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/listing"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/telemetry"
	"mcpbench/internal/server/toolset"
)

// serveStdio serves one client on in and out until in ends or ctx does, and then as long as calls in
// progress take, but not longer than grace.
func (a *app) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	client, err := a.gitlab.Client(a.credential, nil)
	if err != nil {
		return err
	}
	link := a.newLink(out)
	b := &binding{
		client: client,
		tools:  link.tools,
		opened: func(string, func()) { link.open.Store(true) },
	}
	session, err := a.protocol.newServer().Connect(withBinding(context.WithoutCancel(ctx), b), link.transport(ctx, in), nil)
	if err != nil {
		return err
	}
	err = a.waitFor(ctx, session)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// waitFor returns when a session ends, or grace after ctx does.
func (a *app) waitFor(ctx context.Context, session *mcp.ServerSession) error {
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		a.log.Warn("cut off calls that were still in progress")
		return nil
	}
}

// onFirstUse builds a surface when it is first needed. A failure is not kept.
func onFirstUse(build func(surface.Kind) (*toolset.Toolset, error), kind surface.Kind) func(context.Context) (*toolset.Toolset, error) {
	var mu sync.Mutex
	var tools *toolset.Toolset
	return func(context.Context) (*toolset.Toolset, error) {
		mu.Lock()
		defer mu.Unlock()
		if tools != nil {
			return tools, nil
		}
		var err error
		tools, err = build(kind)
		return tools, err
	}
}

// link is one client on stdio. It answers tools/list on the way in, before the protocol library sees it.
type link struct {
	out    *lockedWriter
	limits limits
	tools  func(context.Context) (*toolset.Toolset, error)
	open   atomic.Bool // whether initialize was answered
	calls  inProgress

	protocol *protocol
}

// newLink returns a link that writes to out.
func (a *app) newLink(out io.Writer) *link {
	return &link{
		out:      &lockedWriter{w: out},
		limits:   newLimits(a.config),
		tools:    onFirstUse(a.tools, a.config.Surface),
		protocol: a.protocol,
	}
}

// transport is what the protocol library is to read from and write to.
func (l *link) transport(closing context.Context, in io.Reader) mcp.Transport {
	return &drained{
		Transport: &admitting{
			Transport: &mcp.IOTransport{Reader: l.reader(in), Writer: l.out},
			limits:    l.limits,
			refused:   l.protocol.refused,
		},
		closing: closing,
		calls:   &l.calls,
	}
}

// take answers a line if it is a tools/list that can be answered here: in the background, unless it is refused.
func (l *link) take(line []byte) bool {
	req := listing.Parse(line)
	if req == nil {
		return false
	}
	if req.Modern && !supported(req.Version) || !req.Modern && !l.open.Load() {
		return false
	}
	if err := l.limits.enter(); err != nil {
		l.protocol.refused(listing.Method)
		l.out.line(req.Refusal(err))
		return true
	}
	l.calls.begin()
	go func() {
		defer l.calls.end()
		defer l.limits.leave()
		l.answer(req)
	}()
	return true
}

func (l *link) answer(req *listing.Request) {
	_, end := l.protocol.begin(context.Background(), nil, listing.Method, "")
	if req.Cursor != "" {
		end(telemetry.Failed)
		l.out.line(req.InvalidCursor())
		return
	}
	tools, err := l.tools(context.Background())
	if err != nil {
		end(telemetry.Failed)
		l.out.line(req.Refusal(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}))
		return
	}
	l.out.reply(tools.Listing.Reply(req).Line())
	end(telemetry.OK)
}

// reader is in without the lines that were taken. Lines longer than its buffer are passed on in pieces,
// unread: no tools/list is that long.
func (l *link) reader(in io.Reader) io.ReadCloser {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), take: l.take}
}

type lineReader struct {
	in   *bufio.Reader
	take func(line []byte) bool
	rest []byte // of a line that is passed on
	tail bool   // whether what comes next is the middle of a long line
	err  error
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads a line or a piece of a long one.
func (r *lineReader) next() {
	line, err := r.in.ReadSlice('\n')
	whole := !r.tail && err == nil
	r.tail = errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !r.tail {
		r.err = err
	}
	if whole && r.take(line) {
		return
	}
	r.rest = line // valid until the next ReadSlice, which comes when it is used up
}

// Close implements io.Closer. Standard input is not ours to close.
func (r *lineReader) Close() error { return nil }

// lockedWriter keeps messages whole that are written by several at once.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer. Each call is a whole message.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

// Close implements io.Closer. Standard output is not ours to close.
func (w *lockedWriter) Close() error { return nil }

// line writes a message. A client that is gone is noticed by who reads from it.
func (w *lockedWriter) line(message []byte) {
	_, _ = w.Write(append(bytes.TrimSuffix(message, []byte("\n")), '\n'))
}

func (w *lockedWriter) reply(r listing.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = r.WriteTo(w.w)
}
