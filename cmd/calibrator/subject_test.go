package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/scenarios"
)

// TestSubject holds the subject file to the program: it starts as it says, lists what it says, and answers and asks
// GitLab as it says.
func TestSubject(t *testing.T) {
	subject, err := scenarios.Load("calibrator")
	require.NoError(t, err)
	assert.Equal(t, stateless, subject.Protocol)
	assert.Equal(t, "./cmd/calibrator", subject.Build.Package)
	require.NotNil(t, subject.Many)
	require.NotNil(t, subject.Limited)
	for _, transport := range subject.TransportNames() {
		for _, name := range subject.SurfaceNames() {
			t.Run(fmt.Sprint(transport, "/", name), func(t *testing.T) { checkSurface(t, subject, transport, name) })
		}
	}
}

func checkSurface(t *testing.T, subject *scenarios.Subject, transport scenarios.Transport, name scenarios.Surface) {
	t.Helper()
	g := newGitLab(t, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"path_with_namespace":"group/project"}`)) })
	surface := subject.Surfaces[name]
	vars := scenarios.Vars{
		"gitlab": g.URL, "port": "0", "debug_port": "0", "token": token, "project_id": "42", "project": "group/project",
	}
	var args []string
	for _, list := range [][]string{subject.Transports[transport].Args, surface.Args} {
		expanded, err := vars.ExpandAll(list)
		require.NoError(t, err)
		args = append(args, expanded...)
	}
	p := start(t, args...)
	ask := func(text string) string { p.say(t, text); return p.hear(t) }
	if transport == scenarios.HTTP {
		addr := p.said(t, `serves at (\S+)\n`)
		ask = func(text string) string { return post(t, addr, text).body }
		assert.Equal(t, http.StatusUnauthorized, post(t, addr, message(1, "ping", ""), "Private-Token", "unknown").status)
	}
	checkListing(t, ask(message(123456789, "tools/list", "")), 123456789, surface.Tools, int(surface.ListingBytes))
	read := surface.Calls[scenarios.CallRead]
	arguments, contains, err := vars.ExpandCall(read)
	require.NoError(t, err)
	answer := ask(message(1, "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, read.Tool, arguments)))
	for _, text := range contains {
		assert.Contains(t, answer, text)
	}
	assert.NotContains(t, answer, `"isError":true`)
	assert.EqualValues(t, read.Upstream, g.asked.Load())
	if read.Upstream > 0 {
		assert.True(t, strings.HasSuffix(g.path.Load().(string), "/projects/42"))
	}
	profiles := p.said(t, `profiles at (\S+)\n`)
	assert.Positive(t, liveHeap(t, profiles))
	assert.Zero(t, p.term(t))
}
