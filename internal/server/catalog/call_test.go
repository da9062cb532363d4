package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// serve starts a GitLab that h plays and makes a client of it.
func serve(t *testing.T, h http.HandlerFunc) *gitlab.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	client, err := NewClient(srv.URL, "glpat-secret", nil)
	require.NoError(t, err)
	return client
}

func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestArgumentsAreCheckedBeforeGitLabIsAsked(t *testing.T) {
	c := newCatalog(t)
	client := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("GitLab was asked") })
	tests := []struct{ service, method, args, want string }{
		{"Issues", "GetIssue", `{"project_id":1}`, `argument "issue_iid" is required`},
		{"Issues", "GetIssue", ``, `argument "project_id" is required`},
		{"Issues", "GetIssue", `[]`, `arguments: must be a JSON object`},
		{"Issues", "GetIssue", `{"project_id":1,"issue_iid":"x"}`, `argument "issue_iid" must be an integer, not a string`},
		{"Issues", "GetIssue", `{"project_id":1,"issue_iid":1.5}`, `argument "issue_iid" must be an integer, not the number 1.5`},
		{"Issues", "GetIssue", `{"project_id":true,"issue_iid":1}`, `argument "project_id" must be an integer or a string, not a boolean`},
		{"Issues", "GetIssue", `{"project_id":"","issue_iid":1}`, `argument "project_id" must not be empty`},
		{"Issues", "GetIssue", `{"project_id":1,"issue_iid":1,"titel":2}`, `argument "titel" is not known here: use project_id, issue_iid`},
		{"Version", "GetVersion", `{"x":1}`, `argument "x" is not known here: this takes no arguments`},
		{"Projects", "CreateProject", `{"visibility":"secret"}`, `argument "visibility" must be one of private, internal, public`},
		{"Projects", "CreateProject", `{"name":3}`, `argument "name" must be a string, not the number 3`},
		{"Projects", "ListProjects", `{"archived":"yes"}`, `argument "archived" must be true or false, not a string`},
		{"Projects", "ListProjects", `{"last_activity_after":"yesterday"}`, `argument "last_activity_after" must be a time such as 2006-01-02T15:04:05Z`},
		{"ProjectMembers", "AddProjectMember", `{"project_id":1,"access_level":31}`, `argument "access_level" must be one of 0, 5, 10`},
		{"Issues", "CreateIssue", `{"project_id":1,"due_date":"soon"}`, `argument "due_date" must be a date such as 2006-01-02`},
		{"Issues", "CreateIssue", `{"project_id":1,"labels":"bug"}`, `argument "labels" must be an array, not a string`},
		{"Commits", "CreateCommit", `{"project_id":1,"actions":[{"action":"paint"}]}`, `argument "actions[0].action" must be one of create, delete`},
		{"Commits", "CreateCommit", `{"project_id":1,"actions":[{"paint":1}]}`, `argument "actions[0].paint" is not known here`},
		{"Wikis", "UploadWikiAttachment", `{"project_id":1,"content":{"path":"/etc/passwd"},"file_name":"x"}`, `argument "content" must be an object with either "text" or "base64"`},
		{"Wikis", "UploadWikiAttachment", `{"project_id":1,"content":{"base64":"?"},"file_name":"x"}`, `argument "content.base64" is not valid base64`},
		{"NotificationSettings", "UpdateGlobalSettings", `{"level":"loud"}`, `argument "level" must be one of disabled, participating`},
		{"Issues", "ListIssues", `{"assignee_id":"Some"}`, `argument "assignee_id" must be an identifier`},
		{"Pipelines", "CreatePipeline", `{"project_id":1,"inputs":{"a":{}}}`, `argument "inputs.a" must be a string, a number`},
		{"TerraformStates", "Download", `{"project_id":1,"name":"x","serial":-1}`, `argument "serial" must not be negative`},
		{"WorkItems", "ListWorkItems", `{"full_path":"g","returned_fields":["nope"]}`, `arguments: were refused by the GitLab client`},
	}
	for _, tt := range tests {
		_, err := c.Call(t.Context(), client, lookup(t, c, tt.service, tt.method), json.RawMessage(tt.args))
		var wrong *ArgumentError
		require.ErrorAs(t, err, &wrong, "%s.%s %s", tt.service, tt.method, tt.args)
		assert.ErrorContains(t, err, tt.want)
	}
}

