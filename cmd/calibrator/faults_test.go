package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultFlag(t *testing.T) {
	var f faults
	require.NoError(t, f.Set("sse,truncated:3"))
	require.NoError(t, f.Set("is-error"))
	assert.Equal(t, faults{asEvents: 1, truncated: 3, isError: 1}, f)
	assert.Equal(t, "is-error:1,sse:1,truncated:3", f.String())
	assert.True(t, f.process(asEvents))
	assert.False(t, f.process(neverReady))
	assert.False(t, f.call(isError, 0), "what is no call has no faults of calls")
	assert.True(t, f.call(isError, 1))
	assert.Equal(t, []string{"", "", truncated, truncated}, []string{f.wire(0), f.wire(2), f.wire(3), f.wire(4)})
	assert.Empty(t, faults(nil).wire(1))
}

func TestFaultFlagRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-fault=slow":                          "the known ones are exit-at-start, never-ready, deaf-to-sigterm, sse, json, exit-mid-load, ",
		"-fault=":                              `unknown fault ""`,
		"-fault=sse:2":                         "only faults of calls",
		"-fault=truncated:0":                   "from 1",
		"-fault=truncated:x":                   "from 1",
		"-fault=reset":                         "only on http",
		"-fault=sse":                           "only on http",
		"-http=:0 -fault=garbage-stdout":       "only on stdio",
		"-http=:0 -fault=reset,truncated":      "choose one of truncated, reset",
		"-http=:0 -fault=sse,json":             "choose one of sse and json",
		"-http=:0 -fault=sse -fault=duplicate": `unknown fault "duplicate"`,
	} {
		checkUsage(t, args, want)
	}
}

// TestEveryFaultIsTried holds the tests of faults to the list of them.
func TestEveryFaultIsTried(t *testing.T) {
	tried := make(map[string]bool)
	for name := range onTheWire() {
		tried[name] = true
	}
	for name := range onTheLine() {
		tried[name] = true
	}
	for name := range ofTheProcess() {
		tried[name] = true
	}
	for _, f := range knownFaults() {
		assert.True(t, tried[f.name], "no test of -fault %s", f.name)
		assert.NotEmpty(t, f.promise)
		delete(tried, f.name)
	}
	assert.Empty(t, tried, "tests of faults that there are not")
}
