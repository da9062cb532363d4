package fakegitlab_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/fakegitlab"
)

func TestOffsetPagesCoverAListOnce(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	seen := map[int64]bool{}
	opt := &gitlab.ListProjectsOptions{ListOptions: gitlab.ListOptions{PerPage: 70, Page: 1}}
	for opt.Page != 0 {
		projects, resp, err := c.Projects.ListProjects(opt)
		require.NoError(t, err)
		assert.EqualValues(t, 300, resp.TotalItems)
		assert.EqualValues(t, 5, resp.TotalPages)
		for _, p := range projects {
			assert.False(t, seen[p.ID])
			seen[p.ID] = true
		}
		opt.Page = resp.NextPage
	}
	assert.Len(t, seen, 300)
}

func TestKeysetPagesCoverAListOnce(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	opt := &gitlab.ListProjectsOptions{ListOptions: gitlab.ListOptions{PerPage: 100, Pagination: "keyset", OrderBy: "id", Sort: "asc"}}
	var ids []int64
	var next []gitlab.RequestOptionFunc
	for {
		projects, resp, err := c.Projects.ListProjects(opt, next...)
		require.NoError(t, err)
		assert.Empty(t, resp.Header.Get("X-Total"))
		assert.Empty(t, resp.Header.Get("X-Next-Page"))
		for _, p := range projects {
			ids = append(ids, p.ID)
		}
		if resp.NextLink == "" {
			break
		}
		next = []gitlab.RequestOptionFunc{gitlab.WithKeysetPaginationParameters(resp.NextLink)}
	}
	require.Len(t, ids, 300)
	assert.IsIncreasing(t, ids)
}

func TestPageHeaders(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	tests := map[string]struct {
		path   string
		header map[string]string
		rels   []string
	}{
		"default": {"/projects", map[string]string{"X-Total": "300", "X-Total-Pages": "15", "X-Per-Page": "20", "X-Page": "1", "X-Next-Page": "2", "X-Prev-Page": ""},
			[]string{"next", "first", "last"}},
		"middle":        {"/projects?page=3&per_page=50", map[string]string{"X-Page": "3", "X-Next-Page": "4", "X-Prev-Page": "2"}, []string{"prev", "next", "first", "last"}},
		"end":           {"/projects?page=15", map[string]string{"X-Next-Page": ""}, []string{"prev", "first", "last"}},
		"beyond":        {"/projects?page=99", map[string]string{"X-Page": "99", "X-Total": "300", "X-Next-Page": ""}, []string{"prev", "first", "last"}},
		"over the most": {"/projects?per_page=1000", map[string]string{"X-Per-Page": "100", "X-Total-Pages": "3"}, []string{"next", "first", "last"}},
		"nonsense":      {"/projects?per_page=x&page=-1", map[string]string{"X-Per-Page": "20", "X-Page": "1"}, []string{"next", "first", "last"}},
		"uncounted":     {"/issues", map[string]string{"X-Total": "", "X-Total-Pages": "", "X-Next-Page": "2"}, []string{"next", "first"}},
		"keyset":        {"/projects?pagination=keyset", map[string]string{"X-Total": "", "X-Page": ""}, []string{"next"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := get(t, s, test.path)
			for name, value := range test.header {
				assert.Equal(t, value, r.header.Get(name), name)
			}
			var rels []string
			for part := range strings.SplitSeq(r.header.Get("Link"), ", ") {
				_, rel, _ := strings.Cut(part, `rel="`)
				rels = append(rels, strings.TrimSuffix(rel, `"`))
			}
			assert.Equal(t, test.rels, rels)
		})
	}
}

