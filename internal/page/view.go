// Package page draws a record: it looks figures up by metric name, arranges
// them into a document of sentences and tables, and renders that as Markdown.
//
// It measures nothing and reads nothing but the record it is given, so the same
// record always gives the same bytes. It refuses to put figures side by side
// that cannot be compared, and to let a marked result carry a sentence.
package page

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A View is a record arranged for looking things up.
type View struct {
	Scenarios []*Scenario
	Dates     []string // when results were measured, oldest first
	Missing   record.Plan
	Dropped   []string

	any record.Result // any result: what it says of host and build, all say
}

// A Scenario is what the record holds of one benchmark name.
type Scenario struct {
	Name               string // full benchmark name
	Subject            string
	Transport, Surface string
	Telemetry          bool
	Results            []record.Result // what figures come from: believed, if any are
	All                []record.Result // every round, believed or not
	Doubts             []string        // each doubted round with the reasons of its certificate
}

// Keys that must say the same in every result, since a page has one heading.
var common = []string{record.KeyGOOS, record.KeyGOARCH, record.KeyHost, record.KeyCPU, record.KeyKernel,
	record.KeyMemory, record.KeySubjectCPUs, record.KeySuiteCPUs, record.KeyGoSuite,
	record.KeyGoSubject, record.KeyBuild, record.KeySHA256}

// NewView arranges the record, or says why it cannot be one page.
func NewView(rec *record.Record) (*View, error) {
	points := slices.DeleteFunc(slices.Clone(rec.Results), func(r record.Result) bool { return r.Kind() != record.Point })
	if len(points) == 0 {
		return nil, errors.New("the record holds no point scenarios: nothing to draw")
	}
	v := &View{any: points[0], Missing: rec.Missing(), Dropped: rec.Dropped}
	byName := make(map[string][]record.Result)
	dates := make(map[string]bool)
	for _, r := range points {
		if err := alike(v.any, r); err != nil {
			return nil, err
		}
		byName[r.Name] = append(byName[r.Name], r)
		if date := r.About(record.KeyDate); date != "" {
			dates[date] = true
		}
	}
	v.Dates = slices.Sorted(maps.Keys(dates))
	for name, results := range byName {
		if err := sameSettings(results); err != nil {
			return nil, err
		}
		v.Scenarios = append(v.Scenarios, newScenario(name, results))
	}
	slices.SortFunc(v.Scenarios, inOrder)
	return v, nil
}

// alike refuses two results of different hosts or builds.
func alike(a, b record.Result) error {
	for _, key := range common {
		if a.About(key) != b.About(key) {
			return fmt.Errorf("one page cannot hold two of %s: %q (%s:%d) and %q (%s:%d): draw them apart, or compare them with benchstat",
				key, a.About(key), a.File, a.Line, b.About(key), b.File, b.Line)
		}
	}
	return nil
}

// sameSettings refuses rounds of one scenario that were measured differently.
func sameSettings(rounds []record.Result) error {
	for _, r := range rounds[1:] {
		if !maps.Equal(r.Config, rounds[0].Config) {
			return fmt.Errorf("rounds of %s differ in their settings (%s:%d and %s:%d): they are not repetitions",
				r.Name, rounds[0].File, rounds[0].Line, r.File, r.Line)
		}
	}
	return nil
}

func newScenario(name string, rounds []record.Result) *Scenario {
	r := rounds[0]
	s := &Scenario{Name: name, Subject: r.Part("subject"), Transport: r.Part("transport"),
		Surface: r.Part("surface"), Telemetry: r.Part("telemetry") == "on", All: rounds}
	for _, r := range rounds {
		if len(r.Certificate) == 0 {
			s.Results = append(s.Results, r)
		}
		if len(r.Certificate) > 0 {
			s.Doubts = append(s.Doubts, fmt.Sprintf("round %s (%s)",
				cmp.Or(r.About(record.KeyRound), "unnumbered"), strings.Join(r.Certificate, "; ")))
		}
	}
	if len(s.Results) == 0 {
		s.Results = rounds
	}
	return s
}

// Believed reports whether figures of the scenario may carry a claim.
func (s *Scenario) Believed() bool { return len(s.Results[0].Certificate) == 0 }

// Figure looks up one metric.
func (s *Scenario) Figure(unit string) Figure { return figureOf(unit, s.Results) }

// Title is what tables call the scenario.
func (s *Scenario) Title() string {
	parts := []string{s.Transport, s.Surface}
	if s.Telemetry {
		parts = append(parts, "telemetry")
	}
	if title := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", "); title != "" {
		return title
	}
	return s.Name
}

// order ranks transports and surfaces as people list them; others follow by
// name.
var order = []string{"stdio", "http", "dynamic", "meta", "individual"}

func inOrder(a, b *Scenario) int {
	rank := func(word string) int {
		if i := slices.Index(order, word); i >= 0 {
			return i
		}
		return len(order)
	}
	telemetry := func(s *Scenario) int {
		if s.Telemetry {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.Subject, b.Subject),
		cmp.Compare(rank(a.Transport), rank(b.Transport)), cmp.Compare(telemetry(a), telemetry(b)),
		cmp.Compare(rank(a.Surface), rank(b.Surface)), cmp.Compare(a.Name, b.Name))
}

// believed returns the scenarios of a transport that may carry a claim, with
// telemetry on or off.
func (v *View) believed(transport string, telemetry bool) []*Scenario {
	var out []*Scenario
	for _, s := range v.Scenarios {
		if s.Transport == transport && s.Telemetry == telemetry && s.Believed() {
			out = append(out, s)
		}
	}
	return out
}

// rounds returns the least and most rounds that any scenario's figures rest on.
func (v *View) rounds() (least, most int) {
	least = len(v.Scenarios[0].Results)
	for _, s := range v.Scenarios {
		least, most = min(least, len(s.Results)), max(most, len(s.Results))
	}
	return least, most
}
