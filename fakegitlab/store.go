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
}

func (s *store) at(path string) *overlay { return s.overlays[path] }

// touch returns the overlay of a collection that is about to be written to.
func (s *store) touch(c *collection) *overlay {
	o := s.overlays[c.path]
	if o == nil {
		o = &overlay{patches: map[int]fields{}, deleted: map[int]bool{}}
		s.overlays[c.path] = o
	}
	c.over = o
	return o
}

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
