package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpbench/internal/page"
	"mcpbench/internal/record"
)

const publishUsage = `   or: page -record FOLDER -publish FILE [-publish FILE]... [-force]

Moves the files into the record at FOLDER, in the place of those of the same names, and draws its page; but first draws the page
of what the record will then be. If that cannot be drawn, or may not replace what is published, nothing is moved.
`

// wrongPublishing says what is wrong with asking to publish, or "".
func (o options) wrongPublishing() string {
	switch {
	case o.record == "":
		return "-publish takes -record, the folder to publish to"
	case o.check || o.out != "":
		return "-publish draws the page of the record: leave out -check and -out"
	}
	return ""
}

// publish judges what the record will be, and only then moves the files.
func (o options) publish(stdout, stderr io.Writer) error {
	before, err := filesIn(o.record)
	if err != nil {
		return err
	}
	next, err := o.read(o.after(before), o.record, stderr)
	if err != nil {
		return fmt.Errorf("nothing is published: %w", err)
	}
	if err := o.hollow(next.record); err != nil {
		return fmt.Errorf("nothing is published: %w", err)
	}
	if !o.force {
		if err := o.mayPublish(before, next); err != nil {
			return fmt.Errorf("nothing is published: %w", err)
		}
	}
	if err := moveInto(o.record, o.files); err != nil {
		return err
	}
	o.files = nil
	return o.do(stdout, stderr)
}

// filesIn are the files of the record in a folder, of which there may be none
// yet, nor the folder.
func filesIn(folder string) ([]string, error) {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("record: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("record: %s is no folder to publish to", folder)
	}
	files, err := filepath.Glob(filepath.Join(escaped(folder), "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return files, nil
}

// escaped is a path that a pattern matches as it stands.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// after is what the record is made of once the files are published.
func (o options) after(before []string) []string {
	kept := slices.DeleteFunc(slices.Clone(before), func(path string) bool {
		return slices.ContainsFunc(o.files, func(file string) bool { return filepath.Base(file) == filepath.Base(path) })
	})
	return append(kept, o.files...)
}

// hollow refuses a file without results, as a measurement that came to nothing
// leaves it.
func (o options) hollow(next *record.Record) error {
	for _, file := range o.files {
		if !slices.ContainsFunc(next.Results, func(r record.Result) bool { return r.File == file }) {
			return fmt.Errorf("%s holds no result", file)
		}
	}
	return nil
}

// mayPublish refuses what holds less than the record does, or than its page says
// that it was drawn from.
func (o options) mayPublish(before []string, next *drawn) error {
	if len(before) > 0 {
		old, err := record.Read(before...)
		if err != nil {
			return err
		}
		if err := mayReplace("the record at "+o.record, page.CoverageOf(old), next); err != nil {
			return err
		}
	}
	return mayReplacePage(filepath.Join(o.record, "page", readme), next)
}

// moveInto moves files into a folder. All are written there under other names
// first, so that where one cannot be, none is in place.
func moveInto(folder string, files []string) (err error) {
	aside := func(file string) string { return filepath.Join(folder, "."+filepath.Base(file)+".new") }
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = record.WriteFile(aside(file), data)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("publish: %w", err), removed(files, aside))
		}
	}
	for _, file := range files {
		if err := os.Rename(aside(file), filepath.Join(folder, filepath.Base(file))); err != nil {
			return errors.Join(fmt.Errorf("publish: %w", err), removed(files, aside))
		}
	}
	return removed(files, func(file string) string { return file })
}

// removed removes what of files there is.
func removed(files []string, at func(string) string) error {
	var errs []error
	for _, file := range files {
		if err := os.Remove(at(file)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
