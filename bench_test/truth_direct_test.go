package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// calibrated is a running calibrator, what calls it, and how.
type calibrated struct {
	instance *instance
	requests requests
	token    string
}

// calibrate starts a calibrator over HTTP with the given arguments.
func calibrate(t *testing.T, args ...string) *calibrated {
	t.Helper()
	subject, err := loadSubject(variant(t, args...))
	require.NoError(t, err)
	s := &suite{subject: subject}
	s.build, err = resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	gitlab := fakegitlab.New(fakegitlab.Options{})
	t.Cleanup(gitlab.Close)
	surface, vars := subject.SurfaceNames()[0], standInVars(gitlab)
	c := &calibrated{token: gitlab.Token(0)}
	c.requests, err = buildRequests(subject, subject.Surfaces[surface], vars)
	require.NoError(t, err)
	c.instance, err = s.start(t, launch{name: t.Name(), transport: scenarios.HTTP, surface: surface, vars: vars})
	require.NoError(t, err)
	return c
}

// callers are connections on which tools/call is made.
func (c *calibrated) callers(t *testing.T, n int) []load.Worker {
	t.Helper()
	workers := make([]load.Worker, n)
	for i := range workers {
		conn, err := c.instance.dial(t.Context(), c.token)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		workers[i] = load.Worker{Conn: conn, Requests: []*mcp.Request{c.requests[record.Call]}}
	}
	return workers
}

// What is resident for a fifth of the time between two looks at it is in the peak all the same.
func TestTruthOfASpike(t *testing.T) {
	const spike = 200 * mib
	c := calibrate(t, "-spike=200MiB:20ms")
	callers := c.callers(t, 1)
	before, err := c.instance.tree.Read()
	require.NoError(t, err)
	require.NoError(t, c.instance.tree.ResetPeak())
	sampler := meter.StartSampler(c.instance.tree, sampleEvery)
	_, err = load.Closed(t.Context(), callers, load.Options{Calls: 1})
	require.NoError(t, err)
	_, err = sampler.Stop()
	require.NoError(t, err)
	peak, err := c.instance.tree.Peak()
	require.NoError(t, err)
	assert.InEpsilon(t, spike, peak-before.RSS, 0.02)
	after, err := c.instance.tree.Read()
	require.NoError(t, err)
	assert.Less(t, after.RSS-before.RSS, int64(spike/10), "it is gone, so that a look afterwards does not see it")
}

// In a stall of 600 ms of 6 s, a tenth of independent callers wait, each as long as is left of it: one in a hundred
// waits longer than nine tenths of it. A caller who waits for each answer meets it once, and hides it.
func TestTruthOfAStall(t *testing.T) {
	requireQuiet(t)
	const stall = 600 * time.Millisecond
	c := calibrate(t, "-stall=2s:600ms")
	open, err := load.Open(t.Context(), c.callers(t, 400), 500, load.Options{Duration: 6 * time.Second})
	require.NoError(t, err)
	m := open.Methods[string(record.Call)]
	require.EqualValues(t, 3000, m.OK)
	assert.InEpsilon(t, 0.9*float64(stall), atRank(m, 2970), 0.05)
	assert.InEpsilon(t, float64(stall), float64(m.Max), 0.05)

	c = calibrate(t, "-stall=1s:600ms")
	closed, err := load.Closed(t.Context(), c.callers(t, 1), load.Options{Duration: 2 * time.Second})
	require.NoError(t, err)
	m = closed.Methods[string(record.Call)]
	assert.Less(t, time.Duration(atRank(m, int(m.OK)*99/100)), stall/10, "the closed loop is blind to it")
	assert.InEpsilon(t, float64(stall), float64(m.Max), 0.05, "but for its longest call")
}

// Refused calls are counted one by one, apart from all others.
func TestTruthOfRefusals(t *testing.T) {
	for _, how := range []string{"503", "429", "rpc"} {
		t.Run(how, func(t *testing.T) {
			c := calibrate(t, "-refuse-every=10", "-refuse-status="+how)
			p, err := load.Closed(t.Context(), c.callers(t, 4), load.Options{Calls: 50})
			require.NoError(t, err)
			m := p.Methods[string(record.Call)]
			assert.Equal(t, [3]int64{180, 20, 0}, [3]int64{m.OK, m.Refused, m.Failed}, "%v", m.Reasons)
		})
	}
}
