package surface

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

// meta is a tool a service. Its description lists the actions, its arguments are an action's name and
// that action's parameters.
type meta struct {
	s        *Surface
	services map[string][]*catalog.Operation
}

func newMeta(s *Surface) meta {
	m := meta{s, map[string][]*catalog.Operation{}}
	for _, op := range s.operations() {
		name := op.ServiceName()
		m.services[name] = append(m.services[name], op)
	}
	return m
}

func (m meta) list() []*mcp.Tool {
	tools := make([]*mcp.Tool, 0, len(m.services))
	for name, ops := range m.services {
		tools = append(tools, &mcp.Tool{
			Name:        name,
			Description: describeActions(ops),
			InputSchema: actionSchema(ops),
			Annotations: sharedHints(ops),
		})
	}
	return sorted(tools)
}

func sorted(tools []*mcp.Tool) []*mcp.Tool {
	slices.SortFunc(tools, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return tools
}

// describeActions lists the actions with their parameters, the optional ones in brackets.
func describeActions(ops []*catalog.Operation) string {
	var b strings.Builder
	b.WriteString(catalog.ServiceTitle(ops[0].Service))
	b.WriteString(" in GitLab. Actions, with their params (optional ones in brackets):")
	for _, op := range ops {
		b.WriteString("\n")
		b.WriteString(op.Action)
		b.WriteString(op.Signature())
		if op.Destructive {
			b.WriteString(" destructive")
		}
		if op.Deprecated {
			b.WriteString(" deprecated")
		}
	}
	return b.String()
}

func actionSchema(ops []*catalog.Operation) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"action":{"type":"string","enum":["` + strings.Join(actions(ops), `","`) +
		`"]},"params":{"type":"object","description":"The parameters of the action."}},"required":["action"],"additionalProperties":false}`)
}

// sharedHints annotates a tool as its least harmless action would be.
func sharedHints(ops []*catalog.Operation) *mcp.ToolAnnotations {
	all := func(is func(*catalog.Operation) bool) bool {
		return !slices.ContainsFunc(ops, func(op *catalog.Operation) bool { return !is(op) })
	}
	destructive := !all(func(op *catalog.Operation) bool { return !op.Destructive })
	return &mcp.ToolAnnotations{
		Title:           catalog.ServiceTitle(ops[0].Service),
		ReadOnlyHint:    all(func(op *catalog.Operation) bool { return op.ReadOnly }),
		DestructiveHint: &destructive,
		IdempotentHint:  all(func(op *catalog.Operation) bool { return op.Idempotent }),
		OpenWorldHint:   gitlab.Ptr(true),
	}
}

func (m meta) has(tool string) bool { return m.services[tool] != nil }

func (m meta) call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult {
	var in struct {
		Action string          `json:"action"`
		Params json.RawMessage `json:"params"`
	}
	if err := decodeStrictly(args, &in); err != nil {
		return failure(err)
	}
	ops := m.services[tool]
	i := slices.IndexFunc(ops, func(op *catalog.Operation) bool { return op.Action == in.Action })
	if i < 0 {
		return failure(fmt.Errorf("argument \"action\" must be one of %s", strings.Join(actions(ops), ", ")))
	}
	return m.s.run(ctx, client, ops[i], in.Params)
}

func actions(ops []*catalog.Operation) []string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = op.Action
	}
	return names
}
