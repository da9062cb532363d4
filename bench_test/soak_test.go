package bench_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

var soakDuration = flag.Duration("soak-duration", 30*time.Minute, "with -gate: how long TestSoak loads the subject at first, with a sixth of that once more")

// TestSoak loads the subject on all of its paths at once, and says whether it keeps what it should give back.
func TestSoak(t *testing.T) {
	plan := scenarios.NewSoak(*soakDuration)
	if !opts.gate {
		t.Parallel()
		plan = scenarios.ShortSoak()
	}
	s := gateSuite(t)
	r, err := s.soak(t, plan)
	require.NoError(t, err)
	r.decide(t, s)
}

// TestSoakTells has calibrators soaked that keep nothing, and that keep some of everything.
func TestSoakTells(t *testing.T) {
	t.Parallel()
	built, err := resolveBuild(t.Context(), mustLoad(t, "calibrator"), "")
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		args []string
		plan scenarios.Soak
		want stat.Verdict
		// failed are the findings that are not to pass.
		failed []string
	}{
		{"honest", nil, scenarios.ShortSoak(), stat.Pass, nil},
		{
			"leaks", []string{"-retain-call=512KiB", "-leak-goroutines=1", "-leak-descriptors=1"}, scenarios.ShortSoak(), stat.Fail,
			[]string{"resident set under load", "live heap at rest", "resident set at rest", "descriptors", "goroutines"},
		},
		{"errors", []string{"-fault=is-error:50"}, scenarios.NewSoak(2 * time.Second), stat.Fail, []string{"calls"}},
		{"refusals", []string{"-refuse-every=50"}, scenarios.NewSoak(2 * time.Second), stat.Fail, []string{"calls"}},
		{"too short", nil, scenarios.NewSoak(2 * time.Second), stat.Inconclusive, []string{"resident set under load", "p99 in the last fifth"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shortSuite(t, variant(t, tt.args...), built.path)
			r, err := s.soak(t, tt.plan)
			require.NoError(t, err)
			t.Logf("\n%s", r.table())
			var failed []string
			for _, f := range r.findings {
				if f.verdict != stat.Pass {
					failed = append(failed, f.what)
				}
			}
			assert.Subset(t, failed, tt.failed)
			assert.Equal(t, tt.want, r.verdict(), r.because())
			soakRecorded(t, s)
		})
	}
}

// TestSoakOfAProcessThatEnds says so at once, and keeps what was read.
func TestSoakOfAProcessThatEnds(t *testing.T) {
	t.Parallel()
	s := shortSuite(t, variant(t, "-fault=exit-mid-load:100"), "")
	begun := time.Now()
	_, err := s.soak(t, scenarios.NewSoak(time.Minute))
	require.ErrorContains(t, err, "exit-mid-load")
	assert.Less(t, time.Since(begun), time.Minute, "it does not go on loading what is not there")
}

// soakRecorded looks for everything that a soak has to record.
func soakRecorded(t *testing.T, s *suite) {
	t.Helper()
	rec, err := record.Read(s.recordPath)
	require.NoError(t, err)
	kinds := make(map[record.Kind]int)
	for _, r := range rec.Results {
		kinds[r.Kind()]++
		for _, m := range record.MetricsOf(r.Kind()) {
			_, measured := r.Value(m.Unit)
			assert.True(t, measured || r.Absent[m.Unit] != "", "%s: nothing is said of %s", r.Name, m.Unit)
		}
	}
	assert.Equal(t, 1, kinds[record.Soak])
	assert.Equal(t, 6, kinds[record.SoakPath], "the calibrator has six paths")
	assert.Greater(t, kinds[record.SoakReading], 20)
}

func mustLoad(t *testing.T, name string) *scenarios.Subject {
	t.Helper()
	subject, err := loadSubject(name)
	require.NoError(t, err)
	return subject
}
