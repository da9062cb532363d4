package fakegitlab

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/gitlabapi"
)

// texter, numberer and flagger draw a value of one field from an item.
type (
	texter   func(it *item) string
	numberer func(it *item) int64
	flagger  func(it *item) bool
)

func fixed(text string) texter { return func(*item) string { return text } }

// sentences is running text of at least size bytes.
func sentences(size int) texter { return func(it *item) string { return prose(it.h, size) } }

func headline(it *item) string { return title(it.h) }

func anyNoun(it *item) string { return pick(nouns, it.h) }

// byID and byIID are addresses inside the project a thing lives in.
func byID(path string) texter {
	return func(it *item) string { return it.w.projectURL(it.project) + "/-/" + path + "/" + itoa(it.id) }
}

func byIID(path string) texter {
	return func(it *item) string { return it.w.projectURL(it.project) + "/-/" + path + "/" + itoa(it.iid) }
}

// named prefers the text an item was asked for by.
func (it *item) named(otherwise string) string {
	if it.key != "" {
		return it.key
	}
	return otherwise
}

// suffixTexts are texts by the end of a field's name; the first that fits decides.
var suffixTexts = []struct {
	suffix string
	text   texter
}{
	{"_at", func(it *item) string { return it.time("created_at").Format(timestamp) }},
	{"_date", func(it *item) string { return it.time("due_date").Format("2006-01-02") }},
	{"_on", func(it *item) string { return it.time("created_at").Format("2006-01-02") }},
	{"_html", func(it *item) string { return prose(it.h, 60) }},
	{"email", fixed("dev@example.com")},
	{"avatar_url", func(it *item) string { return it.w.opts.ExternalURL + "/avatar/" + itoa(it.id) + ".png" }},
	{"url", func(it *item) string { return it.link() }},
	{"link", func(it *item) string { return it.link() }},
	{"self", func(it *item) string { return it.link() }},
	{"access_level", fixed("enabled")},
	{"branch", fixed("main")},
	{"count", func(it *item) string { return itoa(int64(it.h % 50)) }},
}

func (it *item) link() string {
	if it.project > 0 {
		return it.w.projectURL(it.project) + "/-/" + itoa(it.id)
	}
	return it.w.opts.ExternalURL + "/-/" + itoa(it.id)
}

// usual is the value of an enumerated type a healthy instance shows most.
func usual(values []string) string {
	for _, v := range []string{"success", "private", "enabled", "active", "merge"} {
		if slices.Contains(values, v) {
			return v
		}
	}
	return values[min(1, len(values)-1)]
}

// enums are the values of the client's enumerated types, by type name.
var enums = gitlabapi.Enums()

// textOf chooses how a text field is drawn: by kind, by enumerated type, by name, by the end of the name.
func textOf(t reflect.Type, k kind, name string) texter {
	if text, ok := kindTexts[k][name]; ok {
		return text
	}
	if values := enums[t.Name()]; len(values) > 0 {
		return fixed(usual(values))
	}
	if text, ok := commonTexts[name]; ok {
		return text
	}
	for _, s := range suffixTexts {
		if strings.HasSuffix(name, s.suffix) {
			return s.text
		}
	}
	salt := hashText(0, name)
	switch {
	case name == "id":
		return func(it *item) string { return it.named(hex(it.h, 40)) }
	case strings.HasSuffix(name, "sha") || strings.HasSuffix(name, "id") || strings.HasSuffix(name, "token"):
		return func(it *item) string { return hex(mix(it.h, salt), 40) }
	}
	if name == "name" || name == "key" || name == "slug" {
		return func(it *item) string { return it.named(pick(nouns, it.h) + "-" + itoa(it.iid)) }
	}
	return func(it *item) string { return pick(nouns, mix(it.h, salt)) }
}

// numberOf chooses how a number is drawn.
func numberOf(t reflect.Type, k kind, name string) numberer {
	if values := enums[t.Name()]; len(values) > 0 {
		if n, err := strconv.ParseInt(values[len(values)/2], 10, 64); err == nil {
			return func(*item) int64 { return n }
		}
	}
	salt := hashText(0, name)
	switch {
	case name == "id":
		return func(it *item) int64 { return it.id }
	case name == "iid":
		return func(it *item) int64 { return it.iid }
	case k == kindToken && name == "user_id":
		return func(it *item) int64 { return max(1, it.user) }
	case name == "project_id" || k == kindMergeRequest && strings.HasSuffix(name, "_project_id"):
		return func(it *item) int64 { return max(1, it.project) }
	case name == "group_id" || name == "namespace_id":
		return func(it *item) int64 { return it.w.groupOf(it.project) }
	case k == kindNote && name == "noteable_iid": //nolint:misspell // GitLab spells it so
		return func(it *item) int64 { return max(1, it.parent%idSpan) }
	case k == kindNote && name == "noteable_id": //nolint:misspell // GitLab spells it so
		return func(it *item) int64 { return max(1, it.parent) }
	case name == "parent_id" || name == "moved_to_id" || name == "completed_count":
		return func(*item) int64 { return 0 }
	case strings.HasSuffix(name, "user_id") || strings.HasSuffix(name, "author_id"):
		return func(it *item) int64 { return int64(mix(it.h, salt)%uint64(it.w.opts.Users)) + 1 }
	case strings.Contains(name, "access_level"):
		return func(*item) int64 { return 30 }
	case strings.HasSuffix(name, "size"):
		return func(it *item) int64 { return int64(mix(it.h, salt) % 5_000_000) }
	case t.Bits() == 8:
		return func(it *item) int64 { return int64(mix(it.h, salt) % 100) }
	}
	return func(it *item) int64 { return int64(mix(it.h, salt) % 100) }
}

// truths are flags that are on; those not here and without a telling ending are off.
var truths = map[string]bool{
	"can_merge": true, "subscribed": true, "active": true, "can_push": true, "developers_can_push": false,
	"blocking_discussions_resolved": true, "resolvable": true, "can_create_group": true, "online": true,
}

// flagOf chooses a flag: those of main branches and open things need the item, the rest follow the name.
func flagOf(k kind, name string) flagger {
	if k == kindBranch && (name == "default" || name == "protected") {
		return func(it *item) bool { return it.iid == 1 }
	}
	on := truths[name] || strings.HasSuffix(name, "_enabled") || strings.HasSuffix(name, "_events")
	return func(*item) bool { return on }
}
