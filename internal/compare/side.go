package compare

import (
	"fmt"
	"maps"
	"slices"

	"mcpbench/internal/page"
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
	noise    *page.Noise                  // of a build measured against itself; nil if the record has none
}

// kinds are those of the results that are compared. Gates have verdicts, and noise is what changes are held to.
var kinds = []record.Kind{record.Point, record.Series, record.Open}

// A Doubt is a result that is left out for its certificate.
type Doubt struct {
	Name, Round string
	Reasons     []string
}

// identity is what all results of a side must have in common: it is one build.
var identity = []string{record.KeyBuild, record.KeyCommit, record.KeySHA256}

// newSide arranges a record, or says why it cannot stand for one build.
func newSide(name string, rec *record.Record) (*Side, error) {
	results := slices.DeleteFunc(slices.Clone(rec.Results), func(r record.Result) bool { return !slices.Contains(kinds, r.Kind()) })
	if len(results) == 0 {
		return nil, fmt.Errorf("the %s record holds no results to compare", name)
	}
	noise, err := page.NewNoise(rec.Results)
	if err != nil {
		return nil, fmt.Errorf("the noise of the %s record: %w", name, err)
	}
	first := results[0]
	s := &Side{Name: name, Build: first.About(record.KeyBuild), Commit: first.About(record.KeyCommit),
		SHA256: first.About(record.KeySHA256), config: make(map[string]map[string]string),
		believed: make(map[string][]record.Result), noise: noise}
	for _, r := range results {
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
