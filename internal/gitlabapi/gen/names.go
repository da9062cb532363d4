package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// describe makes the row of a method, or "" for a helper that asks GitLab nothing.
func describe(m method, src *source) (string, error) {
	if !m.asksGitLab() {
		return "", nil
	}
	decl, ok := src.methods[m.recv+"."+m.name]
	if !ok || len(decl.args) != m.typ.NumIn()-1 {
		return "", fmt.Errorf("no declaration of (*%s).%s with %d named arguments", m.recv, m.name, m.typ.NumIn()-1)
	}
	req, flags, err := place(m, decl)
	if err != nil {
		return "", err
	}
	args, err := argumentNames(m, decl.args, req.path)
	if err != nil {
		return "", err
	}
	for i, arg := range args {
		req.path = strings.ReplaceAll(req.path, mark(i), "{"+arg+"}")
		if t := m.typ.In(i); t.Kind() == reflect.Struct {
			req.path = nameFields(t, req.path)
		}
	}
	return strings.Join([]string{m.service, m.name, req.verb, req.path, flags, strings.Join(args, " ")}, "\t"), nil
}

func nameFields(t reflect.Type, path string) string {
	for i := range t.NumField() {
		path = strings.ReplaceAll(path, fieldMark(i), "{"+snake(t.Field(i).Name)+"}")
	}
	return path
}

// place finds verb, path and flags. A method that opens a file cannot be probed; the one there is
// posts to a path without arguments.
func place(m method, decl declared) (req request, flags string, err error) {
	if decl.opensFile {
		flags, req = "f", request{"POST", "groups/import"}
	} else if req, err = probe(m); err != nil {
		return req, "", err
	}
	if req.path == "api/graphql" {
		flags += "g"
	}
	if decl.deprecated {
		flags += "d"
	}
	return req, flags, nil
}

// argumentNames turns the names of the source into names a person can use, and sees to it that no
// two are alike.
func argumentNames(m method, raw []string, path string) ([]string, error) {
	names := make([]string, len(raw))
	for i, name := range raw {
		names[i] = argumentName(m.typ.In(i), name, path, mark(i))
		if slices.Contains(names[:i], names[i]) {
			names[i] = withID(snake(name))
		}
		if slices.Contains(names[:i], names[i]) {
			names[i] = "other_" + names[i]
		}
		if slices.Contains(names[:i], names[i]) {
			return nil, errors.New("two arguments are called " + names[i])
		}
	}
	return names, nil
}

func argumentName(t reflect.Type, raw, path, mark string) string {
	switch {
	case isOptions(t, raw):
		return "options"
	case t == reflect.TypeFor[io.Writer]():
		return "writer"
	case t.Kind() == reflect.String:
		return stringName(raw)
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return idName(raw, path, mark)
	}
	return snake(raw)
}

// isOptions tells the struct that carries a request's fields from a value in its own right.
func isOptions(t reflect.Type, raw string) bool {
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return true
	}
	return t.Kind() == reflect.Struct && (strings.HasPrefix(raw, "opt") || raw == "c")
}

// stringName is for arguments that are text by nature.
func stringName(raw string) string {
	switch raw {
	case "commit":
		return "commit_sha"
	case "discussion":
		return "discussion_id"
	case "filename", "file":
		return "file_name"
	}
	return snake(raw)
}

// known names the identifiers that follow a collection in a path.
var known = map[string]string{
	"projects": "project_id", "groups": "group_id", "users": "user_id", "snippets": "snippet_id",
	"merge_requests": "merge_request_iid", "epics": "epic_iid", "alert_management_alerts": "alert_iid",
	"runners": "runner_id", "runner_controllers": "runner_controller_id", "labels": "label_id",
	"cluster_agents": "agent_id", "discussions": "discussion_id", "jobs": "job_id",
	"pipelines": "pipeline_id", "award_emoji": "award_id", "billable_members": "user_id",
}

// abbreviations are names of the source that say too little where the path does not help.
var abbreviations = map[string]string{
	"pid": "project_id", "gid": "group_id", "uid": "user_id", "rid": "runner_id", "lid": "label_id",
	"aid": "agent_id", "mr": "merge_request_iid", "mergeRequest": "merge_request_iid", "pkg": "package_id",
	"fork": "forked_from_project_id", "repositoryStorage": "storage_move_id", "cert": "certificate_id",
	"broadcast": "broadcast_message_id", "schedule": "pipeline_schedule_id", "link": "release_link_id",
}

// idName names an identifier: by the collection before it in the path, else by its own name.
func idName(raw, path, mark string) string {
	segments := strings.Split(path, "/")
	at := slices.Index(segments, mark)
	if at < 1 {
		return plainName(raw)
	}
	before := segments[at-1]
	if before == "issues" && at == 3 && segments[0] == "projects" {
		return "issue_iid"
	}
	if name, ok := known[before]; ok {
		return name
	}
	if raw == "id" {
		return singular(before) + "_id"
	}
	return plainName(raw)
}

func plainName(raw string) string {
	if name, ok := abbreviations[raw]; ok {
		return name
	}
	return withID(snake(raw))
}

// withID adds _id to a name that does not say that it identifies something.
func withID(name string) string {
	for _, end := range []string{"id", "_ids", "version", "secret", "response"} {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	return name + "_id"
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "sses"):
		return strings.TrimSuffix(word, "es")
	}
	return strings.TrimSuffix(word, "s")
}

// snake turns mergeRequestIID into merge_request_iid.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(name, "IDs", "Ids"))
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
