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
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// A View is a record arranged for looking things up.
type View struct {
	Scenarios []*Scenario     // the point scenarios
	Ladders   []*Ladder       // the series and open loops, one a surface
	Proofs    []*Scenario     // memory limits that were put to the test
	Abandoned []*Scenario     // what clients that went away have left behind
	Noise     *Noise          // of a build measured against itself; nil if none was
	Verdicts  []record.Result // of the gates
	Soak      *Soak           // nil where there was none
	Dates     []string        // when results were measured, oldest first
	Overload  []*Overloaded   // more asked than is admitted, a variant each
	Sized     Sized           // what sizing rests on
	Missing   record.Plan
	Dropped   []string

	all []record.Result
	any record.Result // any result: what it says of host and build, all say
}

// A Scenario is what the record holds of one benchmark name: a point scenario,
// one step of a series, or an open loop at one rate.
type Scenario struct {
	Name               string // full benchmark name
	Kind               record.Kind
	Subject            string
	Transport, Surface string
	Telemetry          bool
	Credentials        int             // of a step of a series; zero of all else
	Label              string          // what tables call it, if that does not follow from the others
	Aside              string          // how a step was loaded otherwise than most of its series, if it was
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
	scenarios, err := gather(rec.Results)
	if err != nil {
		return nil, err
	}
	v := &View{any: representative(scenarios, rec.Results), Missing: Missing(rec), Dropped: rec.Dropped, Dates: dates(rec.Results), all: rec.Results}
	v.Proofs, v.Abandoned = scenariosOf(record.Proof, rec.Results), abandonedOf(rec.Results)
	if v.Sized, err = sizedOf(rec.Results); err != nil {
		return nil, err
	}
	if v.Noise, err = NewNoise(rec.Results); err != nil {
		return nil, err
	}
	v.Verdicts, v.Soak = verdictsOf(rec.Results), newSoak(rec.Results)
	v.Overload = overloadOf(rec.Results)
	var ladders []*Scenario
	for _, s := range scenarios {
		if s.Kind == record.Point {
			v.Scenarios = append(v.Scenarios, s)
		} else {
			ladders = append(ladders, s)
		}
	}
	slices.SortFunc(v.Scenarios, inOrder)
	v.Ladders = newLadders(ladders, rec.Plan)
	if v.empty() {
		return nil, errors.New("the record holds no point scenarios, no series, no open loops, no gates and no noise: nothing to draw")
	}
	return v, nil
}

// empty reports whether there is nothing that a page shows.
func (v *View) empty() bool {
	return len(v.Scenarios)+len(v.Ladders)+len(v.Abandoned)+len(v.Verdicts) == 0 && v.Noise == nil && v.Soak == nil
}

// representative is a result that speaks for the host and build of the page: of a
// scenario, or of what else there is where there is none.
func representative(scenarios []*Scenario, results []record.Result) record.Result {
	switch {
	case len(scenarios) > 0:
		return scenarios[0].All[0]
	case len(results) > 0:
		return results[0]
	}
	return record.Result{}
}

// isVerdict reports whether a result carries the verdict of a gate.
func isVerdict(r record.Result) bool { return r.About(record.KeyVerdict) != "" }

// kinds are those that a page shows as scenarios.
var kinds = []record.Kind{record.Point, record.Series, record.Open}

// gather puts the rounds of each name together, in the order of the record. It
// refuses what cannot stand on one page.
func gather(results []record.Result) ([]*Scenario, error) {
	byName := make(map[string][]record.Result)
	var names []string
	var first *record.Result
	for i, r := range results {
		if !slices.Contains(kinds, r.Kind()) {
			continue
		}
		if first == nil {
			first = &results[i]
		}
		if err := alike(*first, r); err != nil {
			return nil, err
		}
		if byName[r.Name] == nil {
			names = append(names, r.Name)
		}
		byName[r.Name] = append(byName[r.Name], r)
	}
	var scenarios []*Scenario
	for _, name := range names {
		if err := sameSettings(byName[name]); err != nil {
			return nil, err
		}
		scenarios = append(scenarios, newScenario(name, byName[name]))
	}
	return scenarios, nil
}

// scenariosOf are those of a kind that stands in a section of its own, in the order of the record.
func scenariosOf(kind record.Kind, results []record.Result) []*Scenario {
	byName := make(map[string][]record.Result)
	var names []string
	for _, r := range results {
		if r.Kind() != kind {
			continue
		}
		if byName[r.Name] == nil {
			names = append(names, r.Name)
		}
		byName[r.Name] = append(byName[r.Name], r)
	}
	scenarios := make([]*Scenario, len(names))
	for i, name := range names {
		scenarios[i] = newScenario(name, byName[name])
	}
	return scenarios
}

// dates are the moments at which the figures of the page were measured, oldest
// first, or else its gates, of which each says its own.
func dates(results []record.Result) []string {
	figures, gates := make(map[string]bool), make(map[string]bool)
	for _, r := range results {
		seen := gates
		if slices.Contains(kinds, r.Kind()) {
			seen = figures
		}
		if date := r.About(record.KeyDate); date != "" {
			seen[date] = true
		}
	}
	if len(figures) == 0 {
		return sortedKeys(gates)
	}
	return sortedKeys(figures)
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
	s := &Scenario{Name: name, Kind: r.Kind(), Subject: r.Part("subject"), Transport: r.Part("transport"),
		Surface: r.Part("surface"), Telemetry: r.Part("telemetry") == "on", All: rounds}
	if s.Kind == record.Series {
		s.Credentials, _ = strconv.Atoi(r.Part("creds")) // zero names the step by its benchmark
	}
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

// Title is what tables call the scenario. A step and a rate stand in tables of
// one surface, which they need not name.
func (s *Scenario) Title() string {
	percent, isPercent := strings.CutSuffix(s.All[0].Part("load"), "pct")
	switch {
	case s.Label != "":
		return s.Label
	case s.Credentials > 0:
		return significant(float64(s.Credentials)) + plural(s.Credentials, " credential")
	case s.Kind == record.Open && isPercent:
		return percent + "%"
	case s.Kind != record.Point:
		return s.Name
	}
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

// everything is every scenario, step and open loop of the record.
func (v *View) everything() []*Scenario {
	all := slices.Clone(v.Scenarios)
	for _, l := range v.Ladders {
		all = append(append(all, l.Steps...), l.Open...)
	}
	return all
}

// rounds returns the least and most rounds that any of the scenarios' figures
// rest on.
func rounds(scenarios []*Scenario) (least, most int) {
	if len(scenarios) == 0 {
		return 0, 0
	}
	least = len(scenarios[0].Results)
	for _, s := range scenarios {
		least, most = min(least, len(s.Results)), max(most, len(s.Results))
	}
	return least, most
}
