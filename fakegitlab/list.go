package fakegitlab

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// ref is one row of a list: a thing by its number in its collection.
type ref struct {
	c *collection
	i int
}

// list answers with one page of what a target holds, newest first unless asked for otherwise.
func (s *Server) list(t *target, elem reflect.Type, q url.Values, base string) *answer {
	rows := s.rows(t, elem)
	rows = filter(rows, elem, q)
	if q.Get("sort") == "asc" {
		slices.Reverse(rows)
	}
	p := paginate(base, q, len(rows))
	shape := s.shapes.of(elem)
	body := append(make([]byte, 0, 16<<10), '[')
	for n, row := range rows[p.from:p.to] {
		if n > 0 {
			body = append(body, ',')
		}
		it := row.c.item(row.i)
		it.user = t.me
		body = shape(body, &it)
	}
	return &answer{status: http.StatusOK, body: append(body, ']'), header: p.header}
}

// rows are all things a target lists, before filters.
func (s *Server) rows(t *target, elem reflect.Type) []ref {
	var own *collection
	if t.route.scopes != nil {
		own = s.thing(t)
		own.kind, own.n = kindOf(elem), s.world.sizeOf(kindAny)
	} else {
		own = s.collection(t)
	}
	if own.kind == kindProject && t.group > 0 {
		return s.projectsOf(t.group)
	}
	homes := s.homesShown(own)
	if len(homes) == 1 && homes[0].path == own.path {
		return appendSeeded(appendCreated(nil, homes[0]), homes[0], homes[0].n)
	}
	if homes == nil {
		return appendSeeded(appendCreated(nil, own), own, own.n)
	}
	rows := appendCreated(nil, own)
	for _, h := range homes {
		rows = appendCreated(rows, h.in(own.path, own.over))
	}
	for _, h := range slices.Backward(homes) {
		rows = appendSeeded(rows, h, min(h.n, shown(t, h)))
	}
	return rows
}

// projectsOf are the projects of a group, those created in it included.
func (s *Server) projectsOf(group int64) []ref {
	var rows []ref
	home, _ := s.home(kindProject, 0)
	below := `"` + s.world.groupPath(group) + "/"
	for i := home.size() - 1; i >= 0; i-- {
		inside := i < home.n && s.world.groupOf(int64(i)+1) == group
		if i >= home.n {
			inside = strings.HasPrefix(string(home.item(i).patch["path_with_namespace"]), below)
		}
		if inside && !home.gone(i) {
			rows = append(rows, ref{home, i})
		}
	}
	return rows
}

// shown is how many of a home's things a list elsewhere holds.
func shown(t *target, h *collection) int {
	switch {
	case t.route.scopes != nil, t.project == 0 && h.base > 0:
		return h.n
	case h.kind == kindJob:
		return 6
	}
	return 25
}

// homesShown are the homes a list shows things of; nil when its things belong to itself.
func (s *Server) homesShown(own *collection) []*collection {
	first, last := own.project, own.project
	step := int64(1)
	if own.project == 0 {
		first, last = 1, int64(s.opts.Projects)
	}
	if own.project == 0 && own.group > 0 {
		first, step = own.group, int64(s.opts.Groups)
	}
	if own.project == 0 && own.kind != kindIssue && own.kind != kindMergeRequest {
		last = first
	}
	var homes []*collection
	for p := first; p <= last; p += step {
		h, ok := s.home(own.kind, p)
		if !ok {
			return nil
		}
		homes = append(homes, h)
		if h.project == 0 {
			break
		}
	}
	return homes
}

func appendCreated(rows []ref, c *collection) []ref {
	for i := c.size() - 1; i >= c.n; i-- {
		if !c.gone(i) {
			rows = append(rows, ref{c, i})
		}
	}
	return rows
}

// appendSeeded appends the last n of those made from the seed.
func appendSeeded(rows []ref, c *collection, n int) []ref {
	for i := c.n - 1; i >= c.n-n; i-- {
		if !c.gone(i) {
			rows = append(rows, ref{c, i})
		}
	}
	return rows
}

// filters are the query parameters that choose rows, with the field each compares.
var filters = map[string]string{
	"state": "state", "status": "status", "username": "username", "iids[]": "iid", "search": "",
	"source_branch": "source_branch", "ref": "ref", "name": "name", "title": "title",
}

// searched are the fields a search looks into.
var searched = []string{"title", "name", "username", "path_with_namespace", "full_path"}

// filter keeps the rows a query asks for. Parameters it does not know choose nothing.
func filter(rows []ref, elem reflect.Type, q url.Values) []ref {
	var known map[string]reflect.Type
	for param, name := range filters {
		wanted := q[param]
		if len(wanted) == 0 || wanted[0] == "" || wanted[0] == "all" {
			continue
		}
		if known == nil {
			known = fieldTypes(elem)
		}
		if typ, ok := known[name]; ok || param == "search" {
			rows = slices.DeleteFunc(rows, func(r ref) bool { return !matches(r, param, name, typ, known, wanted) })
		}
	}
	return rows
}

// fieldTypes are the types of a list's fields by JSON name; none when its elements are no objects.
func fieldTypes(elem reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if elem.Kind() == reflect.Struct {
		for _, f := range jsonFields(elem) {
			types[f.name] = f.typ
		}
	}
	return types
}

func matches(r ref, param, name string, typ reflect.Type, known map[string]reflect.Type, wanted []string) bool {
	it := r.c.item(r.i)
	if param != "search" {
		return slices.Contains(wanted, it.value(name, typ))
	}
	needle := strings.ToLower(wanted[0])
	return slices.ContainsFunc(searched, func(name string) bool {
		typ, ok := known[name]
		return ok && strings.Contains(strings.ToLower(it.value(name, typ)), needle)
	})
}

// value is a text or number of an item as a query would write it.
func (it *item) value(name string, typ reflect.Type) string {
	if raw, ok := it.patch[name]; ok {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
		return string(raw)
	}
	switch typ.Kind() {
	case reflect.String:
		return textOf(typ, it.kind, name)(it)
	case reflect.Int, reflect.Int64:
		return itoa(numberOf(typ, it.kind, name)(it))
	}
	return ""
}
