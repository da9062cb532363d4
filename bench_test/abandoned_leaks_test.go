package bench_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/internal/mcp"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// leak is a calibrator that keeps something of one event, which the gate has to see.
type leak struct {
	name string
	// fails is the finding that has to fail, and the only one.
	fails string
	event scenarios.Abandonment
	suite *suite
	found *abandoned
}

// knownLeaks are calibrators that keep something, of each event and of each kind that there is.
func knownLeaks(t *testing.T) []*leak {
	t.Helper()
	const goroutines, descriptors, bytes = "goroutines", "descriptors", "bytes an event"
	var leaks []*leak
	for _, l := range []struct{ event, fails, arg string }{
		{scenarios.SessionLeft, bytes, "-retain-session=256"},
		{scenarios.StreamLeft, goroutines, "-keep=cut:goroutine"},
		{scenarios.InitializeAgain, bytes, "-keep=initialize:256"},
		{scenarios.ReplyReset, descriptors, "-keep=cut:socket"},
		{scenarios.CallCut, descriptors, "-leak-descriptors=1"},
		{scenarios.CallCut, goroutines, "-leak-goroutines=1"},
		{scenarios.UnknownToken, bytes, "-keep=refused:256"},
		{scenarios.HealthCheck, bytes, "-keep=health:256"},
		{scenarios.UnknownToken, "events", "-credential-prefix="},
		{scenarios.ClientDead, "processes left", "-fault=deaf-to-sigterm"},
	} {
		all := scenarios.Abandonments()
		at := slices.IndexFunc(all, func(a scenarios.Abandonment) bool { return a.Event == l.event })
		leaks = append(leaks, &leak{name: l.event + l.arg, fails: l.fails, event: all[at], suite: shortSuite(t, variant(t, l.arg), "")})
	}
	return leaks
}

// TestCallsThatGoOn has a call that was given up go on, which is said, if it is to have ended by that.
func TestCallsThatGoOn(t *testing.T) {
	t.Parallel() // it waits
	gitlab := fakegitlab.New(fakegitlab.Options{})
	defer gitlab.Close()
	gitlab.SetFault("GET user", fakegitlab.Fault{Kind: fakegitlab.FaultHang})
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, gitlab.APIURL()+"/user", nil)
	require.NoError(t, err)
	request.Header.Set("Private-Token", gitlab.Token(0))
	over := make(chan struct{})
	go func() {
		defer close(over)
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return gitlab.Hanging() == 1 }, wireTimeout, time.Millisecond)
	d := &departures{gitlab: gitlab, event: scenarios.Abandonment{Event: scenarios.CallCut}, version: mcp.V20260728}
	require.ErrorContains(t, d.awaitEnds(1), "1 of 1 calls that were given up still wait for GitLab")
	giveUp()
	<-over
	assert.NoError(t, d.awaitEnds(1))
}

// check makes sure that the leak was seen, and nothing else taken for one.
func (l *leak) check(t *testing.T) {
	t.Helper()
	require.NoError(t, l.found.err)
	r := l.found.ruling
	assert.Equal(t, stat.Fail, r.verdict(), r.because())
	for _, f := range r.findings {
		switch {
		case f.what == l.fails:
			assert.Equal(t, stat.Fail, f.verdict, "%s: %s (%s)", f.what, f.found, f.bound)
		case strings.HasPrefix(f.what, "bytes"): // goroutines and sockets take some as well
		default:
			assert.Equal(t, stat.Pass, f.verdict, "%s: %s (%s)", f.what, f.found, f.bound)
		}
	}
}
