package fakegitlab

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/gitlabapi"
)

// route is one verb on one path template.
type route struct {
	name, verb string
	segs       []string
	// ret is what the client decodes the answer into, nil for nothing.
	ret reflect.Type
	// scopes are the types of a search, by the scope it names.
	scopes map[string]reflect.Type
	// list is the route of the collection this is a member of, or this route if it is a collection.
	list *route
	// single is set for a path that is a thing of its own: read, and perhaps written, at this path.
	single bool
	// ancestors are the things this path lies below, outermost first.
	ancestors []*route
	count     counter

	kindOnce  sync.Once
	itemKind  kind
	shapeOnce sync.Once
	shape     shape
}

// isParam tells a template's parameter from its literal segments.
func isParam(seg string) bool { return strings.HasPrefix(seg, "{") }

func (r *route) isMember() bool {
	return r.list != nil && r.list != r && len(r.segs) > len(r.list.segs)
}

func (r *route) isList() bool { return r.list == r }

// kind is what the route's items are. It is worked out when it is first asked for, as most routes never
// are.
func (r *route) kind() kind {
	r.kindOnce.Do(func() {
		if r.list != nil {
			r.itemKind = kindOf(r.list.ret)
		}
		if r.itemKind == kindAny && r.ret != nil {
			r.itemKind = kindOf(r.ret)
		}
	})
	return r.itemKind
}

// personal tells the reads whose answer differs from caller to caller.
func (r *route) personal() bool {
	switch r.segs[0] {
	case "user", "job":
		return true
	}
	return r.kind() == kindToken
}

// table finds routes by path.
type table struct {
	all    []*route
	byName map[string]*route
	root   node
}

// node is one segment of the paths; a literal is preferred over a parameter.
type node struct {
	literal map[string]*node
	param   *node
	routes  map[string]*route
}

// newTable builds the routes of all operations of the client.
func newTable() *table {
	t := &table{byName: map[string]*route{}}
	services := reflect.TypeFor[gitlab.Client]()
	for _, op := range gitlabapi.Operations() {
		if !op.GraphQL {
			t.add(op, returnType(services, op))
		}
	}
	graphql := &route{name: GraphQLRoute, verb: http.MethodPost}
	t.all, t.byName[GraphQLRoute] = append(t.all, graphql), graphql
	t.link()
	return t
}

// returnType is what an operation decodes its answer into, nil for nothing.
func returnType(services reflect.Type, op gitlabapi.Operation) reflect.Type {
	service, ok := services.FieldByName(op.Service)
	if !ok {
		return nil
	}
	method, ok := service.Type.MethodByName(op.Method)
	if !ok || method.Type.NumOut() < 3 {
		return nil
	}
	return method.Type.Out(0)
}

func (t *table) add(op gitlabapi.Operation, ret reflect.Type) {
	segs := splitPath(op.Path)
	n := t.root.reach(segs)
	r, ok := n.routes[op.Verb]
	if !ok {
		r = &route{name: op.Verb + " " + strings.Join(segs, "/"), verb: op.Verb, segs: segs}
		if n.routes == nil {
			n.routes = map[string]*route{}
		}
		n.routes[op.Verb] = r
		t.all = append(t.all, r)
	}
	t.byName[op.Verb+" "+op.Path] = r
	t.byName[r.name] = r
	if r.ret == nil {
		r.ret = ret
	}
	if op.Service == "Search" {
		r.addScope(op.Method, ret)
	}
}

// addScope names the scope of a search as the client does: SnippetTitles is snippet_titles.
func (r *route) addScope(method string, ret reflect.Type) {
	method, _, _ = strings.Cut(method, "By")
	var b strings.Builder
	for i, c := range method {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	if r.scopes == nil {
		r.scopes = map[string]reflect.Type{}
	}
	r.scopes[strings.ToLower(b.String())] = ret
}

func (n *node) reach(segs []string) *node {
	for _, seg := range segs {
		if isParam(seg) {
			if n.param == nil {
				n.param = &node{}
			}
			n = n.param
			continue
		}
		if n.literal == nil {
			n.literal = map[string]*node{}
		}
		if n.literal[seg] == nil {
			n.literal[seg] = &node{}
		}
		n = n.literal[seg]
	}
	return n
}

// link tells each route what it is a part of, once all are known.
func (t *table) link() {
	for _, r := range t.all {
		if r.verb == http.MethodGet && isSliceOfItems(r.ret) {
			r.list = r
		}
	}
	for _, r := range t.all {
		t.linkOne(r)
	}
}

func (t *table) linkOne(r *route) {
	n := len(r.segs)
	if n == 0 {
		return
	}
	same := t.get(r.segs)
	r.single = same != nil && !same.isList()
	switch {
	case r.list != nil:
	case same != nil && same.isList():
		r.list = same
	case isParam(r.segs[n-1]):
		if parent := t.get(r.segs[:n-1]); parent != nil && parent.isList() {
			r.list, r.single = parent, false
		}
	}
	for i := 1; i < n; i++ {
		if !isParam(r.segs[i]) {
			continue
		}
		if a := t.get(r.segs[:i+1]); a != nil && i+1 < n {
			r.ancestors = append(r.ancestors, a)
		}
	}
}

// get is the read of a template, nil when there is none.
func (t *table) get(segs []string) *route {
	n := &t.root
	for _, seg := range segs {
		if isParam(seg) {
			n = n.param
		} else {
			n = n.literal[seg]
		}
		if n == nil {
			return nil
		}
	}
	return n.routes[http.MethodGet]
}

// isSliceOfItems tells lists of objects from bytes.
func isSliceOfItems(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// find returns the route of a request and its unescaped segments; escaped is the path below the API
// root. HEAD is answered as GET where it has no route of its own.
func (t *table) find(verb, escaped string) (*route, []string) {
	segs := splitPath(escaped)
	n, segs := t.root.match(segs, 0)
	if n == nil {
		return nil, nil
	}
	r := n.routes[verb]
	if r == nil && verb == http.MethodHead {
		r = n.routes[http.MethodGet]
	}
	for i, seg := range segs {
		if plain, err := url.PathUnescape(seg); err == nil {
			segs[i] = plain
		}
	}
	return r, segs
}

func (n *node) match(segs []string, at int) (*node, []string) {
	if at == len(segs) {
		if n.routes == nil {
			return nil, nil
		}
		return n, segs
	}
	if next := n.literal[literalOf(segs[at])]; next != nil {
		if found, all := next.match(segs, at+1); found != nil {
			return found, all
		}
	}
	if n.param == nil {
		return nil, nil
	}
	if found, all := n.param.match(segs, at+1); found != nil {
		return found, all
	}
	if n.param.routes != nil && n.param.isTail() {
		whole := append(slices.Clone(segs[:at]), strings.Join(segs[at:], "/"))
		return n.param, whole
	}
	return nil, nil
}

// isTail tells whether a parameter may hold several segments: names of files in packages and artifacts.
func (n *node) isTail() bool {
	for r := range maps.Values(n.routes) {
		switch last := r.segs[len(r.segs)-1]; last {
		case "{file_name}", "{artifact_path}", "{path}":
			return true
		}
	}
	return false
}

// literalOf drops the format an archive's path ends with.
func literalOf(seg string) string {
	if strings.HasPrefix(seg, "archive.") {
		return "archive"
	}
	return seg
}

// splitPath splits a path at its slashes, leaving out empty segments.
func splitPath(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
}