func TestKnownThingsAreWhatTheyAreSaidToBe(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(3))
	project := s.Project(4)
	byID, _, err := c.Projects.GetProject(project.ID, nil)
	require.NoError(t, err)
	byPath, _, err := c.Projects.GetProject(project.Name, nil)
	require.NoError(t, err)
	assert.Equal(t, byID, byPath)
	assert.Equal(t, project.Name, byID.PathWithNamespace)
	assert.Equal(t, project.WebURL, byID.WebURL)

	issue := s.Issue(project.ID, 6)
	got, _, err := c.Issues.GetIssue(project.Name, issue.IID, nil)
	require.NoError(t, err)
	gotIssue := fakegitlab.Known{ID: got.ID, IID: got.IID, ProjectID: got.ProjectID, Name: got.Title, State: got.State, WebURL: got.WebURL}
	assert.Equal(t, issue, gotIssue)
	global, _, err := c.Issues.GetIssueByID(issue.ID)
	require.NoError(t, err)
	assert.Equal(t, got, global)

	mr := s.MergeRequest(project.ID, 2)
	m, _, err := c.MergeRequests.GetMergeRequest(project.ID, mr.IID, nil)
	require.NoError(t, err)
	gotMR := fakegitlab.Known{ID: m.ID, IID: m.IID, ProjectID: m.ProjectID, Name: m.Title, State: m.State, WebURL: m.WebURL}
	assert.Equal(t, mr, gotMR)

	pipeline, job := s.Pipeline(project.ID, 3), s.Job(project.ID, 3)
	gotPipeline, _, err := c.Pipelines.GetPipeline(project.ID, pipeline.ID)
	require.NoError(t, err)
	assert.Equal(t, pipeline.State, gotPipeline.Status)
	gotJob, _, err := c.Jobs.GetJob(project.ID, job.ID)
	require.NoError(t, err)
	assert.Equal(t, job.Name, gotJob.Name)

	branch, _, err := c.Branches.GetBranch(project.ID, s.Branch(project.ID, 2).Name)
	require.NoError(t, err)
	assert.Equal(t, s.Branch(project.ID, 2).Name, branch.Name)
	commit, _, err := c.Commits.GetCommit(project.ID, branch.Commit.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, branch.Commit.ID, commit.ID)
	byShort, _, err := c.Commits.GetCommit(project.ID, s.Commit(project.ID, 1).Name[:8], nil)
	require.NoError(t, err)
	assert.Equal(t, s.Commit(project.ID, 1).Name, byShort.ID)

	group, _, err := c.Groups.GetGroup(s.Group(1).Name, nil)
	require.NoError(t, err)
	assert.Equal(t, s.Group(1).ID, group.ID)
	me, _, err := c.Users.CurrentUser()
	require.NoError(t, err)
	assert.Equal(t, s.User(3).Name, me.Username)
	assert.Equal(t, fakegitlab.Known{}, s.Project(-1))
	assert.EqualValues(t, 5000, s.User(4999).ID)
}

func TestListsFilter(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	opened, _, err := c.Issues.ListProjectIssues(1, &gitlab.ListProjectIssuesOptions{State: gitlab.Ptr("opened")})
	require.NoError(t, err)
	require.NotEmpty(t, opened)
	for _, issue := range opened {
		assert.Equal(t, "opened", issue.State)
	}
	users, _, err := c.Users.ListUsers(&gitlab.ListUsersOptions{Username: gitlab.Ptr(s.User(7).Name)})
	require.NoError(t, err)
	require.Len(t, users, 1)
	assert.Equal(t, s.User(7).ID, users[0].ID)
	found, _, err := c.Projects.ListProjects(&gitlab.ListProjectsOptions{Search: gitlab.Ptr(s.Project(9).Name)})
	require.NoError(t, err)
	require.Len(t, found, 1)
	mine, _, err := c.Groups.ListGroupProjects(2, nil)
	require.NoError(t, err)
	require.Len(t, mine, 8)
	assert.EqualValues(t, 2, mine[0].Namespace.ID)
	r := get(t, s, "/search?scope=nothing&search=x")
	assert.Equal(t, http.StatusBadRequest, r.status)
}

