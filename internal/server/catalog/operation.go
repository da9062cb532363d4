package catalog

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mcpbench/internal/gitlabapi"
)

// Operation is one call of the GitLab API.
type Operation struct {
	// Service and Method are the Go names: Issues, GetIssue.
	Service, Method string
	// Verb is the HTTP method and Path a template below the API's root.
	Verb, Path string
	// Name is unique in the catalog, a valid MCP tool name and at most 64 characters long. Action is
	// unique among the operations of the service.
	Name, Action string
	// ReadOnly operations change nothing. Destructive ones take something away. Repeating an
	// Idempotent one has no further effect.
	ReadOnly, Destructive, Idempotent bool
	// Deprecated operations still work, and GitLab or its client advises against them.
	Deprecated bool

	service int          // field of the client
	method  int          // method of the service's interface
	typ     reflect.Type // type of the method, without receiver
	args    []string     // names of the positional arguments
	enums   map[string][]string
}

func newOperation(fact gitlabapi.Operation, services map[string]reflect.StructField, enums map[string][]string) (Operation, error) {
	field, ok := services[fact.Service]
	if !ok {
		return Operation{}, errors.New("the client has no such service")
	}
	method, ok := field.Type.MethodByName(fact.Method)
	if !ok {
		return Operation{}, errors.New("the service has no such method")
	}
	if n := method.Type.NumIn() - 1; n != len(fact.Args) {
		return Operation{}, fmt.Errorf("the method has %d arguments, the table %d", n, len(fact.Args))
	}
	op := Operation{
		Service: fact.Service, Method: fact.Method, Verb: fact.Verb, Path: fact.Path,
		Name: toolName(fact.Service, fact.Method), Action: snake(fact.Method),
		Deprecated: fact.Deprecated,
		service:    field.Index[0], method: method.Index, typ: method.Type, args: fact.Args, enums: enums,
	}
	op.ReadOnly = isRead(fact)
	op.Destructive = !op.ReadOnly && takesAway(fact)
	op.Idempotent = op.ReadOnly || fact.Verb == "PUT" || fact.Verb == "DELETE"
	return op, nil
}

// postedReads are operations that look something up with a POST.
var postedReads = []string{
	"Markdown.Render", "Orbit.Query", "Orbit.QueryRaw", "SecurityDependencyFirewall.EvaluatePackage",
	"Validate.ProjectNamespaceLint", "Runners.VerifyRegisteredRunner",
}

// isRead goes by the verb; a GraphQL operation is always a POST and goes by its name.
func isRead(fact gitlabapi.Operation) bool {
	if fact.GraphQL {
		return strings.HasPrefix(fact.Method, "Get") || strings.HasPrefix(fact.Method, "List")
	}
	return fact.Verb == "GET" || fact.Verb == "HEAD" || slices.Contains(postedReads, fact.Service+"."+fact.Method)
}

// takesAway reports whether something is gone or stops working afterwards.
func takesAway(fact gitlabapi.Operation) bool {
	if fact.Verb == "DELETE" || fact.Service == "GraphQL" {
		return true // a free GraphQL query may do anything
	}
	first, _, _ := strings.Cut(snake(fact.Method), "_")
	return slices.Contains([]string{"delete", "remove", "destroy", "revoke", "erase", "unprotect", "detach", "purge"}, first)
}
