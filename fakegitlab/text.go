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

// kindTexts are the texts that make things hang together, by kind and field.
var kindTexts = map[kind]map[string]texter{
	kindProject: {
		"name": projectSlug, "path": projectSlug,
		"path_with_namespace": func(it *item) string { return it.w.projectPath(it.id) },
		"name_with_namespace": func(it *item) string { return strings.ReplaceAll(it.w.projectPath(it.id), "/", " / ") },
		"web_url":             func(it *item) string { return it.w.projectURL(it.id) },
		"http_url_to_repo":    func(it *item) string { return it.w.projectURL(it.id) + ".git" },
		"ssh_url_to_repo":     func(it *item) string { return "git@gitlab.example.com:" + it.w.projectPath(it.id) + ".git" },
		"description":         func(it *item) string { return prose(it.h, 100) },
	},
	kindGroup: {
		"name": groupPath, "path": groupPath, "full_path": groupPath, "full_name": groupPath,
		"kind":    fixed("group"),
		"web_url": func(it *item) string { return it.w.opts.ExternalURL + "/groups/" + it.w.groupPath(it.id) },
	},
	kindUser: {
		"name":         func(it *item) string { return it.w.userName(it.id) },
		"username":     func(it *item) string { return it.w.username(it.id) },
		"web_url":      func(it *item) string { return it.w.opts.ExternalURL + "/" + it.w.username(it.id) },
		"email":        userEmail,
		"public_email": userEmail, "commit_email": userEmail,
		"state": fixed("active"),
		"avatar_url": func(it *item) string {
			return it.w.opts.ExternalURL + "/uploads/-/system/user/avatar/" + itoa(it.id) + "/avatar.png"
		},
	},
	kindIssue: {
		"web_url":    func(it *item) string { return it.w.projectURL(it.project) + "/-/issues/" + itoa(it.iid) },
		"state":      (*item).state,
		"issue_type": fixed("issue"), "type": fixed("ISSUE"), "severity": fixed("UNKNOWN"),
		"description": func(it *item) string { return prose(it.h, 150) },
	},
	kindMergeRequest: {
		"web_url":               func(it *item) string { return it.w.projectURL(it.project) + "/-/merge_requests/" + itoa(it.iid) },
		"state":                 (*item).state,
		"source_branch":         func(it *item) string { return it.w.branchName(it.project, 1+int(it.iid-1)%(branchesPerProject-1)) },
		"detailed_merge_status": fixed("mergeable"), "merge_status": fixed("can_be_merged"),
		"changes_count": func(it *item) string { return itoa(int64(it.h%9) + 1) },
		"merge_error":   fixed(""), "imported_from": fixed("none"),
		"description": func(it *item) string { return prose(it.h, 200) },
	},
	kindPipeline: {
		"web_url": func(it *item) string { return it.w.projectURL(it.project) + "/-/pipelines/" + itoa(it.id) },
		"status":  status, "source": fixed("push"), "yaml_errors": fixed(""),
	},
	kindJob: {
		"web_url": func(it *item) string { return it.w.projectURL(it.project) + "/-/jobs/" + itoa(it.id) },
		"status":  status, "stage": fixed("test"), "failure_reason": fixed(""),
		"name": func(it *item) string { return "test " + pick(nouns, it.h) },
	},
	kindBranch: {
		"name": func(it *item) string { return it.named(it.w.branchName(it.project, int(it.iid)-1)) },
		"web_url": func(it *item) string {
			return it.w.projectURL(it.project) + "/-/tree/" + it.w.branchName(it.project, int(it.iid)-1)
		},
	},
	kindTag:     {"name": tag, "target": func(it *item) string { return hex(it.h, 40) }, "message": fixed("Release")},
	kindRelease: {"tag_name": tag, "name": tag},
	kindCommit: {
		"author_name": personName, "committer_name": personName,
		"id": commitID, "short_id": func(it *item) string { return commitID(it)[:8] },
		"message": func(it *item) string { return title(it.h) + "\n\n" + prose(it.h, 120) },
		"web_url": func(it *item) string { return it.w.projectURL(it.project) + "/-/commit/" + commitID(it) },
	},
	kindLabel: {"name": label, "title": label, "color": color, "text_color": fixed("#FFFFFF")},
	kindMilestone: {
		"title":   func(it *item) string { return "Sprint " + itoa(it.iid) },
		"state":   fixed("active"),
		"web_url": func(it *item) string { return it.w.projectURL(it.project) + "/-/milestones/" + itoa(it.iid) },
	},
	kindNote: {
		"body": func(it *item) string { return prose(it.h, 330) }, "noteable_type": fixed("Issue"), "type": fixed("DiscussionNote"), //nolint:misspell // GitLab spells it so
		"system": fixed("false"),
	},
	kindWiki: {
		"slug": func(it *item) string { return it.named("page-" + itoa(it.iid)) }, "format": fixed("markdown"),
		"content": func(it *item) string { return prose(it.h, 600) }, "encoding": fixed("UTF-8"),
	},
	kindRunner: {"status": fixed("online"), "runner_type": fixed("instance_type"), "description": func(it *item) string { return "runner-" + itoa(it.id) }},
	kindToken:  {"scope": fixed("api"), "name": func(it *item) string { return "token " + itoa(it.id) }},
}

