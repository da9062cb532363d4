package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Read returns what the files hold, in the order given. All that is wrong with
// them is reported at once, each fault with its file and line.
func Read(paths ...string) (*Record, error) {
	if len(paths) == 0 {
		return nil, errors.New("read record: no files")
	}
	whole := &Record{Plan: make(Plan)}
	var errs []error
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("read record: %w", err))
			continue
		}
		part, _, err := parse(data, path)
		errs = append(errs, err)
		if err == nil {
			whole.add(part)
		}
	}
	if err := errors.Join(append(errs, whole.checkOnce())...); err != nil {
		return nil, err
	}
	return whole, nil
}

// checkOnce refuses a result that is there twice, as in a file and its copy:
// counted twice, it would pass for a repetition.
func (r *Record) checkOnce() error {
	type identity struct{ name, date, round string }
	var errs []error
	seen := make(map[identity]Result)
	for _, result := range r.Results {
		id := identity{result.Name, result.About(KeyDate), result.About(KeyRound)}
		if first, twice := seen[id]; twice && id.date != "" {
			errs = append(errs, fmt.Errorf("%s:%d: the same result as %s:%d: %s, round %s of %s",
				result.File, result.Line, first.File, first.Line, id.name, id.round, id.date))
		}
		seen[id] = result
	}
	return errors.Join(errs...)
}

// Parse reads one record; name stands for it in errors.
func Parse(r io.Reader, name string) (*Record, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read record %s: %w", name, err)
	}
	rec, _, err := parse(data, name)
	return rec, err
}

// add appends another file's part. Files that plan the same result mean the
// same rounds of it.
func (r *Record) add(part *Record) {
	r.Results = append(r.Results, part.Results...)
	r.Dropped = append(r.Dropped, part.Dropped...)
	for name, rounds := range part.Plan {
		r.Plan[name] = max(r.Plan[name], rounds)
	}
}

// parse returns what data holds and the size of its whole part: up to the end
// of the last result, or nothing if there is none.
func parse(data []byte, name string) (*Record, int64, error) {
	p := &parser{name: name, rec: &Record{Plan: make(Plan), units: make(map[string]bool)}}
	data = p.dropCutLine(data)
	if err := checkSchema(data, name); err != nil {
		return nil, 0, err
	}
	p.readLines(data)
	p.readBench(data)
	p.finish()
	if err := errors.Join(p.errs...); err != nil {
		return nil, 0, err
	}
	return p.rec, p.end, nil
}

// A parser reads the text twice: the format's own reader takes results and
// configuration, and a walk over the lines takes the comments, which that
// reader skips. Line numbers join the two.
type parser struct {
	name  string
	rec   *Record
	errs  []error
	block []comment         // since the last benchmark line
	above map[int][]comment // blocks, by the number of the benchmark line below
	lines int               // walked so far
	end   int64             // offset just after the last benchmark line
}

// A comment is one "# key: value" line.
type comment struct {
	line       int
	key, value string
}

func (p *parser) errorf(line int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %w", p.name, line, fmt.Errorf(format, args...)))
}

// dropCutLine removes a last line that has no end, which is what a crash in
// the middle of a write leaves.
func (p *parser) dropCutLine(data []byte) []byte {
	whole := bytes.LastIndexByte(data, '\n') + 1
	if rest := len(data) - whole; rest > 0 {
		p.rec.Dropped = append(p.rec.Dropped, fmt.Sprintf("%s:%d: the last line is cut short (%d bytes)",
			p.name, bytes.Count(data, []byte("\n"))+1, rest))
	}
	return data[:whole]
}

// checkSchema is apart from all else because a newer text may hold anything.
func checkSchema(data []byte, name string) error {
	for line := range bytes.Lines(data) {
		value, ok := bytes.CutPrefix(line, []byte(wordSchema+":"))
		if !ok {
			continue
		}
		schema, err := strconv.Atoi(string(bytes.TrimSpace(value)))
		switch {
		case err != nil || schema < 1:
			return fmt.Errorf("%s: schema %q: want a number from 1", name, bytes.TrimSpace(value))
		case schema > Schema:
			return fmt.Errorf("%s: schema %d is newer than %d, the newest this program reads: "+
				"use the version of the suite that wrote it", name, schema, Schema)
		}
		return nil
	}
	return fmt.Errorf("%s: no \"%s:\" line: this is not a record of this suite", name, wordSchema)
}

// configForm is a configuration line as this package writes it.
var configForm = regexp.MustCompile(`^[a-z][a-z0-9-]*:($|[ \t])`)

// readLines takes comments and finds lines that belong to nothing.
func (p *parser) readLines(data []byte) {
	p.above = make(map[int][]comment)
	offset := int64(0)
	for raw := range bytes.Lines(data) {
		p.lines++
		offset += int64(len(raw))
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case strings.HasPrefix(line, "Benchmark"):
			p.above[p.lines], p.block, p.end = p.block, nil, offset
		case strings.HasPrefix(line, "# "):
			p.readComment(line)
		case line == "", strings.HasPrefix(line, "##"), strings.HasPrefix(line, "Unit "), configForm.MatchString(line):
		default:
			p.errorf(p.lines, "%q is not a line of a record", line)
		}
	}
}

