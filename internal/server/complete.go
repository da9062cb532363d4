package server

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/listing"
)

// complete marks the result of a call as all there is, which every result has to say since 2026-07-28.
// The library's own handler of tools/call would, but this server answers in its place, and all the library
// offers others is to decode a result in which it is said.
func complete(req *mcp.CallToolRequest, result *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	if version, _ := req.Params.Meta[mcp.MetaKeyProtocolVersion].(string); version < listing.FirstModern {
		return result, nil
	}
	var marked mcp.CallToolResult
	if err := json.Unmarshal([]byte(`{"resultType":"complete","content":[]}`), &marked); err != nil {
		return nil, fmt.Errorf("mark a result as complete: %w", err)
	}
	marked.Meta, marked.Content = result.Meta, result.Content
	marked.StructuredContent, marked.IsError = result.StructuredContent, result.IsError
	return &marked, nil
}
