package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

const pointName = "Point/subject=s/transport=http/surface=meta/telemetry=off"

// command runs the command and returns what it said.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// writeRecord begins a record in folder that plans two rounds of each name and
// holds the given number of the first.
func writeRecord(t *testing.T, folder string, peak float64, rounds int, names ...string) {
	t.Helper()
	path := filepath.Join(folder, "points.txt")
	require.NoError(t, os.RemoveAll(path))
	plan := make(record.Plan)
	for _, name := range names {
		plan[name] = 2
	}
	w, err := record.Create(path, plan)
	require.NoError(t, err)
	for round := range rounds {
		require.NoError(t, w.Write(record.Result{Name: names[0], Iterations: 1,
			Identity: map[string]string{record.KeyRound: fmt.Sprint(round + 1), record.KeyDate: "2026-11-30T10:00:00Z"},
			Values:   []record.Value{{Unit: "peak-RSS-bytes", Amount: peak}, {Unit: "clients", Amount: 64}}}))
	}
	require.NoError(t, w.Close())
}

func TestDrawThenCheck(t *testing.T) {
	folder := t.TempDir()
	writeRecord(t, folder, 100<<20, 2, pointName)
	path := filepath.Join(folder, "page", "README.md")

	code, _, stderr := command("-record", folder, "-check")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "there is no page at "+path)

	code, stdout, stderr := command("-record", folder)
	require.Zero(t, code, stderr)
	assert.Equal(t, path+"\n"+filepath.Join(folder, "page", "index.html")+"\n", stdout)
	code, stdout, _ = command("-record", folder, "-check")
	assert.Zero(t, code)
	assert.Empty(t, stdout)

	writeRecord(t, folder, 200<<20, 2, pointName)
	code, stdout, stderr = command("-record", filepath.Join(folder, "points.txt"), "-check")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "not what the record gives")
	assert.Contains(t, stdout, "--- "+path)
	assert.Contains(t, stdout, "\n-| http, meta | 64 | 100 |")
	assert.Contains(t, stdout, "\n+| http, meta | 64 | 200 |")

	code, _, stderr = command("-record", folder)
	assert.Zero(t, code, "as many results replace a page: %s", stderr)
}

func TestPartialRecordDoesNotReplace(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "page", "README.md")
	draw := func(args ...string) (int, string) {
		code, _, stderr := command(append([]string{"-record", folder}, args...)...)
		return code, stderr
	}
	writeRecord(t, folder, 1<<20, 1, pointName)
	code, stderr := draw()
	require.Zero(t, code, "where there is no page a partial record is drawn: %s", stderr)
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(first), "**This record is partial.**")

	writeRecord(t, folder, 2<<20, 1, pointName)
	code, stderr = draw()
	require.Zero(t, code, "the same results drawn again: %s", stderr)

	writeRecord(t, folder, 1<<20, 2, pointName)
	code, stderr = draw()
	require.Zero(t, code, stderr)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(whole), "partial")

	writeRecord(t, folder, 1<<20, 1, pointName)
	code, stderr = draw()
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, pointName+": 1 rounds, published are 2")

	writeRecord(t, folder, 1<<20, 3, pointName, "Point/subject=s/transport=http/surface=dynamic/telemetry=off")
	code, stderr = draw()
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "the record is partial")
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(kept))

	code, stderr = draw("-force")
	assert.Zero(t, code, stderr)
}

func TestForeignFileIsKept(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	writeRecord(t, folder, 1<<20, 2, pointName)
	require.NoError(t, os.WriteFile(filepath.Join(out, "README.md"), []byte("mine"), 0o644))
	code, _, stderr := command("-record", folder, "-out", out)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "was not drawn by this command")
}

func TestCutRecordIsReported(t *testing.T) {
	folder := t.TempDir()
	writeRecord(t, folder, 1<<20, 2, pointName)
	path := filepath.Join(folder, "points.txt")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data[:len(data)-3], 0o644))
	code, _, stderr := command("-record", folder)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "page: left out: "+path)
}

func TestUsage(t *testing.T) {
	code, _, stderr := command("-help")
	assert.Zero(t, code)
	assert.True(t, strings.HasPrefix(stderr, "usage: page"))
	for want, args := range map[string][]string{
		"-record is missing":         {},
		`unexpected argument "more"`: {"-record", "x", "more"},
		"nothing to -force":          {"-record", "x", "-check", "-force"},
		"flag provided but not":      {"-wrong"},
	} {
		code, _, stderr := command(args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, want)
	}
}

func TestErrors(t *testing.T) {
	empty := t.TempDir()
	bad := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bad, "a.txt"), []byte("schema: 1\nPASS\n"), 0o644))
	hollow := t.TempDir()
	writeRecord(t, hollow, 1, 0, pointName)
	taken := t.TempDir()
	writeRecord(t, taken, 1<<20, 2, pointName)
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "page", "README.md"), 0o755))
	blocked := t.TempDir()
	writeRecord(t, blocked, 1<<20, 2, pointName)
	for want, args := range map[string][]string{
		"no such file":    {"-record", filepath.Join(empty, "gone")},
		"no .txt files":   {"-record", empty},
		"a.txt:2: \"PASS": {"-record", bad},
		"nothing to draw": {"-record", hollow},
		"read page":       {"-record", taken},
		"write ":          {"-record", blocked, "-out", "/proc/none"},
	} {
		code, _, stderr := command(args...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, want)
	}
}
