package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// TestRefusedIsNotFailed has the subject refuse calls on purpose: they are counted apart from failures on every
// transport.
func TestRefusedIsNotFailed(t *testing.T) {
	s := requireSuite(t)
	if s.subject.Limited == nil {
		t.Skipf("subject %s does not say how it is made to refuse calls: it has no [limited]", s.subject.Name)
	}
	for _, transport := range s.subject.TransportNames() {
		t.Run("transport="+string(transport), func(t *testing.T) {
			gitlab := fakegitlab.New(fakegitlab.Options{})
			t.Cleanup(gitlab.Close)
			vars := standInVars(gitlab)
			vars["token"] = gitlab.Token(0)
			surface := s.subject.SurfaceNames()[0]
			in, err := s.start(t, launch{name: t.Name(), transport: transport, surface: surface, limited: true, vars: vars})
			require.NoError(t, err)
			conn := mcp.Conn(in.stdio)
			if transport == scenarios.HTTP {
				conn, err = in.dial(t.Context(), vars["token"])
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, conn.Close()) })
			}
			built, err := buildRequests(s.subject, s.subject.Surfaces[surface], vars)
			require.NoError(t, err)
			outcomes := make(map[mcp.Outcome]int)
			for range 10 {
				var reply mcp.Reply
				conn.Do(t.Context(), built[record.Call], &reply)
				outcomes[reply.Outcome]++
				assert.NotEqual(t, mcp.Failed, reply.Outcome, reply.Reason)
			}
			assert.Positive(t, outcomes[mcp.OK], "the first call is within the limit")
			assert.Positive(t, outcomes[mcp.Refused], "ten calls at once are not")
		})
	}
}
