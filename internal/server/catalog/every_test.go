package catalog

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sent keeps what a call sent first, and answers with an empty success.
type sent struct {
	verb, path string
	body       string
	requests   int
}

func (s *sent) RoundTrip(req *http.Request) (*http.Response, error) {
	s.requests++
	if s.requests == 1 {
		s.verb, s.path = req.Method, req.URL.EscapedPath()
		if req.Body != nil {
			data, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			s.body = string(data)
		}
	}
	return &http.Response{StatusCode: 204, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// example makes a value that conforms to a schema, with every property set; words keeps texts apart.
func example(s *jsonschema.Schema, name string) any {
	switch {
	case name == "returned_fields":
		return []any{"title"} // the client knows the fields there are
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return example(s.AnyOf[0], name)
	case s.MaxProperties != nil:
		return map[string]any{"text": "content"}
	case s.Format == "date":
		return "2026-01-02"
	case s.Format == "date-time":
		return "2026-01-02T03:04:05Z"
	case len(s.Types) > 0:
		return "a-" + name
	}
	switch s.Type {
	case "string":
		return "a-" + name
	case "integer":
		return 7
	case "number":
		return 1.5
	case "boolean":
		return true
	case "array":
		return []any{example(s.Items, name)}
	case "object":
		return exampleObject(s, name)
	}
	return "anything"
}

func exampleObject(s *jsonschema.Schema, name string) map[string]any {
	object := map[string]any{}
	for key, property := range s.Properties {
		object[key] = example(property, key)
	}
	if s.Properties == nil && s.AdditionalProperties != nil {
		object["some"] = example(s.AdditionalProperties, name)
	}
	return object
}

// onlyRequired leaves the optional arguments out.
func onlyRequired(s *jsonschema.Schema, all map[string]any) map[string]any {
	args := map[string]any{}
	for _, name := range s.Required {
		args[name] = all[name]
	}
	return args
}

// expectedPath fills an operation's template as the client escapes it.
func expectedPath(op *Operation, args map[string]any) string {
	path := op.Path
	for name, v := range args {
		path = strings.ReplaceAll(path, "{"+name+"}", strings.ReplaceAll(url.PathEscape(fmt.Sprint(v)), ".", "%2E"))
	}
	if format, ok := args["format"]; ok && strings.HasSuffix(path, "/repository/archive") {
		path += fmt.Sprintf(".%s", format) // the one path that an option changes
	}
	if path == "api/graphql" {
		return "/" + path
	}
	return "/api/v4/" + path
}

func TestEveryOperationSendsWhatTheTableSays(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	for _, op := range c.Operations() {
		schema := resolve(t, op, op.InputSchema())
		all := exampleObject(schema.Schema(), "")
		for _, args := range []map[string]any{all, onlyRequired(schema.Schema(), all)} {
			raw, err := json.Marshal(args)
			require.NoError(t, err)
			assertConforms(t, schema, raw)
			rec := &sent{}
			client, err := NewClient("http://gitlab.test", "secret", &http.Client{Transport: rec})
			require.NoError(t, err)
			_, err = c.Call(t.Context(), client, op, raw)
			require.Positive(t, rec.requests, "%s.%s sends nothing: %v", op.Service, op.Method, err)
			assert.Equal(t, op.Verb, rec.verb, op.Name)
			assert.Equal(t, expectedPath(op, args), rec.path, op.Name)
		}
	}
}

func assertConforms(t *testing.T, schema *jsonschema.Resolved, raw json.RawMessage) {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(raw, &v))
	assert.NoError(t, schema.Validate(v), "%s", raw)
}
