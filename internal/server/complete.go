package server

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/listing"
)

// complete marks the result of a call as all there is, which every result has to say since 2026-07-28.
// The library's own handler of tools/call would, but this server answers in its place.
func complete(req *mcp.CallToolRequest, result *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	if version, _ := req.Params.Meta[mcp.MetaKeyProtocolVersion].(string); version < listing.FirstModern {
		return result, nil
	}
	marked, err := completeResult()
	if err != nil {
		return nil, err
	}
	marked.Meta, marked.Content = result.Meta, result.Content
	marked.StructuredContent, marked.IsError = result.StructuredContent, result.IsError
	return &marked, nil
}

// completeResult is a result that is marked and says nothing else. All the library offers those who want the
// mark is to decode it, at the cost of some 30 KB of buffers, so it is decoded once and copied.
var completeResult = sync.OnceValues(func() (marked mcp.CallToolResult, err error) {
	if err = json.Unmarshal([]byte(`{"resultType":"complete","content":[]}`), &marked); err != nil {
		err = fmt.Errorf("mark a result as complete: %w", err)
	}
	return marked, err
})
