package fakegitlab_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/fakegitlab"
)

func TestReferencesInTheDataLeadSomewhere(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	const project = 17
	p, _, err := c.Projects.GetProject(project, nil)
	require.NoError(t, err)
	group, _, err := c.Groups.GetGroup(p.Namespace.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, p.Namespace.FullPath, group.FullPath)

	mrs, _, err := c.MergeRequests.ListProjectMergeRequests(project, nil)
	require.NoError(t, err)
	for _, mr := range mrs {
		author, _, err := c.Users.GetUser(mr.Author.ID, nil)
		require.NoError(t, err)
		assert.Equal(t, mr.Author.Username, author.Username)
		_, _, err = c.Branches.GetBranch(project, mr.SourceBranch)
		require.NoError(t, err)
		_, _, err = c.Commits.GetCommit(project, mr.SHA, nil)
		require.NoError(t, err)
		for _, label := range mr.Labels {
			_, _, err = c.Labels.GetLabel(project, label)
			require.NoError(t, err)
		}
		if mr.Milestone != nil {
			milestone, _, err := c.Milestones.GetMilestone(project, mr.Milestone.ID)
			require.NoError(t, err)
			assert.Equal(t, mr.Milestone.Title, milestone.Title)
		}
		assert.Equal(t, mr.State == "merged", mr.MergedAt != nil)
	}

	pipelines, _, err := c.Pipelines.ListProjectPipelines(project, nil)
	require.NoError(t, err)
	listed := pipelines[0]
	single, _, err := c.Pipelines.GetPipeline(project, listed.ID)
	require.NoError(t, err)
	assert.Equal(t, listed.SHA, single.SHA)
	assert.Equal(t, listed.Status, single.Status)
	assert.Equal(t, listed.CreatedAt, single.CreatedAt)
	latest, _, err := c.Pipelines.GetLatestPipeline(project, nil)
	require.NoError(t, err)
	assert.Equal(t, single, latest)
}

func TestPathsWithOddSegments(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	for path, route := range map[string]string{
		"/projects/1/repository/archive.tar.gz?sha=main":           "GET projects/{project_id}/repository/archive",
		"/projects/1/repository/archive":                           "GET projects/{project_id}/repository/archive",
		"/projects/1/packages/generic/name/1.0/a/b/file.tgz":       "GET projects/{project_id}/packages/generic/{package_name}/{package_version}/{file_name}",
		"/projects/1/jobs/1001/artifacts/coverage/index.html":      "GET projects/{project_id}/jobs/{job_id}/artifacts/{artifact_path}",
		"/projects/1/repository/files/a%2Fb%2Fc.go?ref=main":       "GET projects/{project_id}/repository/files/{file_name}",
		"/projects/" + "no%2Fpath%2Fat%2Fall" + "/repository/tree": "GET projects/{project_id}/repository/tree",
		"//projects//1":                                             projectRoute,
		"/projects/1/repository/commits/main":                       "GET projects/{project_id}/repository/commits/{sha}",
		"/projects/1/repository/branches/feature%2Fnone-at-all":     "GET projects/{project_id}/repository/branches/{branch}",
		"/projects/1/pipelines/latest":                              "GET projects/{project_id}/pipelines/latest",
		"/groups/webhook-team-1%2Fdeeper/issues?state=opened":       "GET groups/{group_id}/issues",
		"/users?username=nobody":                                    "GET users",
		"/projects/1/merge_requests?iids[]=1&iids[]=2&state=merged": "GET projects/{project_id}/merge_requests",
	} {
		s.Reset()
		get(t, s, path)
		assert.Equal(t, map[string]int64{route: 1}, s.Counts(), path)
	}
	assert.Empty(t, s.Unknown())
}

