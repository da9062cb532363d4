package gitlabapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func find(t *testing.T, service, method string) Operation {
	t.Helper()
	for _, op := range Operations() {
		if op.Service == service && op.Method == method {
			return op
		}
	}
	require.FailNow(t, "no such operation", "%s.%s", service, method)
	return Operation{}
}

func TestOperationsAreComplete(t *testing.T) {
	ops := Operations()
	assert.Len(t, ops, 1230)
	var deprecated, graphql, files int
	for i, op := range ops {
		assert.Contains(t, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, op.Verb, "%s.%s", op.Service, op.Method)
		assert.NotEmpty(t, op.Path)
		assert.Equal(t, op.Path == "api/graphql", op.GraphQL, op.Path)
		for _, part := range strings.Split(op.Path, "{")[1:] {
			name, _, _ := strings.Cut(part, "}")
			if op.Service != "CustomAttribute" { // whose key is a field of its options
				assert.Contains(t, op.Args, name, "%s.%s: every name of the path is an argument", op.Service, op.Method)
			}
		}
		if i > 0 {
			assert.Less(t, ops[i-1].Service+"\t"+ops[i-1].Method, op.Service+"\t"+op.Method, "the order")
		}
		deprecated += count(op.Deprecated)
		graphql += count(op.GraphQL)
		files += count(op.OpensFile)
	}
	assert.Equal(t, 37, deprecated)
	assert.Equal(t, 42, graphql)
	assert.Equal(t, 1, files)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOperationsSayWhatTheClientSends(t *testing.T) {
	assert.Equal(t, Operation{
		Service: "Issues", Method: "GetIssue", Verb: "GET", Path: "projects/{project_id}/issues/{issue_iid}",
		Args: []string{"project_id", "issue_iid"},
	}, find(t, "Issues", "GetIssue"))
	assert.True(t, find(t, "GroupImportExport", "ImportFile").OpensFile)
	assert.True(t, find(t, "WorkItems", "GetWorkItem").GraphQL)
	assert.True(t, find(t, "ProjectCluster", "ListClusters").Deprecated)
	assert.Empty(t, find(t, "Version", "GetVersion").Args)
}

func TestEnums(t *testing.T) {
	enums := Enums()
	assert.Equal(t, []string{"private", "internal", "public"}, enums["VisibilityValue"])
	assert.Contains(t, enums["AccessLevelValue"], "30")
	for name, values := range enums {
		assert.NotEmpty(t, values, name)
	}
}
