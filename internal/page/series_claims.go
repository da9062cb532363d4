package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// order10 is the ratio from which two costs are of different orders of
// magnitude.
const order10 = 10

// heldAndServed holds what a credential takes while nobody calls against what
// it takes while it calls. It speaks of surfaces on which both are straight
// lines, and only if these all tell the same.
func heldAndServed(v *View) string {
	var holding, serving []onSurface
	var steps []*Scenario
	var refs []string
	least, most := math.Inf(1), 0.0 // of how often one goes into the other, whatever the intervals hold
	for _, l := range v.Ladders {
		held, why := l.holding()
		served := trend("peak-RSS-bytes", l.main())
		if why != "" || !served.Reliable() || held.Lo <= 0 {
			continue
		}
		name := "`" + l.Surface + "`"
		holding = append(holding, onSurface{name, held.Slope, held.Refs})
		serving = append(serving, onSurface{name, served.Slope, served.Refs})
		refs = slices.Concat(refs, held.Refs, served.Refs)
		steps = append(steps, l.main()[0])
		least, most = min(least, served.Lo/held.Hi), max(most, served.Hi/held.Lo)
	}
	if len(holding) == 0 {
		return ""
	}
	costs := fmt.Sprintf("%sone more that is held takes %s of memory at rest, and one more that calls without pause adds %s to the peak",
		connected(steps), reach("rest-RSS-bytes", holding), reach("peak-RSS-bytes", serving))
	switch {
	case least >= order10:
		return fmt.Sprintf("Holding a credential and serving it are costs of different orders of magnitude: %s, at least %s times as much. Size by those who call at once.",
			costs, cite(significant(math.Floor(least)), refs))
	case most < order10:
		return fmt.Sprintf("Holding a credential and serving it are costs of one order of magnitude: %s, at most %s times as much. Both count: size by those who are connected and by those who call at once.",
			costs, cite(significant(math.Ceil(most)), refs))
	}
	return ""
}

// connected is over how many connections each credential of the series calls, and
// keeps open while it is held: what both costs depend on.
func connected(steps []*Scenario) string {
	var all []onSurface
	for _, s := range steps {
		n := perCredential(s)
		if n == 0 {
			return ""
		}
		all = append(all, onSurface{surface(s), n, s.Figure("inflight").Refs})
	}
	unit := "connection"
	if slices.ContainsFunc(all, func(of onSurface) bool { return of.amount != 1 }) {
		unit = "connections"
	}
	return fmt.Sprintf("at %s %s a credential, held or calling, ", reach("connections", all), unit)
}

// Shares of the peak that decide whether a bound on credentials bounds memory.
const (
	little = 0.1
	much   = 0.5
)

// boundingCredentials holds what the heap grew by from the first believed step
// to the last against the peak there.
func boundingCredentials(v *View) string {
	var last []*Scenario
	var grown []onSurface
	least, most := math.Inf(1), 0.0
	for _, l := range v.Ladders {
		steps := having(believedOf(l.main()), "rest-heap-bytes", "peak-RSS-bytes")
		if len(steps) < 2 {
			continue
		}
		first, end := steps[0], steps[len(steps)-1]
		growth := end.Figure("rest-heap-bytes").Median - first.Figure("rest-heap-bytes").Median
		share := growth / end.Figure("peak-RSS-bytes").Median
		least, most = min(least, share), max(most, share)
		last = append(last, end)
		grown = append(grown, onSurface{surface(end), growth, slices.Concat(first.Figure("rest-heap-bytes").Refs, end.Figure("rest-heap-bytes").Refs)})
	}
	if len(last) == 0 || (most > little && least < much) {
		return ""
	}
	verdict := "is not a memory setting"
	if most > little {
		verdict = "is a memory setting"
	}
	return fmt.Sprintf("A bound on how many credentials a process may hold %s: by the last step, of %s credentials, the live heap at rest has grown by %s, "+
		"while with all of them calling the process peaks at %s.", verdict, credentials(last), reach("rest-heap-bytes", grown),
		extremes(last, "peak-RSS-bytes", largest))
}

// credentials is how many the scenarios have: "200 to 1,000".
func credentials(scenarios []*Scenario) string {
	by := func(a, b *Scenario) int { return cmp.Compare(a.Credentials, b.Credentials) }
	least, most := slices.MinFunc(scenarios, by), slices.MaxFunc(scenarios, by)
	cited := func(s *Scenario) string {
		return cite(significant(float64(s.Credentials)), s.Figure("peak-RSS-bytes").Refs)
	}
	if least.Credentials == most.Credentials {
		return cited(most)
	}
	return cited(least) + " to " + cited(most)
}

// throughput says where it stops growing, and on which surfaces it does not.
func throughput(v *View) string {
	var knees, rates, open []onSurface
	at := "at"
	for _, l := range v.Ladders {
		k, err := l.knee()
		name := "`" + l.Surface + "`"
		switch {
		case err != nil:
		case k.Found:
			knees = append(knees, onSurface{name, k.InFlight, l.refs("inflight")})
			if k.AtFoot {
				at = "at or below"
			}
			rates = append(rates, onSurface{name, k.PerSecond, l.refs("calls/s")})
		default:
			open = append(open, onSurface{name, l.most(), l.refs("calls/s")})
		}
	}
	sentence := ""
	if len(knees) > 0 {
		sentence = fmt.Sprintf("Over HTTP throughput stops growing %s %s calls in flight, with %s calls a second; more than that wait longer and bring no more.",
			at, reach("inflight", knees), reach("calls/s", rates))
	}
	if len(open) > 0 {
		sentence = joinWords(sentence, fmt.Sprintf("On %s the series does not show where throughput stops growing: the most was %s calls a second.",
			enumerate(surfaces(open)), reach("calls/s", open)))
	}
	return sentence
}

// refs are the lines of the record with the metric in the steps of the ladder that
// may be believed.
func (l *Ladder) refs(unit string) []string {
	var refs []string
	for _, s := range having(believedOf(l.main()), unit) {
		refs = append(refs, s.Figure(unit).Refs...)
	}
	return refs
}

func surfaces(all []onSurface) []string {
	var names []string
	for _, one := range all {
		names = append(names, one.surface)
	}
	return names
}

// atARate says how long callers wait who do not wait for each other, at the
// lightest and the heaviest rate that the server kept up with, in the worst of
// the rounds: surface by surface, since rates follow from what each can do.
func atARate(v *View) string {
	var said []string
	for _, l := range v.Ladders {
		known := slices.DeleteFunc(having(l.Open, "offered-calls/s", callP99), func(s *Scenario) bool { return !kept(s) })
		if len(known) > 1 {
			light, heavy := known[0], known[len(known)-1]
			said = append(said, fmt.Sprintf("on %s up to %s at %s a second and %s at %s", surface(light),
				worst(light), light.Figure("offered-calls/s").cited(), worst(heavy), heavy.Figure("offered-calls/s").cited()))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("Callers who come at random moments, whether or not others were answered, wait for a `tools/call` at p99, where so many calls come in: %s.",
		strings.Join(said, "; "))
}

// worst is the longest p99 of a tools/call in any round.
func worst(s *Scenario) string {
	f := s.Figure(callP99)
	return cite(amount(f.Unit, f.Max), f.Refs)
}
