package bench_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/scenarios"
)

// TestSurface checks each surface on each transport of the real binary: its listing, a read, a write,
// an argument that must be refused before GitLab is asked, something GitLab does not have, and GitLab
// saying no.
func TestSurface(t *testing.T) {
	s := requireSuite(t)
	for _, transport := range s.subject.TransportNames() {
		for _, surface := range s.subject.SurfaceNames() {
			t.Run(fmt.Sprintf("transport=%s/surface=%s", transport, surface), func(t *testing.T) {
				newSurfaceCheck(t, s, transport, surface).run(t)
			})
		}
	}
}

// surfaceCheck is one surface of one running process.
type surfaceCheck struct {
	gitlab   *fakegitlab.Server
	instance *instance
	surface  *scenarios.SurfaceSpec
	conn     mcp.Conn
}

func newSurfaceCheck(t *testing.T, s *suite, transport scenarios.Transport, surface scenarios.Surface) *surfaceCheck {
	t.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{})
	t.Cleanup(gitlab.Close)
	vars := standInVars(gitlab)
	vars["token"] = gitlab.Token(0)
	in, err := s.start(t, launch{name: t.Name(), transport: transport, surface: surface, vars: vars})
	require.NoError(t, err)
	c := &surfaceCheck{gitlab: gitlab, instance: in, surface: s.subject.Surfaces[surface]}
	if transport == scenarios.Stdio {
		c.conn = in.stdio
		return c
	}
	conn, err := in.dial(t.Context(), gitlab.Token(0))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	c.conn = conn
	return c
}

func (c *surfaceCheck) run(t *testing.T) {
	t.Helper()
	t.Run("listing", c.listing)
	for _, name := range scenarios.CallNames() {
		if call := c.surface.Calls[name]; call != nil {
			t.Run(name, func(t *testing.T) { c.call(t, call) })
		}
	}
	t.Run("refusal", c.refusal)
	if c.instance.launch.transport == scenarios.HTTP {
		t.Run("unknown credential", c.unknownCredential)
	}
	exit, err := c.instance.process.Stop(t.Context())
	require.NoError(t, err)
	assert.True(t, exit.Clean(), "the process ended %s; its last lines:\n%s", exit, c.instance.process.Tail())
	assert.Empty(t, c.gitlab.Unknown(), "routes the stand-in does not know")
}

// listing asks twice: the second reply must be the first again, down to its size.
func (c *surfaceCheck) listing(t *testing.T) {
	list, err := mcp.NewRequest(mcp.Spec{
		Label: "list", Method: "tools/list", Version: c.instance.version(),
		Expect: mcp.Expect{Tools: c.surface.Tools, Bytes: c.surface.ListingBytes},
	})
	require.NoError(t, err)
	for range 2 {
		var reply mcp.Reply
		c.conn.Do(t.Context(), list, &reply)
		require.NoError(t, failure(list, &reply), "if the listing was meant to change, change tools and listing_bytes in the subject file")
		assert.False(t, reply.More, "the listing is in one piece")
	}
}

// call makes one of the subject file's calls and holds the answer and the upstream requests to it.
func (c *surfaceCheck) call(t *testing.T, call *scenarios.Call) {
	t.Helper()
	reply := c.ask(t, call)
	assert.Equal(t, mcp.OK, reply.outcome.Outcome, "%s\n%s", reply.outcome.Reason, reply.message)
	if call.Route == "" {
		assert.Zero(t, reply.upstream, "the subject must answer this itself")
		return
	}
	assert.EqualValues(t, call.Upstream, reply.upstream, "requests to GitLab")
	assert.EqualValues(t, call.Upstream, reply.routes[call.Route], "requests to %s, of %v", call.Route, reply.routes)
}

// refusal has GitLab say no to the read, which must come back as a tool error that says so.
func (c *surfaceCheck) refusal(t *testing.T) {
	read := *c.surface.Calls[scenarios.CallRead]
	if read.Route == "" {
		t.Skip("the subject file gives the read no route: it asks GitLab nothing that could be refused")
	}
	read.Error, read.Contains = true, []string{"403", "insufficient_scope"}
	c.gitlab.SetFault(read.Route, fakegitlab.Fault{Status: http.StatusForbidden, Body: `{"error":"insufficient_scope"}`})
	defer c.gitlab.ClearFaults()
	reply := c.ask(t, &read)
	assert.Equal(t, mcp.OK, reply.outcome.Outcome, "%s\n%s", reply.outcome.Reason, reply.message)
	assert.EqualValues(t, 1, reply.upstream, "a refusal is not retried")
}

func (c *surfaceCheck) unknownCredential(t *testing.T) {
	conn, err := c.instance.dial(t.Context(), "not-a-token-that-gitlab-knows")
	if c.instance.version().Initializes() {
		require.ErrorContains(t, err, "401", "a conversation does not even begin")
		return
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	list, err := mcp.NewRequest(mcp.Spec{Label: "list", Method: "tools/list", Version: c.instance.version()})
	require.NoError(t, err)
	var reply mcp.Reply
	conn.Do(t.Context(), list, &reply)
	assert.Equal(t, http.StatusUnauthorized, reply.Status)
	assert.Equal(t, mcp.Failed, reply.Outcome)
}

// answer is what came of one call.
type answer struct {
	outcome  mcp.Reply
	message  []byte
	upstream int64
	routes   map[string]int64
}

func (c *surfaceCheck) ask(t *testing.T, call *scenarios.Call) answer {
	t.Helper()
	spec, err := callSpec(call, c.instance.vars)
	require.NoError(t, err)
	spec.Label, spec.Version = "call", c.instance.version()
	request, err := mcp.NewRequest(spec)
	require.NoError(t, err)
	c.gitlab.Reset()
	message, reply := c.conn.Fetch(t.Context(), request)
	return answer{outcome: reply, message: message, upstream: c.gitlab.Total(), routes: c.gitlab.Counts()}
}
