package main

import (
	"bytes"
	"flag"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkUsage has a command line refused, for a reason that is told.
func checkUsage(t *testing.T, args, want string) {
	t.Helper()
	_, err := parse(strings.Fields(args))
	require.ErrorContains(t, err, want, args)
	require.ErrorIs(t, err, errUsage)
	var out, said bytes.Buffer
	assert.Equal(t, statusUsage, run(strings.Fields(args), streams{out: &out, err: &said}))
	assert.Empty(t, out.String())
	assert.True(t, strings.HasPrefix(said.String(), "calibrator: "))
	assert.Contains(t, said.String(), want)
}

func TestFlagsRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"serve":                         `unexpected argument "serve"`,
		"-no-such-flag":                 "-no-such-flag",
		"-retain-credential=much":       "-retain-credential",
		"-cpu-call=fast":                "-cpu-call",
		"-cpu-call=-1ms":                "negative",
		"-start-delay=-1s":              "negative",
		"-upstream=-1 -gitlab=http://x": "-upstream is negative",
		"-upstream=1":                   "needs -gitlab",
		"-spike-at=noon":                "start or call",
		"-spike=1MiB":                   "-spike",
		"-tools=0":                      "below 1",
		"-serve-at-once=-1":             "negative",
		"-goroutines=-1":                "negative",
		"-leak-goroutines=-1":           "negative",
		"-leak-descriptors=-1":          "negative",
		"-refuse-every=-1":              "negative",
		"-refuse-status=500":            "429, 503 or rpc",
		"-children=-1":                  "negative",
		"-child-bytes=1MiB":             "need -children",
		"-child-cpu=1ms":                "need -children",
		"-credential-prefix=x":          "needs -http",
		"-keep=call:socket":             "-keep",
		"-keep=health:socket":           "needs -http",
		"-latency=slow":                 "use const:5ms",
		"-stall=1s":                     "-stall",
		"-listing-bytes=1":              "at least",
		"-seed=-1":                      "-seed",
	} {
		checkUsage(t, args, want)
	}
}

func TestFlagsAreRead(t *testing.T) {
	c, err := parse(strings.Fields("--http :0 --retain-credential 10KiB -retain-session=1 -retain-call=2 -leak-rate=3 -garbage=4 " +
		"-cpu-call=1ms -cpu-list=2ms -start-delay=3ms -list-delay=4ms -children=2 -child-bytes=5 -child-cpu=6ms -refuse-above=0"))
	require.NoError(t, err)
	assert.Equal(t, []size{10240, 1, 2, 3, 4, 5}, []size{c.retainCredential, c.retainSession, c.retainCall, c.leakRate, c.garbage, c.childBytes})
	assert.Equal(t, []time.Duration{1e6, 2e6, 3e6, 4e6, 6e6}, []time.Duration{c.cpuCall, c.cpuList, c.startDelay, c.listDelay, c.childCPU})
	assert.Equal(t, refusal{503, 503}, c.refusal)
	assert.Zero(t, c.refuseAbove)
	assert.Equal(t, onHTTP, c.transport())

	c, err = parse(nil)
	require.NoError(t, err)
	assert.Equal(t, -1, c.refuseAbove)
	assert.Equal(t, onStdio, c.transport())
}

func TestHelp(t *testing.T) {
	var out, said bytes.Buffer
	assert.Zero(t, run([]string{"-help"}, streams{out: &out, err: &said}))
	assert.Empty(t, said.String())
	help := out.String()
	for _, g := range groups() {
		assert.Contains(t, help, "\n"+g.title+"\n")
		f := flag.NewFlagSet("", flag.ContinueOnError)
		g.define(new(config), f)
		f.VisitAll(func(one *flag.Flag) {
			assert.Regexp(t, `(?m)^  -`+one.Name+`( |$)`, help)
			assert.Greater(t, len(one.Usage), 10, one.Name)
		})
	}
	for _, f := range knownFaults() {
		assert.Regexp(t, `(?m)^\s+`+regexp.QuoteMeta(f.name)+`\s+\w`, help)
	}
	for line := range strings.Lines(help) {
		assert.LessOrEqual(t, len(line), 125, line)
	}
}

func TestVersion(t *testing.T) {
	var out bytes.Buffer
	assert.Zero(t, run([]string{"-version"}, streams{out: &out}))
	assert.Regexp(t, `^\d+\.\d+\.\d+\n$`, out.String())
}
