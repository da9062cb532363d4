package bench_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
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
	gitlab   *fakegitlab.Server
}

// calibrate starts a calibrator over HTTP with the given arguments.
func calibrate(t *testing.T, args ...string) *calibrated {
	t.Helper()
	return calibrateAs(t, launch{surface: "plain"}, args...)
}

// calibrateAs starts one on a surface, and on CPUs.
func calibrateAs(t *testing.T, how launch, args ...string) *calibrated {
	t.Helper()
	subject, err := loadSubject(variant(t, args...))
	require.NoError(t, err)
	s := &suite{subject: subject}
	s.build, err = calibratorBuild()
	require.NoError(t, err)
	gitlab := fakegitlab.New(fakegitlab.Options{})
	t.Cleanup(gitlab.Close)
	how.name, how.transport, how.vars = t.Name(), scenarios.HTTP, standInVars(gitlab)
	c := &calibrated{gitlab: gitlab}
	c.requests, err = buildRequests(subject, subject.Surfaces[how.surface], how.vars)
	require.NoError(t, err)
	c.instance, err = s.start(t, how)
	require.NoError(t, err)
	return c
}

// calibratorBuild is the binary, which is built once.
var calibratorBuild = sync.OnceValues(func() (build, error) {
	subject, err := loadSubject("calibrator")
	if err != nil {
		return build{}, err
	}
	return resolveBuild(context.Background(), subject, "")
})

// dial opens a connection of the i-th credential.
func (c *calibrated) dial(t *testing.T, i int) *mcp.HTTPConn {
	t.Helper()
	conn, err := c.instance.dial(t.Context(), c.gitlab.Token(i))
	require.NoError(t, err)
	return conn
}

// callers are connections on which tools/call is made.
func (c *calibrated) callers(t *testing.T, n int) []load.Worker {
	t.Helper()
	workers := make([]load.Worker, n)
	for i := range workers {
		conn := c.dial(t, 0)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		workers[i] = load.Worker{Conn: conn, Requests: []*mcp.Request{c.requests[record.Call]}}
	}
	return workers
}

// run has callers make calls, in which none may fail.
func (c *calibrated) run(t *testing.T, callers []load.Worker, calls int) *load.Method {
	t.Helper()
	p, err := load.Closed(t.Context(), callers, load.Options{Calls: calls})
	require.NoError(t, err)
	m := p.Methods[string(record.Call)]
	require.Zero(t, m.Failed, "%v", m.Reasons)
	return m
}

// list makes the first listing of a connection.
func (c *calibrated) list(t *testing.T, conn mcp.Conn) mcp.Reply {
	t.Helper()
	var reply mcp.Reply
	conn.Do(t.Context(), c.requests[record.List], &reply)
	require.NoError(t, failure(c.requests[record.List], &reply))
	return reply
}

// read reads the process.
func (c *calibrated) read(t *testing.T) meter.Reading {
	t.Helper()
	r, err := c.instance.tree.Read()
	require.NoError(t, err)
	return r
}

// What is resident for a fifth of the time between two looks at it is in the peak all the same.
func spikeRows(t *testing.T) truthTable {
	t.Helper()
	const spike = 200 * mib
	c := calibrate(t, "-spike=200MiB:20ms")
	callers := c.callers(t, 1)
	before := c.read(t)
	require.NoError(t, c.instance.tree.ResetPeak())
	sampler := meter.StartSampler(c.instance.tree, sampleEvery)
	c.run(t, callers, 1)
	_, err := sampler.Stop()
	require.NoError(t, err)
	peak, err := c.instance.tree.Peak()
	require.NoError(t, err)
	assert.Less(t, c.read(t).RSS-before.RSS, int64(spike/10), "it is gone, so that a look afterwards does not see it")
	return truthTable{rowOf("peak resident set of a spike", "200 MiB for 20 ms", spike, float64(peak-before.RSS), residentWithin, inMiB)}
}

// In stalls of 1 s of every 10 s, a tenth of independent callers wait, each as long as is left of it: one in a hundred
// waits longer than nine tenths of it. With one stall it would be ten of a hundred callers in it, whose number is by
// chance off by a third; in ten it is a hundred of a thousand. A caller who waits for each answer meets each stall once,
// and hides it.
func stallRows(t *testing.T) truthTable {
	t.Helper()
	const (
		stall = float64(time.Second)
		every = "-stall=5s:1s,15s:1s,25s:1s,35s:1s,45s:1s,55s:1s,65s:1s,75s:1s,85s:1s,95s:1s"
	)
	c := calibrate(t, every)
	open, err := load.Open(t.Context(), c.callers(t, 400), 100, load.Options{Duration: 100 * time.Second})
	require.NoError(t, err)
	m := open.Methods[string(record.Call)]
	require.EqualValues(t, 10000, m.OK)
	table := truthTable{
		rowOf("p99 of an open loop, 100 calls/s", "1 s stall every 10 s", 0.9*stall, atRank(m, 9900), stallWithin, inTime),
		rowOf("max of an open loop, 100 calls/s", "1 s stall every 10 s", stall, float64(m.Max), stallWithin, inTime),
	}
	c = calibrate(t, "-stall=1s:1s")
	closed, err := load.Closed(t.Context(), c.callers(t, 1), load.Options{Duration: 3 * time.Second})
	require.NoError(t, err)
	m = closed.Methods[string(record.Call)]
	return append(table,
		rowOf("p99 of a closed loop, which is blind to it", "1 s stall", 0, atRank(m, int(m.OK)*99/100), tolerance{amount: stall / 20}, inTime),
		rowOf("max of a closed loop", "1 s stall", stall, float64(m.Max), stallWithin, inTime))
}

// idDigits are those of the ids that the suite gives its requests, which the size of a listing is set without.
const idDigits = 9

// countRows holds what is counted to what must have been, and to the account that the server keeps.
func countRows(t *testing.T) truthTable {
	t.Helper()
	const callers, each = 4, 50
	exact := func(what, set string, want, found float64) truthRow {
		return rowOf(what, set, want, found, tolerance{}, inNumber)
	}
	var table truthTable
	for _, how := range []string{"503", "429", "rpc"} {
		set := "every 10th, as " + how
		c := calibrateAs(t, launch{surface: "upstream"}, "-tools=100", "-listing-bytes=100000", "-upstream=3", "-refuse-every=10", "-refuse-status="+how)
		workers := c.callers(t, callers)
		if how == "503" {
			listing := c.list(t, workers[0].Conn)
			table = append(table, exact("tools", "100", 100, float64(listing.Tools)), exact("listing bytes", "100000 and the id", 100000+idDigits, float64(listing.Bytes)))
		}
		m := c.run(t, workers, each)
		table = append(table,
			exact("calls answered, refused "+set, "200 calls", 180, float64(m.OK)),
			exact("calls refused "+set, "200 calls", 20, float64(m.Refused)),
			exact("upstream requests, refused "+set, "3 a call of 200", 540, float64(c.gitlab.Total())),
			exact("calls in the server's own account, refused "+set, "200 calls", float64(m.OK), c.account(t)["calls"]),
			exact("refusals in the server's own account, refused "+set, "200 calls", float64(m.Refused), c.account(t)["refused"]))
	}
	return table
}

// account is what the server counted itself.
func (c *calibrated) account(t *testing.T) map[string]float64 {
	t.Helper()
	url, err := c.instance.vars.Expand("http://127.0.0.1:{port}/account")
	require.NoError(t, err)
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer func() { assert.NoError(t, resp.Body.Close()) }()
	account := make(map[string]float64)
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&account))
	return account
}
