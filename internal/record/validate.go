package record

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The grammar of the text. A name's last part must not end in a dash and a
// number, which the format would read as the suite's GOMAXPROCS.
var (
	nameForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(/[a-z][a-z0-9-]*=[A-Za-z0-9._:+@,%-]+)*$`)
	procs    = regexp.MustCompile(`-[0-9]+$`)
	keyForm  = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// Words that begin the comment lines this package gives a meaning of its own,
// so that no identity may take them.
const (
	wordPlan        = "plan"
	wordCertificate = "certificate"
	wordAbsent      = "absent"
	wordStop        = "stop"
	wordSchema      = "schema"
)

var reserved = []string{wordPlan, wordCertificate, wordAbsent, wordStop, wordSchema}

// Validate reports everything that keeps the result out of a record.
func (r Result) Validate() error {
	errs := []error{checkName(r.Name)}
	if r.Iterations < 1 {
		errs = append(errs, fmt.Errorf("%d iterations: want at least 1", r.Iterations))
	}
	errs = append(errs, r.checkValues(), r.checkAbsent(),
		checkPairs("configuration", r.Config), checkPairs("identity", r.Identity))
	for _, reason := range r.Certificate {
		errs = append(errs, checkText("certificate", reason))
	}
	if r.Stop != "" {
		errs = append(errs, checkText("stop", r.Stop))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", cmpName(r.Name), err)
	}
	return nil
}

// cmpName is what an error calls the result.
func cmpName(name string) string {
	if name == "" {
		return "result without a name"
	}
	return name
}

func checkName(name string) error {
	switch {
	case !utf8.ValidString(name) || !nameForm.MatchString(name):
		return fmt.Errorf("name %q: want Kind/key=value/… without spaces", name)
	case procs.MatchString(name):
		return fmt.Errorf("name %q: a dash and a number at the end would read as GOMAXPROCS", name)
	}
	seen := make(map[string]bool)
	for _, part := range strings.Split(name, "/")[1:] {
		key, _, _ := strings.Cut(part, "=")
		if seen[key] {
			return fmt.Errorf("name %q: %s is given twice", name, key)
		}
		seen[key] = true
	}
	return nil
}

func (r Result) checkValues() error {
	if len(r.Values) == 0 {
		return errors.New("no values: a result that measured nothing is not a result")
	}
	var errs []error
	seen := make(map[string]bool, len(r.Values))
	for _, v := range r.Values {
		if seen[v.Unit] {
			errs = append(errs, fmt.Errorf("%s is given twice", v.Unit))
		}
		seen[v.Unit] = true
		errs = append(errs, checkValue(v))
	}
	return errors.Join(errs...)
}

func checkValue(v Value) error {
	metric, known := Lookup(v.Unit)
	switch {
	case !known:
		return fmt.Errorf("unit %q is not in the table of metrics (internal/record/metrics.go)", v.Unit)
	case math.IsNaN(v.Amount) || math.IsInf(v.Amount, 0):
		return fmt.Errorf("%s is %v: leave it out and name it absent", v.Unit, v.Amount)
	case v.Amount < 0 && !metric.Signed:
		return fmt.Errorf("%s is %v, below zero", v.Unit, v.Amount)
	case v.Amount == 0 && metric.isTime():
		// The format also keeps a zero from being tidied into seconds, so
		// that benchstat would see a unit of its own.
		return fmt.Errorf("%s is 0: a time of nothing was not measured; name it absent", v.Unit)
	}
	return nil
}

// isTime reports whether the metric is in nanoseconds.
func (m Metric) isTime() bool {
	unit, _, _ := strings.Cut(m.Unit, "/")
	return strings.HasSuffix(unit, "-ns")
}

func (r Result) checkAbsent() error {
	var errs []error
	for _, unit := range slices.Sorted(maps.Keys(r.Absent)) {
		if _, known := Lookup(unit); !known {
			errs = append(errs, fmt.Errorf("absent unit %q is not in the table of metrics", unit))
		}
		if _, measured := r.Value(unit); measured {
			errs = append(errs, fmt.Errorf("%s is both measured and absent", unit))
		}
		errs = append(errs, checkText("reason for the absence of "+unit, r.Absent[unit]))
	}
	return errors.Join(errs...)
}

func checkPairs(what string, pairs map[string]string) error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		switch {
		case !keyForm.MatchString(key):
			errs = append(errs, fmt.Errorf("%s key %q: want small letters, digits and dashes", what, key))
		case slices.Contains(reserved, key):
			errs = append(errs, fmt.Errorf("%s key %q has a meaning of its own", what, key))
		}
		errs = append(errs, checkText(what+" "+key, pairs[key]))
	}
	return errors.Join(errs...)
}

// checkText refuses what would not come back from one line as it went in.
func checkText(what, text string) error {
	switch {
	case text == "":
		return fmt.Errorf("%s is empty", what)
	case strings.TrimSpace(text) != text:
		return fmt.Errorf("%s %q begins or ends with space", what, text)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s %q is not one line of text", what, text)
	}
	return nil
}
