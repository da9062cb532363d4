package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// finding is one thing that a gate holds the server to, and what came of it.
type finding struct {
	what, found, bound string
	verdict            stat.Verdict
}

// ruling is what a gate comes to: its findings, all of which must pass.
type ruling struct {
	gate, subject string
	findings      []finding
	// without is what was not judged, each with the reason.
	without []string
}

// hold adds a finding.
func (r *ruling) hold(what string, verdict stat.Verdict, found, bound string) {
	r.findings = append(r.findings, finding{what, found, bound, verdict})
}

// passes adds a finding that either passes or fails.
func (r *ruling) passes(what string, ok bool, found, bound string) {
	verdict := stat.Fail
	if ok {
		verdict = stat.Pass
	}
	r.hold(what, verdict, found, bound)
}

// leaveOut says of something why it is not judged, so that nobody takes a Pass for more than it is.
func (r *ruling) leaveOut(what, why string) {
	r.without = append(r.without, what+" ("+why+")")
}

// brokeOff holds against the subject that a gate did not come to its end. What it says first is whether a process was
// there no longer, or never.
func (r *ruling) brokeOff(people *population, err error) {
	what, bound := "run", "comes to its end"
	gone := errors.Is(err, spawn.ErrExited) || errors.Is(err, spawn.ErrNotReady)
	if people != nil {
		gone = gone || slices.ContainsFunc(people.instances, (*instance).ends)
	}
	if gone {
		what, bound = "process", "starts, and serves to the end"
	}
	r.passes(what, false, inALine(err.Error()), bound)
}

// noticed is how long it may take until the end of a process is noticed of which a connection or a reading says already
// that it is there no longer.
const noticed = 2 * time.Second

// ends reports whether the process has ended, or is about to.
func (in *instance) ends() bool {
	select {
	case <-in.process.Exited():
		return true
	case <-time.After(noticed):
		return false
	}
}

// inALine writes a text in one line, of which the middle is left out if it is long: an error says at first what was
// done, and at last what the process said.
func inALine(text string) string {
	const most = 300
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= 2*most {
		return string(runes)
	}
	return string(runes[:most]) + " … " + string(runes[len(runes)-most:])
}

func (r *ruling) verdict() stat.Verdict {
	verdicts := make([]stat.Verdict, len(r.findings))
	for i, f := range r.findings {
		verdicts[i] = f.verdict
	}
	return stat.Together(verdicts...)
}

// because is what the verdict rests on, in one line: the findings that did not pass, or all if they did.
func (r *ruling) because() string {
	var passed, others []string
	for _, f := range r.findings {
		said := fmt.Sprintf("%s: %s (%s)", f.what, f.found, f.bound)
		if f.verdict == stat.Pass {
			passed = append(passed, said)
		} else {
			others = append(others, said)
		}
	}
	switch {
	case len(others) > 0:
		return strings.Join(others, "; ")
	case len(passed) > 0:
		return strings.Join(passed, "; ")
	default:
		return "nothing was found"
	}
}

// line is the verdict for machines: key=value pairs, of which those that may hold spaces are quoted as in Go.
func (r *ruling) line() string {
	line := fmt.Sprintf("VERDICT gate=%s subject=%s verdict=%s because=%q", r.gate, r.subject, r.verdict(), r.because())
	if len(r.without) > 0 {
		line += fmt.Sprintf(" without=%q", r.leftOut())
	}
	return line
}

func (r *ruling) leftOut() string { return strings.Join(r.without, "; ") }

// table shows the findings to people.
func (r *ruling) table() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "finding\tfound\tbound\tverdict")
	for _, f := range r.findings {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.what, f.found, f.bound, f.verdict)
	}
	_ = w.Flush() // a buffer takes everything
	return b.String()
}

// identify writes the verdict into the result that stands for the gate.
func (r *ruling) identify(result *record.Result) {
	result.Identity[record.KeyVerdict] = string(r.verdict())
	result.Identity[record.KeyBecause] = r.because()
	if len(r.without) > 0 {
		result.Identity[keyWithout] = r.leftOut()
	}
}

// keyWithout is the key under which a result says what was left out of it.
const keyWithout = "without"

// again reports whether a gate is to be tried once more: one that could not tell in its short form, which has the
// processors of other tests. Whether it can tell then is no longer asked: decide skips it.
func (r *ruling) again() bool { return !opts.gate && r.verdict() == stat.Inconclusive }

// skip ends a test whose ruling could not tell, and says so: what is skipped go test tells nobody who did not ask.
func (r *ruling) skip(t *testing.T) {
	t.Helper()
	_, _ = fmt.Fprintf(os.Stderr, "bench_test: %s: %s\n", t.Name(), r.line())
	t.Skipf("%s: %s", r.verdict(), r.because())
}

// decide makes the ruling that of the test, of which it must be the last act: it is shown, and a Fail fails. One that
// could not tell is no failure of the server, so it ends the test as one that was skipped; that a program sees it,
// runGates has an exit code for it. In full the line goes to the standard output as well, where programs look for it.
func (r *ruling) decide(t *testing.T, s *suite) {
	t.Helper()
	s.verdicts = append(s.verdicts, r.verdict())
	if opts.gate {
		_, _ = fmt.Fprintf(os.Stdout, "\n%s%s\n", r.table(), r.line())
	} else {
		t.Logf("\n%s%s", r.table(), r.line())
	}
	switch r.verdict() {
	case stat.Pass:
	case stat.Inconclusive:
		r.skip(t)
	default:
		t.Errorf("%s: %s", r.verdict(), r.because())
	}
}

