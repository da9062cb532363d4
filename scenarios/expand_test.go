package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var vars = Vars{"port": "4711", "token": "t-1"}

func TestExpand(t *testing.T) {
	for _, tt := range []struct{ in, want, err string }{
		{"plain", "plain", ""},
		{"127.0.0.1:{port}", "127.0.0.1:4711", ""},
		{"{token}/{port}", "t-1/4711", ""},
		{"{Not} a placeholder {}", "{Not} a placeholder {}", ""},
		{"{prot}", "", "placeholder {prot}"},
	} {
		got, err := vars.Expand(tt.in)
		checkError(t, err, tt.err)
		assert.Equal(t, tt.want, got)
	}
	_, err := vars.ExpandAll([]string{"{port}", "{nope}"})
	require.ErrorContains(t, err, "{port} {token}", "the error lists the known ones")
}

func TestExpandEnv(t *testing.T) {
	env, err := vars.ExpandEnv(map[string]string{"B": "{port}", "A": "{token}"})
	require.NoError(t, err)
	assert.Equal(t, []string{"A=t-1", "B=4711"}, env)
	_, err = vars.ExpandEnv(map[string]string{"A": "{nope}"})
	require.Error(t, err)
}

func TestExpandCall(t *testing.T) {
	call := &Call{
		Tool: "get",
		Arguments: map[string]any{
			"id": "{port}", "n": int64(3), "deep": map[string]any{"list": []any{"{token}", true}},
		},
		Contains: []string{"name-{port}"},
	}
	arguments, contains, err := vars.ExpandCall(call)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"4711","n":3,"deep":{"list":["t-1",true]}}`, string(arguments))
	assert.Equal(t, []string{"name-4711"}, contains)

	arguments, _, err = vars.ExpandCall(&Call{Tool: "get"})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(arguments), "no arguments are an empty object, never null")
}

func TestExpandCallRefuses(t *testing.T) {
	for name, call := range map[string]*Call{
		"in an object": {Arguments: map[string]any{"a": map[string]any{"b": "{nope}"}}},
		"in a list":    {Arguments: map[string]any{"a": []any{"{nope}"}}},
		"in contains":  {Contains: []string{"{nope}"}},
		"not JSON":     {Arguments: map[string]any{"a": func() {}}},
	} {
		_, _, err := vars.ExpandCall(call)
		require.Error(t, err, name)
	}
}
