// Command page draws a record of measurements as a page, or checks that a page
// is the one its record gives.
//
//	go run ./cmd/page -record results/HOST           draw results/HOST/page
//	go run ./cmd/page -record results/HOST -check    fail with a diff if it differs
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
		say(stderr, usage+compareUsage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.record, "record", "", "the record: a file, or a folder of .txt `files`")
	flags.StringVar(&o.out, "out", "", "`folder` of the page (default: page, beside the record), or file of the comparison")
	flags.BoolVar(&o.check, "check", false, "draw nothing; fail with a diff if the page differs from what the record gives")
	flags.BoolVar(&o.force, "force", false, "replace a page even by a record that holds less, or compare records that were not measured alike")
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

// do draws, checks or compares.
func (o options) do(stdout, stderr io.Writer) error {
	if o.asked() {
		return o.compare(stdout, stderr)
	}
	files, folder, err := record.Files(o.record)
	if err != nil {
		return err
	}
	rec, err := record.Read(files...)
	if err != nil {
		return err
	}
	for _, dropped := range rec.Dropped {
		say(stderr, "page: left out:", dropped)
	}
	doc, err := page.Draw(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", o.record, err)
	}
	out := cmp.Or(o.out, filepath.Join(folder, "page"))
	doc.Record = wayBack(out, folder)
	d, err := draw(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", o.record, err)
	}
	return o.settle(d, doc.Covers, rec, out, stdout)
}

// settle checks the page in a folder against the drawing, or replaces it if it
// may.
func (o options) settle(d drawing, covers page.Coverage, rec *record.Record, out string, stdout io.Writer) error {
	path := filepath.Join(out, readme)
	old, err := os.ReadFile(path)
	there := !errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && there:
		return fmt.Errorf("read page: %w", err)
	case o.check && !there:
		return fmt.Errorf("there is no page at %s: draw it without -check", path)
	case o.check:
		return d.check(out, stdout)
	case there && !o.force:
		if err := mayReplace(path, old, covers, rec); err != nil {
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

// mayReplace refuses to put less in the place of more: a record that lacks
// some of its own plan, or some of what the page there was drawn from. Drawing
// the same results again is always allowed.
func mayReplace(path string, old []byte, next page.Coverage, rec *record.Record) error {
	held := page.ReadCoverage(old)
	if len(held) == 0 {
		return fmt.Errorf("%s was not drawn by this command: -force replaces it", path)
	}
	if lost := held.Lost(next); len(lost) > 0 {
		return fmt.Errorf("the record holds less than the page at %s, which -force replaces all the same:\n  %s",
			path, strings.Join(lost, "\n  "))
	}
	if missing := page.Missing(rec); len(missing) > 0 && !maps.Equal(held, next) {
		return fmt.Errorf("the record is partial, so it does not replace the page at %s unless by -force; planned and not measured: %s",
			path, missing)
	}
	return nil
}
