package surface

// heldOut are further questions, written down with their answers before a search was tried with any of
// them. Neither synonyms nor weights may be changed for the sake of one: they tell how the search does on
// questions that it was not made with.
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
	{"who approved this MR", "MergeRequestApprovals", "GetApprovalState"},
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