func TestIssueIsWrittenAndReadBack(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(5))
	labels := gitlab.LabelOptions{"bug", "urgent"}
	created, resp, err := c.Issues.CreateIssue(1, &gitlab.CreateIssueOptions{
		Title: gitlab.Ptr(`A "quoted" title`), Labels: &labels, AssigneeIDs: &[]int64{7},
	})
	require.NoError(t, err)
	assert.Equal(t, http.StatusCreated, resp.StatusCode)
	assert.EqualValues(t, 41, created.IID)
	assert.Equal(t, s.User(5).ID, created.Author.ID)

	read, _, err := c.Issues.GetIssue(s.Project(0).Name, created.IID, nil)
	require.NoError(t, err)
	assert.Equal(t, created, read)
	assert.Equal(t, `A "quoted" title`, read.Title)
	assert.Equal(t, gitlab.Labels{"bug", "urgent"}, read.Labels)
	require.Len(t, read.Assignees, 1)
	assert.Equal(t, s.User(6).Name, read.Assignees[0].Username)

	list, resp, err := c.Issues.ListProjectIssues(1, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 41, resp.TotalItems)
	assert.Equal(t, created.ID, list[0].ID)

	_, _, err = c.Issues.UpdateIssue(1, created.IID, &gitlab.UpdateIssueOptions{StateEvent: gitlab.Ptr("close")})
	require.NoError(t, err)
	read, _, err = c.Issues.GetIssue(1, created.IID, nil)
	require.NoError(t, err)
	assert.Equal(t, "closed", read.State)
	assert.NotNil(t, read.ClosedAt)

	note, _, err := c.Notes.CreateIssueNote(1, created.IID, &gitlab.CreateIssueNoteOptions{Body: gitlab.Ptr("Seen.")})
	require.NoError(t, err)
	notes, _, err := c.Notes.ListIssueNotes(1, created.IID, nil)
	require.NoError(t, err)
	assert.Equal(t, note.ID, notes[0].ID)
	assert.Equal(t, "Seen.", notes[0].Body)

	list, _, err = c.Issues.ListIssues(nil)
	require.NoError(t, err)
	assert.Contains(t, titles(list), created.Title, "instance-wide lists show it too")

	_, err = c.Issues.DeleteIssue(1, created.IID)
	require.NoError(t, err)
	_, resp, err = c.Issues.GetIssue(1, created.IID, nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusNotFound, resp.StatusCode)
	_, resp, err = c.Notes.ListIssueNotes(1, created.IID, nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusNotFound, resp.StatusCode)
}

func titles(issues []*gitlab.Issue) []string {
	var all []string
	for _, i := range issues {
		all = append(all, i.Title)
	}
	return all
}

func TestForgetUndoesWhatWasWritten(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	before := get(t, s, "/projects/1/issues")
	r, err := ask(t.Context(), s, http.MethodDelete, "/projects/1/issues/40", "", "PRIVATE-TOKEN", s.Token(0))
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, r.status)
	require.NotEqual(t, before.body, get(t, s, "/projects/1/issues").body)
	s.Forget()
	assert.Equal(t, before.body, get(t, s, "/projects/1/issues").body)
}

func TestProjectIsWrittenAndReadBack(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	created, _, err := c.Projects.CreateProject(&gitlab.CreateProjectOptions{Name: gitlab.Ptr("New Thing"), Visibility: gitlab.Ptr(gitlab.PublicVisibility)})
	require.NoError(t, err)
	assert.Equal(t, s.User(0).Name+"/new-thing", created.PathWithNamespace)
	byPath, _, err := c.Projects.GetProject(created.PathWithNamespace, nil)
	require.NoError(t, err)
	assert.Equal(t, created, byPath)
	assert.Equal(t, gitlab.PublicVisibility, byPath.Visibility)
	issues, _, err := c.Issues.ListProjectIssues(created.ID, nil)
	require.NoError(t, err)
	assert.NotEmpty(t, issues)

	inGroup, _, err := c.Projects.CreateProject(&gitlab.CreateProjectOptions{Path: gitlab.Ptr("inside"), NamespaceID: gitlab.Ptr(int64(2))})
	require.NoError(t, err)
	ofGroup, _, err := c.Groups.ListGroupProjects(2, nil)
	require.NoError(t, err)
	assert.Equal(t, inGroup.ID, ofGroup[0].ID)

	_, _, err = c.Projects.EditProject(created.ID, &gitlab.EditProjectOptions{Description: gitlab.Ptr("Said.")})
	require.NoError(t, err)
	_, _, err = c.Projects.ArchiveProject(created.ID)
	require.NoError(t, err)
	byPath, _, err = c.Projects.GetProject(created.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, "Said.", byPath.Description)
	assert.True(t, byPath.Archived)

	resp, err := c.Projects.DeleteProject(created.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, resp.StatusCode)
	_, _, err = c.Projects.GetProject(created.ID, nil)
	require.ErrorIs(t, err, gitlab.ErrNotFound)
}

