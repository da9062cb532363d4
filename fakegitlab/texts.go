package fakegitlab

import "strings"

// kindTexts are the texts that make things hang together, by kind and field.
var kindTexts = map[kind]map[string]texter{
	kindProject: {
		"name":                projectSlug,
		"path":                projectSlug,
		"path_with_namespace": projectPath,
		"name_with_namespace": func(it *item) string { return strings.ReplaceAll(projectPath(it), "/", " / ") },
		"web_url":             projectURL,
		"http_url_to_repo":    func(it *item) string { return projectURL(it) + ".git" },
		"ssh_url_to_repo":     func(it *item) string { return "git@gitlab.example.com:" + projectPath(it) + ".git" },
		"description":         sentences(100),
	},
	kindGroup: {
		"name":      groupPath,
		"path":      groupPath,
		"full_path": groupPath,
		"full_name": groupPath,
		"kind":      fixed("group"),
		"web_url":   func(it *item) string { return it.w.opts.ExternalURL + "/groups/" + groupPath(it) },
	},
	kindUser: {
		"name":         func(it *item) string { return it.w.userName(it.id) },
		"username":     username,
		"web_url":      func(it *item) string { return it.w.opts.ExternalURL + "/" + username(it) },
		"email":        userEmail,
		"public_email": userEmail,
		"commit_email": userEmail,
		"state":        fixed("active"),
		"avatar_url":   userAvatar,
	},
	kindIssue: {
		"web_url":     byIID("issues"),
		"state":       (*item).state,
		"issue_type":  fixed("issue"),
		"type":        fixed("ISSUE"),
		"severity":    fixed("UNKNOWN"),
		"description": sentences(150),
	},
	kindMergeRequest: {
		"web_url":               byIID("merge_requests"),
		"state":                 (*item).state,
		"source_branch":         sourceBranch,
		"detailed_merge_status": fixed("mergeable"),
		"merge_status":          fixed("can_be_merged"),
		"changes_count":         func(it *item) string { return itoa(int64(it.h%9) + 1) },
		"merge_error":           fixed(""),
		"imported_from":         fixed("none"),
		"description":           sentences(200),
	},
	kindPipeline: {
		"web_url":     byID("pipelines"),
		"status":      status,
		"source":      fixed("push"),
		"yaml_errors": fixed(""),
	},
	kindJob: {
		"web_url":        byID("jobs"),
		"status":         status,
		"stage":          fixed("test"),
		"failure_reason": fixed(""),
		"name":           func(it *item) string { return "test " + pick(nouns, it.h) },
	},
	kindBranch: {
		"name":    branch,
		"web_url": func(it *item) string { return it.w.projectURL(it.project) + "/-/tree/" + branch(it) },
	},
	kindTag: {
		"name":    tag,
		"target":  func(it *item) string { return hex(it.h, 40) },
		"message": fixed("Release"),
	},
	kindRelease: {
		"tag_name": tag,
		"name":     tag,
	},
	kindCommit: {
		"id":             commitID,
		"short_id":       func(it *item) string { return commitID(it)[:8] },
		"author_name":    personName,
		"committer_name": personName,
		"message":        func(it *item) string { return title(it.h) + "\n\n" + prose(it.h, 120) },
		"web_url":        func(it *item) string { return it.w.projectURL(it.project) + "/-/commit/" + commitID(it) },
	},
	kindLabel: {
		"name":       label,
		"title":      label,
		"color":      color,
		"text_color": fixed("#FFFFFF"),
	},
	kindMilestone: {
		"title":   func(it *item) string { return "Sprint " + itoa(it.iid) },
		"state":   fixed("active"),
		"web_url": byIID("milestones"),
	},
	kindNote: {
		"body":          sentences(330),
		"noteable_type": fixed("Issue"), //nolint:misspell // GitLab spells it so
		"type":          fixed("DiscussionNote"),
	},
	kindWiki: {
		"slug":     func(it *item) string { return it.named("page-" + itoa(it.iid)) },
		"format":   fixed("markdown"),
		"content":  sentences(600),
		"encoding": fixed("UTF-8"),
	},
	kindRunner: {
		"status":      fixed("online"),
		"runner_type": fixed("instance_type"),
		"description": func(it *item) string { return "runner-" + itoa(it.id) },
	},
	kindToken: {
		"scope": fixed("api"),
		"name":  func(it *item) string { return "token " + itoa(it.id) },
	},
}

