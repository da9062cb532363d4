// Command size says what to grant a server for the crowd it is to serve, by the
// model that a record of measurements carries.
//
//	go run ./cmd/size -surface meta -people 300 -every 60s
//	go run ./cmd/size -surface meta -credentials 300 -calling 40
//
// It measures nothing, and what the record cannot carry it withholds, with the
// reason.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpbench/internal/page"
	"mcpbench/internal/record"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage: size {-people N [-every TIME] | -credentials N -calling N} [-surface NAME] [-transport http|stdio]

Says how much memory, how many cores and what waits to expect, on each tool surface that the record has; of one that
-surface names it prints settings to paste as well. People call once in a while, as persons do; of credentials, so
many have a call in flight at all times, as programs do.

    size -people 300                                        300 people who each call once a minute
    size -people 300 -every 10s -surface meta               who each call every ten seconds, with settings
    size -credentials 300 -calling 40 -surface meta -json   programs, for other programs to read

Exit code: 0 there is a limit; 1 the record has none to give, or cannot be read; 2 wrong usage.
`

// options are what the command line asks for.
type options struct {
	record, surface, transport, platform string
	people, credentials, calling         int
	every                                time.Duration
	beyond                               float64
	json                                 bool
}

// Twice what was measured is how far lines are followed unless more is asked for.
const usualBeyond = 2

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		say(stderr, "size:", err)
		say(stderr, "size -h says what there is.")
		return 2
	}
	if err := o.do(stdout); err != nil {
		say(stderr, "size:", err)
		return 1
	}
	return 0
}

// say writes a line for people. Where a terminal takes no more there is nobody
// left to tell of it.
func say(w io.Writer, parts ...any) { _, _ = fmt.Fprintln(w, parts...) }

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("size", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller says what is wrong
	flags.StringVar(&o.record, "record", "", "the record: a file, or a `folder` of .txt files (default: the one under results/)")
	flags.StringVar(&o.surface, "surface", "", "`name` of the tool surface that is served (default: each, without settings)")
	flags.StringVar(&o.transport, "transport", "http", "http, where one process serves all, or stdio, where each has their own")
	flags.IntVar(&o.people, "people", 0, "how many people use it, each with a credential of their own")
	o.every = time.Minute
	flags.Func("every", "`time` from one call of a person to the next (default 1m)", o.setEvery)
	flags.IntVar(&o.credentials, "credentials", 0, "how many credentials are held")
	flags.IntVar(&o.calling, "calling", 0, "how many of them have a call in flight at all times")
	flags.StringVar(&o.platform, "for", "all", "settings to print: kubernetes, compose, systemd, all or none")
	flags.Float64Var(&o.beyond, "beyond", usualBeyond, "how many `times` what was measured the model may be followed to; 1 is not at all")
	flags.BoolVar(&o.json, "json", false, "print the need as JSON instead, in base units")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(stderr)
			say(stderr, usage)
			flags.PrintDefaults()
		}
		return o, err
	}
	return o, o.check(flags.Args())
}

func (o *options) setEvery(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("use a form like 90s, 5m or 1h")
	}
	o.every = d
	return nil
}

// check says what is wrong with the question.
func (o options) check(rest []string) error {
	crowd, busy := o.people != 0, o.credentials != 0 || o.calling != 0
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.surface == "" && o.json:
		return errors.New("-json answers for one tool surface: name it with -surface")
	case crowd == busy:
		return errors.New("give either -people with how many there are, or -credentials and -calling")
	case crowd && (o.people < 1 || o.every <= 0):
		return errors.New("-people must be at least 1 and -every above zero")
	case busy && (o.calling < 1 || o.credentials < o.calling):
		return errors.New("-credentials is how many are held, and -calling how many of them call at once: at least 1, and no more than -credentials")
	case o.transport != "http" && o.transport != "stdio":
		return fmt.Errorf("-transport %s: there are http and stdio", o.transport)
	case o.beyond < 1:
		return errors.New("-beyond must be at least 1")
	case !slices.Contains(o.platforms(), o.platform):
		return fmt.Errorf("-for %s: there are %s", o.platform, strings.Join(o.platforms(), ", "))
	}
	return nil
}

func (o options) platforms() []string {
	names := []string{"all", "none"}
	for _, p := range page.Platforms() {
		names = append(names, string(p))
	}
	return names
}

// do answers the question.
func (o options) do(stdout io.Writer) error {
	path, rec, err := o.read()
	if err != nil {
		return err
	}
	doc, err := page.Draw(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if doc.Calculator == nil {
		return fmt.Errorf("%s has no series of measurements, which a model is made of", path)
	}
	return o.answer(stdout, path, doc.Calculator)
}

// answer answers for the surface that was named, or for each.
func (o options) answer(stdout io.Writer, path string, c *page.Calculator) error {
	var errs []error
	after := "\nName a surface with -surface, and settings to paste follow.\n"
	for _, surface := range o.surfaces(c) {
		one := o
		one.surface = surface
		a, err := one.ask(c)
		if err != nil {
			return fmt.Errorf("%s: %w; there are %s", path, err, strings.Join(c.Names(), ", "))
		}
		a.record = path
		if o.surface != "" {
			after = a.snippets(o.platform)
		}
		errs = append(errs, a.write(stdout, one))
	}
	if !o.json {
		_, err := fmt.Fprintf(stdout, "%s\n%s", source(path, c), after)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// surfaces are those to answer for.
func (o options) surfaces(c *page.Calculator) []string {
	if o.surface != "" {
		return []string{o.surface}
	}
	var names []string
	for _, s := range c.Surfaces {
		if s.Transport == o.transport {
			names = append(names, s.Surface)
		}
	}
	return names
}

func (o options) ask(c *page.Calculator) (answer, error) {
	a := answer{model: c, surface: o.surface, transport: o.transport}
	var err error
	if o.people > 0 {
		a.need, err = c.Need(o.surface, o.transport, o.people, o.every)
	} else {
		a.need, err = c.Serving(o.surface, o.transport, o.credentials, o.calling)
	}
	if err == nil {
		a.need, err = c.Extrapolate(o.surface, o.transport, a.need, o.beyond)
	}
	if err != nil {
		return a, err
	}
	if _, why := a.need.Limit(); why == "" {
		a.grant, err = c.Grant(o.surface, o.transport, a.need)
	}
	return a, err
}

// read reads the record, or the only one that is published here.
func (o options) read() (path string, rec *record.Record, err error) {
	if path = o.record; path == "" {
		if path, err = onlyRecord("results"); err != nil {
			return "", nil, err
		}
	}
	files, _, err := record.Files(path)
	if err != nil {
		return "", nil, err
	}
	rec, err = record.Read(files...)
	return path, rec, err
}

// onlyRecord is the folder below dir that holds a record, if there is one alone.
func onlyRecord(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.txt"))
	if err != nil {
		return "", err
	}
	var folders []string
	for _, f := range files {
		folders = append(folders, filepath.Dir(f))
	}
	switch folders = slices.Compact(folders); len(folders) {
	case 0:
		return "", fmt.Errorf("no record under %s: name one with -record", dir)
	case 1:
		return folders[0], nil
	default:
		return "", fmt.Errorf("there are records of several hosts, name one with -record: %s", strings.Join(folders, ", "))
	}
}
