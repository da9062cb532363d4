package fakegitlab

import (
	"encoding/json"
	"net/http"
	"strings"
)

// write answers a request that changes something, and changes it.
func (s *Server) write(rt *route, segs []string, r *http.Request, c caller) *answer {
	body, err := readFields(r)
	if err != nil {
		return &answer{status: http.StatusBadRequest, body: []byte(`{"error":` + string(appendText(nil, err.Error())) + `}`)}
	}
	s.dataMu.Lock()
	defer s.dataMu.Unlock()
	defer s.cache.drop()
	t, refusal := s.resolve(rt, segs, c)
	if refusal != nil {
		return refusal
	}
	switch {
	case r.Method == http.MethodDelete:
		return s.remove(t)
	case r.Method == http.MethodPost && rt.isListPath():
		return s.create(t, body)
	default:
		return s.change(t, body, statusOf(rt, r.Method))
	}
}

// isListPath tells whether a write goes to the path of a list.
func (r *route) isListPath() bool { return r.list != nil && len(r.list.segs) == len(r.segs) }

// statusOf is what GitLab answers a verb with when all went well.
func statusOf(rt *route, verb string) int {
	switch rt.segs[len(rt.segs)-1] {
	case "disable_two_factor":
		return http.StatusNoContent
	case "reject":
		return http.StatusOK
	}
	if verb == http.MethodPost {
		return http.StatusCreated
	}
	return http.StatusOK
}

// create adds a thing to a list.
func (s *Server) create(t *target, body fields) *answer {
	c := s.collection(t)
	if home, ok := s.home(c.kind, t.project); ok && home.path == c.path {
		c = home
	}
	o := s.store.touch(c.path)
	c.over = o
	o.created = append(o.created, fields{})
	i := c.size() - 1
	it := c.item(i)
	o.created[i-c.n] = s.createdFields(&it, t.me, body)
	it = c.item(i)
	return s.written(http.StatusCreated, t, &it)
}

// createdFields are the fields a new thing has besides those made up for it.
func (s *Server) createdFields(it *item, me int64, body fields) fields {
	f := s.translate(it.kind, body)
	author := s.userFields(me)
	switch it.kind {
	case kindIssue, kindMergeRequest:
		f["state"], f["author"] = quote("opened"), author
	case kindNote:
		f["author"] = author
	case kindUser:
		copyUser(s, f)
	case kindProject:
		s.nameProject(f, it, me)
	case kindGroup:
		f["full_path"], f["full_name"] = f["path"], f["name"]
	case kindBranch, kindTag:
		rename(f, "branch", "name")
		rename(f, "tag_name", "name")
	case kindWiki:
		f["slug"] = quote(strings.ReplaceAll(unquote(f["title"]), " ", "-"))
	}
	return f
}

// nameProject gives a new project its path and its address, below its owner.
func (s *Server) nameProject(f fields, it *item, me int64) {
	path := unquote(f["path"])
	if path == "" {
		path = strings.ReplaceAll(strings.ToLower(unquote(f["name"])), " ", "-")
	}
	full := s.world.username(me) + "/" + path
	if id := unquote(f["namespace_id"]); id != "" {
		if group, ok := s.world.groupID(id); ok {
			full = s.world.groupPath(group) + "/" + path
		}
	}
	f["path"], f["path_with_namespace"] = quote(path), quote(full)
	f["web_url"] = quote(s.opts.ExternalURL + "/" + full)
	f["id"] = json.RawMessage(itoa(it.id))
}

// copyUser makes a member of the user a request names.
func copyUser(s *Server, f fields) {
	id := trailingNumber(unquote(f["user_id"]))
	if id == 0 {
		return
	}
	f["id"] = json.RawMessage(itoa(id))
	f["username"], f["name"] = quote(s.world.username(id)), quote(s.world.userName(id))
}

// userFields is a user as other things show it.
func (s *Server) userFields(id int64) json.RawMessage {
	name := s.world.username(id)
	raw, _ := json.Marshal(map[string]any{ // plain texts and numbers always marshal
		"id": id, "username": name, "name": s.world.userName(id), "state": "active",
		"web_url": s.opts.ExternalURL + "/" + name, "avatar_url": "",
	})
	return raw
}

// remove deletes a thing.
func (s *Server) remove(t *target) *answer {
	c, i, ok := s.thing(t), 0, true
	if t.route.isMember() {
		c, i, ok = s.lookup(t, t.segs[len(t.segs)-1])
	}
	if !ok {
		return missing(c.kind)
	}
	s.store.remove(c, i)
	switch {
	case t.route.ret != nil && isJSON(t.route.ret):
		it := c.item(i)
		return s.render(http.StatusOK, t.route, &it)
	case t.route.list != nil && t.route.kind() == kindProject && len(t.segs) == 2:
		return &answer{status: http.StatusAccepted, body: []byte(`{"message":"202 Accepted"}`)}
	}
	return &answer{status: http.StatusNoContent}
}

// change writes to a thing, or does to it what the last segment of the path says.
func (s *Server) change(t *target, body fields, status int) *answer {
	c, i, ok := s.place(t)
	if !ok {
		return missing(c.kind)
	}
	values := s.translate(c.kind, body)
	for name, value := range actions[t.segs[len(t.segs)-1]] {
		values[name] = json.RawMessage(value)
	}
	s.store.patch(c, i, values)
	it := c.item(i)
	it.user = t.me
	return s.written(status, t, &it)
}

// place finds what a write goes to: a member of a list, a thing with a path of its own, the thing an
// action is done to, or the path itself.
func (s *Server) place(t *target) (*collection, int, bool) {
	rt := t.route
	if rt.isMember() {
		return s.lookup(t, t.segs[len(t.segs)-1])
	}
	if rt.single || rt.list != nil {
		return s.thing(t), 0, true
	}
	if n := len(rt.ancestors); n > 0 && !isParam(rt.segs[len(rt.segs)-1]) {
		if a := rt.ancestors[n-1]; len(a.segs) == len(rt.segs)-1 && a.isMember() {
			return s.lookup(t.at(a), t.segs[len(a.segs)+t.shift-1])
		}
	}
	return s.thing(t), 0, true
}

// written answers with what a route's type shows of a thing.
func (s *Server) written(status int, t *target, it *item) *answer {
	switch {
	case t.route.ret == nil:
		return &answer{status: status, body: []byte(`{}`)}
	case !isJSON(t.route.ret):
		return &answer{status: status, mime: "text/plain", body: []byte(prose(it.h, 200))}
	case isSliceOfItems(t.route.ret):
		shape := s.shapes.of(t.route.ret.Elem())
		return &answer{status: status, body: append(shape([]byte{'['}, it), ']')}
	}
	return s.render(status, t.route, it)
}

// actions are what a path's last segment does to the thing before it.
var actions = map[string]map[string]string{
	"merge":        {"state": `"merged"`},
	"archive":      {"archived": `true`},
	"unarchive":    {"archived": `false`},
	"cancel":       {"status": `"canceled"`},
	"retry":        {"status": `"pending"`},
	"play":         {"status": `"pending"`},
	"block":        {"state": `"blocked"`},
	"unblock":      {"state": `"active"`},
	"deactivate":   {"state": `"deactivated"`},
	"activate":     {"state": `"active"`},
	"mark_as_done": {"state": `"done"`},
	"subscribe":    {"subscribed": `true`},
	"unsubscribe":  {"subscribed": `false`},
}
