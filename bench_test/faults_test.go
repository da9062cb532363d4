package bench_test

import (
	"cmp"
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// faultCase is one thing that fails, and what must come of it. TestFaults tries it, and docs/method.md tells it.
type faultCase struct {
	// what fails, for people, in Markdown.
	what string
	// pattern is what is measured, and result the name that the result has in the record.
	pattern, result string
	// args are given to the calibrator, and flags to the suite.
	args, flags []string
	// server says that the server of this repository is measured, and not the calibrator.
	server bool
	// prepare changes what the suite finds, before it runs.
	prepare func(*testing.T, *faultTrial)
	ends    aftermath
	// phase is where it is seen, and says what of the error tells it.
	phase string
	says  []string
	// tail is of the last lines of the process.
	tail string
	// within is how long the run may take; after a signal, how long it may go on.
	within time.Duration
	// moment is when a signal comes to the suite; nil where none does.
	moment *moment
	// resumed says that the run is gone on with, and finished how many results it has by then, at least.
	resumed  bool
	finished int
}

// aftermath is what a fault comes to.
type aftermath struct {
	// text tells it to people.
	text string
	exit int
	// results is how many results the record gains.
	results int
	check   func(*testing.T, *faultCase, *faultTrial)
}

// faultsAtOnce is how many suites are tried at the same time. They wait for most of it.
const faultsAtOnce = 4

// hostSlack is how much longer than alone a run may take on a host on which much else is tried, under the race
// detector.
const hostSlack = 40 * time.Second

// aloneWithin is how long a run takes alone, at most, that measures one scenario, and soonWithin how long one may take
// that ends before it has measured any.
const (
	aloneWithin = 20 * time.Second
	soonWithin  = 30 * time.Second
)

// TestFaults has the suite measure while one thing fails, as a user has it measure. Whatever it is, the run ends and
// says what it saw, where, and what the process last said; the record keeps what it held and can be read; and nothing
// is left running.
func TestFaults(t *testing.T) {
	benches := map[bool]*faultBench{false: newFaultBench(t, "calibrator", heldPattern), true: newFaultBench(t, scenarios.Default, heldOfServer)}
	cases := chosenFaults()
	trials := make([]*faultTrial, len(cases))
	places := make(chan struct{}, faultsAtOnce)
	for i := range cases {
		trials[i] = benches[cases[i].server].trial(t, &cases[i])
		go trials[i].run(&cases[i], places)
	}
	for i := range cases {
		t.Run(cases[i].name(), func(t *testing.T) { cases[i].check(t, trials[i]) })
	}
}

// faultCases lists all that is tried and told.
func faultCases() []faultCase {
	cases := slices.Concat(processFaults(), replyFaults(), ownFaults(), gitlabFaultCases(), signalFaults())
	for i := range cases {
		cases[i].within = cmp.Or(cases[i].within, aloneWithin+hostSlack)
	}
	return cases
}

// chosenFaults are those that -run selects: they all begin before their tests do.
func chosenFaults() []faultCase {
	pattern := flag.Lookup("test.run").Value.String()
	return slices.DeleteFunc(faultCases(), func(c faultCase) bool {
		return selected(cmp.Or(pattern, "."), []string{"TestFaults/" + c.name()}) == 0
	})
}

// name is what fails, without its marks.
func (c *faultCase) name() string {
	return strings.NewReplacer("`", "", ",", "", " ", "-").Replace(c.what)
}

// check holds a run to what its case says.
func (c *faultCase) check(t *testing.T, f *faultTrial) {
	t.Helper()
	<-f.over
	if f.skip != "" {
		t.Skip(f.skip)
	}
	defer func() {
		if t.Failed() {
			t.Logf("%.4000s", f.first.out.String())
		}
	}()
	t.Logf("ended after %v", f.first.took.Round(10*time.Millisecond))
	require.False(t, f.first.endless, "the run did not end within %v", c.within)
	f.first.leftNothing(t, f.binary)
	assert.Equal(t, c.ends.exit, f.first.exit(t))
	c.ends.check(t, c, f)
	if c.resumed {
		f.checkResumed(t)
	}
}

// gained reads what the record holds besides what it held, which it has to hold still.
func (c *faultCase) gained(t *testing.T, f *faultTrial) []record.Result {
	t.Helper()
	assert.True(t, strings.HasPrefix(readFile(t, f.record), f.held), "what was finished before is in the record as it was")
	rec, err := record.Read(f.record)
	require.NoError(t, err, "the record can be read")
	before, err := record.Parse(strings.NewReader(f.held), "held")
	require.NoError(t, err)
	gained := rec.Results[len(before.Results):]
	require.Len(t, gained, c.ends.results)
	for _, r := range gained {
		assert.Equal(t, c.result, r.Name)
	}
	return gained
}

// told checks that the error names the scenario and the phase, says what it must, and ends with the last lines of
// the process.
func (c *faultCase) told(t *testing.T, f *faultTrial) {
	t.Helper()
	out := f.first.out.String()
	where := c.result + ": " + c.phase + ": "
	_, said, ok := strings.Cut(out, where)
	require.True(t, ok, "no error begins with %q", where)
	for _, text := range c.says {
		assert.Contains(t, said, text)
	}
	if c.tail != "" {
		_, tail, ok := strings.Cut(said, "last lines of ")
		assert.True(t, ok, "no last lines of the process")
		assert.Contains(t, tail, c.tail)
	}
}

// The ways a run ends in which something fails.
func measuresWell() aftermath {
	return aftermath{text: "nothing fails: every call is counted as answered, and nothing is doubted for it", results: 1, check: checkMeasured}
}

func failsMarked() aftermath {
	return aftermath{text: "the scenario fails; its figures are recorded, marked with the reason", exit: 1, results: 1, check: checkMarked}
}

func failsUnrecorded() aftermath {
	return aftermath{text: "the scenario fails, and has no result", exit: 1, check: checkFailed}
}

func endsStep() aftermath {
	return aftermath{text: "the step is ended; what it had measured is recorded, marked with the reason", results: 1, check: checkEnded}
}

func goesOn() aftermath {
	return aftermath{text: "what is whole is kept, and what is missing is measured", results: 1, check: checkMeasured}
}

func leftOut() aftermath { return aftermath{text: "the step is left out", check: checkLeftOut} }

func notBegun() aftermath {
	return aftermath{text: "nothing is measured, and the record is left as it is", exit: exitUsage, check: checkNotBegun}
}

// hostDoubts are reasons that come from what else a host does, such as run other tests.
var hostDoubts = regexp.MustCompile(`^(other processes used|the hypervisor withheld|the suite used|suite and subject share|the resident set did not)`)

func checkMeasured(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	r := c.gained(t, f)[0]
	for _, text := range c.says {
		assert.Contains(t, f.first.out.String(), text)
	}
	for _, doubt := range r.Certificate {
		assert.Regexp(t, hostDoubts, doubt)
	}
	for unit, want := range map[string]float64{"failed-calls": 0, "refused-calls": 0, "tools": 10, "list-bytes": 4009, "call-calls": pointCalls(r.Name)} {
		got, ok := r.Value(unit)
		assert.True(t, ok, unit)
		assert.InDelta(t, want, got, 0, unit)
	}
}

// pointCalls is how many calls of each method a point scenario of the calibrator makes.
func pointCalls(name string) float64 {
	if strings.Contains(name, "transport=stdio") {
		return 400
	}
	return 448
}

func checkMarked(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	c.told(t, f)
	marked := strings.Join(c.gained(t, f)[0].Certificate, "\n")
	assert.Contains(t, marked, c.phase+": ", "the certificate names the phase")
	for _, text := range c.says {
		assert.Contains(t, marked, text)
	}
}

func checkFailed(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	c.told(t, f)
	c.gained(t, f)
}

func checkEnded(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	c.told(t, f)
	r := c.gained(t, f)[0]
	for _, text := range append(c.says, c.phase+": ") {
		assert.Contains(t, r.Stop, text)
		assert.Contains(t, strings.Join(r.Certificate, "\n"), text)
	}
}

func checkLeftOut(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	c.gained(t, f)
	for _, text := range c.says {
		assert.Regexp(t, "(?m)left out, .*"+regexp.QuoteMeta(text), f.first.out.String())
	}
}

func checkNotBegun(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	assert.Equal(t, f.text, readFile(t, f.record))
	for _, text := range c.says {
		assert.Contains(t, f.first.out.String(), text)
	}
	assert.NotContains(t, f.first.out.String(), ": started")
}
