package bench_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

var truth = flag.Bool("truth", false, "with -run TestTruth: measure known answers as well that take a quiet host and some minutes")

// requireQuiet skips what other tests at the same time would put off by more than is allowed.
func requireQuiet(t *testing.T) {
	t.Helper()
	if !*truth {
		t.Skip("no -truth: `make truth` runs this with nothing beside it")
	}
}

// TestTruth has the suite measure a server whose costs are set and known, as a user has it measure any other, and
// holds what the record says to what was set. A cost is found as the difference to the same server without it, where
// the server itself has a part in the figure.
func TestTruth(t *testing.T) {
	requireQuiet(t)
	subject, err := loadSubject("calibrator")
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	trials := &truthTrials{t: t, binary: built.path, records: map[string]*record.Record{}}
	var table truthTable
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) { table = append(table, e.run(t, trials)...) })
	}
	t.Logf("\n%s", table)
}

// experiment is one or several costs that are set in one run of the suite.
type experiment struct {
	name string
	// args are given to the calibrator, and base to the one that it is held against.
	args, base []string
	// surface is the calibrator's; plain where none is named.
	surface string
	// ladder says that the costs are of credentials, of which one is not enough.
	ladder bool
	costs  []knownCost
}

// knownCost is what one figure of the record has to be.
type knownCost struct {
	what, set string
	want      float64
	within    tolerance
	find      func(*testing.T, *record.Record) float64
	show      func(float64) string
	// whole says that the server itself has no part in the figure, so that nothing is taken off it.
	whole bool
}

// tolerance is how far a figure may be off: a part of it, or an amount, whichever is more.
type tolerance struct{ part, amount float64 }

func (w tolerance) of(want float64) float64 { return max(w.part*math.Abs(want), w.amount) }

// run measures and checks one experiment.
func (e experiment) run(t *testing.T, trials *truthTrials) truthTable {
	t.Helper()
	surface := cmp.Or(e.surface, "plain")
	with := trials.measure(t, surface, e.ladder, e.args)
	var table truthTable
	for _, c := range e.costs {
		found := c.find(t, with)
		if !c.whole {
			// Without a base, the first step of the ladder serves all.
			found -= c.find(t, trials.measure(t, surface, e.base == nil, e.base))
		}
		table = append(table, truthRow{c.what, c.set, c.show(found), c.show(found - c.want), c.show(c.within.of(c.want))})
		assert.InDelta(t, c.want, found, c.within.of(c.want), "%s, set to %s: found %s", c.what, c.set, c.show(found))
	}
	return table
}

// truthTrials runs the suite on calibrators, on each kind once.
type truthTrials struct {
	t       *testing.T
	binary  string
	records map[string]*record.Record
}

// measure returns the record of one credential on a surface, or of a ladder of them, on a calibrator with the given
// arguments.
func (m *truthTrials) measure(t *testing.T, surface string, ladder bool, args []string) *record.Record {
	t.Helper()
	creds := "1"
	if ladder {
		creds = "1,40,80"
	}
	key := surface + creds + strings.Join(args, " ")
	if rec := m.records[key]; rec != nil {
		return rec
	}
	path := filepath.Join(m.t.TempDir(), "record.txt")
	out, err := measuring(t, "Series/surface="+surface+"/creds=", "-subject="+variant(t, args...), "-binary="+m.binary, "-record="+path,
		"-creds="+creds, "-step-duration="+truthStep.String()).CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	require.NotEmpty(t, rec.Results)
	m.records[key] = rec
	return rec
}

// experiments lists what is set and found.
func experiments() []experiment {
	list := []experiment{
		retained(50 << 10), burned(time.Millisecond),
		{
			name: "counts", surface: "upstream", args: []string{"-tools=100", "-listing-bytes=100000", "-upstream=3"},
			costs: []knownCost{
				{what: "tools", set: "100", want: 100, find: figure("tools"), show: inNumber, whole: true},
				{what: "upstream requests a call", set: "3", want: 3, find: figure("upstream-requests/call"), show: inNumber, whole: true},
			},
		},
		{
			name: "tree of three processes", base: []string{"-children=2", "-child-cpu=1ms"},
			args: []string{"-children=2", "-child-cpu=2ms", "-child-bytes=64MiB"},
			costs: []knownCost{
				{what: "resident set of a tree", set: "2 × 64 MiB", want: 128 * mib, within: tolerance{part: 0.02}, find: figure("rest-RSS-bytes"), show: inMiB},
				{what: "CPU of a tree a call", set: "2 × 1 ms more", want: 2e6, within: tolerance{part: 0.02}, find: figure("call-cpu-ns/call"), show: inTime},
			},
		},
	}
	for _, bytes := range []int{10 << 10, 1 << 20} {
		list = append(list, retained(bytes))
	}
	for _, d := range []time.Duration{100 * time.Microsecond, 10 * time.Millisecond} {
		list = append(list, burned(d))
	}
	for _, d := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
		list = append(list, delayed(d))
	}
	return append(list,
		latencies("two modes", "bimodal:5ms@0.9,50ms@0.1", 5e6, 50e6),
		latencies("long tail", "lognormal:10ms,1", 10e6*math.Exp(-0.5), 10e6*math.Exp(-0.5+2.3263)))
}

