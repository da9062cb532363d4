package bench_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	driverRun   = flag.Bool("driver", false, "compare the suite's driver with other load tools, for some minutes; -rounds says how often")
	driverTools = flag.String("driver-tools", "", "`folder` in which TestDriver looks for load tools before PATH")
)

// The loads of the comparison, with calls enough that starts are a few hundredths of the CPU time at most.
var (
	smallCalls = drive{name: "small call", credentials: 4, inFlight: 4, calls: 120_000, methods: []string{toolsCall}}
	listings   = drive{name: "3 MB listing", credentials: 1, inFlight: 4, calls: 2000, methods: []string{toolsList}}
	crowd      = drive{name: "both in turn", credentials: 1000, inFlight: 4, calls: 20_000, methods: []string{toolsCall, toolsList}}
)

// TestDriver measures what the suite's driver costs, against load tools that check less. It judges by limits that
// it prints, and fails only where something could not be measured: the figures are this host's.
func TestDriver(t *testing.T) {
	if !*driverRun {
		t.Skip("no -driver: `make bench-driver` runs this, for some minutes")
	}
	tools := findGenerators(*driverTools)
	if *update {
		require.True(t, slices.ContainsFunc(tools, func(g generator) bool { return g.name == wrk }),
			"a comparison without wrk is not for docs/method.md: install the Debian package wrk")
	}
	report, err := compareAll(t, opts, tools)
	require.NoError(t, err)
	text := report.markdown()
	fmt.Fprintln(os.Stderr, text)
	if *update {
		require.NoError(t, report.small.unfit[wrk])
		methodBlock(t, driverStart, driverEnd).rewrite(t, "\n"+text+"\n")
	}
}

// Where the table stands in docs/method.md.
const (
	driverStart = "<!-- driver -->\n"
	driverEnd   = "<!-- /driver -->"
)

// TestDriverMeasured proves on a few calls that a driver can be measured: that the counts are exact, and that
// there is something to read. It says nothing of how much.
func TestDriverMeasured(t *testing.T) {
	g, err := newGround(opts.cpus)
	require.NoError(t, err)
	own, err := driverGenerator()
	require.NoError(t, err)
	for _, d := range []drive{
		{name: "calls", credentials: 4, inFlight: 4, calls: 500, methods: []string{toolsCall}},
		{name: "listings", credentials: 1, inFlight: 4, calls: 10, methods: []string{toolsList}},
		{name: "both", credentials: 8, inFlight: 2, calls: 41, methods: []string{toolsCall, toolsList}},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			c, err := g.run(t.Context(), t.TempDir(), own, d, message{})
			require.NoError(t, err)
			assert.Positive(t, c.cpu)
			assert.Positive(t, c.peak)
		})
	}
}

// TestDriverMeasuredBadly runs tools that do not do what they are told to.
func TestDriverMeasuredBadly(t *testing.T) {
	g, err := newGround(opts.cpus)
	require.NoError(t, err)
	d := drive{name: "calls", credentials: 1, inFlight: 1, calls: 3, methods: []string{toolsCall}}
	for _, tt := range []struct{ name, script, want string }{
		{"ends at once", "echo no server >&2; exit 3", "no server"},
		{"is interrupted early", "kill -INT $$", "ended before"},
		{"calls what is not there", "exec " + os.Args[0] + ` -test.run=^TestDriverChild$ -driver-job='{"Load":{"URL":"'$0'","Credentials":1,"InFlight":1,"Methods":["x"]}}'`, "the loop ended by itself: 1 × status 400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := generator{name: "bad", path: "/bin/sh", args: func(o order) ([]string, error) {
				return []string{"-c", tt.script, o.url}, nil
			}}
			_, err := g.run(t.Context(), t.TempDir(), bad, d, message{})
			require.ErrorContains(t, err, tt.want)
		})
	}
}
