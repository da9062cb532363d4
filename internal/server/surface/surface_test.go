package surface

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

func build(t *testing.T, kind Kind, opts Options) *Surface {
	t.Helper()
	s, err := Build(newCatalog(t), kind, opts)
	require.NoError(t, err)
	return s
}

// serve plays a GitLab with one version, one tag, and nothing else.
func serve(t *testing.T) *gitlab.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + r.URL.Path {
		case "GET/api/v4/version":
			_, _ = io.WriteString(w, `{"version":"18.0","revision":"abc"}`)
		case "GET/api/v4/projects/1/repository/tags":
			_, _ = io.WriteString(w, `[{"name":"v1"}]`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message":"404 Project Not Found"}`)
		}
	}))
	t.Cleanup(srv.Close)
	client, err := catalog.NewClient(srv.URL, "glpat-secret", nil)
	require.NoError(t, err)
	return client
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, r.Content, 1)
	content, ok := r.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return content.Text
}

func TestParseKind(t *testing.T) {
	for _, k := range Kinds() {
		got, err := ParseKind(string(k))
		require.NoError(t, err)
		assert.Equal(t, k, got)
	}
	_, err := ParseKind("all")
	require.ErrorContains(t, err, `unknown tool surface "all": use dynamic, meta or individual`)
	_, err = Build(newCatalog(t), "all", Options{})
	assert.Error(t, err)
}

func TestTools(t *testing.T) {
	for kind, want := range map[Kind]int{Dynamic: 2, Meta: 169, Individual: 1229} {
		s := build(t, kind, Options{})
		tools := s.Tools()
		assert.Len(t, tools, want, kind)
		for i, tool := range tools {
			assert.True(t, s.Has(tool.Name), tool.Name)
			assert.NotEmpty(t, tool.Description)
			assert.NotEmpty(t, tool.Annotations.Title)
			assert.LessOrEqual(t, len(tool.Name), 64)
			if i > 0 {
				assert.Less(t, tools[i-1].Name, tool.Name, "the order")
			}
			var schema jsonschema.Schema
			require.NoError(t, json.Unmarshal(tool.InputSchema.(json.RawMessage), &schema))
			_, err := schema.Resolve(nil)
			require.NoError(t, err)
		}
		assert.False(t, s.Has("gitlab_nothing"))
	}
}

func TestReadOnly(t *testing.T) {
	for _, kind := range []Kind{Meta, Individual} {
		s := build(t, kind, Options{ReadOnly: true})
		for _, tool := range s.Tools() {
			assert.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
			assert.False(t, *tool.Annotations.DestructiveHint, tool.Name)
		}
	}
	s := build(t, Individual, Options{ReadOnly: true})
	assert.False(t, s.Has("gitlab_issues_create_issue"))
	assert.True(t, s.Has("gitlab_issues_get_issue"))

	s = build(t, Dynamic, Options{ReadOnly: true})
	r := s.Call(t.Context(), nil, ExecuteAction, json.RawMessage(`{"action":"gitlab_issues_create_issue","arguments":{"project_id":1}}`))
	assert.True(t, r.IsError)
	assert.Equal(t, `action "gitlab_issues_create_issue" changes GitLab, and this server is read-only`, textOf(t, r))
	r = s.Call(t.Context(), nil, FindAction, json.RawMessage(`{"query":"create an issue","limit":20}`))
	assert.NotContains(t, textOf(t, r), `"read_only":false`)
}