// latencies has calls take times of a distribution with the given quantiles.
func latencies(name, distribution string, p50, p99 float64) experiment {
	return experiment{
		name: name, args: []string{"-latency=" + distribution},
		costs: []knownCost{
			{what: "p50", set: distribution, want: p50, within: latencyWithin, find: figure("call-p50-ns"), show: inTime, whole: true},
			{what: "p99", set: distribution, want: p99, within: latencyWithin, find: figure("call-p99-ns"), show: inTime, whole: true},
		},
	}
}

// Bounds of times: what waking up and a loopback connection take is in them.
var (
	latencyWithin = tolerance{part: 0.02, amount: 0.2e6}
	startWithin   = tolerance{amount: 5e6}
)

// retained has each credential retain memory.
func retained(bytes int) experiment {
	return experiment{
		name: fmt.Sprintf("retain %d", bytes), ladder: true, args: []string{fmt.Sprintf("-retain-credential=%d", bytes)},
		costs: []knownCost{{
			what: "retained a credential", set: inBytes(float64(bytes)), want: float64(bytes),
			within: tolerance{part: 0.02, amount: 1 << 10}, find: slope("closed-heap-bytes"), show: inBytes,
		}},
	}
}

// burned has each call burn processor time, on top of a millisecond that it burns anyway: what is around a burn
// costs more than where there is none, since others' work has taken its place in the caches.
func burned(d time.Duration) experiment {
	return experiment{
		name: fmt.Sprintf("burn %v", d), base: []string{"-cpu-call=1ms"}, args: []string{"-cpu-call=" + (d + time.Millisecond).String()},
		costs: []knownCost{{
			what: "CPU a call", set: d.String() + " more", want: float64(d),
			within: tolerance{part: 0.02}, find: figure("call-cpu-ns/call"), show: inTime,
		}},
	}
}

// delayed has the start and the first listing take no less than a time.
func delayed(d time.Duration) experiment {
	return experiment{
		name: "delay " + d.String(), args: []string{"-list-delay=" + d.String(), "-start-delay=" + d.String()},
		costs: []knownCost{
			{what: "start", set: d.String(), want: float64(d), within: startWithin, find: figure("ready-ns"), show: inTime, whole: true},
			{what: "first listing", set: d.String(), want: float64(d), within: startWithin, find: figure("first-list-ns"), show: inTime, whole: true},
		},
	}
}

// truthStep is how long a step's load lasts.
const truthStep = 3 * time.Second

// variant writes a subject file of the calibrator with further arguments, and with what must then be so.
func variant(t *testing.T, more ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "scenarios", "subjects", "calibrator.toml"))
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, toml.Unmarshal(data, &file))
	for _, s := range file["surfaces"].(map[string]any) {
		surface := s.(map[string]any)
		args, _ := surface["args"].([]any)
		for _, arg := range more {
			// The surface's own come last on the command line, and the last one counts.
			args = append(args, arg)
			expect(t, surface, arg)
		}
		surface["args"] = args
	}
	var b bytes.Buffer
	require.NoError(t, toml.NewEncoder(&b).Encode(file))
	path := filepath.Join(t.TempDir(), "calibrator.toml")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// expect changes what a surface must show by what an argument makes of it.
func expect(t *testing.T, surface map[string]any, arg string) {
	t.Helper()
	name, value, _ := strings.Cut(arg, "=")
	key := map[string]string{"-tools": "tools", "-listing-bytes": "listing_bytes"}[name]
	if key == "" && name != "-upstream" {
		return
	}
	n, err := strconv.Atoi(value)
	require.NoError(t, err)
	if key != "" {
		surface[key] = n
		return
	}
	for _, call := range surface["calls"].(map[string]any) {
		// A call that has no route asks nobody anything.
		if call := call.(map[string]any); call["route"] != nil {
			call["upstream"] = n
		}
	}
}

// figure finds a metric of the step of the least credentials.
func figure(unit string) func(*testing.T, *record.Record) float64 {
	return func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		r := rec.Results[0]
		amount, ok := r.Value(unit)
		require.True(t, ok, "%s: %s", unit, r.Absent[unit])
		return amount
	}
}

// slope finds what a metric grows by for each credential.
func slope(unit string) func(*testing.T, *record.Record) float64 {
	return func(t *testing.T, rec *record.Record) float64 {
		t.Helper()
		var points []stat.XY
		for _, r := range rec.Results {
			clients, _ := r.Value("clients")
			amount, ok := r.Value(unit)
			require.True(t, ok, "%s: %s", unit, r.Absent[unit])
			points = append(points, stat.XY{X: clients, Y: amount})
		}
		line, err := stat.Fit(points)
		require.NoError(t, err)
		return line.Slope
	}
}

func inBytes(v float64) string { return fmt.Sprintf("%.0f B", v) }
func inMiB(v float64) string   { return fmt.Sprintf("%.2f MiB", v/mib) }
func inTime(v float64) string {
	return time.Duration(v).Round(time.Microsecond).String()
}
func inNumber(v float64) string { return fmt.Sprint(v) }

// truthRow is one known answer: what, set to what, found as what, off by how much, of how much that is allowed.
type truthRow struct{ what, set, found, off, allowed string }

type truthTable []truthRow

// String writes the table for people.
func (table truthTable) String() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	rows := append(truthTable{{"quantity", "set", "found", "error", "allowed"}}, table...)
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.what, r.set, r.found, r.off, r.allowed)
	}
	_ = w.Flush() // a buffer takes everything
	return b.String()
}
