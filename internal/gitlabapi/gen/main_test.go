package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables instead of comparing them")

func TestTablesAreWhatTheClientSays(t *testing.T) {
	if *update {
		require.NoError(t, run(".."))
	}
	operations, enums, err := tables()
	require.NoError(t, err)
	for name, made := range map[string][]byte{"../operations.tsv": operations, "../enums.tsv": enums} {
		committed, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, string(committed), string(made), "%s is stale: run go generate ./internal/gitlabapi", name)
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"mergeRequestIID": "merge_request_iid", "fileName": "file_name", "samlGroupName": "saml_group_name",
		"userAchievementIDs": "user_achievement_ids", "sha": "sha", "GPGKey": "gpg_key",
	} {
		assert.Equal(t, want, snake(in), in)
	}
}

func TestIDName(t *testing.T) {
	tests := []struct{ raw, path, want string }{
		{"pid", "projects/M/issues", "project_id"},
		{"pid", "job/allowed_agents", "project_id"},
		{"issue", "projects/1/issues/M", "issue_iid"},
		{"issue", "issues/M", "issue_id"},
		{"issue", "groups/1/epics/2/issues/M", "issue_id"},
		{"id", "topics/M", "topic_id"},
		{"id", "security_policies/M", "security_policy_id"},
		{"id", "addresses/M", "address_id"},
		{"version", "admin/migrations/M/mark", "version"},
		{"cert", "groups/1/ssh_certificates/M", "certificate_id"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, idName(tt.raw, tt.path, "M"), "%s in %s", tt.raw, tt.path)
	}
}