func TestCalls(t *testing.T) {
	client := serve(t)
	tests := []struct {
		kind             Kind
		tool, args, want string
		isError          bool
	}{
		{Individual, "gitlab_version_get_version", ``, `{"version":"18.0","revision":"abc"}`, false},
		{Individual, "gitlab_projects_get_project", `{"project_id":9}`, `GitLab answered 404: 404 Project Not Found`, true},
		{Individual, "gitlab_projects_get_project", `{}`, `argument "project_id" is required`, true},
		{Individual, "gitlab_nothing", `{}`, `unknown tool "gitlab_nothing"`, true},
		{Meta, "gitlab_version", `{"action":"get_version"}`, `{"version":"18.0","revision":"abc"}`, false},
		{Meta, "gitlab_version", `{"action":"get"}`, `argument "action" must be one of get_version`, true},
		{Meta, "gitlab_version", `{"action":"get_version","parameters":{}}`, `argument "parameters" is not known here`, true},
		{Meta, "gitlab_version", `{"action":1}`, `argument "action" must be a string, not a number`, true},
		{Meta, "gitlab_version", `3`, `the arguments must be a JSON object`, true},
		{Meta, "gitlab_projects", `{"action":"get_project","params":{"project_id":[]}}`, `argument "project_id" must be an integer or a string, not an array`, true},
		{Dynamic, ExecuteAction, `{"action":"gitlab_version_get_version"}`, `{"version":"18.0","revision":"abc"}`, false},
		{Dynamic, ExecuteAction, `{"action":"gitlab_nothing"}`, `unknown action "gitlab_nothing": gitlab_find_action names the actions there are`, true},
		{Dynamic, ExecuteAction, `{}`, `argument "action" is required`, true},
		{Dynamic, ExecuteAction, `{"action":"gitlab_projects_get_project","arguments":{"project_id":9}}`, `GitLab answered 404: 404 Project Not Found`, true},
		{Dynamic, FindAction, `{"query":" "}`, `argument "query" is required`, true},
		{Dynamic, FindAction, `{"query":"x","limit":21}`, `argument "limit" must be from 1 to 20`, true},
		{Dynamic, FindAction, `{"query":"zzzz"}`, `{"actions":[]}`, false},
	}
	for _, tt := range tests {
		r := build(t, tt.kind, Options{}).Call(t.Context(), client, tt.tool, json.RawMessage(tt.args))
		assert.Equal(t, tt.want, textOf(t, r), "%s %s", tt.tool, tt.args)
		assert.Equal(t, tt.isError, r.IsError, "%s %s", tt.tool, tt.args)
	}
}

func TestStructuredContentConforms(t *testing.T) {
	client := serve(t)
	for _, tt := range []struct {
		kind       Kind
		tool, args string
	}{
		{Individual, "gitlab_tags_list_tags", `{"project_id":1}`},
		{Individual, "gitlab_version_get_version", `{}`},
		{Dynamic, FindAction, `{"query":"tags of a project","limit":3}`},
	} {
		s := build(t, tt.kind, Options{})
		r := s.Call(t.Context(), client, tt.tool, json.RawMessage(tt.args))
		require.False(t, r.IsError, textOf(t, r))
		for _, tool := range s.Tools() {
			if tool.Name == tt.tool {
				assertConforms(t, tool.OutputSchema, r.StructuredContent)
			}
		}
		assert.JSONEq(t, textOf(t, r), string(r.StructuredContent.(json.RawMessage)))
	}
}

func assertConforms(t *testing.T, schema, value any) {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(schema.(json.RawMessage), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(value.(json.RawMessage), &v))
	assert.NoError(t, resolved.Validate(v))
}

// cpu is the processor time this process has had.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCost prints what a surface costs to build, and holds the largest to the second that the server has
// for its first listing. The bound is on processor time; the build takes about a tenth of it.
func TestCost(t *testing.T) {
	for _, kind := range Kinds() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpu(t)
		s := build(t, kind, Options{})
		listing, err := json.Marshal(s.Tools())
		require.NoError(t, err)
		spent := cpu(t) - start
		size := len(listing)
		for range 3 { // a pool gives back what it holds after the second
			runtime.GC()
		}
		runtime.ReadMemStats(&after)
		t.Logf("%s: %d bytes listed, %v CPU to build catalog and listing, %d KiB held", kind, size, spent, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024)
		assert.Less(t, spent, time.Second)
		runtime.KeepAlive(s)
	}
}

func TestDynamicListsInAFewKilobytes(t *testing.T) {
	listing, err := json.Marshal(build(t, Dynamic, Options{}).Tools())
	require.NoError(t, err)
	assert.Less(t, len(listing), 4096)
}
