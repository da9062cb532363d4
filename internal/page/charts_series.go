package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// sideBySide shows what the series came to, surface beside surface. The tables
// that the charts are drawn from follow, surface by surface.
func (v *View) sideBySide() []Block {
	climbs := v.climbs()
	if len(climbs) == 0 {
		return nil
	}
	return slices.Concat(
		introduced("**Holding against serving**, in one picture: what a process takes at most while all call, what it keeps at rest with all connected, and what of that is live.",
			v.heldChart(climbs)),
		introduced("**Admitting**: the resident set before the first credential, and when all are admitted and none has called.", v.admittedChart(climbs)),
		introduced("**Throughput and latency**: calls a second, and how long a `tools/call` takes, over the calls in flight. The knee is marked where the record shows one.", v.throughputChart(climbs)),
		introduced("**Processor time for a call**, of the mixed load and of each method in a load of its own.", v.processorChart(climbs)),
		introduced("**What the resident set is made of** as the load ends, each part by its share. Where parts exceed the whole, more was obtained than is resident, and the excess hangs below zero.",
			v.compositionChart(climbs)),
		introduced("**How latency is distributed**: each line goes on to the longest call.", v.distributionChart(climbs)))
}

// climbs are the ladders with steps.
func (v *View) climbs() []*Ladder {
	return slices.DeleteFunc(slices.Clone(v.Ladders), func(l *Ladder) bool { return len(l.Steps) == 0 })
}

// stepsOf are the steps of all ladders.
func stepsOf(ladders []*Ladder) []*Scenario {
	var steps []*Scenario
	for _, l := range ladders {
		steps = append(steps, l.Steps...)
	}
	return steps
}

// credentialsOf is how many credentials a step has: where it stands on an axis
// of them.
func credentialsOf(s *Scenario) (float64, bool) { return float64(s.Credentials), s.Credentials > 0 }

// inFlightOf is how many calls a step has in flight.
func inFlightOf(s *Scenario) (float64, bool) {
	f := s.Figure("inflight")
	return f.Median, f.Known() && f.Median > 0
}

// lines draws a metric over the steps. Steps that were loaded otherwise than
// most have a line of their own, which does not go on from the others'.
func (l *Ladder) lines(m plotted, scale Scale, place func(*Scenario) (float64, bool)) []chart.Line {
	return l.linesOf(m.words, place, func(s *Scenario) *chart.Value { return s.value(m, scale) })
}

