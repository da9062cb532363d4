package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/catalog"
)

// The tools of the dynamic surface.
const (
	FindAction    = "gitlab_find_action"
	ExecuteAction = "gitlab_execute_action"
)

// How many actions a search returns: unless told, and at most.
const (
	usualFound = 5
	mostFound  = 20
)

// dynamic is two tools: one finds operations, the other runs one. The index is built by the first
// search.
type dynamic struct {
	s     *Surface
	index func() *index
}

const findDescription = `Finds the actions that do something in GitLab, best match first. ` +
	`Say what is to be done in plain words, such as "list open merge requests of a project" or "retry a failed job". ` +
	`Each action comes with a description, whether it reads, changes or takes away, and the JSON Schema of its arguments. ` +
	`Run one with ` + ExecuteAction + `.`

const executeDescription = `Runs one GitLab action by the name that ` + FindAction + ` gave, with arguments that fit its input_schema. ` +
	`Returns what GitLab answers as JSON; a list has items and pagination, and next_page is the page to ask for next.`

const findInput = `{"type":"object","properties":{` +
	`"query":{"type":"string","description":"What is to be done, in words."},` +
	`"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many actions to return; 5 if left out."}},` +
	`"required":["query"],"additionalProperties":false}`

const findOutput = `{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object","properties":{` +
	`"action":{"type":"string"},"description":{"type":"string"},"read_only":{"type":"boolean"},"destructive":{"type":"boolean"},` +
	`"input_schema":{"type":"object"}},"required":["action","description","read_only","destructive","input_schema"]}}},"required":["actions"]}`

const executeInput = `{"type":"object","properties":{` +
	`"action":{"type":"string","description":"The name of the action."},` +
	`"arguments":{"type":"object","description":"The arguments of the action."}},` +
	`"required":["action"],"additionalProperties":false}`

func (d *dynamic) list() []*mcp.Tool {
	no, yes := false, !d.s.opts.ReadOnly
	return sorted([]*mcp.Tool{
		{
			Name: FindAction, Description: findDescription,
			InputSchema: json.RawMessage(findInput), OutputSchema: json.RawMessage(findOutput),
			Annotations: &mcp.ToolAnnotations{
				Title: "Find a GitLab action", ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no,
			},
		},
		{
			Name: ExecuteAction, Description: executeDescription, InputSchema: json.RawMessage(executeInput),
			Annotations: &mcp.ToolAnnotations{
				Title: "Run a GitLab action", ReadOnlyHint: d.s.opts.ReadOnly, DestructiveHint: &yes,
				IdempotentHint: d.s.opts.ReadOnly, OpenWorldHint: gitlab.Ptr(true),
			},
		},
	})
}

func (d *dynamic) has(tool string) bool { return tool == FindAction || tool == ExecuteAction }

func (d *dynamic) call(ctx context.Context, client *gitlab.Client, tool string, args json.RawMessage) *mcp.CallToolResult {
	if tool == FindAction {
		return d.find(args)
	}
	return d.execute(ctx, client, args)
}

// foundAction is one hit of a search.
type foundAction struct {
	Action      string          `json:"action"`
	Description string          `json:"description"`
	ReadOnly    bool            `json:"read_only"`
	Destructive bool            `json:"destructive"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func (d *dynamic) find(args json.RawMessage) *mcp.CallToolResult {
	var in struct {
		Query string `json:"query"`
		Limit *int   `json:"limit"`
	}
	if err := decodeStrictly(args, &in); err != nil {
		return failure(err)
	}
	limit := usualFound
	if in.Limit != nil {
		limit = *in.Limit
	}
	switch {
	case strings.TrimSpace(in.Query) == "":
		return failure(errors.New(`argument "query" is required`))
	case limit < 1 || limit > mostFound:
		return failure(fmt.Errorf("argument \"limit\" must be from 1 to %d", mostFound))
	}
	answer, err := json.Marshal(map[string]any{"actions": describeFound(d.index().search(in.Query, limit))})
	if err != nil {
		return failure(err)
	}
	result := success(answer)
	result.StructuredContent = json.RawMessage(answer)
	return result
}

func describeFound(ops []*catalog.Operation) []foundAction {
	found := make([]foundAction, len(ops))
	for i, op := range ops {
		found[i] = foundAction{op.Name, op.Description(), op.ReadOnly, op.Destructive, op.InputSchema()}
	}
	return found
}

func (d *dynamic) execute(ctx context.Context, client *gitlab.Client, args json.RawMessage) *mcp.CallToolResult {
	var in struct {
		Action    string          `json:"action"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := decodeStrictly(args, &in); err != nil {
		return failure(err)
	}
	op := d.s.cat.Lookup(in.Action)
	switch {
	case in.Action == "":
		return failure(errors.New(`argument "action" is required`))
	case op == nil:
		return failure(fmt.Errorf("unknown action %q: %s names the actions there are", in.Action, FindAction))
	case !d.s.allows(op):
		return failure(fmt.Errorf("action %q changes GitLab, and this server is read-only", in.Action))
	}
	return d.s.run(ctx, client, op, in.Arguments)
}
