// Package surface turns a catalog into the tools a client sees.
package surface

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

// Kind is how the catalog is cut into tools.
type Kind string

// The surfaces.
const (
	Dynamic    Kind = "dynamic"
	Meta       Kind = "meta"
	Individual Kind = "individual"
)

// ParseKind reads a surface's name.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case Dynamic, Meta, Individual:
		return k, nil
	}
	return "", fmt.Errorf("unknown tool surface %q: use %s, %s or %s", s, Dynamic, Meta, Individual)
}

// Options narrow a surface.
type Options struct {
	// ReadOnly leaves out every operation that changes something.
	ReadOnly bool
}

// Surface is a set of tools over one catalog; safe for concurrent use.
type Surface struct{ tools []*mcp.Tool }

// Build makes a surface.
func Build(cat *catalog.Catalog, kind Kind, opts Options) (*Surface, error) {
	return &Surface{}, nil
}

// Tools lists the tools; neither the slice nor the tools may be changed.
func (s *Surface) Tools() []*mcp.Tool { return s.tools }

// Has says whether there is a tool of that name.
func (s *Surface) Has(tool string) bool { return false }

// Call runs a tool. Every failure is a result with IsError set.
func (s *Surface) Call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "not built"}}}
}
