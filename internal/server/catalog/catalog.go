// Package catalog turns the methods of the official GitLab client into named operations that can be
// described with JSON Schema, checked, and called with JSON.
//
// What an operation takes and returns is read from the client's types by reflection; what the types do
// not tell comes from package gitlabapi. Schemas are written on demand and not kept, so a catalog at
// rest is small.
//
// It knows nothing of MCP. It refuses to open a file on the local disk: content to upload is an
// argument, and an operation of the client that opens a path is not in the catalog.
package catalog

import (
	"fmt"
	"reflect"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/gitlabapi"
)

// Catalog holds every operation of the client that may be offered, sorted by service and method. It is
// safe for concurrent use.
type Catalog struct {
	ops    []Operation
	byName map[string]*Operation
}

// New builds the catalog. It fails only when the table of facts and the client that was linked do not
// belong together.
func New() (*Catalog, error) {
	services := serviceFields()
	enums := gitlabapi.Enums()
	facts := gitlabapi.Operations()
	c := &Catalog{ops: make([]Operation, 0, len(facts)), byName: make(map[string]*Operation, len(facts))}
	for _, fact := range facts {
		if fact.OpensFile {
			continue
		}
		op, err := newOperation(fact, services, enums)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w: run go generate ./internal/gitlabapi", fact.Service, fact.Method, err)
		}
		c.ops = append(c.ops, op)
	}
	for i := range c.ops {
		op := &c.ops[i]
		if c.byName[op.Name] != nil {
			return nil, fmt.Errorf("two operations are called %s: add a name to shortNames", op.Name)
		}
		c.byName[op.Name] = op
	}
	return c, nil
}

// serviceFields finds the services among the fields of the client.
func serviceFields() map[string]reflect.StructField {
	t := reflect.TypeFor[gitlab.Client]()
	services := make(map[string]reflect.StructField, t.NumField())
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type.Kind() == reflect.Interface {
			services[f.Name] = f
		}
	}
	return services
}

// Len is the number of operations.
func (c *Catalog) Len() int { return len(c.ops) }

// Operations lists the operations, sorted by service and method. They must not be changed.
func (c *Catalog) Operations() []*Operation {
	ops := make([]*Operation, len(c.ops))
	for i := range c.ops {
		ops[i] = &c.ops[i]
	}
	return ops
}

// Lookup finds an operation by its Name; it returns nil when there is none.
func (c *Catalog) Lookup(name string) *Operation { return c.byName[name] }
