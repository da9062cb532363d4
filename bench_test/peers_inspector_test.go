package bench_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/scenarios"
)

// inspectorScript is the launcher of @modelcontextprotocol/inspector.
const inspectorScript = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// Exit codes of the Inspector's command line.
const (
	inspectorOK        = 0
	inspectorToolError = 5
)

// TestInspector lists and calls with the MCP Inspector's command line, on each surface and transport. On
// stdio the Inspector starts the subject itself.
func TestInspector(t *testing.T) {
	client := requirePeer(t, inspectorScript)
	s := requireSuite(t)
	for _, transport := range []scenarios.Transport{scenarios.Stdio, scenarios.HTTP} {
		for _, surface := range s.subject.SurfaceNames() {
			t.Run(fmt.Sprintf("transport=%s/surface=%s", transport, surface), func(t *testing.T) {
				i := newInspection(t, s, client, launch{transport: transport, surface: surface})
				for _, era := range i.eras() {
					t.Run("era="+era, func(t *testing.T) { i.run(t, era) })
				}
			})
		}
	}
}

// inspection is one surface on one transport, and how the Inspector is told to reach it.
type inspection struct {
	client   peer
	gitlab   *fakegitlab.Server
	instance *instance
	surface  *scenarios.SurfaceSpec
	// target is the part of the Inspector's command line that names the subject. It comes last.
	target []string
}

func newInspection(t *testing.T, s *suite, client peer, l launch) *inspection {
	t.Helper()
	i := &inspection{client: client, gitlab: fakegitlab.New(fakegitlab.Options{}), surface: s.subject.Surfaces[l.surface]}
	t.Cleanup(i.gitlab.Close)
	l.name, l.vars = t.Name(), standInVars(i.gitlab)
	l.vars["token"] = i.gitlab.Token(0)
	var err error
	if l.transport == scenarios.Stdio {
		i.instance = &instance{subject: s.subject, launch: l}
		i.target, err = commandTarget(i.instance, s.build.path)
		require.NoError(t, err)
		return i
	}
	i.instance, err = s.start(t, l)
	require.NoError(t, err)
	i.target, err = addressTarget(i.instance)
	require.NoError(t, err)
	return i
}

// commandTarget has the Inspector start the subject.
func commandTarget(in *instance, binary string) ([]string, error) {
	spec, err := in.spec(binary)
	var target []string
	for _, variable := range spec.Env {
		target = append(target, "-e", variable)
	}
	return append(append(target, "--", spec.Path), spec.Args...), err
}

// addressTarget has the Inspector connect to a subject that runs.
func addressTarget(in *instance) ([]string, error) {
	url, err := in.vars.Expand(in.subject.Transports[scenarios.HTTP].URL)
	if err != nil {
		return nil, err
	}
	header, value, err := in.credential()
	return []string{"--transport", "http", "--server-url", url, "--header", header + ": " + value}, err
}

// eras are the Inspector's names for the protocols with initialize and the one without. It speaks the
// former unless told otherwise.
func (i *inspection) eras() []string {
	if i.instance.version().Initializes() {
		return []string{"legacy"}
	}
	return []string{"legacy", "modern"}
}

func (i *inspection) run(t *testing.T, era string) {
	t.Helper()
	t.Run("tools", func(t *testing.T) {
		var listed struct{ Tools []json.RawMessage }
		// Strict finds fault with schemas that clients cannot use; of its warnings there may be any number.
		i.ask(t, inspectorOK, &listed, "--strict", "--protocol-era", era, "--method", "tools/list")
		assert.Len(t, listed.Tools, i.surface.Tools)
	})
	t.Run("read", func(t *testing.T) { i.read(t, era) })
	t.Run("refusal", func(t *testing.T) { i.refusal(t, era) })
	t.Run("resources", func(t *testing.T) {
		var listed struct{ Resources []struct{ URI string } }
		i.ask(t, inspectorOK, &listed, "--protocol-era", era, "--method", "resources/list")
		assert.NotEmpty(t, listed.Resources)
	})
}

// read makes the call that the suite measures.
func (i *inspection) read(t *testing.T, era string) {
	t.Helper()
	read := i.surface.Calls[scenarios.CallRead]
	result, contains := i.call(t, inspectorOK, era, read)
	assert.False(t, result.IsError)
	for _, want := range contains {
		assert.Contains(t, result.text(), want)
	}
}

// refusal has GitLab say no to the same call, which has to be seen in the Inspector as a tool error.
func (i *inspection) refusal(t *testing.T, era string) {
	t.Helper()
	read := i.surface.Calls[scenarios.CallRead]
	i.gitlab.SetFault(read.Route, fakegitlab.Fault{Status: http.StatusForbidden, Body: `{"error":"insufficient_scope"}`})
	defer i.gitlab.ClearFaults()
	result, _ := i.call(t, inspectorToolError, era, read)
	assert.True(t, result.IsError)
	assert.Contains(t, result.text(), "insufficient_scope")
}

// toolResult is what a call came back with.
type toolResult struct {
	IsError bool
	Content []struct{ Text string }
}

func (r toolResult) text() string {
	var text string
	for _, block := range r.Content {
		text += block.Text
	}
	return text
}

func (i *inspection) call(t *testing.T, code int, era string, call *scenarios.Call) (toolResult, []string) {
	t.Helper()
	arguments, contains, err := i.instance.vars.ExpandCall(call)
	require.NoError(t, err)
	var result toolResult
	i.ask(t, code, &result, "--protocol-era", era, "--method", "tools/call",
		"--tool-name", call.Tool, "--tool-args-json", string(arguments))
	return result, contains
}

// ask runs the Inspector once and decodes the result it prints.
func (i *inspection) ask(t *testing.T, code int, result any, args ...string) {
	t.Helper()
	end := i.client.run(t, slices.Concat([]string{"--cli", "--quiet", "--format", "json"}, args, i.target)...)
	require.Equal(t, code, end.code, "exit code of the Inspector; it says:\n%s\n%.1000s", end.stderr, end.stdout)
	printed := struct{ Result any }{result}
	require.NoError(t, json.Unmarshal([]byte(end.stdout), &printed), "%.1000s", end.stdout)
}
