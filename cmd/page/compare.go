package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"mcpbench/internal/compare"
	"mcpbench/internal/record"
)

const compareUsage = `   or: page -old PATH -new PATH [-noise PATH] [-out FILE] [-force] [-fail-on-worse]

Compares two records, files or folders, as Markdown for a comment on a merge request, on standard output, or to FILE:
as one page for browsers if that ends in .html.
Exit code: 0 compared, whatever came out; 1 something is worse, if -fail-on-worse, or something failed; 2 wrong usage.
`

// commentBytes keeps a comparison within a comment of GitHub, which takes
// 65,536 characters.
const commentBytes = 60_000

// comparison is what the command line asks for instead of a page.
type comparison struct {
	old, new    string
	noise       string
	failOnWorse bool
	limit       int
}

func (c *comparison) register(flags *flag.FlagSet) {
	flags.StringVar(&c.old, "old", "", "compare this record, a file or a folder of .txt `files`, with -new instead of drawing a page")
	flags.StringVar(&c.new, "new", "", "the record, a file or a folder of .txt `files`, that is compared with -old")
	flags.StringVar(&c.noise, "noise", "", "hold changes also to what this record, of a build measured against itself on the same host, says of noise")
	flags.BoolVar(&c.failOnWorse, "fail-on-worse", false, "end with exit code 1 if the comparison finds anything worse")
	flags.IntVar(&c.limit, "limit", commentBytes, "`bytes` above which the comparison leaves out figures that are folded up; 0 for no limit")
}

// asked reports whether a comparison is wanted.
func (c comparison) asked() bool { return c.old != "" || c.new != "" || c.noise != "" || c.failOnWorse }

// wrongComparison says what is wrong with asking for one, or "".
func (o options) wrongComparison() string {
	switch {
	case o.old == "" || o.new == "":
		return "a comparison takes both -old and -new"
	case o.record != "" || o.check || len(o.files) > 0:
		return "-old and -new draw no page: leave out -record, -check and -publish"
	case o.limit < 0:
		return "-limit is below zero"
	}
	return ""
}

// compare writes the comparison and says what it could not tell. Its error is
// a failure, or what -fail-on-worse found.
func (o options) compare(stdout, stderr io.Writer) error {
	before, err := readSide(o.old, stderr)
	if err != nil {
		return err
	}
	after, err := readSide(o.new, stderr)
	if err != nil {
		return err
	}
	if o.noise != "" {
		noise, err := readSide(o.noise, stderr)
		if err != nil {
			return err
		}
		before.Results = append(before.Results, slices.DeleteFunc(noise.Results, func(r record.Result) bool { return r.Kind() != record.Noise })...)
	}
	hold := compare.Compare
	if o.force {
		hold = compare.Forced
	}
	c, err := hold(before, after)
	switch {
	case errors.Is(err, compare.ErrUnlike):
		return fmt.Errorf("%w\n-force compares them all the same", err)
	case err != nil:
		return err
	}
	text := c.Markdown(o.limit)
	if filepath.Ext(o.out) == ".html" {
		if text, err = c.HTML(); err != nil {
			return err
		}
	}
	if err := o.deliver(text, stdout); err != nil {
		return err
	}
	return o.failure(c, stderr)
}

// deliver puts the comparison where it was asked for.
func (o options) deliver(text []byte, stdout io.Writer) error {
	if o.out != "" {
		return record.WriteFile(o.out, text)
	}
	if _, err := stdout.Write(text); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// failure is what -fail-on-worse makes of the comparison. That much could not
// be told is no failure, but neither may it pass for good news.
func (o options) failure(c *compare.Comparison, stderr io.Writer) error {
	if !o.failOnWorse {
		return nil
	}
	if untold, unbelieved := c.Count(compare.Untold), len(c.Unbelieved); untold+unbelieved > 0 {
		say(stderr, fmt.Sprintf("page: -fail-on-worse does not know of %d figures without a verdict and %d scenarios without a believed result",
			untold, unbelieved))
	}
	if worse := c.Count(compare.Worse); worse > 0 {
		return fmt.Errorf("worse by -fail-on-worse: %d of %d figures", worse, len(c.Figures()))
	}
	return nil
}

// readSide reads one of the two records, and says what was cut short in it.
func readSide(path string, stderr io.Writer) (*record.Record, error) {
	files, _, err := record.Files(path)
	if err != nil {
		return nil, err
	}
	rec, err := record.Read(files...)
	if err != nil {
		return nil, err
	}
	for _, dropped := range rec.Dropped {
		say(stderr, "page: left out:", dropped)
	}
	return rec, nil
}
