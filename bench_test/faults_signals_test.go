package bench_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

var (
	faultSeed    = flag.Uint64("fault-seed", 0, "with -run TestFaults: what the moments of signals are drawn from; drawn itself when 0")
	faultSignals = flag.Int("fault-signals", 2, "with -run TestFaults: how often each signal is sent")
)

// signalSpan is the time within which a signal comes: two scenarios of the three take about as long.
const signalSpan = 12 * time.Second

// signalFaults end the suite at random moments.
func signalFaults() []faultCase {
	seed := *faultSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var cases []faultCase
	for range *faultSignals {
		cases = append(cases, signalled(syscall.SIGINT, "SIGINT", interrupted(), seed, random), signalled(syscall.SIGKILL, "SIGKILL", killed(), seed, random))
	}
	return cases
}

// signalled is a run that a signal ends.
func signalled(s syscall.Signal, name string, ends aftermath, seed uint64, random *rand.Rand) faultCase {
	after := time.Duration(random.Int64N(int64(signalSpan)))
	return faultCase{
		what: "`" + name + "` to the suite, at a random moment", pattern: everyPattern, ends: ends,
		prepare: func(t *testing.T, f *faultTrial) {
			t.Helper()
			t.Logf("%s after %v, by -fault-seed=%d", name, after, seed)
			f.signal, f.after = s, after
		},
	}
}

func interrupted() aftermath {
	return aftermath{
		text: "the run ends; what was finished is in the record, and `-resume` goes on from there", exit: exitInterrupted, check: checkSignalled,
	}
}

func killed() aftermath {
	return aftermath{text: "the same, and nobody is there to say so", exit: -1, check: checkSignalled}
}

// saysFinished matches what the suite says once a result is in the record.
var saysFinished = regexp.MustCompile(`(?m): (ok|measured, but: .*) after [0-9.ms]+$`)

// checkSignalled holds the record to what the suite had said until it was ended. It may hold one result more.
func checkSignalled(t *testing.T, c *faultCase, f *faultTrial) {
	t.Helper()
	assert.True(t, endedBy(f.err, f.signal, c.ends.exit), "%v", f.err)
	assert.True(t, strings.HasPrefix(readFile(t, f.record), f.held), "what was finished before is in the record as it was")
	w, rec, err := record.Append(f.record, nil)
	require.NoError(t, err, "the record can be gone on with")
	require.NoError(t, w.Close())
	said, gained := len(saysFinished.FindAllString(f.out.String(), -1)), len(rec.Results)-1
	assert.True(t, gained == said || gained == said+1, "%d results were said to be finished, and %d are in the record", said, gained)
	t.Logf("%d results were finished after %v", gained, f.took.Round(time.Millisecond))
}

// endedBy reports whether a signal, or the exit code that it causes, ended a run.
func endedBy(err error, s syscall.Signal, code int) bool {
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return exit.ExitCode() == code && code > 0 || ok && status.Signaled() && status.Signal() == s
}
