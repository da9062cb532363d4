package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/page"
	"mcpbench/internal/page/chart"
)

// contents reads a folder's files, by their paths in it.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[name] = string(data)
		return err
	}))
	return files
}

func TestAPageIsAllOfItsFiles(t *testing.T) {
	folder := t.TempDir()
	writeRecord(t, folder, 100<<20, 2, pointName)
	code, _, stderr := command("-record", folder)
	require.Zero(t, code, stderr)
	files := contents(t, filepath.Join(folder, "page"))
	assert.Contains(t, files["README.md"], "| http, meta | 64 | 100 |")
	assert.Contains(t, files["index.html"], `href="../points.txt#L`)
	assert.Contains(t, files["README.md"], page.ChartsFolder+"/", "the sample has a chart")
	for name := range files {
		if filepath.Ext(name) == ".svg" {
			assert.Contains(t, files["README.md"], filepath.ToSlash(name))
		}
		assert.NotContains(t, name, ".drawing-")
	}
}

func TestCheckNamesEveryFileThatDiffers(t *testing.T) {
	folder := t.TempDir()
	writeRecord(t, folder, 100<<20, 2, pointName)
	code, _, stderr := command("-record", folder)
	require.Zero(t, code, stderr)
	at := func(name string) string { return filepath.Join(folder, "page", name) }
	for _, tc := range []struct {
		name      string
		damage    func() error
		err, said string
	}{
		{"index changed", func() error {
			return os.WriteFile(at("index.html"), []byte("<!DOCTYPE html>\n<html lang=\"de\">\n"), 0o644)
		},
			"index.html", "index.html differs from line 2 on:\n-<html lang=\"de\">\n+<html lang=\"en\">\n"},
		{"index missing", func() error { return os.Remove(at("index.html")) }, "index.html (missing)", ""},
		{"chart left over", func() error {
			return put(at("charts/old.svg"), []byte("<svg/>"))
		}, "charts/old.svg (left over)", ""},
		{"other files are not the page's", func() error { return put(at("charts/notes.txt"), nil) }, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.NoError(t, tc.damage())
			code, stdout, stderr := command("-record", folder, "-check")
			assert.Equal(t, tc.said != "" || tc.err != "", code != 0)
			assert.Contains(t, stderr, tc.err)
			assert.Contains(t, stdout, tc.said)

			code, _, stderr = command("-record", folder)
			require.Zero(t, code, stderr)
			code, _, stderr = command("-record", folder, "-check")
			assert.Zero(t, code, stderr)
		})
	}
	assert.FileExists(t, at("charts/notes.txt"))
	assert.NoFileExists(t, at("charts/old.svg"))
}

func TestTheWayBackToTheRecord(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	assert.Equal(t, "..", wayBack(filepath.Join(folder, "page"), folder))
	way := wayBack(out, folder)
	assert.True(t, strings.HasPrefix(way, ".."), way)
	writeRecord(t, folder, 100<<20, 2, pointName)
	code, _, stderr := command("-record", filepath.Join(folder, "points.txt"), "-out", out)
	require.Zero(t, code, stderr)
	assert.Contains(t, contents(t, out)["index.html"], `href="`+way+`/points.txt#L`)
}

func TestFirstDifference(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct{ old, drawn, want string }{
		{"a\nb\nc", "a\nB\nc", "p differs from line 2 on:\n-b\n+B"},
		{"a\n", "a\nb", "p differs from line 2 on:\n-\n+b"},
		{"", "a", "p differs from line 1 on:\n-\n+a"},
		{long + "é1" + long, long + "é2" + long,
			"p differs from line 1 on:\n-" + long[:58] + "é1" + long[:99] + "\n+" + long[:58] + "é2" + long[:99]},
	} {
		assert.Equal(t, tc.want, firstDifference("p", tc.old, tc.drawn))
	}
}

// An error leaves the page as it was, and nothing beside it.
func TestWriteOrNothing(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, drawing{readme: []byte("old"), "charts/a.svg": []byte("a")}.write(folder))
	before := contents(t, folder)
	require.ErrorContains(t, drawing{readme: []byte("new"), "charts/b.svg/c": nil, "charts/b.svg": nil}.write(folder), "write page")
	assert.Equal(t, before, contents(t, folder))

	require.NoError(t, os.Mkdir(filepath.Join(folder, index), 0o755))
	require.ErrorContains(t, drawing{readme: []byte("new"), index: nil, "charts/a.svg": []byte("a")}.write(folder), "write page")
	require.ErrorContains(t, drawing{readme: []byte("old"), index: nil}.check(folder, &strings.Builder{}), "read page")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.ErrorContains(t, drawing{}.write(file), "write page")
	blocked := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(blocked, "charts"), nil, 0o644))
	require.ErrorContains(t, drawing{readme: nil}.write(blocked), "read page")
	require.ErrorContains(t, drawing{}.check(blocked, &strings.Builder{}), "read page")

	full := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(full, "charts", "old.svg", "x"), 0o755))
	require.ErrorContains(t, drawing{}.write(full), "no longer has")
}

func TestDrawRefusesAChartThatCannotBeDrawn(t *testing.T) {
	_, err := draw(&page.Document{Title: "T", Sections: []page.Section{{Blocks: []page.Block{{Chart: &chart.Chart{Name: "bad name"}}}}}})
	require.ErrorContains(t, err, "draw chart bad name")
}
