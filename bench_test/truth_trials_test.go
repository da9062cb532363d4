package bench_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// truthRun says how the suite is run.
type truthRun struct {
	pattern string        // of what is measured; the series of plain, if empty
	creds   string        // one, if empty
	step    time.Duration // of the load; 3 s if 0
	rounds  int           // 1 if 0
	// base is the step of what is held against it, where that needs another one.
	base time.Duration
	// rests waits for memory to come to rest, as published measurements do: half of the time, and nothing to the others.
	rests bool
	// awake keeps the host's processors from sleeping meanwhile: see keepAwake.
	awake bool
	// refuses has the suite fail, which it does where a call was refused, and record what it was that failed.
	refuses bool
}

// truthTrials runs the suite on calibrators.
type truthTrials struct {
	t      *testing.T
	binary string
}

func newTruthTrials(t *testing.T) *truthTrials {
	t.Helper()
	built, err := calibratorBuild()
	require.NoError(t, err)
	return &truthTrials{t, built.path}
}

// measure returns the record of a calibrator with the given arguments.
func (m *truthTrials) measure(t *testing.T, run truthRun, args []string) *record.Record {
	t.Helper()
	if run.awake {
		defer keepAwake(t)()
	}
	path := filepath.Join(t.TempDir(), "record.txt")
	flags := []string{
		"-subject=" + truthSubject(t, args...), "-binary=" + m.binary, "-record=" + path,
		"-creds=" + cmp.Or(run.creds, "1"), "-step-duration=" + cmp.Or(run.step, 3*time.Second).String(),
	}
	if !run.rests {
		flags = append(flags, "-rest-window=200ms")
	}
	out, err := measuring(t, cmp.Or(run.pattern, "Series/surface=plain/creds="), flags...).CombinedOutput()
	require.Equal(t, run.refuses, err != nil, "%s: %v: %s", strings.Join(args, " "), err, out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	require.NotEmpty(t, rec.Results)
	return rec
}