func TestHeadIsAnsweredAsGetWithoutABody(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	r, err := ask(t.Context(), s, http.MethodHead, "/projects?per_page=5", "", "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	assert.Equal(t, "300", r.header.Get("X-Total"))
	assert.Empty(t, r.body)
}

func TestBodiesOfAnyForm(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	tests := map[string]struct{ media, body, title string }{
		"JSON":            {"application/json", `{"title":"a, \"b\""}`, `a, "b"`},
		"form":            {"application/x-www-form-urlencoded", "title=from+a+form&labels[]=x&weight=3", "from a form"},
		"multipart":       {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nparts\r\n--x--\r\n", "parts"},
		"query alone":     {"text/plain", "", "asked"},
		"JSON, no object": {"application/json", `[1]`, "asked"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ask(t.Context(), s, http.MethodPost, "/projects/1/issues?title=asked", test.body,
				"PRIVATE-TOKEN", s.Token(0), "Content-Type", test.media)
			require.NoError(t, err)
			assert.Equal(t, http.StatusCreated, r.status)
			found, _, err := newClient(t, s, s.Token(0)).Issues.ListProjectIssues(1, &gitlab.ListProjectIssuesOptions{
				Search: gitlab.Ptr(strings.ToUpper(test.title)), State: gitlab.Ptr("opened"),
			})
			require.NoError(t, err)
			require.NotEmpty(t, found)
			assert.Equal(t, test.title, found[0].Title)
		})
	}
	for media, body := range map[string]string{
		"application/x-www-form-urlencoded": "a=%zz", "multipart/form-data; boundary=x": "no part",
	} {
		r, err := ask(t.Context(), s, http.MethodPost, "/projects/1/issues", body, "PRIVATE-TOKEN", s.Token(0), "Content-Type", media)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, r.status)
	}
}

func TestWritesThatCannotBeHeldAreLeftOut(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	r, err := ask(t.Context(), s, http.MethodPut, "/projects/1/issues/1", `{"weight":"heavy","title":"kept","labels":["a"],"author":7}`,
		"PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.status)
	issue, _, err := c.Issues.GetIssue(1, 1, nil)
	require.NoError(t, err, "a value of another type does not break later reads")
	assert.Equal(t, "kept", issue.Title)
	assert.Equal(t, gitlab.Labels{"a"}, issue.Labels)
	assert.NotNil(t, issue.Author)
}

func TestWritesToWhatIsNotThere(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	for _, verb := range []string{http.MethodPut, http.MethodDelete} {
		r, err := ask(t.Context(), s, verb, "/projects/1/issues/99999", `{"title":"x"}`, "PRIVATE-TOKEN", s.Token(0))
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, r.status)
	}
	r, err := ask(t.Context(), s, http.MethodPost, "/projects/99999/issues", `{"title":"x"}`, "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, r.status)
	assert.JSONEq(t, `{"message":"404 Project Not Found"}`, r.body)
}

func TestAFileIsDeletedAndWrittenAgain(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	ref := &gitlab.GetFileOptions{Ref: gitlab.Ptr("main")}
	_, err := c.RepositoryFiles.DeleteFile(1, "a.md", &gitlab.DeleteFileOptions{Branch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("x")})
	require.NoError(t, err)
	_, _, err = c.RepositoryFiles.GetFile(1, "a.md", ref)
	require.ErrorIs(t, err, gitlab.ErrNotFound)
	_, _, err = c.RepositoryFiles.CreateFile(1, "a.md", &gitlab.CreateFileOptions{
		Branch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("x"), Encoding: gitlab.Ptr("base64"), Content: gitlab.Ptr("aGVsbG8K"),
	})
	require.NoError(t, err)
	raw, _, err := c.RepositoryFiles.GetRawFile(1, "a.md", nil)
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(raw))
}