func TestArgumentsReachGitLab(t *testing.T) {
	c := newCatalog(t)
	tests := []struct{ service, method, args, wantQuery, wantBody string }{
		{"Issues", "ListIssues", `{"assignee_id":"Any","labels":["a","b"],"iids":[3],"not_labels":["c"],"per_page":2e0,"page":null}`,
			"assignee_id=Any&iids%5B%5D=3&labels=a%2Cb&not%5Blabels%5D=c&per_page=2", ""},
		{"Issues", "CreateIssue", `{"project_id":"team/app","title":"<T>","due_date":"2026-01-02","labels":["a","b"]}`,
			"", `{"title":"\u003cT\u003e","labels":"a,b","due_date":"2026-01-02"}`},
		{"Labels", "UpdateLabel", `{"project_id":1,"label_id":"bug","priority":null}`, "", `{"priority":null}`},
		{"NotificationSettings", "UpdateGlobalSettings", `{"level":"watch"}`, "", `{"level":"watch"}`},
		{"Pipelines", "CreatePipeline", `{"project_id":1,"inputs":{"n":3,"f":1.5,"b":true,"l":["x"],"s":"y"}}`,
			"", `{"ref":null,"inputs":{"b":true,"f":1.5,"l":["x"],"n":3,"s":"y"}}`},
		{"Groups", "TransferSubGroup", `{"group_id":"a/b","target_group_id":9}`, "", `{"group_id":9}`},
	}
	for _, tt := range tests {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			assert.Equal(t, tt.wantQuery, r.URL.RawQuery)
			assert.Equal(t, tt.wantBody, string(body))
			assert.Equal(t, "glpat-secret", r.Header.Get("Private-Token"))
			w.WriteHeader(http.StatusNoContent)
		})
		_, err := c.Call(t.Context(), client, lookup(t, c, tt.service, tt.method), json.RawMessage(tt.args))
		require.NoError(t, err, "%s.%s", tt.service, tt.method)
	}
}

func TestAnswers(t *testing.T) {
	c := newCatalog(t)
	tests := []struct {
		service, method, args string
		gitlab                http.HandlerFunc
		want                  string
	}{
		{"Version", "GetVersion", `{}`, answer(200, `{"version":"18.0","revision":"<r>"}`), `{"version":"18.0","revision":"<r>"}`},
		{"Tags", "ListTags", `{"project_id":1}`, answer(200, `[]`, "X-Total", "41", "X-Next-Page", "2", "X-Page", "1", "X-Per-Page", "20", "X-Total-Pages", "3"),
			`{"items":[],"pagination":{"page":1,"next_page":2,"per_page":20,"total":41,"total_pages":3}}`},
		{"Tags", "ListTags", `{"project_id":1}`, answer(200, `null`, "Link", `<http://x/?page_token=abc>; rel="next"`),
			`{"items":[],"pagination":{"next_page_token":"abc"}}`},
		{"Issues", "DeleteIssue", `{"project_id":1,"issue_iid":2}`, answer(204, ``), `{"status":204}`},
		{"Jobs", "GetTraceFile", `{"project_id":1,"job_id":2}`, answer(200, "ok\n"), `{"content":"ok\n","encoding":"text","bytes":3}`},
		{"Jobs", "GetJobArtifacts", `{"project_id":1,"job_id":2}`, answer(200, "PK\xff"), `{"content":"UEv/","encoding":"base64","bytes":3}`},
		{"RepositoryFiles", "GetRawFile", `{"project_id":1,"file_name":"x"}`, answer(200, "raw"), `{"content":"raw","encoding":"text","bytes":3}`},
		{"Repositories", "StreamArchive", `{"project_id":1}`, answer(200, "tar"), `{"content":"tar","encoding":"text","bytes":3}`},
		{"GraphQL", "Do", `{"query":"{ currentUser { id } }"}`, answer(200, `{"data":{"x":1}}`), `{"value":{"data":{"x":1}}}`},
		{"Projects", "GetProjectLanguages", `{"project_id":1}`, answer(200, `{"Go":99.5}`), `{"Go":99.5}`},
		{"Issues", "GetIssue", `{"project_id":1,"issue_iid":2}`, answer(204, ``), `{}`},
	}
	for _, tt := range tests {
		op := lookup(t, c, tt.service, tt.method)
		a, err := c.Call(t.Context(), serve(t, tt.gitlab), op, json.RawMessage(tt.args))
		require.NoError(t, err, op.Name)
		assert.Equal(t, tt.want, string(a.JSON), op.Name)
		assertConforms(t, resolve(t, op, op.OutputSchema()), a.JSON)
	}
}

