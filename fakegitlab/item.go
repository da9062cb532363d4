package fakegitlab

import (
	"encoding/json"
	"reflect"
	"strconv"
	"time"
)

// item is what values are drawn from: one thing at one place of one collection.
type item struct {
	w    *world
	kind kind
	// h is the item's own random number.
	h uint64
	// id and iid are its numbers; key is the text it was asked for by, where its collection is open.
	id, iid int64
	key     string
	// project and group are where it lives, user who asks; 0 where there is none.
	project, group, user int64
	depth                int
	// parent is the id of the thing it was written under, as a note is under an issue.
	parent int64
	// of is the kind of the thing that refers to this one, and below it the parts that are no things.
	of kind
	// patch holds what was written to it, by JSON name.
	patch map[string]json.RawMessage
}

// written returns what was written to a field, if the field's type can hold it.
func (it *item) written(f *fieldShape) (json.RawMessage, bool) {
	raw, ok := it.patch[f.name]
	if !ok {
		return nil, false
	}
	return raw, json.Unmarshal(raw, reflect.New(f.typ).Interface()) == nil
}

// child is the item a field refers to. Things of one project refer to each other.
func (it *item) child(k kind, salt uint64) item {
	h := mix(it.h, salt)
	c := item{w: it.w, kind: k, h: h, project: it.project, group: it.group, user: it.user, depth: it.depth + 1, of: it.kind}
	switch k {
	case kindProject:
		c.place(c.project, it.w.opts.Projects)
		c.project = c.id
	case kindGroup:
		c.id = it.w.groupOf(it.project)
		c.group = c.id
	case kindUser:
		c.place(0, it.w.opts.Users)
	case kindMilestone, kindPipeline, kindJob, kindIssue, kindMergeRequest:
		n := it.w.sizeOf(k)
		c.iid = int64(mix(it.h, uint64(k))%uint64(n)) + 1
		c.id = it.project*idSpan + c.iid
	default:
		c.id = int64(h%1000) + 1
		c.iid = it.iid
	}
	c.h = it.w.hashOf(k, c.project, c.id, h)
	return c
}

// place chooses the id: the given one, or one of n.
func (it *item) place(id int64, n int) {
	if id == 0 {
		id = int64(it.h%uint64(n)) + 1
	}
	it.id, it.iid = id, id
}

// state is the state of an issue or merge request: four of eight open, as the position says.
func (it *item) state() string {
	if raw, ok := it.patch["state"]; ok {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	switch {
	case it.h%8 < 4:
		return "opened"
	case it.kind == kindMergeRequest && it.h%8 < 7:
		return "merged"
	default:
		return "closed"
	}
}

// lacks tells which optional values an item does not have.
func (it *item) lacks(name string) bool {
	switch name {
	case "closed_at", "closed_by":
		return it.kind != kindAny && it.state() != "closed"
	case "merged_at", "merged_by", "merge_user":
		return it.kind == kindMergeRequest && it.state() != "merged"
	case "milestone":
		return it.h>>8%2 == 0
	case "assignee", "assignees":
		return it.h>>9%4 == 0
	case "reviewers":
		return it.h>>11%2 == 0
	case "last_pipeline":
		return it.depth > 0
	case "label_details", "position", "created_by", "forked_from_project", "merge_after", "deleted_at", "deletedAt",
		"marked_for_deletion_on", "marked_for_deletion_at", "epic", "iteration", "erased_at":
		return true
	}
	return false
}

// epoch is when the first thing happened; times depend on nothing but the seed.
var epoch = time.Date(2025, time.January, 6, 8, 0, 0, 0, time.UTC)

// steps order the times of one thing.
var steps = map[string]time.Duration{
	"created_at": 0, "started_at": 20 * time.Second, "prepared_at": 5 * time.Second,
	"updated_at": 72 * time.Hour, "finished_at": 8 * time.Minute, "merged_at": 48 * time.Hour,
	"closed_at": 60 * time.Hour, "last_activity_at": 80 * time.Hour, "due_date": 30 * 24 * time.Hour,
	"expires_at": 360 * 24 * time.Hour, "authored_date": 0, "committed_date": 0,
}

// time is when something happened to the item.
func (it *item) time(name string) time.Time {
	created := epoch.Add(time.Duration(it.h%(365*24*60)) * time.Minute)
	step, ok := steps[name]
	if !ok {
		step = time.Duration(hashText(0, name)%(48*60)) * time.Minute
	}
	return created.Add(step)
}

// reference is how GitLab writes a reference to the thing a part belongs to.
func (it *item) reference() string {
	if it.of == kindMergeRequest {
		return "!" + itoa(it.iid)
	}
	return "#" + itoa(it.iid)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
