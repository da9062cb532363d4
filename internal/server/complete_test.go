package server

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComplete(t *testing.T) {
	asked := func(version string) *mcp.CallToolRequest {
		return &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: mcp.Meta{mcp.MetaKeyProtocolVersion: version}}}
	}
	first := &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: "first"}}, StructuredContent: json.RawMessage(`{"a":1}`), IsError: true,
	}
	second := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "second"}}, Meta: mcp.Meta{"m": 1}}
	encoded := func(version string, r *mcp.CallToolResult) string {
		got, err := complete(asked(version), r)
		require.NoError(t, err)
		text, err := json.Marshal(got)
		require.NoError(t, err)
		return string(text)
	}
	assert.JSONEq(t, `{"resultType":"complete","content":[{"type":"text","text":"first"}],"structuredContent":{"a":1},"isError":true}`,
		encoded(modernVersion, first))
	assert.JSONEq(t, `{"resultType":"complete","content":[{"type":"text","text":"second"}],"_meta":{"m":1}}`,
		encoded(modernVersion, second), "nothing is left of the first")
	assert.JSONEq(t, `{"content":[{"type":"text","text":"second"}],"_meta":{"m":1}}`, encoded(legacyVersion, second))

	req := asked(modernVersion)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = complete(req, first) }), 1.0, "the copy")
}
