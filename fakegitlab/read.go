package fakegitlab

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// read answers a GET or HEAD, from the cache when it can.
func (s *Server) read(rt *route, segs []string, r *http.Request, c caller) *answer {
	k := cacheKey{rt, r.URL.RequestURI(), 0}
	if rt.personal() {
		k.user = c.user
	}
	if a := s.cache.get(k); a != nil {
		return a
	}
	s.dataMu.RLock()
	defer s.dataMu.RUnlock()
	a := s.readNow(rt, segs, r, c)
	if a.status == http.StatusOK {
		s.cache.put(k, a)
	}
	return a
}

func (s *Server) readNow(rt *route, segs []string, r *http.Request, c caller) *answer {
	t, refusal := s.resolve(rt, segs, c)
	if refusal != nil {
		return refusal
	}
	q := r.URL.Query()
	switch {
	case rt.scopes != nil:
		return s.search(t, q, requestBase(r))
	case rt.isList():
		return s.list(t, rt.ret.Elem(), q, requestBase(r))
	case rt.verb == http.MethodHead:
		it := s.thing(t).item(0)
		return &answer{status: http.StatusOK, header: fileHeaders(&it)}
	case !isJSON(rt.ret):
		return s.raw(t)
	}
	it, refusal := s.one(t)
	if refusal != nil {
		return refusal
	}
	return s.render(http.StatusOK, rt, &it)
}

// isJSON tells objects from bytes and streams.
func isJSON(t reflect.Type) bool {
	if t == nil || t.Kind() == reflect.Interface {
		return false
	}
	return t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Uint8
}

// render is the answer that holds one item as a route's type.
func (s *Server) render(status int, rt *route, it *item) *answer {
	rt.shapeOnce.Do(func() { rt.shape = s.shapes.of(rt.ret) })
	return &answer{status: status, body: rt.shape(make([]byte, 0, 4096), it)}
}

// one finds the single thing a target is.
func (s *Server) one(t *target) (item, *answer) {
	rt := t.route
	if rt.isMember() {
		c, i, ok := s.lookup(t, t.segs[len(t.segs)-1])
		if !ok {
			return item{}, missing(c.kind)
		}
		it := c.item(i)
		it.user = t.me
		return it, nil
	}
	if it, ok := s.subject(t); ok {
		return it, nil
	}
	c := s.thing(t)
	if c.over.isDeleted(0) {
		return item{}, missing(c.kind)
	}
	return c.item(0), nil
}

// subject is the thing a path that is no member is about: the caller, one above it of the same kind, or
// the newest of its project.
func (s *Server) subject(t *target) (item, bool) {
	k := t.route.kind()
	if k == kindUser && t.segs[0] == "user" {
		home, _ := s.home(kindUser, 0)
		return home.item(int(t.me) - 1), true
	}
	for i := len(t.above) - 1; i >= 0; i-- {
		if k != kindAny && t.above[i].kind == k {
			return t.above[i], true
		}
	}
	if home, ok := s.home(k, t.project); ok && (t.project > 0 || home.project == 0) {
		return home.newest()
	}
	return item{}, false
}

// search answers a search for the kind of thing its scope names.
func (s *Server) search(t *target, q url.Values, base string) *answer {
	ret, ok := t.route.scopes[q.Get("scope")]
	if !ok {
		return &answer{status: http.StatusBadRequest, body: []byte(`{"error":"scope does not have a valid value"}`)}
	}
	q.Del("search") // words of the seed need not hold the caller's
	return s.list(t, ret.Elem(), q, base)
}

// raw answers a read that is no JSON.
func (s *Server) raw(t *target) *answer {
	c := s.thing(t)
	last := t.segs[len(t.segs)-1]
	if last == "download" || last == "archive" || strings.HasPrefix(last, "archive.") {
		return &answer{status: http.StatusOK, mime: "application/octet-stream", body: s.download()}
	}
	it := c.item(0)
	body := prose(it.h, 2000) + "\n"
	if last == "raw" {
		body = s.fileContent(t, body)
	}
	return &answer{status: http.StatusOK, mime: "text/plain", body: []byte(body)}
}
