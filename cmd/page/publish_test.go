package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherName is a scenario that a record of pointName lacks.
const otherName = "Point/subject=s/transport=http/surface=dynamic/telemetry=off"

// written is a new record's file, outside the published one.
func written(t *testing.T, peak float64, rounds int, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	writeRecord(t, folder, peak, rounds, names...)
	return filepath.Join(folder, "points.txt")
}

// here is a record's folder with a page, and what is in it.
func here(t *testing.T) (folder string, files map[string]string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "host [1]")
	code, stdout, stderr := command("-record", folder, "-publish", written(t, 100<<20, 2, pointName))
	require.Zero(t, code, stderr)
	require.Equal(t, fmt.Sprintf("%[1]s/page/README.md\n%[1]s/page/index.html\n", folder), stdout)
	return folder, contents(t, folder)
}

func TestPublishing(t *testing.T) {
	folder, files := here(t)
	assert.Contains(t, files["page/README.md"], "| http, meta | 64 | 100 |", "the first, of which there is no folder yet")
	next := written(t, 200<<20, 2, pointName)
	code, _, stderr := command("-record", folder, "-publish", next)
	require.Zero(t, code, stderr)
	is := contents(t, folder)
	assert.Contains(t, is["page/README.md"], "| http, meta | 64 | 200 |")
	assert.Len(t, is, len(files), "nothing is left beside")
	assert.NoFileExists(t, next)
	code, _, stderr = command("-record", folder, "-check")
	assert.Zero(t, code, stderr)
}

// A new file stands beside those of other names, and several come at once.
func TestPublishingMore(t *testing.T) {
	folder, _ := here(t)
	more := filepath.Join(t.TempDir(), "series.txt")
	require.NoError(t, os.Rename(written(t, 300<<20, 2, otherName), more))
	code, _, stderr := command("-record", folder, "-publish", more, "-publish", written(t, 200<<20, 2, pointName))
	require.Zero(t, code, stderr)
	is := contents(t, folder)
	assert.Contains(t, is["page/README.md"], "| http, dynamic | 64 | 300 |")
	assert.Contains(t, is["page/README.md"], "| http, meta | 64 | 200 |")
}

// What is refused changes nothing, neither what is published nor itself.
func TestRefusedIsNotPublished(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "points.txt")
	require.NoError(t, os.WriteFile(bad, []byte("schema: 1\nPASS\n"), 0o644))
	hollow := filepath.Join(t.TempDir(), "soak.txt")
	require.NoError(t, os.Rename(written(t, 1, 0, pointName), hollow))
	for _, tt := range []struct {
		why   string
		files []string
	}{
		{"1 rounds, published are 2", []string{written(t, 1<<20, 1, pointName)}},
		{"the record is partial, so it does not replace the record at", []string{written(t, 1<<20, 3, pointName, otherName)}},
		{"holds less than the record at", []string{written(t, 1<<20, 2, otherName)}},
		{"points.txt:2: \"PASS", []string{bad}},
		{"holds no result", []string{hollow}},
		{"no such file", []string{filepath.Join(t.TempDir(), "gone.txt")}},
		{"no such file", []string{written(t, 1<<20, 3, pointName), filepath.Join(t.TempDir(), "gone.txt")}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			folder, was := here(t)
			before, _ := os.ReadFile(tt.files[0])
			args := []string{"-record", folder}
			for _, file := range tt.files {
				args = append(args, "-publish", file)
			}
			code, _, stderr := command(args...)
			assert.Equal(t, 1, code)
			assert.Contains(t, stderr, "nothing is published: ")
			assert.Contains(t, stderr, tt.why)
			assert.Equal(t, was, contents(t, folder))
			after, _ := os.ReadFile(tt.files[0])
			assert.Equal(t, string(before), string(after))
		})
	}
}

// A page may be lost, or be of more than the record still has.
func TestPublishingHeedsRecordAndPage(t *testing.T) {
	folder, _ := here(t)
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "page")))
	less := written(t, 1<<20, 1, pointName)
	code, _, stderr := command("-record", folder, "-publish", less)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "holds less than the record at")

	folder, _ = here(t)
	require.NoError(t, os.Remove(filepath.Join(folder, "points.txt")))
	code, _, stderr = command("-record", folder, "-publish", less)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "holds less than the page at")
	code, _, stderr = command("-record", folder, "-publish", less, "-force")
	assert.Zero(t, code, stderr)
	assert.NoFileExists(t, less)
}

// Files that cannot all be put in place are none of them in place.
func TestMovingIsWhole(t *testing.T) {
	folder, was := here(t)
	gone := filepath.Join(t.TempDir(), "gone.txt")
	require.Error(t, moveInto(folder, []string{written(t, 5<<20, 2, pointName), gone}))
	assert.Equal(t, was, contents(t, folder))
}

func TestPublishUsage(t *testing.T) {
	file := written(t, 1<<20, 2, pointName)
	for want, args := range map[string][]string{
		"-publish takes -record":       {"-publish", "x"},
		"leave out -check and -out":    {"-record", "x", "-check", "-publish", "x"},
		"-check and -out":              {"-record", "x", "-out", "y", "-publish", "x"},
		"-record, -check and -publish": {"-old", "x", "-new", "y", "-publish", "x"},
	} {
		code, _, stderr := command(args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, want)
	}
	code, _, stderr := command("-record", file, "-publish", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "is no folder to publish to")
	assert.FileExists(t, file)
}