func TestRefusalsAreReadable(t *testing.T) {
	c := newCatalog(t)
	tests := []struct {
		gitlab http.HandlerFunc
		status int
		want   string
	}{
		{answer(404, `{"message":"404 Project Not Found"}`), 404, "GitLab answered 404: 404 Project Not Found"},
		{answer(401, `{"message":"401 Unauthorized"}`), 401, "GitLab answered 401: 401 Unauthorized"},
		{answer(403, `{"error":"insufficient_scope","error_description":"needs api"}`), 403, "GitLab answered 403: insufficient_scope: needs api"},
		{answer(400, `{"message":{"title":["can't be blank","is odd"]}}`), 400, "GitLab answered 400: title: can't be blank, is odd"},
		{answer(429, "Retry later\n", "Retry-After", "60"), 429, "GitLab answered 429: Retry later (retry after 60 seconds)"},
		{answer(501, "<html>"), 501, "GitLab answered 501: Not Implemented"},
	}
	for _, tt := range tests {
		_, err := c.Call(t.Context(), serve(t, tt.gitlab), lookup(t, c, "Projects", "GetProject"), json.RawMessage(`{"project_id":1}`))
		var status *StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, tt.status, status.Status)
		assert.Equal(t, tt.want, err.Error())
		var response *gitlab.ErrorResponse
		assert.ErrorAs(t, err, &response)
	}
}

func TestABrokenGitLabIsReadable(t *testing.T) {
	c := newCatalog(t)
	op := lookup(t, c, "Issues", "ListIssues")
	_, err := c.Call(t.Context(), serve(t, answer(200, `{"not":"a list"}`)), op, json.RawMessage(`{}`))
	require.ErrorContains(t, err, "GitLab's answer could not be read")

	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	client, err := NewClient(srv.URL, "glpat-secret", nil)
	require.NoError(t, err)
	_, err = c.Call(t.Context(), client, op, json.RawMessage(`{"search":"hush"}`))
	require.ErrorContains(t, err, "GitLab did not answer: GET "+srv.URL+"/api/v4/issues: ")
	assert.NotContains(t, err.Error(), "hush")
	assert.NotContains(t, err.Error(), "secret")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Call(ctx, client, op, json.RawMessage(`{}`))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestALargeAnswerIsRefused(t *testing.T) {
	c := newCatalog(t)
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := strings.Repeat("x", 1<<20)
		for range MaxAnswer>>20 + 1 {
			_, _ = io.WriteString(w, chunk)
		}
	})
	_, err := c.Call(t.Context(), client, lookup(t, c, "Jobs", "GetTraceFile"), json.RawMessage(`{"project_id":1,"job_id":2}`))
	assert.ErrorIs(t, err, errTooLarge)
}

