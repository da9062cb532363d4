// Command page draws a record of measurements as a page, or checks that a page
// is the one its record gives.
//
//	go run ./cmd/page -record results/HOST           draw results/HOST/page
//	go run ./cmd/page -record results/HOST -check    fail with a diff if it differs
//	go run ./cmd/page -record results/HOST -publish FILE
//	                                                 move a new file of the record in, and draw
//	go run ./cmd/page -old A -new B                  compare two records
//
// It measures nothing. The record is a file, or a folder whose .txt files
// belong together.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"mcpbench/internal/page"
	"mcpbench/internal/record"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: page -record PATH [-out FOLDER] [-check | -force]

Draws the record at PATH, a file or a folder of .txt files, into FOLDER: README.md for a repository browser,
index.html for any other, which needs nothing beside it, and the charts of the first. With -check it says how the
files there differ from that, and which are missing or left over.
Exit code: 0 drawn, or the page matches; 1 it does not, or something failed; 2 wrong usage.
`

// say writes a line for people. Where a terminal takes no more there is nobody
// left to tell of it.
func say(w io.Writer, parts ...any) { _, _ = fmt.Fprintln(w, parts...) }

// options are what the command line asks for.
type options struct {
	record, out  string
	check, force bool
	files        []string // to be published
	comparison
}

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := o.do(stdout, stderr); err != nil {
		say(stderr, "page:", err)
		return 1
	}
	return 0
}

// parse reads the command line. What is wrong with it is said on stderr.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		say(stderr, usage+publishUsage+compareUsage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.record, "record", "", "the record: a file, or a folder of .txt `files`")
	flags.StringVar(&o.out, "out", "", "`folder` of the page (default: page, beside the record), or file of the comparison")
	flags.BoolVar(&o.check, "check", false, "draw nothing; fail with a diff if the page differs from what the record gives")
	flags.BoolVar(&o.force, "force", false, "replace a page even by a record that holds less, or compare records that were not measured alike")
	flags.Func("publish", "move this `file` into the record, if the page may then be drawn; as often as there are files", func(path string) error {
		o.files = append(o.files, path)
		return nil
	})
	o.register(flags)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	wrong := ""
	switch {
	case flags.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q", flags.Arg(0))
	case o.asked():
		wrong = o.wrongComparison()
	case len(o.files) > 0:
		wrong = o.wrongPublishing()
	case o.record == "":
		wrong = "-record is missing: name the file or folder to draw"
	case o.check && o.force:
		wrong = "-check draws nothing, so there is nothing to -force"
	}
	if wrong != "" {
		say(stderr, "page:", wrong)
		return o, errors.New(wrong)
	}
	return o, nil
}

// do draws, checks, publishes or compares.
func (o options) do(stdout, stderr io.Writer) error {
	switch {
	case o.asked():
		return o.compare(stdout, stderr)
	case len(o.files) > 0:
		return o.publish(stdout, stderr)
	}
	files, folder, err := record.Files(o.record)
	if err != nil {
		return err
	}
	d, err := o.read(files, folder, stderr)
	if err != nil {
		return err
	}
	return o.settle(d, o.pageOf(folder), stdout)
}

// drawn is a page that is not in place yet, and the record that it is of.
type drawn struct {
	drawing
	record *record.Record
	covers page.Coverage
}

// pageOf is where the page of the record in a folder goes.
func (o options) pageOf(folder string) string { return cmp.Or(o.out, filepath.Join(folder, "page")) }

// read draws the page of files that are, or will be, the record in a folder.
func (o options) read(files []string, folder string, stderr io.Writer) (*drawn, error) {
	rec, err := record.Read(files...)
	if err != nil {
		return nil, err
	}
	for _, dropped := range rec.Dropped {
		say(stderr, "page: left out:", dropped)
	}
	doc, err := page.Draw(rec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.record, err)
	}
	doc.Record = wayBack(o.pageOf(folder), folder)
	d, err := draw(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.record, err)
	}
	return &drawn{d, rec, doc.Covers}, nil
}

// settle checks the page in a folder against the drawing, or replaces it if it
// may.
func (o options) settle(d *drawn, out string, stdout io.Writer) error {
	path := filepath.Join(out, readme)
	switch _, err := os.Stat(path); {
	case o.check && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no page at %s: draw it without -check", path)
	case o.check:
		return d.check(out, stdout)
	case !o.force:
		if err := mayReplacePage(path, d); err != nil {
			return err
		}
	}
	if err := d.write(out); err != nil {
		return err
	}
	say(stdout, path)
	say(stdout, filepath.Join(out, index))
	return nil
}

// mayReplacePage refuses to replace a page by one of less, and what is no page.
func mayReplacePage(path string, next *drawn) error {
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read page: %w", err)
	}
	held := page.ReadCoverage(old)
	if len(held) == 0 {
		return fmt.Errorf("%s was not drawn by this command: -force replaces it", path)
	}
	return mayReplace("the page at "+path, held, next)
}

// mayReplace refuses to put less in the place of more: a record that lacks
// some of its own plan, or some of what is there. Drawing the same results
// again is always allowed.
func mayReplace(what string, held page.Coverage, next *drawn) error {
	if lost := held.Lost(next.covers); len(lost) > 0 {
		return fmt.Errorf("the record holds less than %s, which -force replaces all the same:\n  %s",
			what, strings.Join(lost, "\n  "))
	}
	if missing := page.Missing(next.record); len(missing) > 0 && !maps.Equal(held, next.covers) {
		return fmt.Errorf("the record is partial, so it does not replace %s unless by -force; planned and not measured: %s",
			what, missing)
	}
	return nil
}
