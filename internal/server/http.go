package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"golang.org/x/time/rate"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/pool"
	"mcpbench/internal/server/upstream"
)

const (
	headerReadTimeout = 10 * time.Second
	keepAliveTimeout  = 2 * time.Minute
	maxHeader         = 64 << 10
	longestSweep      = 15 * time.Second
	shortestSweep     = 100 * time.Millisecond
)

// serveHTTP serves streamable HTTP until ctx ends, and then as long as calls in progress take, but not
// longer than grace.
func (a *app) serveHTTP(ctx context.Context) error {
	listener, err := net.Listen("tcp", a.config.HTTPAddr)
	if err != nil {
		return exitError{exitListen, fmt.Errorf("cannot listen on %s: %w", a.config.HTTPAddr, cause(err))}
	}
	certificates, err := a.certificates()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	credentials := a.newPool()
	defer credentials.Close()
	if err := a.observe(credentials); err != nil {
		return errors.Join(err, listener.Close())
	}
	busy := &busyConns{}
	server := a.newHTTPServer(a.routes(ctx, credentials), busy, certificates)
	failed := make(chan error, 1)
	go func() { failed <- serveOn(server, listener) }()
	a.log.Info("serving", "address", listener.Addr().String(), "surface", a.config.Surface, "gitlab", a.config.GitLabURL)
	sweepUntil(ctx, failed, sweepEvery(a.config.PoolIdle, a.config.SessionTimeout, pool.RefusalTTL), credentials.Sweep)
	select {
	case err := <-failed:
		return err
	default:
		return a.closeHTTP(server, busy)
	}
}

// observe has telemetry show what is held.
func (a *app) observe(credentials *pool.Pool) error {
	return a.telemetry.ObservePool(func() (int, int, int) {
		s := credentials.Stats()
		return s.Credentials, s.Sessions, s.Toolsets
	})
}

// newHTTPServer returns a server with the bounds on time and size that hold for every route. Certificates are nil for
// plain HTTP.
func (a *app) newHTTPServer(routes http.Handler, busy *busyConns, certificates *tls.Config) *http.Server {
	return &http.Server{
		ConnState:         busy.note,
		Handler:           routes,
		ReadHeaderTimeout: min(headerReadTimeout, a.config.ClientTimeout),
		IdleTimeout:       keepAliveTimeout,
		MaxHeaderBytes:    maxHeader,
		TLSConfig:         certificates,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
}

// serveOn serves HTTP, or HTTPS if the server has certificates.
func serveOn(server *http.Server, listener net.Listener) error {
	if server.TLSConfig == nil {
		return server.Serve(listener)
	}
	return server.ServeTLS(listener, "", "")
}

// certificates are what HTTPS is served with, or nil where it is not.
func (a *app) certificates() (*tls.Config, error) {
	if a.config.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(a.config.TLSCert, a.config.TLSKey)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--tls-cert and --tls-key: %w", err)}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// sweepEvery is how often to look for what has timed out: often enough that it goes not much later.
func sweepEvery(timeouts ...time.Duration) time.Duration {
	every := longestSweep
	for _, t := range timeouts {
		if t > 0 {
			every = min(every, max(t/4, shortestSweep))
		}
	}
	return every
}

// sweepUntil sweeps now and then until ctx ends or the server failed; the failure is left where it is.
func sweepUntil(ctx context.Context, failed chan error, every time.Duration, sweep func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-failed:
			failed <- err
			return
		case <-ticker.C:
			sweep()
		}
	}
}

// closeHTTP lets calls in progress end. What has not by then is cut off. Shutdown alone would also wait for
// connections on which nothing was ever asked.
func (a *app) closeHTTP(server *http.Server, busy *busyConns) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	go func() { _ = server.Shutdown(ctx) }()
	if !busy.wait(grace) {
		a.log.Warn("cut off calls that were still in progress")
	}
	return server.Close()
}

// busyConns counts the connections on which a request is being answered.
type busyConns struct {
	inProgress
	conns sync.Map // of net.Conn, those that are busy
}

// note is a callback for http.Server.ConnState. A connection is busy from the first byte of a request to
// the last of its answer.
func (b *busyConns) note(conn net.Conn, state http.ConnState) {
	if state == http.StateActive {
		if _, was := b.conns.LoadOrStore(conn, struct{}{}); !was {
			b.begin()
		}
		return
	}
	if _, was := b.conns.LoadAndDelete(conn); was {
		b.end()
	}
}

// newPool returns the pool of credentials that the configuration describes.
func (a *app) newPool() *pool.Pool {
	opts := pool.Options{
		Max:            a.config.MaxClients,
		IdleTimeout:    a.config.PoolIdle,
		SessionTimeout: a.config.SessionTimeout,

		MaxSessions:      a.config.MaxSessions,
		MaxSessionsOfOne: a.config.SessionsOfOne,

		MaxConcurrent: a.config.MaxOfOne,
		Admit:         bounded(limit.NewGate(halfOf(a.config.MaxConcurrent)), a.gitlab.Admit),
		Build:         a.tools,
	}
	if a.config.RateLimit > 0 {
		opts.NewLimiter = func() *rate.Limiter { return limit.NewLimiter(a.config.RateLimit) }
	}
	return pool.New(opts)
}

type admitFunc = func(context.Context, upstream.Credential, func(error)) (*gitlab.Client, error)

// bounded lets no more questions be asked at once than the gate has room for. The gate of requests does not
// do so: a question is asked to the end when the request that caused it has long been given up.
func bounded(gate *limit.Gate, admit admitFunc) admitFunc {
	return func(ctx context.Context, c upstream.Credential, revoked func(error)) (*gitlab.Client, error) {
		if !gate.Enter() {
			return nil, limit.ErrBusy()
		}
		defer gate.Leave()
		return admit(ctx, c, revoked)
	}
}

// routes is everything that is served over HTTP.
func (a *app) routes(closing context.Context, credentials *pool.Pool) http.Handler {
	e := newEndpoint(closing, a.protocol, credentials, a.config)
	mux := http.NewServeMux()
	mux.Handle("/mcp", e.on(a.config.Surface))
	mux.HandleFunc("/mcp/{surface}", e.named)
	mux.Handle("GET /health", fixed(map[string]string{"status": "ok", "version": a.build.Version}))
	mux.Handle("GET /version", fixed(map[string]string{"version": a.build.Version, "commit": a.build.Commit, "go": a.build.Go}))
	return patient(a.config.ClientTimeout, localNamesOnly(http.NewCrossOriginProtection().Handler(mux)))
}

// fixed answers with one object. It asks nobody and needs nothing, so that an answer says that the process lives.
func fixed(object map[string]string) http.Handler {
	body, err := json.Marshal(object)
	if err != nil {
		panic(err) // strings always encode
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(body)
	})
}

// localNamesOnly refuses requests that reached a loopback address under a name that is not local: a web
// page whose host name was made to point here. It is the rule of the protocol library, for all routes.
func localNamesOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if ok && isLoopback(addr.String()) && !isLoopback(r.Host) {
			http.Error(w, "forbidden: the Host header is not a local name", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback says whether host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
