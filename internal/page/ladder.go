package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// A Ladder is what the record holds of one surface under growing load: the
// steps of its series, and the open loops that follow it.
type Ladder struct {
	Subject            string
	Transport, Surface string
	Steps              []*Scenario // by population, rising
	Open               []*Scenario // by the rate offered, rising
	Groups             []Group     // of steps with equal settings, the largest first
	Planned            []int       // populations that the run set out to measure, rising
}

// A Group is the steps of a ladder that were loaded alike, so that they may be
// held against each other.
type Group struct {
	Settings string // the settings line without what differs between populations
	Steps    []*Scenario
}

// newLadders sorts steps and open loops into ladders.
func newLadders(scenarios []*Scenario, plan record.Plan) []*Ladder {
	var ladders []*Ladder
	for _, s := range scenarios {
		at := slices.IndexFunc(ladders, func(l *Ladder) bool { return l.holds(s.Subject, s.Transport, s.Surface) })
		if at < 0 {
			at = len(ladders)
			ladders = append(ladders, &Ladder{Subject: s.Subject, Transport: s.Transport, Surface: s.Surface})
		}
		if s.Kind == record.Series {
			ladders[at].Steps = append(ladders[at].Steps, s)
		} else {
			ladders[at].Open = append(ladders[at].Open, s)
		}
	}
	for _, l := range ladders {
		l.arrange(plan)
	}
	slices.SortFunc(ladders, func(a, b *Ladder) int { return inOrder(a.place(), b.place()) })
	return ladders
}

func (l *Ladder) holds(subject, transport, surface string) bool {
	return l.Subject == subject && l.Transport == transport && l.Surface == surface
}

// arrange puts steps in order, groups them by their settings and looks up what
// was planned.
func (l *Ladder) arrange(plan record.Plan) {
	slices.SortFunc(l.Steps, func(a, b *Scenario) int {
		return cmp.Or(cmp.Compare(a.Credentials, b.Credentials), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(l.Open, func(a, b *Scenario) int {
		return cmp.Or(cmp.Compare(a.Figure("offered-calls/s").Median, b.Figure("offered-calls/s").Median), cmp.Compare(a.Name, b.Name))
	})
	for _, s := range l.Steps {
		settings := commonSettings(s.All[0])
		at := slices.IndexFunc(l.Groups, func(g Group) bool { return g.Settings == settings })
		if at < 0 {
			at = len(l.Groups)
			l.Groups = append(l.Groups, Group{Settings: settings})
		}
		l.Groups[at].Steps = append(l.Groups[at].Steps, s)
	}
	slices.SortStableFunc(l.Groups, func(a, b Group) int { return cmp.Compare(len(b.Steps), len(a.Steps)) })
	l.setAside()
	for _, name := range plan.Names() {
		planned := record.Result{Name: name}
		if planned.Kind() != record.Series || !l.holds(planned.Part("subject"), planned.Part("transport"), planned.Part("surface")) {
			continue
		}
		if n, err := strconv.Atoi(planned.Part("creds")); err == nil {
			l.Planned = append(l.Planned, n)
		}
	}
	slices.Sort(l.Planned)
}

// setAside says of every step outside the largest group how it differs.
func (l *Ladder) setAside() {
	for i, g := range l.Groups {
		for _, s := range g.Steps {
			if i > 0 {
				s.Aside = difference(l.Groups[0].Settings, g.Settings)
			}
		}
	}
}

// perPopulation are the settings that follow from a step's population, and
// keep it out of no group.
var perPopulation = []string{"clients", "creds", "credentials", "connections"}

// commonSettings is the settings line without what follows from the population.
func commonSettings(r record.Result) string {
	words := strings.Fields(r.Config[record.KeySettings])
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		key, _, _ := strings.Cut(word, "=")
		return slices.Contains(perPopulation, key)
	}), " ")
}

// difference is the settings that are not what they usually are.
func difference(usual, settings string) string {
	known := strings.Fields(usual)
	own := slices.DeleteFunc(strings.Fields(settings), func(word string) bool { return slices.Contains(known, word) })
	return cmp.Or(strings.Join(own, " "), "other settings")
}

// main is the steps that were loaded as most of the series was.
func (l *Ladder) main() []*Scenario {
	if len(l.Groups) == 0 {
		return nil
	}
	return l.Groups[0].Steps
}

// believedOf returns those of the scenarios that may carry a claim or a fit.
func believedOf(scenarios []*Scenario) []*Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios), func(s *Scenario) bool { return !s.Believed() })
}

// Title is what the page calls the ladder.
func (l *Ladder) Title() string {
	title := strings.Join(slices.DeleteFunc([]string{l.Transport, l.Surface}, func(p string) bool { return p == "" }), ", ")
	return cmp.Or(title, "series")
}

// place is the ladder's place among others.
func (l *Ladder) place() *Scenario {
	return &Scenario{Subject: l.Subject, Transport: l.Transport, Surface: l.Surface}
}

// populations says what a ladder spans: "1 to 1,000 credentials".
func populations(steps []*Scenario) string {
	first, last := steps[0].Credentials, steps[len(steps)-1].Credentials
	if first == last {
		return steps[0].Title()
	}
	return fmt.Sprintf("%s to %s credentials", significant(float64(first)), significant(float64(last)))
}