func TestOnlyHarmlessRequestsAreRepeated(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	tests := []struct {
		method, args string
		status       int
		headers      []string
		want         int32
	}{
		{"GetIssue", `{"project_id":1,"issue_iid":1}`, 503, nil, 3},
		{"GetIssue", `{"project_id":1,"issue_iid":1}`, 404, nil, 1},
		{"GetIssue", `{"project_id":1,"issue_iid":1}`, 429, nil, 3},
		{"GetIssue", `{"project_id":1,"issue_iid":1}`, 429, []string{"Retry-After", "60"}, 1},
		{"CreateIssue", `{"project_id":1}`, 500, nil, 1},
		{"UpdateIssue", `{"project_id":1,"issue_iid":1}`, 502, nil, 1},
		{"DeleteIssue", `{"project_id":1,"issue_iid":1}`, 503, nil, 1},
		{"CreateIssue", `{"project_id":1}`, 429, []string{"Retry-After", "0"}, 3},
	}
	for _, tt := range tests {
		var asked atomic.Int32
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			answer(tt.status, "{}", tt.headers...)(w, r)
		})
		_, err := c.Call(t.Context(), client, lookup(t, c, "Issues", tt.method), json.RawMessage(tt.args))
		require.Error(t, err)
		assert.Equal(t, tt.want, asked.Load(), "%s on %d", tt.method, tt.status)
	}
}

func TestARateLimitHeaderSlowsNothing(t *testing.T) {
	c := newCatalog(t)
	client := serve(t, answer(200, `{}`, "RateLimit-Limit", "60"))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // with the client's own limiter: 20 s
	defer cancel()
	for range 20 {
		_, err := c.Call(ctx, client, lookup(t, c, "Version", "GetVersion"), nil)
		require.NoError(t, err)
	}
}

func TestTheTokenStaysWithItsHost(t *testing.T) {
	c := newCatalog(t)
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Private-Token"))
		assert.Empty(t, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "stored")
	}))
	defer store.Close()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, store.URL, http.StatusFound) })
	a, err := c.Call(t.Context(), client, lookup(t, c, "Jobs", "GetTraceFile"), json.RawMessage(`{"project_id":1,"job_id":2}`))
	require.NoError(t, err)
	assert.Contains(t, string(a.JSON), "stored")
}

func TestBearerClient(t *testing.T) {
	c := newCatalog(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer oauth", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "{}")
	}))
	defer srv.Close()
	client, err := NewBearerClient(srv.URL, "oauth", srv.Client())
	require.NoError(t, err)
	_, err = c.Call(t.Context(), client, lookup(t, c, "Version", "GetVersion"), nil)
	assert.NoError(t, err)
}

// TestAnswersConformToTheirSchemas fills each result type, once with nothing and once with everything.
func TestAnswersConformToTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, op := range newCatalog(t).Operations() {
		schema := resolve(t, op, op.OutputSchema())
		result := op.result()
		if result == nil || streams(result) {
			continue
		}
		for _, depth := range []int{0, 1, 4} {
			v := reflect.New(result).Elem()
			fill(v, depth)
			a, err := newAnswer(op, v, nil, nil)
			require.NoError(t, err, op.Name)
			var decoded any
			require.NoError(t, json.Unmarshal(a.JSON, &decoded))
			require.NoError(t, schema.Validate(decoded), "%s: %s", op.Name, a.JSON)
		}
	}
}

func fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"raw":1}`))
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{127, 0, 0, 1}) // as it suits an address
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	}
}

func ExampleOperation_InputSchema() {
	c, err := New()
	if err != nil {
		panic(err)
	}
	fmt.Println(string(c.Lookup("gitlab_todos_mark_todo_as_done").InputSchema()))
	// Output: {"type":"object","properties":{"todo_id":{"type":"integer"}},"required":["todo_id"],"additionalProperties":false}
}