func TestReadersAndWritersMayMeet(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	var group sync.WaitGroup
	const workers, rounds = 8, 25
	errs := make(chan error, workers*rounds)
	for w := range workers {
		c := newClient(t, s, s.Token(w))
		group.Go(func() {
			for range rounds {
				errs <- writeAndRead(c, int64(w+1))
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	assert.EqualValues(t, 3*workers*rounds, s.Total())
	assert.EqualValues(t, workers*rounds, s.Count("POST projects/{project_id}/issues"))
}

// writeAndRead creates an issue, reads it back, and asks who it is.
func writeAndRead(c *gitlab.Client, user int64) error {
	created, _, err := c.Issues.CreateIssue(1, &gitlab.CreateIssueOptions{Title: gitlab.Ptr("x")})
	if err != nil {
		return err
	}
	read, _, err := c.Issues.GetIssue(1, created.IID, nil)
	if err != nil {
		return err
	}
	me, _, err := c.Users.CurrentUser()
	if err != nil {
		return err
	}
	if read.ID != created.ID || me.ID != user {
		return fmt.Errorf("wrote issue %d and read %d, as user %d and not %d", created.ID, read.ID, me.ID, user)
	}
	return nil
}

func TestTokensBelongToTheirCaller(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	for i := range 3 {
		self, _, err := newClient(t, s, s.Token(i)).PersonalAccessTokens.GetSinglePersonalAccessToken()
		require.NoError(t, err)
		assert.EqualValues(t, i+1, self.UserID)
	}
}

func TestMergeRequestIsMerged(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	created, _, err := c.MergeRequests.CreateMergeRequest(2, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Do it"), SourceBranch: gitlab.Ptr("x"), TargetBranch: gitlab.Ptr("main"),
	})
	require.NoError(t, err)
	assert.Equal(t, "opened", created.State)
	_, _, err = c.MergeRequests.AcceptMergeRequest(2, created.IID, nil)
	require.NoError(t, err)
	read, _, err := c.MergeRequests.GetMergeRequest(2, created.IID, nil)
	require.NoError(t, err)
	assert.Equal(t, "merged", read.State)
	assert.NotNil(t, read.MergedAt)
}

func TestRepositoryIsWrittenAndReadBack(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	_, _, err := c.Branches.CreateBranch(1, &gitlab.CreateBranchOptions{Branch: gitlab.Ptr("topic/new"), Ref: gitlab.Ptr("main")})
	require.NoError(t, err)
	branch, _, err := c.Branches.GetBranch(1, "topic/new")
	require.NoError(t, err)
	assert.Equal(t, "topic/new", branch.Name)
	_, err = c.Branches.DeleteBranch(1, "topic/new")
	require.NoError(t, err)
	_, _, err = c.Branches.GetBranch(1, "topic/new")
	require.ErrorIs(t, err, gitlab.ErrNotFound)

	_, _, err = c.RepositoryFiles.CreateFile(1, "docs/a b.md", &gitlab.CreateFileOptions{
		Branch: gitlab.Ptr("main"), Content: gitlab.Ptr("hello\n"), CommitMessage: gitlab.Ptr("Say it"),
	})
	require.NoError(t, err)
	raw, _, err := c.RepositoryFiles.GetRawFile(1, "docs/a b.md", &gitlab.GetRawFileOptions{Ref: gitlab.Ptr("main")})
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(raw))
	file, _, err := c.RepositoryFiles.GetFile(1, "docs/a b.md", &gitlab.GetFileOptions{Ref: gitlab.Ptr("main")})
	require.NoError(t, err)
	assert.Equal(t, "aGVsbG8K", file.Content)

	_, _, err = c.Tags.CreateTag(1, &gitlab.CreateTagOptions{TagName: gitlab.Ptr("v9"), Ref: gitlab.Ptr("main")})
	require.NoError(t, err)
	tag, _, err := c.Tags.GetTag(1, "v9")
	require.NoError(t, err)
	assert.Equal(t, "v9", tag.Name)
}

func TestOtherThingsAreWrittenAndReadBack(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	label, _, err := c.Labels.CreateLabel(1, &gitlab.CreateLabelOptions{Name: gitlab.Ptr("brand new"), Color: gitlab.Ptr("#00ff00")})
	require.NoError(t, err)
	byName, _, err := c.Labels.GetLabel(1, "brand new")
	require.NoError(t, err)
	assert.Equal(t, label, byName)

	milestone, _, err := c.Milestones.CreateMilestone(1, &gitlab.CreateMilestoneOptions{Title: gitlab.Ptr("Soon")})
	require.NoError(t, err)
	read, _, err := c.Milestones.GetMilestone(1, milestone.ID)
	require.NoError(t, err)
	assert.Equal(t, "Soon", read.Title)

	user, _, err := c.Users.CreateUser(&gitlab.CreateUserOptions{Name: gitlab.Ptr("N"), Username: gitlab.Ptr("nnn"), Email: gitlab.Ptr("n@example.com")})
	require.NoError(t, err)
	gotUser, _, err := c.Users.GetUser(user.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, "nnn", gotUser.Username)

	variable, _, err := c.ProjectVariables.CreateVariable(1, &gitlab.CreateProjectVariableOptions{Key: gitlab.Ptr("K"), Value: gitlab.Ptr("12")})
	require.NoError(t, err)
	assert.Equal(t, "12", variable.Value)
	gotVariable, _, err := c.ProjectVariables.GetVariable(1, "K", nil)
	require.NoError(t, err)
	assert.Equal(t, "12", gotVariable.Value)

	wiki, _, err := c.Wikis.CreateWikiPage(1, &gitlab.CreateWikiPageOptions{Title: gitlab.Ptr("How to"), Content: gitlab.Ptr("Thus.")})
	require.NoError(t, err)
	page, _, err := c.Wikis.GetWikiPage(1, wiki.Slug, nil)
	require.NoError(t, err)
	assert.Equal(t, "Thus.", page.Content)
}

func TestMembersAreAddedChangedAndRemovedWhereTheyAre(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	added, _, err := c.ProjectMembers.AddProjectMember(1, &gitlab.AddProjectMemberOptions{UserID: 1500, AccessLevel: gitlab.Ptr(gitlab.MaintainerPermissions)})
	require.NoError(t, err)
	assert.Equal(t, s.User(1499).Name, added.Username)
	_, _, err = c.ProjectMembers.EditProjectMember(1, 1999, &gitlab.EditProjectMemberOptions{AccessLevel: gitlab.Ptr(gitlab.OwnerPermissions)})
	require.NoError(t, err)
	here, _, err := c.ProjectMembers.GetProjectMember(1, 1999)
	require.NoError(t, err)
	elsewhere, _, err := c.ProjectMembers.GetProjectMember(2, 1999)
	require.NoError(t, err)
	assert.Equal(t, gitlab.OwnerPermissions, here.AccessLevel)
	assert.NotEqual(t, gitlab.OwnerPermissions, elsewhere.AccessLevel)

	_, err = c.ProjectMembers.DeleteProjectMember(1, 1999)
	require.NoError(t, err)
	_, _, err = c.ProjectMembers.GetProjectMember(1, 1999)
	require.ErrorIs(t, err, gitlab.ErrNotFound)
	_, _, err = c.Users.GetUser(1999, nil)
	require.NoError(t, err, "the user is still there")
}

func TestAnAvatarIsUploaded(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	_, _, err := c.Projects.UploadAvatar(1, strings.NewReader("png"), "a.png")
	require.NoError(t, err)
	avatar, _, err := c.Projects.DownloadAvatar(1)
	require.NoError(t, err)
	raw, err := io.ReadAll(avatar)
	require.NoError(t, err)
	assert.NotEmpty(t, raw)
}
