package fakegitlab

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const apiPrefix = "/api/v4/"

// Server is a running stand-in. All its methods may be called from several goroutines.
type Server struct {
	opts    Options
	world   world
	http    *httptest.Server
	routes  *table
	graphql *route
	shapes  shapes
	closed  chan struct{}
	once    sync.Once

	total   counter
	hanging atomic.Int64
	unknown unknowns
	latency atomic.Int64

	callers sync.Map // token → caller
	revoked sync.Map // token → true

	faultMu sync.Mutex
	faulty  atomic.Bool
	faults  map[string]*armed

	dataMu sync.RWMutex // guards store
	store  store
	cache  cache

	downloadOnce sync.Once
	downloadBody []byte
}

// New starts a stand-in on a free loopback port. Close stops it.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts: opts, world: world{opts}, routes: newTable(), closed: make(chan struct{}),
		shapes: newShapes(), faults: map[string]*armed{}, store: store{map[string]*overlay{}},
	}
	s.graphql = s.routes.byName[GraphQLRoute]
	s.latency.Store(int64(opts.Latency))
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close lets hanging requests go, closes all connections and stops listening. It may be called twice.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Disconnect closes all connections, as a proxy before GitLab does now and then, so that clients hold none.
func (s *Server) Disconnect() { s.http.CloseClientConnections() }

// URL is the root of the instance, without a slash at the end; a GitLab client is given this.
func (s *Server) URL() string { return s.http.URL }

// APIURL is the root of the REST API.
func (s *Server) APIURL() string { return s.http.URL + strings.TrimSuffix(apiPrefix, "/") }

// Latency is what is added to every answer.
func (s *Server) Latency() time.Duration { return time.Duration(s.latency.Load()) }

// SetLatency changes what is added to every answer that has not begun.
func (s *Server) SetLatency(d time.Duration) { s.latency.Store(int64(d)) }

// serve answers one request: count, wait, authenticate, go wrong if told to, and else say the truth.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	number := s.total.Add(1)
	started := time.Now()
	s.commonHeaders(w.Header(), number)
	rt, segs := s.route(r)
	if rt == nil {
		s.refuseUnknown(w, r)
		return
	}
	rt.count.Add(1)
	if !pause(r.Context(), s.Latency()) {
		return
	}
	f := s.takeFault(rt.name)
	if f != nil && s.interrupted(w, r, f) {
		return
	}
	a := s.authorised(rt, segs, r)
	w.Header().Set("X-Runtime", fmt.Sprintf("%.6f", time.Since(started).Seconds()))
	s.send(w, r, a, f)
}

// route finds the route of a request; nil means that there is none.
func (s *Server) route(r *http.Request) (*route, []string) {
	path := r.URL.EscapedPath()
	if path == "/api/graphql" && r.Method == http.MethodPost {
		return s.graphql, nil
	}
	rest, ok := strings.CutPrefix(path, apiPrefix)
	if !ok {
		return nil, nil
	}
	return s.routes.find(r.Method, rest)
}

func (s *Server) refuseUnknown(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + r.URL.EscapedPath()
	s.unknown.add(request)
	a := &answer{status: http.StatusNotFound, body: []byte(`{"error":"404 Not Found",` +
		`"error_description":` + string(appendText(nil, "fakegitlab has no route for "+request)) + `}`)}
	a.writeTo(w)
}

// interrupted carries out the faults that leave no true answer; it reports whether it did.
func (s *Server) interrupted(w http.ResponseWriter, r *http.Request, f *armed) bool {
	switch f.Kind {
	case FaultStatus:
		f.answerStatus(w)
	case FaultReset:
		reset(w)
	case FaultHang:
		s.hanging.Add(1)
		defer s.hanging.Add(-1)
		f.hang(r.Context(), s.closed)
		return r.Context().Err() != nil
	default:
		return false
	}
	return true
}

// authorised answers those who may ask and refuses the others.
func (s *Server) authorised(rt *route, segs []string, r *http.Request) *answer {
	c, ok := s.authenticate(r.Header)
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !ok:
		return failure(http.StatusUnauthorized, "401 Unauthorized")
	case c.readOnly && !read && rt != s.graphql:
		return &answer{status: http.StatusForbidden, body: []byte(insufficientScope)}
	case rt == s.graphql:
		return s.answerGraphQL(r)
	case read:
		return s.read(rt, segs, r, c)
	default:
		return s.write(rt, segs, r, c)
	}
}

// send writes an answer, spoilt by a fault that spoils bodies.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a *answer, f *armed) {
	switch {
	case f != nil && f.Kind == FaultSlowBody:
		f.answerSlowly(r.Context(), w, a)
	case f != nil && f.Kind == FaultBrokenJSON:
		broken := &answer{status: a.status, mime: a.mime, header: a.header, body: a.body[:len(a.body)/2]}
		broken.writeTo(w)
	case s.opts.ETag && a.unchanged(r):
		w.Header().Set("ETag", a.etag())
		w.WriteHeader(http.StatusNotModified)
	default:
		if s.opts.ETag && r.Method == http.MethodGet && a.status == http.StatusOK {
			w.Header().Set("ETag", a.etag())
		}
		if s.opts.Gzip {
			a = a.compressed(w, r)
		}
		a.writeTo(w)
	}
}