func TestActionsChangeWhatTheyAreDoneTo(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	pipeline := s.Pipeline(1, 0).ID
	_, _, err := c.Pipelines.CancelPipelineBuild(1, pipeline)
	require.NoError(t, err)
	read, _, err := c.Pipelines.GetPipeline(1, pipeline)
	require.NoError(t, err)
	assert.Equal(t, "canceled", read.Status)
	_, _, err = c.Pipelines.RetryPipelineBuild(1, pipeline)
	require.NoError(t, err)
	read, _, err = c.Pipelines.GetPipeline(1, pipeline)
	require.NoError(t, err)
	assert.Equal(t, "pending", read.Status)

	_, err = c.Users.BlockUser(9)
	require.NoError(t, err)
	user, _, err := c.Users.GetUser(9, nil)
	require.NoError(t, err)
	assert.Equal(t, "blocked", user.State)
}

func TestStateEvents(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	for _, test := range [][2]string{{"close", "closed"}, {"reopen", "opened"}} {
		issue, _, err := c.Issues.UpdateIssue(1, 2, &gitlab.UpdateIssueOptions{StateEvent: &test[0]})
		require.NoError(t, err)
		assert.Equal(t, test[1], issue.State)
		assert.Equal(t, test[1] == "closed", issue.ClosedAt != nil)
	}
	milestone, _, err := c.Milestones.UpdateMilestone(1, s.Issue(1, 0).ID, &gitlab.UpdateMilestoneOptions{StateEvent: gitlab.Ptr("activate")})
	require.NoError(t, err)
	assert.Equal(t, "active", milestone.State)
}

func TestGraphQLUpload(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	file, err := gitlab.NewGraphQLUpload(strings.NewReader("png"), "a.png", "image/png")
	require.NoError(t, err)
	var response struct {
		Data struct {
			Create struct {
				Errors []string `json:"errors"`
			} `json:"create"`
		} `json:"data"`
	}
	_, err = c.GraphQL.Do(gitlab.GraphQLQuery{
		Query:     `mutation($avatar: Upload!) { create: achievementsCreate(input: {avatar: $avatar}) { errors } }`,
		Variables: map[string]any{"avatar": file},
	}, &response)
	require.NoError(t, err)
	assert.Empty(t, response.Data.Create.Errors)
}

func TestSlowBodyStopsWithItsReader(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	s.SetFault("", fakegitlab.Fault{Kind: fakegitlab.FaultSlowBody, Delay: time.Hour})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.APIURL()+"/projects/1", nil)
	require.NoError(t, err)
	req.Header.Set("PRIVATE-TOKEN", s.Token(0))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func TestSmallBodiesAreNotCompressed(t *testing.T) {
	s := start(t, fakegitlab.Options{Gzip: true})
	assert.Empty(t, get(t, s, "/version", "Accept-Encoding", "gzip").header.Get("Content-Encoding"))
	assert.Empty(t, get(t, s, "/projects/1", "Accept-Encoding", "identity").header.Get("Content-Encoding"))
}

func TestSizesAreOptions(t *testing.T) {
	s := start(t, fakegitlab.Options{Projects: 3, Groups: 2, Users: 5, PerProject: 7, ExternalURL: "https://git.test"})
	for path, total := range map[string]string{
		"/projects": "3", "/groups": "2", "/users": "5", "/projects/1/issues": "7", "/merge_requests": "21", "/groups/1/projects": "2",
	} {
		assert.Equal(t, total, get(t, s, path).header.Get("X-Total"), path)
	}
	assert.Contains(t, get(t, s, "/projects/1").body, `"web_url":"https://git.test/`)
}

func TestDownloadsAreAsLargeAsTold(t *testing.T) {
	for want, opts := range map[int]fakegitlab.Options{2000: {}, 5 << 20: {Download: 5 << 20}} {
		s := start(t, opts)
		for _, path := range []string{"/projects/1/export/download", "/projects/1/repository/archive.tar.gz"} {
			r := get(t, s, path)
			assert.Len(t, r.body, want, path)
			assert.Equal(t, "application/octet-stream", r.header.Get("Content-Type"))
			assert.False(t, utf8.ValidString(r.body), "they are no text")
			assert.Equal(t, r.body, get(t, s, path).body)
		}
	}
}
