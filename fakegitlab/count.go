package fakegitlab

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Route is named by its verb and path template, for example
// "GET projects/{project_id}/issues/{issue_iid}"; the GraphQL endpoint is GraphQLRoute.

// GraphQLRoute is the name under which requests to the GraphQL endpoint are counted.
const GraphQLRoute = "POST /api/graphql"

// maxUnknown bounds how many distinct unknown requests are remembered.
const maxUnknown = 1000

// unknowns remembers requests no route answers, each once.
type unknowns struct {
	mu   sync.Mutex
	seen []string
}

func (u *unknowns) add(request string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.seen) < maxUnknown && !slices.Contains(u.seen, request) {
		u.seen = append(u.seen, request)
	}
}

func (u *unknowns) list() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.seen)
}

func (u *unknowns) reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = nil
}

// Counts returns how many requests each route has had since the last Reset, of routes that had any.
// A request is counted when it arrives, whatever it is answered with.
func (s *Server) Counts() map[string]int64 {
	counts := map[string]int64{}
	for _, r := range s.routes.all {
		if n := r.count.Load(); n > 0 {
			counts[r.name] = n
		}
	}
	return counts
}

// Count returns how many requests one route has had; an unknown name has had none.
func (s *Server) Count(route string) int64 {
	if r, ok := s.routes.byName[route]; ok {
		return r.count.Load()
	}
	return 0
}

// Total returns how many requests arrived since the last Reset, unknown routes included.
func (s *Server) Total() int64 { return s.total.Load() }

// Reset sets all counters to zero and forgets unknown requests. It leaves data and faults alone.
func (s *Server) Reset() {
	s.total.Store(0)
	for _, r := range s.routes.all {
		r.count.Store(0)
	}
	s.unknown.reset()
}

// Unknown lists the requests no route answered, as "METHOD path", each once in order of arrival. A suite
// should fail when there is one.
func (s *Server) Unknown() []string { return s.unknown.list() }

// Routes lists the names of all routes in order.
func (s *Server) Routes() []string {
	names := make([]string, 0, len(s.routes.all))
	for _, r := range s.routes.all {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return names
}

// counter is one route's count; it stands alone so that a request pays one atomic addition.
type counter = atomic.Int64
