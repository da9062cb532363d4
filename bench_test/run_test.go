package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// TestRecordOfARun measures one scenario in a suite of its own, reads what it recorded, and resumes it.
func TestRecordOfARun(t *testing.T) {
	s := requireSuite(t)
	path := filepath.Join(t.TempDir(), "record.txt")
	const pattern = "Point/transport=http/surface=dynamic/telemetry=off"
	out, err := measuring(t, pattern, "-rest-window=1s", "-binary="+s.build.path, "-record="+path).CombinedOutput()
	require.NoError(t, err, "%s", out)

	rec, err := record.Read(path)
	require.NoError(t, err)
	require.Len(t, rec.Results, 1)
	result := rec.Results[0]
	assert.Equal(t, "Point/subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=off", result.Name)
	for _, m := range record.MetricsOf(record.Point) {
		_, measured := result.Value(m.Unit)
		assert.True(t, measured, "%s: %s", m.Unit, result.Absent[m.Unit])
	}
	for unit, want := range map[string]float64{
		"clients": 64, "tools": 2, "failed-calls": 0, "refused-calls": 0, "upstream-requests/call": 1, "call-calls": 448,
	} {
		got, _ := result.Value(unit)
		assert.InDelta(t, want, got, 0, unit)
	}
	assert.Equal(t, s.build.sha256, result.Identity[record.KeySHA256])
	assert.Len(t, rec.Missing(), 7, "the plan names what the filter left out")

	before := readFile(t, path)
	out, err = measuring(t, pattern, "-rest-window=1s", "-binary="+s.build.path, "-record="+path, "-resume").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, before, readFile(t, path), "what the record holds is not measured again")

	out, err = measuring(t, pattern, "-rest-window=1s", "-binary="+s.build.path, "-record="+path, "-resume", "-rounds=2").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err = record.Read(path)
	require.NoError(t, err)
	assert.Len(t, rec.Results, 2, "a round more")
	assert.Len(t, rec.Missing(), 7, "for what is selected, and nothing else is wanting for it")
	assert.Equal(t, 2, rec.Plan[result.Name])
	assert.Equal(t, 1, rec.Plan[rec.Missing().Names()[0]])
}

// TestWatchdogEndsAStep gives a series no memory at all.
func TestWatchdogEndsAStep(t *testing.T) {
	s := requireSuite(t)
	path := filepath.Join(t.TempDir(), "record.txt")
	out, err := measuring(t, "Series/surface=dynamic/creds=", "-binary="+s.build.path, "-record="+path,
		"-creds=1,2", "-step-duration=1s", "-memory-budget=1").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	require.Len(t, rec.Results, 1, "no step follows the one that was ended")
	assert.Contains(t, rec.Results[0].Stop, "watchdog: admit: ended early: the memory budget was passed")
	assert.NotEmpty(t, rec.Results[0].Certificate, "a step that was ended is not to be believed")
	idle, measured := rec.Results[0].Value("idle-RSS-bytes")
	assert.True(t, measured && idle > 0, "what was measured before is kept")

	before := readFile(t, path)
	out, err = measuring(t, "Series/surface=dynamic/creds=", "-binary="+s.build.path, "-record="+path,
		"-creds=1,2", "-step-duration=1s", "-resume").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "creds=2: left out, watchdog: ", "a run that goes on remembers why the series ended")
	assert.Equal(t, before, readFile(t, path))

	out, err = measuring(t, "Series/surface=dynamic/creds=", "-binary="+s.build.path, "-record="+path,
		"-creds=1,2", "-step-duration=2s", "-resume").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "step=2s", "a step with other settings cannot stand for this one")
}

// TestRefusedRuns gives the suite what it cannot work with.
func TestRefusedRuns(t *testing.T) {
	s := requireSuite(t)
	there := filepath.Join(t.TempDir(), "record.txt")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	for _, tt := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"repetitions", []string{"-test.benchtime=3x"}, "-rounds to repeat"},
		{"counts", []string{"-test.count=2"}, "-rounds to repeat"},
		{"a stray word", []string{"extra", "-rounds=6"}, `"extra" is not a flag`},
		{"nothing selected", []string{"-test.bench=Point/surface=nope"}, "surface=dynamic"},
		{"no rounds", []string{"-rounds=0"}, "-rounds must be at least 1"},
		{"record exists", []string{"-record=" + there}, "append to it"},
		{"nothing to resume", []string{"-resume"}, "name it with -record"},
		{"subject", []string{"-subject=nobody"}, "gitlab-mcp"},
		{"binary", []string{"-binary=/no/such/binary"}, "/no/such/binary"},
		{"CPUs", []string{"-cpus=first"}, `CPU list "first"`},
		{"credentials", []string{"-creds=9,3"}, "ascending"},
		{"step", []string{"-step-duration=1ms"}, "at least 1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flags := append([]string{"-binary=" + s.build.path, "-record=" + filepath.Join(t.TempDir(), "r.txt")}, tt.flags...)
			if tt.name == "nothing to resume" {
				flags = tt.flags
			}
			out, err := measuring(t, "Point", flags...).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			assert.Equal(t, exitUsage, exit.ExitCode(), "%s", out)
			assert.Contains(t, string(out), tt.want)
			assert.NotContains(t, string(out), "goroutine", "an error of use is not a crash")
			assert.NoFileExists(t, filepath.Join(t.TempDir(), "r.txt"))
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
