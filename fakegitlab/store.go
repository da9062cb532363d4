package fakegitlab

import (
	"encoding/json"
	"maps"
)

// fields are values by JSON name.
type fields = map[string]json.RawMessage

// store holds what was written, by the path of the collection. The server's lock guards it.
type store struct {
	overlays map[string]*overlay
}

// overlay is what was written to one collection. A nil overlay is an untouched collection.
type overlay struct {
	created []fields
	patches map[int]fields
	deleted map[int]bool
	// shown and hidden are what was written to things of other collections where this one shows them: a
	// member's access level, or that a user is no longer a member.
	shown  map[spot]fields
	hidden map[spot]bool
}

// spot is the i-th thing of the collection with a path.
type spot struct {
	path string
	i    int
}

func (s *store) at(path string) *overlay { return s.overlays[path] }

// touch returns the overlay of a path that is about to be written to.
func (s *store) touch(path string) *overlay {
	o := s.overlays[path]
	if o == nil {
		o = &overlay{
			patches: map[int]fields{}, deleted: map[int]bool{}, shown: map[spot]fields{}, hidden: map[spot]bool{},
		}
		s.overlays[path] = o
	}
	return o
}

// patch writes values to a thing: to itself, or to what the list it was found in shows of it.
func (s *store) patch(c *collection, i int, values fields) {
	if c.shownIn != "" {
		c.view = s.touch(c.shownIn)
		at := spot{c.path, i}
		if c.view.shown[at] == nil {
			c.view.shown[at] = fields{}
		}
		maps.Copy(c.view.shown[at], values)
		return
	}
	c.over = s.touch(c.path)
	delete(c.over.deleted, i)
	c.over.patch(i, c.n, values)
}

// remove deletes a thing, or takes it off the list it was found in.
func (s *store) remove(c *collection, i int) {
	if c.shownIn != "" {
		s.touch(c.shownIn).hidden[spot{c.path, i}] = true
		return
	}
	s.touch(c.path).deleted[i] = true
}

func (o *overlay) isHidden(path string, i int) bool { return o != nil && o.hidden[spot{path, i}] }

func (o *overlay) createdCount() int {
	if o == nil {
		return 0
	}
	return len(o.created)
}

func (o *overlay) isDeleted(i int) bool { return o != nil && o.deleted[i] }

func (o *overlay) patchOf(i, seeded int) fields {
	switch {
	case o == nil:
		return nil
	case i >= seeded && i-seeded < len(o.created):
		return o.created[i-seeded]
	default:
		return o.patches[i]
	}
}

// patch adds values to what was written to a thing.
func (o *overlay) patch(i, seeded int, values fields) {
	into := o.patchOf(i, seeded)
	if into == nil {
		into = fields{}
		o.patches[i] = into
	}
	maps.Copy(into, values)
}

// Forget drops everything that was written, so that the data is as it was at the start. Counters and
// faults stay. A run that writes for hours calls it between phases, as what is written is kept in memory.
func (s *Server) Forget() {
	s.dataMu.Lock()
	defer s.dataMu.Unlock()
	s.store.overlays = map[string]*overlay{}
	s.cache.drop()
}