func projectSlug(it *item) string { return it.w.projectSlug(it.id) }
func groupPath(it *item) string   { return it.w.groupPath(it.id) }
func userEmail(it *item) string   { return it.w.username(it.id) + "@example.com" }
func tag(it *item) string         { return it.named(tagName(int(it.iid) - 1)) }
func label(it *item) string       { return it.named(it.w.labelName(int(it.iid) - 1)) }
func personName(it *item) string {
	return it.w.userName(int64(it.h%uint64(it.w.opts.Users)) + 1)
}

func color(it *item) string { return "#" + hex(it.h, 6) }

func commitID(it *item) string {
	if len(it.key) == 40 {
		return it.key
	}
	return hex(it.h, 40)
}

func status(it *item) string {
	return []string{"success", "success", "success", "failed", "running", "canceled"}[it.h%6]
}

// named prefers the text an item was asked for by.
func (it *item) named(otherwise string) string {
	if it.key != "" {
		return it.key
	}
	return otherwise
}

// commonTexts are texts by field where the kind has none of its own.
var commonTexts = map[string]texter{
	"title": func(it *item) string { return title(it.h) }, "description": func(it *item) string { return prose(it.h, 60) },
	"body": func(it *item) string { return prose(it.h, 120) }, "note": func(it *item) string { return prose(it.h, 80) },
	"message": func(it *item) string { return title(it.h) }, "content": fixed("IyBFeGFtcGxlCg=="), "encoding": fixed("base64"),
	"state": fixed("active"), "status": fixed("success"), "visibility": fixed("private"), "ref": fixed("main"),
	"default_branch": fixed("main"), "target_branch": fixed("main"), "branch": fixed("main"), "merge_method": fixed("merge"),
	"color": color, "email": fixed("dev@example.com"), "version": fixed("18.5.0-ee"), "revision": fixed("a1b2c3d4e5f"),
	"username":   func(it *item) string { return it.w.username(int64(it.h%100) + 1) },
	"full_path":  func(it *item) string { return it.w.projectPath(max(1, it.project)) },
	"ip_address": fixed("192.0.2.1"), "platform": fixed("linux"), "architecture": fixed("amd64"), "language": fixed("en"),
	"scopes": fixed("api"), "scope": fixed("api"), "format": fixed("markdown"), "mime_type": fixed("text/plain"),
	"file_path": func(it *item) string { return it.named("README.md") }, "new_path": fixed("README.md"), "old_path": fixed("README.md"),
	"file_name": fixed("README.md"), "path": func(it *item) string { return it.named("docs/" + pick(nouns, it.h) + ".md") },
	"diff": fixed("@@ -1 +1 @@\n-old line\n+new line\n"), "a_mode": fixed("100644"), "b_mode": fixed("100644"), "mode": fixed("100644"),
	"short": (*item).reference, "relative": (*item).reference,
	"full":  func(it *item) string { return it.w.projectPath(max(1, it.project)) + it.reference() },
	"notes": (*item).link, "award_emoji": (*item).link, "project": (*item).link, "issues": (*item).link, "labels": (*item).link,
	"events": (*item).link, "members": (*item).link, "merge_requests": (*item).link, "repo_branches": (*item).link,
	"coverage":            fixed("83.50"),
	"human_time_estimate": fixed("3h"), "human_total_time_spent": fixed("1h"),
	"visibility_level": fixed("private"), "external_id": fixed(""), "tag_list": func(it *item) string { return pick(nouns, it.h) },
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
