package fakegitlab

import (
	"maps"
	"strconv"
	"strings"
)

// collection is the things at one concrete path: those made from the seed, numbered from 0, followed by
// those that were created.
type collection struct {
	w    *world
	path string
	kind kind
	// base is what ids are counted from.
	base int64
	// n is how many there are from the seed.
	n                    int
	project, group, user int64
	key                  string
	over                 *overlay
	// shownIn is the path of the list that shows these things, if it is not their own, and view what was
	// written there.
	shownIn string
	view    *overlay
}

// in is the collection as the list at a path shows it.
func (c *collection) in(path string, view *overlay) *collection {
	if path != c.path {
		c.shownIn, c.view = path, view
	}
	return c
}

// gone tells whether a thing was deleted, or taken off the list that shows it.
func (c *collection) gone(i int) bool { return c.over.isDeleted(i) || c.view.isHidden(c.path, i) }

// home is the collection a kind's things belong to, wherever else they are shown; ok is false for kinds
// that belong where they are.
func (s *Server) home(k kind, project int64) (*collection, bool) {
	c := &collection{w: &s.world, kind: k, n: s.world.sizeOf(k), project: project}
	name, ok := homeNames[k]
	if !ok {
		return nil, false
	}
	switch k {
	case kindProject, kindGroup, kindUser:
		c.path, c.project = name, 0
	default:
		c.path, c.base = "projects/"+itoa(project)+"/"+name, project*idSpan
	}
	c.over = s.store.at(c.path)
	return c, true
}

// homeNames are the paths of homes, below a project but for the first three.
var homeNames = map[kind]string{
	kindProject: "projects", kindGroup: "groups", kindUser: "users",
	kindIssue: "issues", kindMergeRequest: "merge_requests", kindPipeline: "pipelines", kindJob: "jobs",
	kindBranch: "repository/branches", kindTag: "repository/tags", kindCommit: "repository/commits",
	kindRelease: "releases",
}

// item returns the i-th thing.
func (c *collection) item(i int) item {
	it := item{w: c.w, kind: c.kind, project: c.project, group: c.group, user: c.user, key: c.key}
	it.iid = int64(i) + 1
	it.id = c.base + it.iid
	it.parent = c.base / idSpan
	switch c.kind {
	case kindProject:
		it.project = it.id
	case kindGroup:
		it.group = it.id
	}
	it.h = c.w.hashOf(c.kind, it.project, it.id, mix(hashText(c.w.opts.Seed, c.path), uint64(i)))
	it.patch = c.over.patchOf(i, c.n)
	if c.view != nil {
		it.patch = merged(it.patch, c.view.shown[spot{c.path, i}])
	}
	return it
}

// newest is the last thing that is still there.
func (c *collection) newest() (item, bool) {
	for i := c.size() - 1; i >= 0; i-- {
		if !c.gone(i) {
			return c.item(i), true
		}
	}
	return item{}, false
}

// size is how many numbers are in use, deleted things included.
func (c *collection) size() int { return c.n + c.over.createdCount() }

// find returns the number of the thing a reference means: an id, an iid, a name, a path or a SHA.
func (c *collection) find(ref string) (int, bool) {
	i, ok := c.findCreated(ref)
	if !ok {
		i, ok = c.findSeeded(ref)
	}
	return i, ok && !c.gone(i)
}

func (c *collection) findSeeded(ref string) (int, bool) {
	if n, err := strconv.ParseInt(ref, 10, 64); err == nil {
		if n > c.base && n <= c.base+int64(c.n) {
			n -= c.base
		}
		return int(n) - 1, n >= 1 && n <= int64(c.n)
	}
	switch c.kind {
	case kindProject:
		id, ok := c.w.projectID(ref)
		return int(id) - 1, ok
	case kindGroup:
		id, ok := c.w.groupID(ref)
		return int(id) - 1, ok
	case kindUser:
		id := trailingNumber(ref)
		return int(id) - 1, id >= 1 && id <= int64(c.n) && c.w.username(id) == ref
	}
	return c.findNamed(ref)
}

// findNamed looks for a name among those made from the seed.
func (c *collection) findNamed(ref string) (int, bool) {
	for i := range c.n {
		it := item{w: c.w, kind: c.kind, project: c.project, id: c.base + int64(i) + 1, iid: int64(i) + 1}
		it.h = c.w.hashOf(c.kind, it.project, it.id, 0)
		if name := nameOf(&it); name == ref || c.kind == kindCommit && len(ref) >= 7 && strings.HasPrefix(name, ref) {
			return i, true
		}
	}
	return 0, false
}

// nameOf is the text a thing is referred to by.
func nameOf(it *item) string {
	switch it.kind {
	case kindBranch, kindTag, kindLabel, kindCommit, kindWiki, kindRelease:
		for _, name := range []string{"id", "tag_name", "slug", "name"} {
			if text, ok := kindTexts[it.kind][name]; ok {
				return text(it)
			}
		}
	}
	return ""
}

// findCreated looks among what was created, newest first.
func (c *collection) findCreated(ref string) (int, bool) {
	for j := c.over.createdCount() - 1; j >= 0; j-- {
		it := c.item(c.n + j)
		if itoa(it.id) == ref || itoa(it.iid) == ref || it.patchedName(ref) {
			return c.n + j, true
		}
	}
	return 0, false
}

// patchedName tells whether one of the names written to an item is ref.
func (it *item) patchedName(ref string) bool {
	quoted := string(appendText(nil, ref))
	for _, name := range []string{"id", "name", "slug", "tag_name", "key", "username", "path_with_namespace", "full_path"} {
		if raw := string(it.patch[name]); raw == quoted || raw == ref {
			return true
		}
	}
	return false
}

// merged is both sets of values; where they disagree the later one holds.
func merged(earlier, later fields) fields {
	if len(later) == 0 {
		return earlier
	}
	both := maps.Clone(later)
	for name, value := range earlier {
		if _, ok := both[name]; !ok {
			both[name] = value
		}
	}
	return both
}
