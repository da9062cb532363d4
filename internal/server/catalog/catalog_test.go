package catalog

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newCatalog(t *testing.T) *Catalog {
	t.Helper()
	c, err := New()
	require.NoError(t, err)
	return c
}

func lookup(t *testing.T, c *Catalog, service, method string) *Operation {
	t.Helper()
	for _, op := range c.Operations() {
		if op.Service == service && op.Method == method {
			return op
		}
	}
	require.FailNow(t, "no such operation", "%s.%s", service, method)
	return nil
}

// resolve reads a schema, which fails when it is not a valid one of an object.
func resolve(t *testing.T, op *Operation, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &s), "%s: %s", op.Name, raw)
	resolved, err := s.Resolve(nil)
	require.NoError(t, err, op.Name)
	require.Equal(t, "object", s.Type, op.Name)
	return resolved
}

func TestCatalogHoldsEveryOperationButTheOneThatOpensAFile(t *testing.T) {
	c := newCatalog(t)
	assert.Equal(t, 1229, c.Len())
	for _, op := range c.Operations() {
		assert.False(t, op.Service == "GroupImportExport" && op.Method == "ImportFile", "it opens a local path")
	}
}

func TestNames(t *testing.T) {
	valid := regexp.MustCompile(`^gitlab_[a-z0-9_]+$`)
	identifier := regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)
	names, actions := map[string]bool{}, map[string]bool{}
	for _, op := range newCatalog(t).Operations() {
		assert.Regexp(t, valid, op.Name)
		assert.LessOrEqual(t, len(op.Name), maxName, op.Name)
		assert.False(t, names[op.Name], "two are called %s", op.Name)
		assert.False(t, actions[op.Service+op.Action], "two actions are called %s", op.Action)
		names[op.Name], actions[op.Service+op.Action] = true, true
		params := map[string]bool{}
		for _, p := range op.params() {
			assert.Regexp(t, identifier, p.name, op.Name)
			assert.False(t, params[p.name], "%s has two arguments %s", op.Name, p.name)
			params[p.name] = true
		}
	}
}

func TestFactsOfOperations(t *testing.T) {
	c := newCatalog(t)
	tests := []struct {
		service, method                   string
		name                              string
		readOnly, destructive, idempotent bool
	}{
		{"Issues", "GetIssue", "gitlab_issues_get_issue", true, false, true},
		{"Issues", "CreateIssue", "gitlab_issues_create_issue", false, false, false},
		{"Issues", "UpdateIssue", "gitlab_issues_update_issue", false, false, true},
		{"Issues", "DeleteIssue", "gitlab_issues_delete_issue", false, true, true},
		{"WorkItems", "GetWorkItem", "gitlab_work_items_get_work_item", true, false, true},
		{"WorkItems", "DeleteWorkItem", "gitlab_work_items_delete_work_item", false, true, false},
		{"Markdown", "Render", "gitlab_markdown_render", true, false, true},
		{"GraphQL", "Do", "gitlab_graph_ql_do", false, true, false},
	}
	for _, tt := range tests {
		op := lookup(t, c, tt.service, tt.method)
		assert.Equal(t, tt.name, op.Name)
		assert.Equal(t, []bool{tt.readOnly, tt.destructive, tt.idempotent}, []bool{op.ReadOnly, op.Destructive, op.Idempotent}, op.Name)
		assert.Same(t, op, c.Lookup(tt.name))
	}
	assert.Nil(t, c.Lookup("gitlab_nothing"))
}

func TestDescriptions(t *testing.T) {
	c := newCatalog(t)
	assert.Equal(t, "Delete issue (DELETE /projects/{project_id}/issues/{issue_iid}). Destructive.",
		lookup(t, c, "Issues", "DeleteIssue").Description())
	assert.Equal(t, "List clusters: Project cluster (GET /projects/{project_id}/clusters). Deprecated.",
		lookup(t, c, "ProjectCluster", "ListClusters").Description())
	assert.Equal(t, "Search milestones by group", lookup(t, c, "Search", "MilestonesByGroup").Title())
	assert.Equal(t, "Add GPG key: Users", lookup(t, c, "Users", "AddGPGKey").Title())
	assert.Equal(t, "(project_id, [iid, title, description, confidential])",
		regexp.MustCompile(`confidential.*\]`).ReplaceAllString(lookup(t, c, "Issues", "CreateIssue").Signature(), "confidential]"))
}
