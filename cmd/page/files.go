package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"mcpbench/internal/page"
	"mcpbench/internal/page/chart"
)

// The files of a page beside its charts.
const (
	readme = "README.md"
	index  = "index.html"
)

// A drawing is the files that a page is made of, by their paths in its folder.
type drawing map[string][]byte

// draw renders a document.
func draw(doc *page.Document) (drawing, error) {
	d := drawing{readme: doc.Markdown()}
	for _, c := range doc.Charts() {
		for _, theme := range []chart.Theme{chart.Light, chart.Dark} {
			svg, err := c.SVG(theme)
			if err != nil {
				return nil, fmt.Errorf("draw chart %s: %w", c.Name, err)
			}
			d[filepath.Join(page.ChartsFolder, c.File(theme))] = svg
		}
	}
	html, err := doc.HTML()
	d[index] = html
	return d, err
}

// names are the paths in order, the page that says what it covers first.
func (d drawing) names() []string { return slices.Sorted(maps.Keys(d)) }

// wayBack is the path from the page to the record for links of the page, or
// nothing where there is none.
func wayBack(page, record string) string {
	from, err := filepath.Abs(page)
	to, err2 := filepath.Abs(record)
	way, err3 := filepath.Rel(from, to)
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return filepath.ToSlash(way)
}

// write puts the files in place and removes charts that the page no longer has.
// All is written aside first, so that an error leaves the page as it was. What
// says what the page covers comes last.
func (d drawing) write(folder string) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	aside, err := os.MkdirTemp(folder, ".drawing-")
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	leftOver, err := d.leftOver(folder)
	if err != nil {
		return err
	}
	for name, data := range d {
		if err := put(filepath.Join(aside, name), data); err != nil {
			return fmt.Errorf("write page: %w", err)
		}
	}
	for _, name := range slices.Backward(d.names()) {
		if err := move(filepath.Join(aside, name), filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("write page: %w", err)
		}
	}
	for _, name := range leftOver {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("remove what the page no longer has: %w", err)
		}
	}
	return nil
}

// put writes a file, and the folder it is in if need be.
func put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// move renames a file, into a folder that is made if need be.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// leftOver returns the charts in the folder that are not of the page.
func (d drawing) leftOver(folder string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(folder, page.ChartsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read page: %w", err)
	}
	var names []string
	for _, entry := range entries {
		name := filepath.Join(page.ChartsFolder, entry.Name())
		if _, drawn := d[name]; !drawn && filepath.Ext(name) == ".svg" {
			names = append(names, name)
		}
	}
	return names, nil
}

// errDiffers is why a check fails; how is on standard output.
var errDiffers = errors.New("the page is not what the record gives: draw it again without -check")

// check says how the files in the folder differ from the drawing: of the
// Markdown all, of others where they begin to.
func (d drawing) check(folder string, stdout io.Writer) error {
	var wrong []string
	for _, name := range d.names() {
		path := filepath.Join(folder, name)
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, name+" (missing)")
		case err != nil:
			return fmt.Errorf("read page: %w", err)
		case !bytes.Equal(old, d[name]):
			wrong = append(wrong, name)
			say(stdout, difference(path, string(old), string(d[name])))
		}
	}
	leftOver, err := d.leftOver(folder)
	if err != nil {
		return err
	}
	for _, name := range leftOver {
		wrong = append(wrong, name+" (left over)")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s: %w: %s", folder, errDiffers, strings.Join(wrong, ", "))
	}
	return nil
}

// difference shows how a file differs from what it should be.
func difference(path, old, drawn string) string {
	if filepath.Base(path) != readme {
		return firstDifference(path, old, drawn)
	}
	diff, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(old), B: difflib.SplitLines(drawn),
		FromFile: path, ToFile: "drawn from the record", Context: 2,
	})
	return strings.TrimSuffix(diff, "\n")
}

// firstDifference shows where two texts begin to differ. Their lines may be too
// long to be shown in full.
func firstDifference(path, old, drawn string) string {
	same := 0
	for same < min(len(old), len(drawn)) && old[same] == drawn[same] {
		same++
	}
	start := strings.LastIndex(old[:same], "\n") + 1
	line := strings.Count(old[:same], "\n") + 1
	const before, shown = 60, 160
	start = max(start, same-before)
	cut := func(text string) string {
		text, _, _ = strings.Cut(text[start:], "\n")
		return strings.ToValidUTF8(text[:min(len(text), shown)], "")
	}
	return fmt.Sprintf("%s differs from line %d on:\n-%s\n+%s", path, line, cut(old), cut(drawn))
}