// gateSuite is the suite that a gate runs in: the one with CPUs and a record of its own in full, and else one for the
// short form.
func gateSuite(t *testing.T) *suite {
	t.Helper()
	if opts.gate {
		return bench
	}
	return shortSuite(t, opts.subject, opts.binary)
}

// shortSuite is for the short form of a gate: any subject, whatever CPUs there are, and a record that nobody keeps.
func shortSuite(t *testing.T, subject, binary string) *suite {
	t.Helper()
	s := &suite{held: make(map[heldKey]*record.Result), round: 1}
	cpus, err := spawn.CPUs()
	require.NoError(t, err)
	s.cpus = spawn.Split{Suite: cpus, Subject: cpus, Sharing: spawn.SameCPU}
	s.subject, err = loadSubject(subject)
	require.NoError(t, err)
	s.host, err = meter.ReadHost()
	require.NoError(t, err)
	s.build, err = resolveBuild(t.Context(), s.subject, binary)
	require.NoError(t, err)
	s.recordPath = t.TempDir() + "/record.txt"
	s.writer, err = record.Create(s.recordPath, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.writer.Close()) })
	return s
}

// runGates runs the tests that -run chooses, as gates in full.
func runGates(m *testing.M) int {
	if code := openUnlessSignalled(openGates); code != 0 {
		return code
	}
	defer bench.close()
	code := m.Run()
	// A gate that failed, or that came to no verdict because something else did, is in the code already.
	if code == 0 && stat.Together(bench.verdicts...) == stat.Inconclusive {
		fmt.Fprintln(os.Stderr, "bench_test: no verdict, or one that could not tell")
		return exitInconclusive
	}
	return code
}

// openGates begins the record of the gates. It has no plan: what was not asked for is not missing.
func openGates(ctx context.Context) error {
	var err error
	if bench, err = newSuite(ctx, opts); err != nil {
		return err
	}
	bench.round = 1
	if bench.recordPath, err = recordPath(opts.record); err != nil {
		return err
	}
	bench.progress = newProgress(os.Stderr, 1)
	bench.writer, err = record.Create(bench.recordPath, nil)
	return err
}

func TestRuling(t *testing.T) {
	r := &ruling{gate: "soak", subject: "calibrator"}
	assert.Equal(t, stat.Inconclusive, r.verdict(), "a gate that found nothing says nothing")
	assert.Equal(t, "nothing was found", r.because())
	r.passes("errors", true, "0", "none")
	assert.Equal(t, `VERDICT gate=soak subject=calibrator verdict=PASS because="errors: 0 (none)"`, r.line())
	r.hold("slope", stat.Inconclusive, "1 ± 9 MiB/h", "below 2")
	assert.Equal(t, stat.Inconclusive, r.verdict())
	assert.Equal(t, "slope: 1 ± 9 MiB/h (below 2)", r.because())
	assert.True(t, r.again())
	r.passes("descriptors", false, "+12", "0")
	assert.Equal(t, "slope: 1 ± 9 MiB/h (below 2); descriptors: +12 (0)", r.because())
	assert.False(t, r.again(), "what failed is not tried until it passes")
	assert.Contains(t, r.table(), "descriptors  +12")
	result := record.Result{Identity: map[string]string{}}
	r.identify(&result)
	assert.Equal(t, map[string]string{record.KeyVerdict: "FAIL", record.KeyBecause: r.because()}, result.Identity)
	r.leaveOut("heap", noHeap)
	r.leaveOut("TLS", "none")
	r.identify(&result)
	assert.Equal(t, "heap ("+noHeap+"); TLS (none)", result.Identity[keyWithout])
	assert.Contains(t, r.line(), `" without="heap (`+noHeap+`); TLS (none)"`)
}

// A gate that breaks off has failed, whatever it found before, and says what was there no longer.
func TestRulingOfWhatBreaksOff(t *testing.T) {
	r := &ruling{gate: "soak", subject: "calibrator"}
	r.hold("slope", stat.Inconclusive, "1 ± 9 MiB/h", "below 2")
	r.brokeOff(nil, fmt.Errorf("start: %w\nlast line:\nout of cheese", spawn.ErrNotReady))
	assert.Equal(t, stat.Fail, r.verdict())
	assert.Contains(t, r.line(), "process: start: the process was not ready last line: out of cheese (starts, and serves to the end)")

	r = &ruling{}
	r.brokeOff(&population{}, errors.New("no such file"))
	assert.Equal(t, stat.Fail, r.verdict())
	assert.Equal(t, "run: no such file (comes to its end)", r.because())
	assert.Equal(t, strings.Repeat("a", 300)+" … "+strings.Repeat("é", 300), inALine(strings.Repeat("a", 301)+strings.Repeat("é", 300)))
}

// A process that does not start fails each gate, by a verdict that is recorded.
func TestGatesOfAProcessThatDoesNotStart(t *testing.T) {
	t.Parallel()
	s := shortSuite(t, variant(t, "-fault=exit-at-start"), "")
	plans, _ := scenarios.Overloads(s.subject)
	overload := judgeOverload(t, s, plans[0].Short(), "")
	abandoned := abandonAll(t, s, scenarios.Abandonments()[:1])[0]
	require.NoError(t, abandoned.err)
	for _, r := range []*ruling{overload, abandoned.ruling} {
		assert.Equal(t, map[string]stat.Verdict{"": stat.Fail, "process": stat.Fail}, verdictsOf(r), r.gate)
		assert.Contains(t, r.line(), "exit-at-start", r.gate)
	}
	rec, err := record.Read(s.recordPath)
	require.NoError(t, err)
	require.Len(t, rec.Results, 2)
	for _, result := range rec.Results {
		assert.Equal(t, "FAIL", result.Identity[record.KeyVerdict], result.Name)
	}
}