func (l *Ladder) linesOf(name string, place func(*Scenario) (float64, bool), value func(*Scenario) *chart.Value) []chart.Line {
	var lines []chart.Line
	for _, g := range l.Groups {
		line := chart.Line{Name: name}
		for _, s := range g.Steps {
			x, placed := place(s)
			if v := value(s); v != nil && placed {
				if s.Aside != "" {
					v.Says += ", with " + s.Aside
				}
				line.Points = append(line.Points, chart.Point{X: x, Value: *v})
			}
		}
		if len(line.Points) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// asideNote says why a metric has several lines, if any has.
func asideNote(ladders []*Ladder) string {
	for _, l := range ladders {
		if len(l.Groups) > 1 {
			return "Steps that were loaded otherwise than most, as the tables say, have lines of their own."
		}
	}
	return ""
}

// abreast is how many panels stand beside each other at most.
const abreast = 3

// overCredentials is a chart with a panel a ladder and a line a metric.
func (v *View) overCredentials(name, title, label string, scale Scale, climbs []*Ladder, metrics ...plotted) *chart.Chart {
	var panels []chart.Panel
	for _, l := range climbs {
		p := chart.Panel{Title: l.Title()}
		for _, m := range metrics {
			p.Lines = append(p.Lines, l.lines(m, scale, credentialsOf)...)
		}
		panels = append(panels, p)
	}
	c := &chart.Chart{Name: name, Title: title, X: crowdAxis("Credentials", panels), Bands: inBands(panels, min(abreast, len(panels)))}
	y := axis(label, scale, valuesOf(panels))
	for i := range c.Bands {
		c.Bands[i].Y = y
	}
	c.Note = joinWords(whiskers(stepsOf(climbs), valuesOf(panels)), asideNote(climbs))
	var alt []string
	for _, l := range climbs {
		var said []string
		for _, m := range metrics {
			said = append(said, fromTo(l, m))
		}
		alt = append(alt, named(l, said...))
	}
	return v.finish(c, stepsOf(climbs), alt...)
}

func (v *View) heldChart(climbs []*Ladder) *chart.Chart {
	return v.overCredentials("memory-over-credentials", "Memory over credentials: holding against serving", "Memory", mib, climbs,
		plotted{"Peak, all calling", "peak-RSS-bytes"}, plotted{"At rest, connected", "rest-RSS-bytes"}, plotted{"Live heap at rest", "rest-heap-bytes"})
}

func (v *View) admittedChart(climbs []*Ladder) *chart.Chart {
	return v.overCredentials("admitting-over-credentials", "Resident memory while credentials are admitted", "Resident set", mib, climbs,
		plotted{"Idle, nobody admitted", "idle-RSS-bytes"}, plotted{"All admitted, none calling", "all-RSS-bytes"})
}

func (v *View) processorChart(climbs []*Ladder) *chart.Chart {
	return v.overCredentials("cpu-per-call", "Processor time for a call", "Processor time", smallest(stepsOf(climbs), "cpu-ns/call"), climbs,
		plotted{"Mixed load", "cpu-ns/call"}, plotted{"tools/call alone", record.Call.Unit("cpu-ns/call")}, plotted{"tools/list alone", record.List.Unit("cpu-ns/call")})
}

// throughputChart has throughput above latency, over the calls in flight, where
// the knee is.
func (v *View) throughputChart(climbs []*Ladder) *chart.Chart {
	climbs = climbs[:min(abreast, len(climbs))]
	if len(having(stepsOf(climbs), "inflight", "calls/s")) == 0 {
		return nil
	}
	var rates, waits []chart.Panel
	var alt []string
	for _, l := range climbs {
		rates = append(rates, chart.Panel{Title: l.Title(), Mark: l.kneeMark(),
			Lines: append(l.lines(plotted{"Calls a second", "calls/s"}, plain, inFlightOf), l.aloneLine()...)})
		waits = append(waits, chart.Panel{Mark: unlabelled(l.kneeMark()), Lines: append(l.percentileLines("p50"), l.percentileLines("p99")...)})
		alt = append(alt, named(l, unmarked(l.kneeWords())))
	}
	c := &chart.Chart{Name: "throughput-and-latency", Title: "Throughput and latency over calls in flight",
		X: crowdAxis("Calls in flight", append(slices.Clone(rates), waits...)),
		Bands: []chart.Band{
			{Y: axis("Calls a second", plain, valuesOf(rates)), Panels: rates},
			{Y: axis("Latency of tools/call", millis, valuesOf(waits)), Panels: waits},
		}}
	c.Note = joinWords(whiskers(stepsOf(climbs), valuesOf(rates)), percentileNote(), asideNote(climbs))
	return v.finish(c, stepsOf(climbs), alt...)
}

func (l *Ladder) percentileLines(p string) []chart.Line {
	return l.linesOf("tools/call "+p, inFlightOf, func(s *Scenario) *chart.Value { return s.percentile(record.Call, p) })
}

// aloneLine is the throughput of one caller, which the knee takes into account.
func (l *Ladder) aloneLine() []chart.Line {
	steps := having(believedOf(l.main()), "alone-ns/call")
	if len(steps) == 0 || steps[0] != believedOf(l.main())[0] {
		return nil
	}
	f := steps[0].Figure("alone-ns/call")
	v := f.value(plain, steps[0].called()+", one caller alone, a call")
	second := float64(time.Second)
	v.At, v.Lo, v.Hi = second/v.At, second/v.Hi, second/v.Lo
	return []chart.Line{{Name: "One caller alone", Points: []chart.Point{{X: 1, Value: v}}}}
}

// kneeMark is where throughput stops growing, if that is known.
func (l *Ladder) kneeMark() *chart.Mark {
	k, err := l.knee()
	if err != nil || !k.Found {
		return nil
	}
	at := "at"
	if k.AtFoot {
		at = "at most"
	}
	return &chart.Mark{At: k.InFlight, Label: fmt.Sprintf("Knee %s %s", at, significant(k.InFlight))}
}

func unlabelled(m *chart.Mark) *chart.Mark {
	if m == nil {
		return nil
	}
	return &chart.Mark{At: m.At}
}

// compositionChart shows each step's resident set by the shares of its parts.
func (v *View) compositionChart(climbs []*Ladder) *chart.Chart {
	at := moments[0]
	c := &chart.Chart{Name: "composition", Title: "What the resident set is made of as the load ends",
		X:    chart.Axis{Label: "Credentials; above each column the resident set in MiB"},
		Note: "Medians of the rounds."}
	if asideNote(climbs) != "" {
		c.Note += " Steps across a gap were loaded otherwise, as the tables say, and are not to be held against the others."
	}
	var alt []string
	var of []*Scenario
	for _, l := range climbs {
		stack, aside := &chart.Stack{}, ""
		for _, part := range parts {
			stack.Parts = append(stack.Parts, part.head)
		}
		stack.Parts = append(stack.Parts, "Remainder")
		for _, s := range l.Steps {
			if col, ok := columnOf(s, at); ok {
				if n := len(stack.Columns); n > 0 && s.Aside != aside {
					stack.Columns = append(stack.Columns, chart.Column{})
				}
				aside = s.Aside
				stack.Columns = append(stack.Columns, col)
				of = append(of, s)
			}
		}
		if len(stack.Columns) > 0 {
			c.Bands = append(c.Bands, chart.Band{Y: chart.Axis{Label: "Share of the resident set, %", Ticks: percents},
				Panels: []chart.Panel{{Title: l.Title(), Stack: stack}}})
			alt = append(alt, named(l, shares(l, at)))
		}
	}
	if len(c.Bands) == 0 {
		return nil
	}
	return v.finish(c, of, alt...)
}

// percents are where an axis of shares has ticks: few, so that what is written
// above columns stands clear of them.
var percents = []chart.Tick{{At: 0, Label: "0"}, {At: 50, Label: "50"}, {At: 100, Label: "100"}}

// columnOf is a step's resident set in percent, part by part, if all are known.
func columnOf(s *Scenario, at moment) (chart.Column, bool) {
	whole := s.Figure(at.whole)
	if !whole.Known() || whole.Median <= 0 {
		return chart.Column{}, false
	}
	col := chart.Column{Name: significant(float64(s.Credentials)), Total: mib.figure(whole.Median)}
	left := whole.Median
	add := func(words string, bytes float64) {
		share := 100 * bytes / whole.Median
		col.Values = append(col.Values, chart.Value{At: share, Lo: share, Hi: share, Doubted: !s.Believed(),
			Says: fmt.Sprintf("%s, %s: %s, %s%% of %s, %s", s.called(), words, amount(at.whole, bytes), significant(share), whole, inRounds(whole.N))})
	}
	for _, part := range parts {
		f := s.Figure(at.prefix + part.suffix)
		if !f.Known() {
			return chart.Column{}, false
		}
		add(part.head, f.Median)
		left -= f.Median
	}
	add("Remainder", left)
	return col, true
}

// shares says what a resident set is made of at the last step, the largest part
// first.
func shares(l *Ladder, at moment) string {
	units := []string{at.whole}
	for _, part := range parts {
		units = append(units, at.prefix+part.suffix)
	}
	known := having(believedOf(l.Steps), units...)
	if len(known) == 0 {
		return ""
	}
	last := known[len(known)-1]
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(a, b struct{ head, suffix string }) int {
		return cmp.Compare(last.Figure(at.prefix+b.suffix).Median, last.Figure(at.prefix+a.suffix).Median)
	})
	var said []string
	for _, part := range sorted {
		said = append(said, fmt.Sprintf("%s %s", part.head, last.Figure(at.prefix+part.suffix)))
	}
	return fmt.Sprintf("with %s, of %s: %s.", last.Title(), last.Figure(at.whole), enumerate(said))
}

// quantiles are the percentiles that a distribution is drawn through.
var quantiles = []struct {
	words string
	below float64 // share of calls
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}

// oneIn is where a share of calls stands: one in so many takes longer.
func oneIn(share float64) float64 { return 1 / (1 - share) }

// distributionChart shows percentiles up to the longest call: of the closed loop
// at one step, and of the calls at a rate, method by method.
func (v *View) distributionChart(climbs []*Ladder) *chart.Chart {
	var shown []*Ladder
	var of []*Scenario
	for _, l := range climbs {
		if s := l.usual(); s != nil && len(shown) < abreast {
			shown, of = append(shown, l), append(of, s)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	closed := make([]chart.Panel, len(shown))
	var alt []string
	for i, s := range of {
		closed[i].Title = shown[i].Title() + ", " + significant(float64(s.Credentials))
		for _, m := range methodsInTurn() {
			closed[i].Lines = append(closed[i].Lines, distribution(s, m, shortName(m)))
		}
		alt = append(alt, named(shown[i], distributed(s)))
	}
	bands := []chart.Band{{Y: axis("Closed loop, that many credentials: latency", millis, valuesOf(closed)), Panels: closed}}
	for _, m := range methodsInTurn() {
		panels, loops := offeredPanels(shown, m)
		if values := valuesOf(panels); len(values) > 0 {
			bands = append(bands, chart.Band{Y: axis("At a rate, in percent of the first knee: latency of "+shortName(m), millis, values), Panels: panels})
			of = append(of, loops...)
		}
	}
	c := &chart.Chart{Name: "latency-distribution", Title: "How latency is distributed", Bands: bands, Note: percentileNote() + " The last point of each line is the longest call of any round.",
		X: chart.Axis{Label: "Share of calls that take no longer", Log: true, Ticks: quantileTicks()}}
	return v.finish(c, of, alt...)
}

// usual is the believed step nearest to a hundred credentials of which a
// percentile is known.
func (l *Ladder) usual() *Scenario {
	const hundred = 100.0
	var best *Scenario
	off := func(s *Scenario) float64 {
		n := float64(s.Credentials)
		return max(n/hundred, hundred/n)
	}
	for _, s := range having(believedOf(l.main()), record.Call.Unit("p50-ns")) {
		if s.Credentials > 0 && (best == nil || off(s) < off(best)) {
			best = s
		}
	}
	return best
}

func shortName(m record.Method) string {
	if m == record.List {
		return "tools/list"
	}
	return "tools/call"
}

// offeredPanels has a line for each rate, a panel a ladder.
func offeredPanels(ladders []*Ladder, m record.Method) (panels []chart.Panel, loops []*Scenario) {
	for _, l := range ladders {
		var p chart.Panel
		for _, s := range l.Open {
			if line := distribution(s, m, "At "+s.Title()); len(line.Points) > 0 {
				p.Lines = append(p.Lines, line)
				loops = append(loops, s)
			}
		}
		panels = append(panels, p)
	}
	return panels, loops
}

// distribution is the line of a method's percentiles, with the longest call
// where the share of those that take no longer is all but one.
func distribution(s *Scenario, m record.Method, name string) chart.Line {
	line := chart.Line{Name: name}
	at := 1.0
	for _, q := range quantiles {
		if v := s.percentile(m, q.words); v != nil {
			at = oneIn(q.below)
			line.Points = append(line.Points, chart.Point{X: at, Value: *v})
		}
	}
	longest, calls := s.Figure(m.Unit("max-ns")), s.Figure(m.Unit("calls"))
	if longest.Known() && calls.Known() && calls.Median > at {
		most := longest.Max / millis.Factor
		line.Points = append(line.Points, chart.Point{X: calls.Median, Value: chart.Value{At: most, Lo: most, Hi: most, Doubted: !s.Believed(),
			Says: fmt.Sprintf("%s, %s, longest: %s, %s", s.called(), unmarked(methodName(m)), amount(longest.Unit, longest.Max), inRounds(longest.N))}})
	}
	return line
}

// distributed says how long calls take at the ends of a distribution.
func distributed(s *Scenario) string {
	f := func(quantity string) Figure { return s.Figure(record.Call.Unit(quantity)) }
	if !f("p50-ns").Known() || !f("p99-ns").Known() || !f("max-ns").Known() {
		return ""
	}
	return fmt.Sprintf("with %s, half of the tools/call take at most %s, 99 in 100 at most %s, and the longest took %s.",
		s.Title(), f("p50-ns"), f("p99-ns"), amount("max-ns", f("max-ns").Max))
}

// quantileTicks are where percentiles stand on an axis of one call in so many.
func quantileTicks() []chart.Tick {
	ticks := []chart.Tick{}
	for _, q := range quantiles {
		ticks = append(ticks, chart.Tick{At: oneIn(q.below), Label: q.words})
	}
	return append(ticks, chart.Tick{At: 1e4, Label: "p99.99"}, chart.Tick{At: 1e5, Label: "p99.999"})
}