func projectSlug(it *item) string { return it.w.projectSlug(it.id) }
func projectPath(it *item) string { return it.w.projectPath(it.id) }
func projectURL(it *item) string  { return it.w.projectURL(it.id) }
func groupPath(it *item) string   { return it.w.groupPath(it.id) }
func username(it *item) string    { return it.w.username(it.id) }
func userEmail(it *item) string   { return username(it) + "@example.com" }
func branch(it *item) string      { return it.named(it.w.branchName(it.project, int(it.iid)-1)) }
func tag(it *item) string         { return it.named(tagName(int(it.iid) - 1)) }
func label(it *item) string       { return it.named(it.w.labelName(int(it.iid) - 1)) }
func color(it *item) string       { return "#" + hex(it.h, 6) }

func userAvatar(it *item) string {
	return it.w.opts.ExternalURL + "/uploads/-/system/user/avatar/" + itoa(it.id) + "/avatar.png"
}

// sourceBranch is any branch but the first, which is main.
func sourceBranch(it *item) string {
	return it.w.branchName(it.project, 1+int(it.iid-1)%(branchesPerProject-1))
}

func personName(it *item) string {
	return it.w.userName(int64(it.h%uint64(it.w.opts.Users)) + 1)
}

func commitID(it *item) string {
	if len(it.key) == 40 {
		return it.key
	}
	return hex(it.h, 40)
}

func status(it *item) string {
	return []string{"success", "success", "success", "failed", "running", "canceled"}[it.h%6]
}

// commonTexts are texts by field where the kind has none of its own.
var commonTexts = map[string]texter{
	"a_mode":                 fixed("100644"),
	"architecture":           fixed("amd64"),
	"award_emoji":            (*item).link,
	"b_mode":                 fixed("100644"),
	"body":                   sentences(120),
	"branch":                 fixed("main"),
	"color":                  color,
	"content":                fixed("IyBFeGFtcGxlCg=="),
	"coverage":               fixed("83.50"),
	"default_branch":         fixed("main"),
	"description":            sentences(60),
	"diff":                   fixed("@@ -1 +1 @@\n-old line\n+new line\n"),
	"email":                  fixed("dev@example.com"),
	"encoding":               fixed("base64"),
	"events":                 (*item).link,
	"external_id":            fixed(""),
	"file_name":              fixed("README.md"),
	"file_path":              func(it *item) string { return it.named("README.md") },
	"format":                 fixed("markdown"),
	"full":                   func(it *item) string { return it.w.projectPath(max(1, it.project)) + it.reference() },
	"full_path":              func(it *item) string { return it.w.projectPath(max(1, it.project)) },
	"human_time_estimate":    fixed("3h"),
	"human_total_time_spent": fixed("1h"),
	"ip_address":             fixed("192.0.2.1"),
	"issues":                 (*item).link,
	"labels":                 (*item).link,
	"language":               fixed("en"),
	"members":                (*item).link,
	"merge_method":           fixed("merge"),
	"merge_requests":         (*item).link,
	"message":                headline,
	"mime_type":              fixed("text/plain"),
	"mode":                   fixed("100644"),
	"new_path":               fixed("README.md"),
	"note":                   sentences(80),
	"notes":                  (*item).link,
	"old_path":               fixed("README.md"),
	"path":                   func(it *item) string { return it.named("docs/" + pick(nouns, it.h) + ".md") },
	"platform":               fixed("linux"),
	"project":                (*item).link,
	"ref":                    fixed("main"),
	"relative":               (*item).reference,
	"repo_branches":          (*item).link,
	"revision":               fixed("a1b2c3d4e5f"),
	"scope":                  fixed("api"),
	"scopes":                 fixed("api"),
	"short":                  (*item).reference,
	"state":                  fixed("active"),
	"status":                 fixed("success"),
	"tag_list":               anyNoun,
	"target_branch":          fixed("main"),
	"title":                  headline,
	"username":               func(it *item) string { return it.w.username(int64(it.h%100) + 1) },
	"version":                fixed("18.5.0-ee"),
	"visibility":             fixed("private"),
	"visibility_level":       fixed("private"),
}
