package bench_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// truthRun says how the suite is run.
type truthRun struct {
	surface string        // plain, if empty
	creds   string        // one, if empty
	step    time.Duration // of the load; 3 s if 0
	rounds  int           // 1 if 0
	// awake keeps the host's processors from sleeping meanwhile: see keepAwake.
	awake bool
}

// truthTrials runs the suite on calibrators, once in each round on each kind.
type truthTrials struct {
	t       *testing.T
	binary  string
	records map[string]*record.Record
}

func newTruthTrials(t *testing.T) *truthTrials {
	t.Helper()
	subject, err := loadSubject("calibrator")
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	return &truthTrials{t: t, binary: built.path, records: map[string]*record.Record{}}
}

// measure returns the record of a calibrator with the given arguments.
func (m *truthTrials) measure(t *testing.T, round int, run truthRun, args []string) *record.Record {
	t.Helper()
	surface, creds, step := cmp.Or(run.surface, "plain"), cmp.Or(run.creds, "1"), cmp.Or(run.step, 3*time.Second)
	key := fmt.Sprint(round, surface, creds, step, run.awake, args)
	if rec := m.records[key]; rec != nil {
		return rec
	}
	if run.awake {
		defer keepAwake(t)()
	}
	path := filepath.Join(m.t.TempDir(), "record.txt")
	out, err := measuring(t, "Series/surface="+surface+"/creds=", "-subject="+variant(t, args...), "-binary="+m.binary, "-record="+path,
		"-creds="+creds, "-step-duration="+step.String()).CombinedOutput()
	require.NoError(t, err, "%s: %s", strings.Join(args, " "), out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	require.NotEmpty(t, rec.Results)
	m.records[key] = rec
	return rec
}
