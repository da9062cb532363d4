package bench_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		{scenarios.ClientDead, "processes left", "-fault=deaf-to-sigterm"},
	} {
		all := scenarios.Abandonments()
		at := slices.IndexFunc(all, func(a scenarios.Abandonment) bool { return a.Event == l.event })
		leaks = append(leaks, &leak{name: l.event + l.arg, fails: l.fails, event: all[at], suite: shortSuite(t, variant(t, l.arg), "")})
	}
	return leaks
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
