package bench_test

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
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

// faultBound is when a run is taken for one without end: one that ends takes seconds, and minutes on a host that
// everything else is tried on meanwhile.
const faultBound = 5 * time.Minute

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
		go trials[i].run(places)
	}
	for i := range cases {
		t.Run(cases[i].name(), func(t *testing.T) { cases[i].check(t, trials[i]) })
	}
}

// faultCases lists all that is tried and told.
func faultCases() []faultCase {
	return slices.Concat(processFaults(), replyFaults(), ownFaults(), gitlabFaultCases(), signalFaults())
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

// faultBench is what the trials of faults share: a server, and a record that holds a result already.
type faultBench struct{ binary, held string }

// What the record holds before anything fails.
const (
	heldPattern  = "Point/transport=stdio/surface=upstream/telemetry=off"
	heldOfServer = "Point/transport=stdio/surface=dynamic/telemetry=off"
)

func newFaultBench(t *testing.T, name, held string) *faultBench {
	t.Helper()
	subject, err := loadSubject(name)
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	b := &faultBench{binary: filepath.Join(t.TempDir(), name)}
	copyFile(t, built.path, b.binary)
	path := filepath.Join(t.TempDir(), "record.txt")
	out, err := measuring(t, held, "-subject="+name, "-binary="+b.binary, "-record="+path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b.held = readFile(t, path)
	return b
}

// faultTrial is one run of the suite in which something fails.
type faultTrial struct {
	// binary is a name of its own for the calibrator, by which its processes are told from others.
	binary string
	// subject is its subject file, and record the path of the record, which begins as text and must keep held.
	subject, record, text, held string
	// limit is an option of the shell's ulimit, such as "-n 60", that the suite runs under; empty for none.
	limit string
	// signal is sent to the suite after a time; 0 is none.
	signal syscall.Signal
	after  time.Duration
	// skip is why this cannot be tried here.
	skip string

	cmd  *exec.Cmd
	out  bytes.Buffer
	over chan struct{} // closed when the run has ended, of which the following is known then
	err  error
	took time.Duration
}

// trial prepares a run.
func (b *faultBench) trial(t *testing.T, c *faultCase) *faultTrial {
	t.Helper()
	dir := t.TempDir()
	f := &faultTrial{
		binary: filepath.Join(dir, "subject"), subject: scenarios.Default, record: filepath.Join(dir, "record.txt"),
		text: b.held, held: b.held, over: make(chan struct{}),
	}
	if !c.server {
		f.subject = variant(t, c.args...)
	}
	require.NoError(t, os.Link(b.binary, f.binary))
	if c.prepare != nil {
		c.prepare(t, f)
	}
	require.NoError(t, os.WriteFile(f.record, []byte(f.text), 0o600))
	flags := append([]string{"-subject=" + f.subject, "-binary=" + f.binary, "-record=" + f.record, "-resume"}, c.flags...)
	f.cmd = measuring(t, c.pattern, flags...)
	if f.limit != "" {
		f.cmd.Path = "/bin/sh"
		f.cmd.Args = append([]string{"sh", "-c", "ulimit " + f.limit + ` && exec "$0" "$@"`}, f.cmd.Args...)
	}
	f.cmd.Stdout, f.cmd.Stderr = &f.out, &f.out
	return f
}

// edit changes the subject file.
func (f *faultTrial) edit(t *testing.T, was, is string) {
	t.Helper()
	text := readFile(t, f.subject)
	require.Contains(t, text, was)
	require.NoError(t, os.WriteFile(f.subject, []byte(strings.ReplaceAll(text, was, is)), 0o600))
}

// run runs the suite, once there is a place for it. One that does not end is killed.
func (f *faultTrial) run(places chan struct{}) {
	defer close(f.over)
	if f.skip != "" {
		return
	}
	places <- struct{}{}
	defer func() { <-places }()
	begun := time.Now()
	defer func() { f.took = time.Since(begun) }()
	if f.err = f.cmd.Start(); f.err != nil {
		return
	}
	endless := time.AfterFunc(faultBound, func() { _ = f.cmd.Process.Kill() })
	defer endless.Stop()
	if f.signal != 0 {
		signal := time.AfterFunc(f.after, func() { _ = f.cmd.Process.Signal(f.signal) })
		defer signal.Stop()
	}
	f.err = f.cmd.Wait()
}

// exit returns the code that the suite ended with, or -1 if a signal ended it.
func (f *faultTrial) exit(t *testing.T) int {
	t.Helper()
	if exit := (*exec.ExitError)(nil); errors.As(f.err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, f.err)
	return 0
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
			t.Logf("%.4000s", &f.out)
		}
	}()
	require.Less(t, f.took, faultBound, "the run did not end")
	assert.Eventually(t, func() bool { return len(running(t, f.binary)) == 0 }, 10*time.Second, 10*time.Millisecond, "left behind")
	assert.NotContains(t, f.out.String(), "goroutine ", "what fails is no crash")
	if f.signal == 0 {
		assert.Equal(t, c.ends.exit, f.exit(t))
	}
	c.ends.check(t, c, f)
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
	out := f.out.String()
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
		assert.Contains(t, f.out.String(), text)
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
		assert.Regexp(t, "(?m)left out, .*"+regexp.QuoteMeta(text), f.out.String())
	}
}

func checkNotBegun(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	assert.Equal(t, f.text, readFile(t, f.record))
	for _, text := range c.says {
		assert.Contains(t, f.out.String(), text)
	}
	assert.NotContains(t, f.out.String(), ": started")
}
