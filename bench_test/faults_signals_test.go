package bench_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

var (
	faultSeed    = flag.Uint64("fault-seed", 0, "with -run TestFaults: what the moments of signals are drawn from; drawn itself when 0")
	faultSignals = flag.Int("fault-signals", 1, "with -run TestFaults: how often each signal is sent at a random moment")
)

// signalSpan is the time of a scenario within which a signal comes at random, and that of those that follow: they take
// longer, if only for the windows over which they read what is at rest.
const signalSpan = 3 * time.Second

// signalledWithin is how long the suite may go on after a signal, and everyWithin how long three scenarios may take.
const (
	signalledWithin = 15 * time.Second
	everyWithin     = 3*aloneWithin + hostSlack
)

// signalFaults end the suite: in one phase each, and at random moments, after which it is gone on with.
func signalFaults() []faultCase {
	seed := *faultSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	cases := inPhases()
	for i := range *faultSignals {
		// There is something to keep if one scenario of the three is over, which each second signal does without.
		finished := 1 - i%2
		cases = append(cases,
			atRandom(syscall.SIGINT, interruptedSomewhere(), finished, seed, random, "ended by SIGINT"),
			atRandom(syscall.SIGKILL, killed(), finished, seed, random))
	}
	return cases
}

// inPhases are signals to the suite in phases that last long enough to be met.
func inPhases() []faultCase {
	cases := []faultCase{
		{
			what: ", while a process is not ready", args: []string{"-fault=never-ready"},
			pattern: pointPattern, result: pointOverHTTP, phase: "idle", moment: &moment{signal: syscall.SIGINT},
		},
		{
			what: ", while the server answers no call any more", args: []string{"-stall=0s:1h"},
			pattern: pointPattern, result: pointOverHTTP, phase: "admit", tail: saysServes, moment: &moment{signal: syscall.SIGINT},
		},
		{
			what: " in a step", flags: []string{"-creds=1", "-step-duration=5s"},
			pattern: seriesPattern, result: seriesResult, phase: "load", tail: saysServes, moment: &moment{signal: syscall.SIGINT},
		},
		{
			what: ", while processes run that are deaf to it", args: []string{"-fault=deaf-to-sigterm"}, flags: []string{"-rest-window=5s"},
			pattern: "Point/transport=stdio/surface=plain/telemetry=off", result: pointOverStdio, phase: "settle", tail: saysProfiles,
			moment: &moment{signal: syscall.SIGTERM},
		},
	}
	for i := range cases {
		c := &cases[i]
		name := signalName(c.moment.signal)
		c.what = "`" + name + "` to the suite" + c.what
		c.moment.said = ": " + c.phase + "\n"
		c.says, c.within, c.ends = []string{"ended by " + name}, signalledWithin, interrupted()
	}
	return cases
}

// atRandom is a run that a signal ends somewhere, once so many scenarios are finished, and another that goes on with it.
func atRandom(s syscall.Signal, ends aftermath, finished int, seed uint64, random *rand.Rand, says ...string) faultCase {
	after := time.Duration(random.Int64N(int64(3-finished) * int64(signalSpan)))
	return faultCase{
		what: "`" + signalName(s) + "` to the suite, at a random moment", pattern: everyPattern, ends: ends, says: says,
		within: signalledWithin, moment: &moment{s, fmt.Sprintf("[%d/3] ", finished+1), after}, finished: finished, resumed: true,
		prepare: func(t *testing.T, _ *faultTrial) {
			t.Helper()
			t.Logf("%s after %v, by -fault-seed=%d", s, after, seed)
		},
	}
}

func interrupted() aftermath {
	return aftermath{text: "the run ends, the processes first; the scenario has no result", exit: exitInterrupted, check: checkFailed}
}

func interruptedSomewhere() aftermath {
	return aftermath{
		text: "the same; what was finished is in the record, and `-resume` measures what is missing, and only that",
		exit: exitInterrupted, check: checkInterrupted,
	}
}

func killed() aftermath {
	return aftermath{text: "the same, and nobody is there to say so", exit: -1, check: checkSignalled}
}

// saysInterrupted matches what the suite says where a signal finds it, and saysProcess in which phases a process has
// surely said something.
var (
	saysInterrupted = regexp.MustCompile(`(?m)^bench_test: (Point/subject=calibrator\S+: (\w+)|between scenarios): ended by SIGINT$`)
	saysProcess     = regexp.MustCompile(`^(admit|load|settle|close)$`)
)

// checkInterrupted is checkSignalled for a suite that has time to say where it was.
func checkInterrupted(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	checkSignalled(t, c, f)
	out := f.first.out.String()
	said := saysInterrupted.FindStringSubmatch(out)
	require.NotNil(t, said, "it says neither scenario nor phase")
	if saysProcess.MatchString(said[2]) {
		assert.Contains(t, out, "\nlast lines of process ")
		assert.Contains(t, out, saysServes)
	}
	assert.Contains(t, out, "the finished results are in "+f.record)
}

// saysFinished matches what the suite says once a result is in the record, and saysBegun what it says before.
var (
	saysFinished = regexp.MustCompile(`(?m): (ok|measured, but: .*) after [0-9.ms]+$`)
	saysBegun    = regexp.MustCompile(`: started, `)
)

// checkSignalled holds the record to what the suite had said until it was ended. It may hold one result more.
func checkSignalled(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	assert.True(t, strings.HasPrefix(f.between, f.held), "what was finished before is in the record as it was")
	said, gained := len(saysFinished.FindAllString(f.first.out.String(), -1)), len(f.whole(t, f.between))-1
	assert.True(t, gained == said || gained == said+1, "%d results were said to be finished, and %d are in the record", said, gained)
	assert.GreaterOrEqual(t, gained, c.finished)
	t.Logf("%d results were finished", gained)
}

// checkResumed holds a run that went on to have measured what was missing, and nothing else.
func (f *faultTrial) checkResumed(t *testing.T) {
	t.Helper()
	require.False(t, f.again.endless, "the run that goes on did not end within %v", everyWithin)
	f.again.leftNothing(t, f.binary)
	require.Equal(t, 0, f.again.exit(t), "%s", f.again.out.String())
	before, after := f.whole(t, f.between), f.whole(t, readFile(t, f.record))
	subject, err := scenarios.Load("calibrator")
	require.NoError(t, err)
	var want, names []string
	for _, p := range scenarios.Points(subject) {
		if name := "Point/" + p.Name(subject.Name); selected(alignFilter(everyPattern+"|"+heldPattern, benchmarkKeys), []string{name}) > 0 {
			want = append(want, name)
		}
	}
	for _, r := range after {
		names = append(names, r.Name)
	}
	assert.ElementsMatch(t, want, names, "each is there once")
	assert.Len(t, saysBegun.FindAllString(f.again.out.String(), -1), len(want)-len(before), "and what was there was not measured again")
	assert.Equal(t, before, after[:len(before)], "nor changed")
}

// whole are the results of a record, of which the last line may be cut short.
func (f *faultTrial) whole(t *testing.T, text string) []record.Result {
	t.Helper()
	path := f.record + ".copy"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	w, rec, err := record.Append(path, nil)
	require.NoError(t, err, "the record can be gone on with")
	require.NoError(t, w.Close())
	return rec.Results
}
