package compare

import (
	"fmt"
	"maps"
	"slices"

	"mcpbench/internal/record"
)

// A Side is one of the two records.
type Side struct {
	Name                  string // old or new
	Build, Commit, SHA256 string // "" where the record does not say
	Dates                 []string
	Doubts                []Doubt

	names    []string                     // in the order of the record
	config   map[string]map[string]string // by name; never nil for one that is there
	believed map[string][]record.Result   // rounds without a certificate, by name
}

// A Doubt is a result that is left out for its certificate.
type Doubt struct {
	Name, Round string
	Reasons     []string
}

// identity is what all results of a side must have in common: it is one build.
var identity = []string{record.KeyBuild, record.KeyCommit, record.KeySHA256}

// newSide arranges a record, or says why it cannot stand for one build.
func newSide(name string, rec *record.Record) (*Side, error) {
	if len(rec.Results) == 0 {
		return nil, fmt.Errorf("the %s record holds no results", name)
	}
	first := rec.Results[0]
	s := &Side{Name: name, Build: first.About(record.KeyBuild), Commit: first.About(record.KeyCommit),
		SHA256: first.About(record.KeySHA256), config: make(map[string]map[string]string),
		believed: make(map[string][]record.Result)}
	for _, r := range rec.Results {
		for _, key := range identity {
			if first.About(key) != r.About(key) {
				return nil, fmt.Errorf("the %s record holds two of %s: %q (%s:%d) and %q (%s:%d): name a record of one build",
					name, key, first.About(key), first.File, first.Line, r.About(key), r.File, r.Line)
			}
		}
		if err := s.take(r); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.Dates)
	return s, nil
}

// take adds a result to the rounds of its name.
func (s *Side) take(r record.Result) error {
	switch config, held := s.config[r.Name]; {
	case !held:
		s.names = append(s.names, r.Name)
		s.config[r.Name] = maps.Clone(r.Config)
		if r.Config == nil {
			s.config[r.Name] = map[string]string{}
		}
	case !maps.Equal(config, r.Config):
		return fmt.Errorf("the %s record: rounds of %s differ in their settings (%s:%d): they are not repetitions",
			s.Name, r.Name, r.File, r.Line)
	}
	if date := r.About(record.KeyDate); date != "" {
		s.Dates = append(s.Dates, date)
	}
	if len(r.Certificate) > 0 {
		s.Doubts = append(s.Doubts, Doubt{r.Name, r.About(record.KeyRound), r.Certificate})
		return nil
	}
	s.believed[r.Name] = append(s.believed[r.Name], r)
	return nil
}

// rounds returns the least and most rounds that any of the scenarios rests on.
func (s *Side) rounds(scenarios []Scenario) (least, most int) {
	for i, sc := range scenarios {
		n := len(s.believed[sc.Name])
		if i == 0 {
			least = n
		}
		least, most = min(least, n), max(most, n)
	}
	return least, most
}
