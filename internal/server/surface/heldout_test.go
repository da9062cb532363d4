package surface

// heldOut are further questions, written down with their answers before a search was tried with any of
// them: they tell how the search does on questions that it was not made with. 16 were answered at first.
// Since then meanings of a word are ranked as one, verbs are told from nouns and nouns led back to verbs;
// that names of roles mean members is the one thing that a question of this list taught it. What answers
// "who approved this MR" was put right.
var heldOut = []question{
	{"history of a file", "Commits", "ListCommits"},
	{"set reviewers on a merge request", "MergeRequests", "UpdateMergeRequest"},
	{"put a label on an issue", "Issues", "UpdateIssue"},
	{"unprotect a branch", "ProtectedBranches", "UnprotectRepositoryBranches"},
	{"take somebody out of a group", "GroupMembers", "RemoveGroupMember"},
	{"make her a maintainer of the project", "ProjectMembers", "EditProjectMember"},
	{"delete a tag", "Tags", "DeleteTag"},
	{"which branches contain this commit", "Commits", "GetCommitRefs"},
	{"cherry-pick a commit onto the release branch", "Commits", "CherryPickCommit"},
	{"run a manual job", "Jobs", "PlayJob"},
	{"change the content of a file in the repo", "RepositoryFiles", "UpdateFile"},
	{"who is taking part in this issue", "Issues", "GetParticipants"},
	{"log two hours of work on an issue", "Issues", "AddSpentTime"},
	{"which programming languages does this project use", "Projects", "GetProjectLanguages"},
	{"archive an old project", "Projects", "ArchiveProject"},
	{"start a new group for my team", "Groups", "CreateGroup"},
	{"subgroups of a group", "Groups", "ListSubGroups"},
	{"who approved this MR", "MergeRequests", "GetMergeRequestApprovals"},
	{"mark a review thread as resolved", "Discussions", "ResolveMergeRequestDiscussion"},
	{"add a red label called urgent to the project", "Labels", "CreateLabel"},
	{"ban a spammer, block the user", "Users", "BlockUser"},
	{"get the source code as a zip", "Repositories", "Archive"},
	{"docker images of a project", "ContainerRegistry", "ListProjectRegistryRepositories"},
	{"npm packages published by the project", "Packages", "ListProjectPackages"},
	{"which merge requests fix this issue", "Issues", "ListMergeRequestsClosingIssue"},
	{"is the commit green, its build status", "Commits", "GetCommitStatuses"},
	{"pause a runner", "Runners", "UpdateRunnerDetails"},
	{"what are the environments and when were they deployed", "Environments", "ListEnvironments"},
	{"what did I do yesterday, my recent activity", "Events", "ListCurrentUserContributionEvents"},
	{"shut down a review app", "Environments", "StopEnvironment"},
}

// heldOutLater are questions of the same kind. They were written when the misses among heldOut were known and
// before anything was done about them, and tried once that was done: 23 were answered, as before.
var heldOutLater = []question{
	{"approve someone's request to join the project", "AccessRequests", "ApproveProjectAccessRequest"},
	{"list the members of a project", "ProjectMembers", "ListProjectMembers"},
	{"delete an issue", "Issues", "DeleteIssue"},
	{"what are the open issues of this group", "Issues", "ListGroupIssues"},
	{"show the diff of a commit", "Commits", "GetCommitDiff"},
	{"stop following an issue", "Issues", "UnsubscribeFromIssue"},
	{"unstar a repo", "Projects", "UnstarProject"},
	{"who starred this project", "Projects", "ListProjectStarrers"},
	{"transfer a project to another namespace", "Projects", "TransferProject"},
	{"take back my approval of an MR", "MergeRequestApprovals", "UnapproveMergeRequest"},
	{"delete a wiki page", "Wikis", "DeleteWikiPage"},
	{"edit a comment on an issue", "Notes", "UpdateIssueNote"},
	{"which pipelines ran for this merge request", "MergeRequests", "ListMergeRequestPipelines"},
	{"variables of a group", "GroupVariables", "ListVariables"},
	{"change the value of a CI/CD variable", "ProjectVariables", "UpdateVariable"},
	{"list releases", "Releases", "ListReleases"},
	{"download one file from the job artifacts", "Jobs", "DownloadSingleArtifactsFile"},
	{"kick off a scheduled pipeline now", "PipelineSchedules", "RunPipelineSchedule"},
	{"add a deploy key", "DeployKeys", "AddDeployKey"},
	{"top contributors of a repository", "Repositories", "Contributors"},
	{"delete old docker tags from the registry", "ContainerRegistry", "DeleteRegistryRepositoryTags"},
	{"common ancestor of two branches", "Repositories", "MergeBase"},
	{"what projects are in this group", "Groups", "ListGroupProjects"},
	{"issues linked to this one", "IssueLinks", "ListIssueRelations"},
	{"my SSH keys", "Users", "ListSSHKeys"},
	{"set my status to busy", "Users", "SetUserStatus"},
	{"let only maintainers deploy to production", "ProtectedEnvironments", "ProtectRepositoryEnvironments"},
	{"render markdown to html", "Markdown", "Render"},
	{"invite a person by email to the group", "Invites", "GroupInvites"},
	{"how many issues are open and closed", "IssuesStatistics", "GetIssuesStatistics"},
}
