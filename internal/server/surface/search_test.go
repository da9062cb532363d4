package surface

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/catalog"
)

// question is what somebody asks, in a person's words, and the operation that it means.
type question struct{ ask, service, method string }

// questions are those that the search was made with.
var questions = []question{
	{"show me the open MRs in project 42", "MergeRequests", "ListProjectMergeRequests"},
	{"get the details of a merge request", "MergeRequests", "GetMergeRequest"},
	{"open a new MR from my branch", "MergeRequests", "CreateMergeRequest"},
	{"merge this pull request", "MergeRequests", "AcceptMergeRequest"},
	{"what changed in a merge request, the diff", "MergeRequests", "ListMergeRequestDiffs"},
	{"comment on a merge request", "Notes", "CreateMergeRequestNote"},
	{"approve a pull request", "MergeRequestApprovals", "ApproveMergeRequest"},
	{"rebase an MR", "MergeRequests", "RebaseMergeRequest"},
	{"which commits are in this merge request", "MergeRequests", "GetMergeRequestCommits"},
	{"close an issue", "Issues", "UpdateIssue"},
	{"file a bug", "Issues", "CreateIssue"},
	{"show ticket 17", "Issues", "GetIssue"},
	{"find all issues assigned to me", "Issues", "ListIssues"},
	{"show me my gists", "Snippets", "ListSnippets"},
	{"read the comments on an issue", "Notes", "ListIssueNotes"},
	{"reply to a discussion thread on an issue", "Discussions", "AddIssueDiscussionNote"},
	{"link two issues together", "IssueLinks", "CreateIssueLink"},
	{"move an issue to another project", "Issues", "MoveIssue"},
	{"why did my build fail, show the job log", "Jobs", "GetTraceFile"},
	{"retry a failed job", "Jobs", "RetryJob"},
	{"list the jobs of a pipeline", "Jobs", "ListPipelineJobs"},
	{"start CI on a branch", "Pipelines", "CreatePipeline"},
	{"latest pipeline for main", "Pipelines", "GetLatestPipeline"},
	{"cancel the pipeline", "Pipelines", "CancelPipelineBuild"},
	{"download the artifacts of a job", "Jobs", "GetJobArtifacts"},
	{"validate my .gitlab-ci.yml", "Validate", "ProjectNamespaceLint"},
	{"set a CI variable in a project", "ProjectVariables", "CreateVariable"},
	{"nightly scheduled pipelines", "PipelineSchedules", "ListPipelineSchedules"},
	{"what's on my todo list", "Todos", "ListTodos"},
	{"mark a to-do as done", "Todos", "MarkTodoAsDone"},
	{"create a repo", "Projects", "CreateProject"},
	{"my repositories", "Projects", "ListProjects"},
	{"fork a repository", "Projects", "ForkProject"},
	{"delete a project", "Projects", "DeleteProject"},
	{"list branches", "Branches", "ListBranches"},
	{"create a branch from main", "Branches", "CreateBranch"},
	{"delete merged branches", "Branches", "DeleteMergedBranches"},
	{"protect the main branch", "ProtectedBranches", "ProtectRepositoryBranches"},
	{"read a file from the repository", "RepositoryFiles", "GetFile"},
	{"list the directory contents of a repo", "Repositories", "ListTree"},
	{"commit several files at once", "Commits", "CreateCommit"},
	{"git log of a branch", "Commits", "ListCommits"},
	{"who wrote this line, git blame", "RepositoryFiles", "GetFileBlame"},
	{"compare two branches", "Repositories", "Compare"},
	{"search the code of a project for a function name", "Search", "BlobsByProject"},
	{"make a release", "Releases", "CreateRelease"},
	{"tags of a project", "Tags", "ListTags"},
	{"who am I", "Users", "CurrentUser"},
	{"look up a user by username", "Users", "ListUsers"},
	{"add somebody to a project", "ProjectMembers", "AddProjectMember"},
	{"who has access to this group", "Groups", "ListGroupMembers"},
	{"create a PAT for a user", "Users", "CreatePersonalAccessToken"},
	{"revoke a personal access token", "PersonalAccessTokens", "RevokePersonalAccessTokenByID"},
	{"add a webhook to a project", "Projects", "AddProjectHook"},
	{"edit a wiki page", "Wikis", "EditWikiPage"},
	{"give an issue a thumbs up", "AwardEmoji", "CreateIssueAwardEmoji"},
	{"create a milestone", "Milestones", "CreateMilestone"},
	{"which runners are available to the project", "Runners", "ListProjectRunners"},
	{"upload my ssh public key", "Users", "AddSSHKey"},
	{"what version of GitLab is this", "Version", "GetVersion"},
}

func TestSearchFindsWhatPeopleMean(t *testing.T) {
	x := newIndex(newCatalog(t).Operations())
	for _, tt := range []struct {
		name      string
		questions []question
		size      int
		least     float64 // share that must be answered within the first five
	}{
		{"made with", questions, 60, 0.9},
		{"held out", heldOut, 30, 0.8},
		{"held out later", heldOutLater, 30, 0.75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Len(t, tt.questions, tt.size)
			first, found := ask(t, x, tt.questions)
			t.Logf("%d of %d questions answered within the first five, %d by the first", found, tt.size, first)
			assert.GreaterOrEqual(t, float64(found), tt.least*float64(tt.size))
		})
	}
}

// ask counts the questions whose answer comes first, and those whose answer is within the first five.
func ask(t *testing.T, x *index, questions []question) (first, found int) {
	t.Helper()
	for _, q := range questions {
		hits := x.search(q.ask, usualFound)
		at := slices.IndexFunc(hits, func(op *catalog.Operation) bool { return op.Service == q.service && op.Method == q.method })
		switch {
		case at == 0:
			first++
			found++
		case at > 0:
			found++
		default:
			t.Logf("missed: %q means %s.%s, found %v", q.ask, q.service, q.method, names(hits))
		}
	}
	return first, found
}

func TestSynonymsSayAndMeanSomething(t *testing.T) {
	for said, list := range synonyms() {
		assert.NotEmpty(t, said)
		assert.NotEmpty(t, list, said)
		for _, meant := range list {
			assert.NotEmpty(t, meant, said)
		}
		assert.LessOrEqual(t, len(strings.Fields(said)), longestPhrase, said)
	}
}

func TestIntent(t *testing.T) {
	x := newIndex(newCatalog(t).Operations())
	for query, want := range map[string]intent{
		"delete a tag":             removing,
		"set reviewers":            creating | changing,
		"file a bug":               creating,
		"history of a file":        reading,
		"the open issues":          reading,
		"comments of an issue":     reading,
		"comment on an issue":      unclear,
		"unprotect main":           unclear,
		"who may delete a project": reading,
		"how is it":                reading,
		"":                         reading,
	} {
		assert.Equal(t, want, x.intentOf(query, words(query)), query)
	}
	assert.Empty(t, x.search("how is it", usualFound), "nothing is said")
}

func names(ops []*catalog.Operation) []string {
	var list []string
	for _, op := range ops {
		list = append(list, op.Service+"."+op.Method)
	}
	return list
}

func newCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.New()
	require.NoError(t, err)
	return cat
}
