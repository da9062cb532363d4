package bench_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// TestRecordOfNoise looks at one process by turns in a suite of its own, and reads the pair that it recorded. The sides
// of a build are measured by what measures points and series.
func TestRecordOfNoise(t *testing.T) {
	s := requireSuite(t)
	path := filepath.Join(t.TempDir(), "record.txt")
	flags := []string{"-binary=" + s.build.path, "-record=" + path, "-step-duration=1s"}
	out, err := measuring(t, "Noise/surface=meta/look=", flags...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	require.Len(t, rec.Results, 2)
	const name = "Noise/subject=gitlab-mcp/transport=http/surface=meta/creds=20"
	off, on := rec.Results[0], rec.Results[1]
	assert.Equal(t, []string{name + lookOff, name + lookOn}, []string{off.Name, on.Name})
	assert.Equal(t, off.Config, on.Config, "nothing else differs")
	for _, unit := range []string{"cpu-ns/call", "calls", "call-p50-ns", "list-p50-ns", "suite-cpu-cores", "loaded-cpu-cores"} {
		a, ok := off.Value(unit)
		b, both := on.Value(unit)
		assert.True(t, ok && both && a > 0, unit)
		assert.NotEqual(t, a, b, "%s is of half of the turns each", unit) //nolint:testifylint // not to be near, to differ
	}
	for _, unit := range []string{"exit-ns", "list-bytes", "clients"} {
		a, _ := off.Value(unit)
		b, _ := on.Value(unit)
		assert.InDelta(t, a, b, 0, "%s is the process's own", unit)
	}
	assert.Equal(t, "no part of what looking costs", on.Absent["rest-RSS-bytes"])
	assert.Len(t, rec.Plan, 12, "five scenarios on two sides, and a pair")
	assert.Len(t, rec.Missing(), 10)

	before := readFile(t, path)
	out, err = measuring(t, "Noise/surface=meta/look=", append(flags, "-resume")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, before, readFile(t, path), "what the record holds is not measured again")
}
