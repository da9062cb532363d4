// Package surface cuts a catalog of GitLab operations into the tools that an MCP client sees: two tools
// that find and run any operation, a tool a service, or a tool an operation.
//
// It speaks no protocol and holds no credential. Whatever goes wrong in a call comes back as a result
// that says so; there is no error for a transport to handle. Descriptions and schemas are written when
// they are asked for and not kept, since whoever answers listings keeps its own bytes.
package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

// Kind is how the catalog is cut into tools.
type Kind string

// The surfaces there are.
const (
	Dynamic    Kind = "dynamic"    // gitlab_find_action and gitlab_execute_action
	Meta       Kind = "meta"       // a tool a service, with an action
	Individual Kind = "individual" // a tool an operation
)

// Kinds lists the surfaces.
func Kinds() []Kind { return []Kind{Dynamic, Meta, Individual} }

// ParseKind reads the name of a surface.
func ParseKind(s string) (Kind, error) {
	if k := Kind(s); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fmt.Errorf("unknown tool surface %q: use %s, %s or %s", s, Dynamic, Meta, Individual)
}

// Options narrow a surface.
type Options struct {
	// ReadOnly leaves out every operation that changes something.
	ReadOnly bool
}

// Surface is a set of tools over one catalog. It is safe for concurrent use.
type Surface struct {
	cat  *catalog.Catalog
	opts Options
	tools
}

// tools is what the three kinds do differently.
type tools interface {
	list() []*mcp.Tool
	has(tool string) bool
	call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult
}

// Build makes the surface of a kind. It fails only for a kind that there is not.
func Build(cat *catalog.Catalog, kind Kind, opts Options) (*Surface, error) {
	s := &Surface{cat: cat, opts: opts}
	switch kind {
	case Dynamic:
		s.tools = &dynamic{s: s, index: sync.OnceValue(func() *index { return newIndex(s.operations()) })}
	case Meta:
		s.tools = newMeta(s)
	case Individual:
		s.tools = individual{s}
	default:
		return nil, fmt.Errorf("there is no tool surface %q", kind)
	}
	return s, nil
}

// Tools describes the tools, sorted by name. They are made anew by each call.
func (s *Surface) Tools() []*mcp.Tool { return s.list() }

// Has reports whether the surface has a tool of that name.
func (s *Surface) Has(tool string) bool { return s.has(tool) }

// Call runs a tool with client and returns its result, which has IsError set, and a text that says why,
// when the tool, its arguments or GitLab's answer were not what they should be.
func (s *Surface) Call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult {
	if !s.has(tool) {
		return failure(fmt.Errorf("unknown tool %q", tool))
	}
	return s.call(ctx, client, tool, args)
}

// operations lists what the surface offers.
func (s *Surface) operations() []*catalog.Operation {
	return slices.DeleteFunc(s.cat.Operations(), func(op *catalog.Operation) bool { return !s.allows(op) })
}

func (s *Surface) allows(op *catalog.Operation) bool { return op.ReadOnly || !s.opts.ReadOnly }

// run calls an operation and gives its answer as text.
func (s *Surface) run(ctx context.Context, client *gitlab.Client, op *catalog.Operation, args json.RawMessage) *mcp.CallToolResult {
	answer, err := s.cat.Call(ctx, client, op, args)
	if err != nil {
		return failure(err)
	}
	return success(answer.JSON)
}
