// Package toolset builds what all credentials of one configuration share: the tools of a surface and
// their encoded listing.
package toolset

import (
	"fmt"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/catalog"
	"mcpbench/internal/server/listing"
	"mcpbench/internal/server/surface"
)

// A Toolset is a surface and its listing. It is immutable.
type Toolset struct {
	Surface *surface.Surface
	Listing *listing.Listing
}

// A Builder builds toolsets. Surfaces that are held at the same time share one catalog; a Builder itself
// keeps none alive.
type Builder struct {
	ReadOnly bool
	Server   *mcp.Implementation
	Cache    mcp.Cacheable

	mu      sync.Mutex
	catalog weak.Pointer[catalog.Catalog]
}

// Build builds the toolset of a surface.
func (b *Builder) Build(kind surface.Kind) (*Toolset, error) {
	cat, err := b.sharedCatalog()
	if err != nil {
		return nil, err
	}
	s, err := surface.Build(cat, kind, surface.Options{ReadOnly: b.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("build the %s surface: %w", kind, err)
	}
	list, err := listing.New(s.Tools(), b.Server, b.Cache)
	if err != nil {
		return nil, err
	}
	return &Toolset{Surface: s, Listing: list}, nil
}

// sharedCatalog returns the catalog that is in use, or a new one.
func (b *Builder) sharedCatalog() (*catalog.Catalog, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cat := b.catalog.Value(); cat != nil {
		return cat, nil
	}
	cat, err := catalog.New()
	if err != nil {
		return nil, fmt.Errorf("build the catalog: %w", err)
	}
	b.catalog = weak.Make(cat)
	return cat, nil
}
