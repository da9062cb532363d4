// Package gitlabapi holds facts about the official GitLab client for Go that its types do not tell:
// for each operation the verb, the path and the names of the arguments, and for each enumerated type
// the values it knows.
//
// The facts are two text files, made by the generator in gen and compared by its test. The package
// calls nothing and imports nothing of the client, so a program that only wants routes stays small.
package gitlabapi

import (
	_ "embed"
	"strings"
)

//go:generate go run ./gen

//go:embed operations.tsv
var operationsTable string

//go:embed enums.tsv
var enumsTable string

// Operation is one method of one service of *gitlab.Client that asks GitLab something.
type Operation struct {
	// Service is the field of *gitlab.Client, Method the method of its type.
	Service, Method string
	// Verb is the HTTP method. Path is a template below the API's root, such as
	// projects/{project_id}/issues/{issue_iid}; a GraphQL operation has POST and api/graphql. A name
	// in braces is one of Args, or, in CustomAttribute, the key among the options.
	Verb, Path string
	// Args are the names of the arguments in the order of the Go signature, without the variadic
	// request options. A pointer to an options struct is called options.
	Args []string
	// GraphQL is set when the operation goes to the GraphQL endpoint.
	GraphQL bool
	// Deprecated is set when the client's documentation says so.
	Deprecated bool
	// OpensFile is set when the method opens a path on the local disk that its caller names. A
	// server must not offer such an operation.
	OpensFile bool
}

// The flags of a row, in the column before the last.
const (
	flagGraphQL    = "g"
	flagDeprecated = "d"
	flagOpensFile  = "f"
)

// Operations lists all operations, sorted by service and method. Each call decodes the table anew
// (about a third of a millisecond); the strings share the program's read-only data.
func Operations() []Operation {
	rows := strings.Split(strings.TrimSuffix(operationsTable, "\n"), "\n")
	ops := make([]Operation, 0, len(rows))
	for _, row := range rows {
		ops = append(ops, parseOperation(row))
	}
	return ops
}

// parseOperation reads one row: service, method, verb, path, flags, arguments.
func parseOperation(row string) Operation {
	var f [6]string
	for i := range f {
		f[i], row, _ = strings.Cut(row, "\t")
	}
	return Operation{
		Service: f[0], Method: f[1], Verb: f[2], Path: f[3],
		GraphQL:    strings.Contains(f[4], flagGraphQL),
		Deprecated: strings.Contains(f[4], flagDeprecated),
		OpensFile:  strings.Contains(f[4], flagOpensFile),
		Args:       strings.Fields(f[5]),
	}
}

// Enums gives the constants of each string or integer type of the client that has any, keyed by the
// type's name without its package. The values are in the order of the client's source, as text.
func Enums() map[string][]string {
	enums := map[string][]string{}
	for row := range strings.Lines(enumsTable) {
		name, values, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		enums[name] = strings.Split(values, "\t")
	}
	return enums
}
