package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// stopped says where a series ended and why, or that it ran to its end. Every
// round may end elsewhere.
func (l *Ladder) stopped() string {
	parts := stops(l.Steps)
	if missing := l.neverRan(); len(missing) > 0 {
		return joinWords(append(parts, fmt.Sprintf("Planned and not measured in any round: %s credentials.", enumerate(missing)))...)
	}
	last := l.Steps[len(l.Steps)-1].Title()
	switch {
	case len(parts) > 0:
		return joinWords(append(parts, "Every planned step ran in at least one round.")...)
	case len(l.Planned) == 0:
		return fmt.Sprintf("The record does not say what was planned; its last step is of %s.", last)
	}
	return fmt.Sprintf("Every planned step ran, up to %s.", last)
}

// stops has a sentence for each place and reason at which a round ended early.
func stops(scenarios []*Scenario) []string {
	var parts []string
	for _, s := range scenarios {
		rounds := make(map[string][]string)
		for _, r := range s.All {
			if r.Stop != "" {
				rounds[r.Stop] = append(rounds[r.Stop], cmp.Or(r.About(record.KeyRound), "unnumbered"))
			}
		}
		for _, why := range sortedKeys(rounds) {
			parts = append(parts, fmt.Sprintf("**Stopped** at %s (%s %s): %s.", escape(s.Title()),
				plural(len(rounds[why]), "round"), enumerate(rounds[why]), escape(strings.TrimSuffix(why, "."))))
		}
	}
	return parts
}

// neverRan is the populations that were planned and of which there is nothing.
func (l *Ladder) neverRan() []string {
	var missing []string
	for _, n := range l.Planned {
		if !slices.ContainsFunc(l.Steps, func(s *Scenario) bool { return s.Credentials == n }) {
			missing = append(missing, significant(float64(n)))
		}
	}
	return missing
}

// outOfTime begins the stop of a series that the run had no time left for. It
// says nothing of the server, so what it left out is wanting.
const outOfTime = "timeout:"

// Missing returns what was planned and neither measured nor ruled out: a
// series that stopped, and says why, is whole without the steps beyond.
func Missing(rec *record.Record) record.Plan {
	missing := rec.Missing()
	for _, r := range rec.Results {
		if r.Stop == "" || strings.HasPrefix(r.Stop, outOfTime) {
			continue
		}
		for name := range missing {
			if beyond(r, name) {
				missing[name]--
			}
		}
	}
	maps.DeleteFunc(missing, func(_ string, rounds int) bool { return rounds <= 0 })
	return missing
}

// beyond reports whether a planned name is a later step of the series that a
// result stopped.
func beyond(stop record.Result, name string) bool {
	planned := record.Result{Name: name}
	here, err := strconv.Atoi(stop.Part("creds"))
	there, err2 := strconv.Atoi(planned.Part("creds"))
	return err == nil && err2 == nil && there > here &&
		strings.TrimSuffix(stop.Name, "/creds="+stop.Part("creds")) == strings.TrimSuffix(name, "/creds="+planned.Part("creds"))
}

// manyNames is how many names a sentence lists one by one.
const manyNames = 8

// listed writes a plan for the page's head, counting what is too much to list.
func listed(plan record.Plan) string {
	if len(plan) <= manyNames {
		return plan.String()
	}
	counts := make(map[string]int)
	for name := range plan {
		counts[name[:max(strings.LastIndex(name, "/"), 0)]]++
	}
	var parts []string
	for _, stem := range sortedKeys(counts) {
		parts = append(parts, fmt.Sprintf("%d of %s/…", counts[stem], stem))
	}
	return strings.Join(parts, ", ")
}
