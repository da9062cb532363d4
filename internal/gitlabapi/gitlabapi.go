// Package gitlabapi holds facts about the official GitLab client for Go that its types do not tell:
// for each operation the verb, the path and the names of the arguments.
package gitlabapi

// Operation is one method of one service of *gitlab.Client that asks GitLab something.
type Operation struct {
	// Service is the field of *gitlab.Client, Method the method of its type.
	Service, Method string
	// Verb is the HTTP method, Path a template such as projects/{project_id}/issues/{issue_iid},
	// below the API root; for GraphQL it is empty.
	Verb, Path string
	// Args are the names of the positional arguments in their order.
	Args []string
	// GraphQL is set when the operation goes to the GraphQL endpoint.
	GraphQL bool
}

// Operations lists all operations in order of service and method.
func Operations() []Operation { return nil }
