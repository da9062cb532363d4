package surface

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

func text(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }

func success(answer json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: text(string(answer))}
}

func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: text(err.Error()), IsError: true}
}

// hints annotates a tool that runs one operation.
func hints(op *catalog.Operation) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title:           op.Title(),
		ReadOnlyHint:    op.ReadOnly,
		DestructiveHint: &op.Destructive,
		IdempotentHint:  op.Idempotent,
		OpenWorldHint:   gitlab.Ptr(true),
	}
}
