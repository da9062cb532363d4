package fakegitlab

import "reflect"

// kind is what an item is, as far as its values need to hang together with those of other items.
type kind uint8

const (
	kindAny kind = iota
	kindProject
	kindGroup
	kindUser
	kindIssue
	kindMergeRequest
	kindPipeline
	kindJob
	kindBranch
	kindTag
	kindCommit
	kindLabel
	kindMilestone
	kindNote
	kindRelease
	kindWiki
	kindSnippet
	kindRunner
	kindToken
)

// marks tell a kind by fields its types have; the first row whose fields are all there decides.
var marks = []struct {
	kind   kind
	fields []string
}{
	{kindProject, []string{"path_with_namespace"}},
	{kindUser, []string{"username", "name"}},
	{kindMergeRequest, []string{"iid", "source_branch"}},
	{kindIssue, []string{"iid", "issue_type"}},
	{kindIssue, []string{"iid", "confidential", "assignees"}},
	{kindCommit, []string{"short_id", "title"}},
	{kindRelease, []string{"tag_name", "description"}},
	{kindNote, []string{"noteable_type", "body"}}, //nolint:misspell // GitLab spells it so
	{kindBranch, []string{"commit", "default", "merged"}},
	{kindTag, []string{"commit", "target", "name"}},
	{kindJob, []string{"stage", "status", "ref"}},
	{kindPipeline, []string{"sha", "ref", "status", "web_url"}},
	{kindMilestone, []string{"due_date", "start_date", "title"}},
	{kindLabel, []string{"color", "name", "priority"}},
	{kindLabel, []string{"color", "text_color"}},
	{kindWiki, []string{"slug", "format"}},
	{kindSnippet, []string{"file_name", "raw_url"}},
	{kindRunner, []string{"runner_type"}},
	{kindRunner, []string{"is_shared", "paused"}},
	{kindToken, []string{"scopes", "revoked"}},
	{kindGroup, []string{"full_path", "full_name"}},
	{kindGroup, []string{"full_path", "kind"}},
}

// kindOf tells the kind of a client type by the JSON names of its fields.
func kindOf(t reflect.Type) kind {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return kindAny
	}
	names := map[string]bool{}
	for _, f := range jsonFields(t) {
		names[f.name] = true
	}
	for _, m := range marks {
		if hasAll(names, m.fields) {
			return m.kind
		}
	}
	return kindAny
}

func hasAll(set map[string]bool, names []string) bool {
	for _, n := range names {
		if !set[n] {
			return false
		}
	}
	return true
}
