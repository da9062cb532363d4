package toolset_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/toolset"
)

func TestBuild(t *testing.T) {
	b := &toolset.Builder{Server: &mcp.Implementation{Name: "n", Version: "v"}}
	for _, kind := range []surface.Kind{surface.Dynamic, surface.Meta, surface.Individual} {
		t.Run(string(kind), func(t *testing.T) {
			built, err := b.Build(kind)
			require.NoError(t, err)
			list := built.Surface.Tools()
			require.NotEmpty(t, list)
			assert.Equal(t, len(list), built.Listing.Tools())
			assert.True(t, built.Surface.Has(list[0].Name))
		})
	}
}

func TestReadOnlyIsSmaller(t *testing.T) {
	all, err := (&toolset.Builder{Server: &mcp.Implementation{}}).Build(surface.Individual)
	require.NoError(t, err)
	some, err := (&toolset.Builder{Server: &mcp.Implementation{}, ReadOnly: true}).Build(surface.Individual)
	require.NoError(t, err)
	assert.Less(t, some.Listing.Tools(), all.Listing.Tools())
	for _, tool := range some.Surface.Tools() {
		assert.NotContains(t, tool.Name, "_delete_")
	}
}

func TestUnknownSurface(t *testing.T) {
	_, err := (&toolset.Builder{Server: &mcp.Implementation{}}).Build("none")
	require.Error(t, err)
}
