package bench_test

import (
	"flag"
	"slices"
	"strings"
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
	if r.again() {
		s = gateSuite(t)
		r, err = s.soak(t, plan)
	}
	require.NotErrorIs(t, err, errInterrupted) // which says nothing of the subject
	if err != nil {
		t.Errorf("record: %v", err)
	}
	r.decide(t, s)
}

// soakForAMoment is one that is over before memory can be told of.
func soakForAMoment() scenarios.Soak {
	plan := scenarios.NewSoak(2 * time.Second)
	plan.SlackShare = scenarios.ShortSoak().SlackShare
	return plan
}

// TestSoakTells has calibrators soaked that keep nothing, and that do something wrong. What no process can be told to do
// wrong is in TestSoakRules.
func TestSoakTells(t *testing.T) {
	t.Parallel()
	built, err := resolveBuild(t.Context(), mustLoad(t, "calibrator"), "")
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		args []string
		plan scenarios.Soak
		want stat.Verdict
		// findings are those that come to the same verdict. No other fails.
		findings []string
	}{
		{"honest", nil, scenarios.ShortSoak(), stat.Pass, nil},
		{
			"leaks", []string{"-retain-call=512KiB", "-leak-goroutines=1", "-leak-descriptors=1"}, scenarios.ShortSoak(), stat.Fail,
			[]string{"resident set under load", "live heap, second load", "live heap, all loads", "resident set at rest", "descriptors", "goroutines"},
		},
		{"asks in vain", []string{"-upstream=1"}, soakForAMoment(), stat.Fail, []string{"calls", "requests to GitLab"}},
		{"refuses, and will not end", []string{"-refuse-every=50", "-fault=deaf-to-sigterm"}, soakForAMoment(), stat.Fail, []string{"calls", "end"}},
		{"too short", nil, soakForAMoment(), stat.Inconclusive, []string{"resident set under load", "p99 in the last fifth"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shortSuite(t, variant(t, tt.args...), built.path)
			r, err := s.soak(t, tt.plan)
			require.NoError(t, err)
			t.Logf("\n%s", r.table())
			found := verdictsOf(r)
			for _, f := range r.findings {
				if !slices.Contains(tt.findings, f.what) {
					assert.NotEqual(t, stat.Fail, f.verdict, f.what)
				}
			}
			for _, what := range tt.findings {
				assert.Equal(t, tt.want, found[what], what)
			}
			soakRecorded(t, s)
			if tt.want == stat.Pass && found[""] == stat.Inconclusive {
				r.skip(t) // what others on the host do to it
			}
			assert.Equal(t, tt.want, found[""], r.because())
		})
	}
}

// TestSoakOfAProcessThatEnds fails at once, with the process's last words, and keeps what was read.
func TestSoakOfAProcessThatEnds(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"exit-at-start", "exit-mid-load:100"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s := shortSuite(t, variant(t, "-fault="+fault), "")
			begun := time.Now()
			r, err := s.soak(t, scenarios.NewSoak(time.Minute))
			require.NoError(t, err)
			assert.Equal(t, map[string]stat.Verdict{"": stat.Fail, "process": stat.Fail}, verdictsOf(r))
			assert.Contains(t, r.line(), strings.TrimSuffix(fault, ":100"))
			assert.Less(t, time.Since(begun), time.Minute, "it does not go on loading what is not there")
			rec, err := record.Read(s.recordPath)
			require.NoError(t, err)
			last := rec.Results[len(rec.Results)-1]
			assert.Equal(t, record.Soak, last.Kind())
			assert.Equal(t, "FAIL", last.Identity[record.KeyVerdict])
			assert.Equal(t, "the soak broke off", last.Absent["soak-cpu-cores"])
		})
	}
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
