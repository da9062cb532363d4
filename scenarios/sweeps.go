package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Sweep moves one setting of the subject, or of what is around it, over a list of values while all else stays as it
// is. It is a table in a subject file, under sizing.sweeps, and {value} stands in it for the value in turn.
type Sweep struct {
	// Args and Env are how the subject is told the value. Without either it is GitLabLatency that moves.
	Option
	// Values in the order in which they are measured; what is said of the others is relative to the first.
	Values []string `toml:"values"`
	// CPUs says that the values are numbers of processors, of which those are left out that the subject does not have.
	CPUs bool `toml:"cpus"`
	// GitLabLatency is how long GitLab takes to answer; empty leaves it at what the suite was told.
	GitLabLatency string `toml:"gitlab_latency"`
	// Surface that is called, on Call: the one of the fewest tools, and CallRead, when empty.
	Surface Surface `toml:"surface"`
	Call    string  `toml:"call"`
	// Credentials share the Callers, which each have a connection: one and 64 when zero.
	Credentials int `toml:"credentials"`
	Callers     int `toml:"callers"`
	// Rate is the calls a second that are offered whether or not earlier ones were answered; 0 is a closed loop.
	Rate float64 `toml:"rate"`
	// Calls is how many each caller makes, with a Pause between an answer and the next; 0 calls as long as a load
	// lasts.
	Calls int      `toml:"calls"`
	Pause Duration `toml:"pause"`
	// Readmits says that the subject may let go of credentials and ask GitLab about them again.
	Readmits bool `toml:"readmits"`
}

// A Setting is one value of a sweep, ready to be measured.
type Setting struct {
	Sweep
	Name, Value string
	// Latency is the value of GitLabLatency, or nil where that is empty.
	Latency *time.Duration
}

const defaultCallers = 64

// Settings lists the values of all sweeps of a subject that may use so many processors, in the order in which they
// run. A subject that is not served over HTTP has none.
func Settings(s *Subject, cpus int) []Setting {
	if s.Transports[HTTP] == nil {
		return nil
	}
	var all []Setting
	for _, name := range slices.Sorted(maps.Keys(s.Sizing.Sweeps)) {
		sweep := *s.Sizing.Sweeps[name]
		sweep.Surface = cmp.Or(sweep.Surface, s.SurfaceNames()[0])
		sweep.Call = cmp.Or(sweep.Call, CallRead)
		sweep.Callers = cmp.Or(sweep.Callers, defaultCallers)
		sweep.Credentials = cmp.Or(sweep.Credentials, 1)
		for _, value := range sweep.Values {
			if n, _ := strconv.Atoi(value); sweep.CPUs && n > cpus {
				continue
			}
			all = append(all, newSetting(sweep, name, value))
		}
	}
	return all
}

// newSetting fills a value in. What validation let through can be filled in.
func newSetting(sweep Sweep, name, value string) Setting {
	setting := Setting{Sweep: sweep, Name: name, Value: value}
	if sweep.GitLabLatency != "" {
		latency, _ := time.ParseDuration(filled(sweep.GitLabLatency, value))
		setting.Latency = &latency
	}
	return setting
}

func filled(form, value string) string { return strings.ReplaceAll(form, "{value}", value) }

// BenchmarkName returns the setting's part of a benchmark name.
func (s Setting) BenchmarkName(subject string) string {
	return httpName(subject, s.Surface, "setting", s.Name) + "/value=" + s.Value
}

// settingForm and valueForm are what may stand in a benchmark name.
var (
	settingForm = regexp.MustCompile(`^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$`)
	valueForm   = regexp.MustCompile(`^[A-Za-z0-9._:+@,%]+$`)
)

func (w *Sweep) validate(name string, s *Subject) error {
	surface := s.Surfaces[w.Surface]
	checks := []struct {
		ok   bool
		what string
	}{
		{settingForm.MatchString(name), "use letters, digits, hyphens and underscores in its name"},
		{len(w.Values) > 1, "values: a sweep needs two"},
		{w.Surface == "" || surface != nil, fmt.Sprintf("surface %q is not one of the subject's", w.Surface)},
		{w.Credentials >= 0 && w.Callers >= 0 && w.Calls >= 0 && w.Rate >= 0 && w.Pause >= 0, "numbers must not be below zero"},
		{cmp.Or(w.Credentials, 1) <= cmp.Or(w.Callers, defaultCallers), "each credential needs a caller"},
		{w.Pause == 0 || w.Calls > 0, "a pause goes with a number of calls"},
		{w.Rate == 0 || w.Calls == 0, "rate and calls exclude each other"},
		{w.moves(), "nothing in it depends on {value}"},
	}
	for _, c := range checks {
		if !c.ok {
			return errors.New(c.what)
		}
	}
	return w.validateValues(s)
}

// moves reports whether anything depends on the value.
func (w *Sweep) moves() bool {
	holds := func(form string) bool { return strings.Contains(form, "{value}") }
	return slices.ContainsFunc(w.Args, holds) || slices.ContainsFunc(slices.Collect(maps.Values(w.Env)), holds) || holds(w.GitLabLatency)
}

func (w *Sweep) validateValues(s *Subject) error {
	for i, value := range w.Values {
		if !valueForm.MatchString(value) || slices.Contains(w.Values[:i], value) {
			return fmt.Errorf("value %q: use each once, of letters, digits and ._:+@,%%", value)
		}
		if _, err := time.ParseDuration(cmp.Or(filled(w.GitLabLatency, value), "0s")); err != nil {
			return fmt.Errorf("gitlab_latency with value %q: use a form like 20ms", value)
		}
		if n, err := strconv.Atoi(value); w.CPUs && (err != nil || n < 1) {
			return fmt.Errorf("value %q: no number of processors", value)
		}
	}
	for name, surface := range s.Surfaces {
		if (w.Surface == "" || w.Surface == name) && surface.Calls[cmp.Or(w.Call, CallRead)] == nil {
			return fmt.Errorf("surface %s has no call %q", name, w.Call)
		}
	}
	return nil
}
