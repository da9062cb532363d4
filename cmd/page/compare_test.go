package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// writeBuild writes a record of one build, in which every round reads the same.
func writeBuild(t *testing.T, kernel string, peak float64, rounds int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.txt")
	w, err := record.Create(path, record.Plan{pointName: rounds})
	require.NoError(t, err)
	for round := range rounds {
		require.NoError(t, w.Write(record.Result{Name: pointName, Iterations: 1,
			Config:   map[string]string{record.KeyKernel: kernel},
			Identity: map[string]string{record.KeyRound: fmt.Sprint(round + 1), record.KeyDate: "2026-11-30T10:00:00Z"},
			Values:   []record.Value{{Unit: "peak-RSS-bytes", Amount: peak}}}))
	}
	require.NoError(t, w.Close())
	return path
}

func TestCompare(t *testing.T) {
	before, after := writeBuild(t, "6.1", 100<<20, 6), writeBuild(t, "6.1", 110<<20, 6)
	code, stdout, stderr := command("-old", before, "-new", after)
	assert.Zero(t, code, stderr)
	assert.Empty(t, stderr)
	assert.True(t, strings.HasPrefix(stdout, "**1 of 1 figure is worse**, in 1 scenario.\n"), stdout)
	assert.Contains(t, stdout, "| http, meta | `peak-RSS-bytes` | 100 MiB | 110 MiB | +10.00% | p=0.002 n=6 |")

	file := filepath.Join(t.TempDir(), "new", "comment.md")
	code, silent, stderr := command("-old", filepath.Dir(before), "-new", after, "-out", file)
	assert.Zero(t, code, stderr)
	assert.Empty(t, silent)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, stdout, string(written))

	file = filepath.Join(t.TempDir(), "new", "comparison.html")
	code, silent, stderr = command("-old", before, "-new", after, "-out", file)
	assert.Zero(t, code, stderr)
	assert.Empty(t, silent)
	written, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(written), "<!DOCTYPE html>"))
	assert.Contains(t, string(written), "<strong>1 of 1 figure is worse</strong>, in 1 scenario.")
}

func TestCompareFailsOnWorse(t *testing.T) {
	before, after := writeBuild(t, "6.1", 100<<20, 6), writeBuild(t, "6.1", 110<<20, 6)
	code, stdout, stderr := command("-old", before, "-new", after, "-fail-on-worse")
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "is worse", "the comparison is written all the same")
	assert.Equal(t, "page: worse by -fail-on-worse: 1 of 1 figures\n", stderr)

	code, _, stderr = command("-old", after, "-new", before, "-fail-on-worse")
	assert.Zero(t, code)
	assert.Empty(t, stderr)

	code, _, stderr = command("-old", before, "-new", writeBuild(t, "6.1", 110<<20, 3), "-fail-on-worse")
	assert.Zero(t, code)
	assert.Contains(t, stderr, "does not know of 1 figures without a verdict")
}

func TestCompareRefusesUnlessForced(t *testing.T) {
	before, after := writeBuild(t, "6.1", 100<<20, 6), writeBuild(t, "6.2", 110<<20, 6)
	code, stdout, stderr := command("-old", before, "-new", after)
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, `kernel: "6.1" in the old record, "6.2" in the new`)
	assert.Contains(t, stderr, "-force compares them all the same")

	code, stdout, stderr = command("-old", before, "-new", after, "-force")
	assert.Zero(t, code, stderr)
	assert.True(t, strings.HasPrefix(stdout, "**Compared by force"), stdout)
}

func TestCompareErrors(t *testing.T) {
	whole := writeBuild(t, "6.1", 1, 2)
	hollow := t.TempDir()
	writeRecord(t, hollow, 1, 0, pointName)
	bad := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(bad, []byte("schema: 1\nPASS\n"), 0o644))
	for want, args := range map[string][]string{
		"gone":                            {"-old", "gone", "-new", whole},
		"nowhere":                         {"-old", whole, "-new", "nowhere"},
		"a.txt:2: \"PASS":                 {"-old", bad, "-new", whole},
		"the new record holds no results": {"-old", whole, "-new", hollow},
		"write /proc":                     {"-old", whole, "-new", whole, "-out", "/proc/none/x.md"},
	} {
		code, _, stderr := command(args...)
		assert.Equal(t, 1, code, want)
		assert.Contains(t, stderr, want)
	}
	var errs strings.Builder
	assert.Equal(t, 1, run([]string{"-old", whole, "-new", whole}, full{}, &errs))
	assert.Contains(t, errs.String(), "write comparison: no room")
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestCompareReportsCutRecords(t *testing.T) {
	path := writeBuild(t, "6.1", 1, 2)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data[:len(data)-3], 0o644))
	code, _, stderr := command("-old", path, "-new", path)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "page: left out: "+path)
}

func TestCompareUsage(t *testing.T) {
	_, _, stderr := command("-help")
	assert.Contains(t, stderr, "or: page -old PATH -new PATH")
	for want, args := range map[string][]string{
		"takes both -old and -new":      {"-old", "x"},
		"both -old and -new":            {"-new", "x"},
		"comparison takes both":         {"-record", "x", "-fail-on-worse"},
		"leave out -record, -check and": {"-old", "x", "-new", "y", "-record", "z"},
		"draw no page: leave out":       {"-old", "x", "-new", "y", "-check"},
		"-limit is below zero":          {"-old", "x", "-new", "y", "-limit", "-1"},
		`unexpected argument "more`:     {"-old", "x", "-new", "y", "more"},
	} {
		code, _, stderr := command(args...)
		assert.Equal(t, 2, code, want)
		assert.Contains(t, stderr, want)
	}
}

// What a build measured against itself says of noise is taken from a file of its own.
func TestCompareWithNoise(t *testing.T) {
	before, after := writeBuild(t, "6.1", 100<<20, 6), writeBuild(t, "6.1", 110<<20, 6)
	noise := filepath.Join(t.TempDir(), "noise.txt")
	w, err := record.Create(noise, nil)
	require.NoError(t, err)
	for round := range 6 {
		for i, side := range []string{"a", "b"} {
			require.NoError(t, w.Write(record.Result{Name: strings.Replace(pointName, "Point", "Noise", 1) + "/side=" + side, Iterations: 1,
				Config:   map[string]string{record.KeyKernel: "6.1"},
				Identity: map[string]string{record.KeyRound: fmt.Sprint(round + 1)},
				Values:   []record.Value{{Unit: "peak-RSS-bytes", Amount: float64(90<<20 + (2*round+i)<<21)}}}))
		}
	}
	require.NoError(t, w.Close())
	code, stdout, stderr := command("-old", before, "-new", after, "-noise", noise)
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "1 within the noise")

	code, _, stderr = command("-noise", noise)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "both -old and -new")
	code, _, stderr = command("-old", before, "-new", after, "-noise", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "none")
}
