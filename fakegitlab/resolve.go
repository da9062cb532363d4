package fakegitlab

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// target is a request's path with its references resolved.
type target struct {
	route *route
	// segs are the canonical segments of the path, tmpl those of its template. A path below user is
	// written as one below users, which makes both longer than the route's by shift.
	segs, tmpl []string
	shift      int
	// project, group and user are the things it lies below, and who asks.
	project, group, me int64
	// above are those of its ancestors that have an identity, outermost first.
	above []item
	// user is the user it lies below.
	user int64
}

// missing is what GitLab says when a thing is not there.
func missing(k kind) *answer {
	name := map[kind]string{
		kindProject: "Project", kindGroup: "Group", kindUser: "User", kindIssue: "Issue", kindBranch: "Branch",
		kindCommit: "Commit", kindTag: "Tag", kindLabel: "Label",
	}[k]
	if name == "" {
		return failure(http.StatusNotFound, "404 Not found")
	}
	return failure(http.StatusNotFound, "404 "+name+" Not Found")
}

// resolve checks that what a path lies below is there. The answer is the refusal if it is not.
func (s *Server) resolve(r *route, segs []string, c caller) (*target, *answer) {
	t := &target{route: r, segs: slices.Clone(segs), tmpl: r.segs, me: c.user}
	if segs[0] == "user" && len(segs) > 1 {
		t.segs = append([]string{"users", itoa(c.user)}, segs[1:]...)
		t.tmpl = append([]string{"users", "{user_id}"}, r.segs[1:]...)
		t.user, t.shift = c.user, 1
	}
	for _, a := range r.ancestors {
		if refusal := s.resolveAncestor(t, a); refusal != nil {
			return nil, refusal
		}
	}
	return t, nil
}

func (s *Server) resolveAncestor(t *target, a *route) *answer {
	k := a.kind()
	if k == kindAny || !a.isMember() {
		return nil
	}
	ref := &t.segs[len(a.segs)+t.shift-1]
	home, i, ok := s.lookup(t.at(a), *ref)
	if !ok {
		if k == kindCommit || k == kindNote || k == kindToken || k == kindWiki {
			return nil
		}
		return missing(k)
	}
	it := home.item(i)
	switch k {
	case kindProject:
		t.project, *ref = it.id, itoa(it.id)
	case kindGroup:
		t.group, *ref = it.id, itoa(it.id)
	case kindUser:
		t.user, *ref = it.id, itoa(it.id)
	}
	t.above = append(t.above, it)
	return nil
}

// at is the target of an ancestor.
func (t *target) at(a *route) *target {
	up := *t
	n := len(a.segs) + t.shift
	up.route, up.segs, up.tmpl = a, t.segs[:n], t.tmpl[:n]
	return &up
}

// collection is the list a target is or is in.
func (s *Server) collection(t *target) *collection {
	n := len(t.route.list.segs) + t.shift
	segs := t.segs[:n]
	c := &collection{
		w: &s.world, kind: t.route.kind(), path: strings.Join(segs, "/"),
		project: t.project, group: t.group, user: t.me,
	}
	c.n = listSize(c.kind, c.path, &s.world)
	c.base = baseOf(t.tmpl[:n], segs)
	c.over = s.store.at(c.path)
	return c
}

// topLists are how many things instance-wide lists hold.
const topLists = 200

func listSize(k kind, path string, w *world) int {
	switch {
	case k != kindAny && k != kindSnippet && k != kindRunner && k != kindToken:
		return w.sizeOf(k)
	case !strings.Contains(path, "/"):
		return topLists
	}
	return w.sizeOf(kindAny)
}

// baseOf folds the parameters of a list's path into the number its ids are counted from.
func baseOf(tmpl, segs []string) int64 {
	var base int64
	for i, seg := range segs {
		if !isParam(tmpl[i]) {
			continue
		}
		n, err := strconv.ParseInt(seg, 10, 64)
		if err != nil {
			n = int64(hashText(0, seg) % idSpan)
		}
		base = (base + n%(idSpan*idSpan)) * idSpan
	}
	return base
}

// thing is the collection of one thing that has a path of its own.
func (s *Server) thing(t *target) *collection {
	segs := t.segs
	c := &collection{
		w: &s.world, kind: t.route.kind(), path: strings.Join(segs, "/"), n: 1,
		project: t.project, group: t.group, user: t.me,
	}
	for i := len(segs) - 1; i >= 0; i-- {
		if isParam(t.tmpl[i]) && i > 1 {
			c.key = segs[i]
			break
		}
	}
	c.over = s.store.at(c.path)
	return c
}

// lookup finds the thing a member route means: in its list, in the home of its kind, or, when it is named
// and not numbered, as a thing with a path of its own.
func (s *Server) lookup(t *target, ref string) (*collection, int, bool) {
	c := s.collection(t)
	if i, ok := c.findCreated(ref); ok {
		return c, i, !c.over.isDeleted(i)
	}
	if home, ok := s.homeFor(c, ref); ok {
		i, found := home.in(c.path, c.over).find(ref)
		if found || c.kind != kindCommit {
			return home, i, found
		}
		return s.commitAt(t, home, ref)
	}
	if _, err := strconv.ParseInt(ref, 10, 64); err == nil || c.kind == kindLabel {
		i, ok := c.find(ref)
		return c, i, ok
	}
	named := s.thing(t)
	named.kind, named.key = c.kind, ref
	return named, 0, !named.over.isDeleted(0)
}

// commitAt finds what a branch, a tag or the SHA another thing shows points to: any 40 hexadecimal digits
// are a commit, so that no SHA in the data leads nowhere.
func (s *Server) commitAt(t *target, commits *collection, ref string) (*collection, int, bool) {
	for _, k := range []kind{kindBranch, kindTag} {
		if names, ok := s.home(k, commits.project); ok {
			if i, found := names.find(ref); found {
				return commits, i % commits.n, true
			}
		}
	}
	named := s.thing(t)
	named.kind, named.key = kindCommit, ref
	return named, 0, len(ref) == 40 && strings.Trim(ref, "0123456789abcdef") == ""
}

// homeFor is the home a list shows things of. Where things belong to projects and the list is above
// them, the id tells the project.
func (s *Server) homeFor(c *collection, ref string) (*collection, bool) {
	project := c.project
	if project == 0 {
		if id, err := strconv.ParseInt(ref, 10, 64); err == nil {
			project = id / idSpan
		}
		project = max(1, project)
	}
	return s.home(c.kind, project)
}
