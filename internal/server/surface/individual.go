package surface

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// individual is a tool an operation, with its arguments and its answer spelled out.
type individual struct{ s *Surface }

func (i individual) list() []*mcp.Tool {
	ops := i.s.operations()
	tools := make([]*mcp.Tool, len(ops))
	for n, op := range ops {
		tools[n] = &mcp.Tool{
			Name:         op.Name,
			Description:  op.Description(),
			InputSchema:  op.InputSchema(),
			OutputSchema: op.OutputSchema(),
			Annotations:  hints(op),
		}
	}
	return sorted(tools)
}

func (i individual) has(tool string) bool {
	op := i.s.cat.Lookup(tool)
	return op != nil && i.s.allows(op)
}

func (i individual) call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult {
	answer, err := i.s.cat.Call(ctx, client, i.s.cat.Lookup(tool), args)
	if err != nil {
		return failure(err)
	}
	result := success(answer.JSON)
	result.StructuredContent = answer.JSON
	return result
}