func (p *parser) readComment(line string) {
	key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
	switch {
	case !ok || !keyForm.MatchString(key):
		p.errorf(p.lines, "%q: want \"# key: value\", or ## for prose", line)
	case key == wordPlan:
		p.readPlan(value)
	default:
		p.block = append(p.block, comment{p.lines, key, value})
	}
}

func (p *parser) readPlan(value string) {
	count, name, _ := strings.Cut(value, " ")
	rounds, err := strconv.Atoi(count)
	if err == nil {
		err = checkPlan(Plan{name: rounds})
	}
	if err != nil {
		p.errorf(p.lines, "plan %q: want a number of rounds and a name: %w", value, err)
		return
	}
	p.rec.Plan[name] = rounds
}

// checkPlan refuses names and rounds that no result could fulfil.
func checkPlan(plan Plan) error {
	var errs []error
	for _, name := range plan.Names() {
		errs = append(errs, checkName(name))
		if plan[name] < 1 {
			errs = append(errs, fmt.Errorf("%s is planned for %d rounds", name, plan[name]))
		}
	}
	return errors.Join(errs...)
}

// readBench takes results and unit declarations by the format's own reader.
func (p *parser) readBench(data []byte) {
	reader := benchfmt.NewReader(bytes.NewReader(data), p.name)
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			p.readResult(rec)
		case *benchfmt.UnitMetadata:
			p.readUnit(rec)
		case *benchfmt.SyntaxError:
			delete(p.above, rec.Line)
			p.errs = append(p.errs, rec)
		}
	}
	if err := reader.Err(); err != nil {
		p.errs = append(p.errs, err)
	}
}

func (p *parser) readResult(rec *benchfmt.Result) {
	_, line := rec.Pos()
	r := Result{Name: rec.Name.String(), Iterations: rec.Iters, File: p.name, Line: line,
		Config: make(map[string]string), Identity: make(map[string]string), Absent: make(map[string]string)}
	for _, v := range rec.Values {
		if v.OrigUnit != "" {
			v.Value, v.Unit = v.OrigValue, v.OrigUnit
		}
		r.Values = append(r.Values, Value{v.Unit, v.Value})
	}
	for _, c := range rec.Config {
		if c.Key != wordSchema {
			r.Config[c.Key] = string(c.Value)
		}
	}
	for _, c := range p.above[line] {
		if err := r.comment(c.key, c.value); err != nil {
			p.errorf(c.line, "%w", err)
		}
	}
	delete(p.above, line)
	if err := r.Validate(); err != nil {
		p.errorf(line, "%w", err)
	}
	p.rec.Results = append(p.rec.Results, r)
}

// comment takes one comment line into the result.
func (r *Result) comment(key, value string) error {
	switch key {
	case wordCertificate:
		r.Certificate = append(r.Certificate, value)
	case wordStop:
		if r.Stop != "" {
			return errors.New("stop is given twice")
		}
		r.Stop = value
	case wordAbsent:
		return r.absent(value)
	default:
		if _, twice := r.Identity[key]; twice {
			return fmt.Errorf("%s is given twice", key)
		}
		r.Identity[key] = value
	}
	return nil
}

// absent takes the units that are missing for one reason.
func (r *Result) absent(value string) error {
	list, reason, ok := strings.Cut(value, ": ")
	units := strings.Fields(list)
	if !ok || len(units) == 0 {
		return fmt.Errorf("absent %q: want units, a colon and the reason", value)
	}
	for _, unit := range units {
		if _, twice := r.Absent[unit]; twice {
			return fmt.Errorf("%s is absent twice", unit)
		}
		r.Absent[unit] = reason
	}
	return nil
}

// readUnit holds a declaration against the table. A unit that the table does
// not know matters only where a result uses it, which is reported there.
func (p *parser) readUnit(rec *benchfmt.UnitMetadata) {
	p.rec.units[rec.OrigUnit] = true
	m, known := Lookup(rec.OrigUnit)
	if !known {
		return
	}
	for _, fact := range m.facts() {
		if fact.Key == rec.Key && fact.Value == rec.Value {
			return
		}
	}
	_, line := rec.Pos()
	p.errorf(line, "unit %s: %s=%s is not what the table of metrics says", rec.OrigUnit, rec.Key, rec.Value)
}

// finish accounts for lines that belong to no result.
func (p *parser) finish() {
	for _, line := range slices.Sorted(maps.Keys(p.above)) {
		p.errorf(line, "a benchmark line without measurements")
	}
	if len(p.block) > 0 {
		p.rec.Dropped = append(p.rec.Dropped, fmt.Sprintf("%s:%d: %d comment lines with no result after them",
			p.name, p.block[0].line, len(p.block)))
	}
}
