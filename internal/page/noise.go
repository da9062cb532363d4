package page

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// A Noise is what a build that was measured against itself says: how far
// figures are apart when nothing differs.
type Noise struct {
	sides  []*twin // both sides of one build
	looked []*twin // one process with the suite's sampler on and off by turns
	any    record.Result
}

// The halves of twins.
const (
	sideA, sideB    = "a", "b"
	lookOn, lookOff = "on", "off"
)

// A twin is a scenario that was measured in two halves. The scenario is both
// together, under the name of what they repeat.
type twin struct {
	*Scenario
	halves map[string]map[string]record.Result // that are believed, by half and round
}

// NewNoise arranges the results that repeat others. It is nil if there are
// none, and an error if they are not of one build on one host.
func NewNoise(results []record.Result) (*Noise, error) {
	n := &Noise{}
	own := slices.DeleteFunc(slices.Clone(results), func(r record.Result) bool { return r.Kind() != record.Noise })
	if len(own) == 0 {
		return nil, nil
	}
	n.any = own[0]
	for _, r := range own {
		if err := alike(n.any, r); err != nil {
			return nil, err
		}
	}
	var err error
	if n.sides, err = newTwins(own, record.PartSide); err != nil {
		return nil, err
	}
	n.looked, err = newTwins(own, record.PartLook)
	return n, err
}

// newTwins puts the halves together that the named part tells apart, in the
// order of the record.
func newTwins(results []record.Result, part string) ([]*twin, error) {
	rounds := make(map[string][]record.Result)
	halves := make(map[string]map[string]map[string]record.Result)
	var names []string
	for _, r := range results {
		half := r.Part(part)
		if half == "" {
			continue
		}
		r.Name = r.Repeated()
		if rounds[r.Name] == nil {
			names = append(names, r.Name)
			halves[r.Name] = make(map[string]map[string]record.Result)
		}
		rounds[r.Name] = append(rounds[r.Name], r)
		if halves[r.Name][half] == nil {
			halves[r.Name][half] = make(map[string]record.Result)
		}
		if len(r.Certificate) == 0 {
			halves[r.Name][half][r.About(record.KeyRound)] = r
		}
	}
	var twins []*twin
	for _, name := range names {
		if err := sameSettings(rounds[name]); err != nil {
			return nil, err
		}
		twins = append(twins, &twin{newScenario(name, rounds[name]), halves[name]})
	}
	return twins, nil
}

// pairs returns the values of a metric in the rounds that have it in either
// half, and those rounds.
func (t *twin) pairs(unit, one, other string) (rounds []string, ones, others []float64) {
	for _, round := range slices.Sorted(maps.Keys(t.halves[one])) {
		a, inOne := t.halves[one][round].Value(unit)
		b, inOther := t.halves[other][round].Value(unit)
		if inOne && inOther {
			rounds, ones, others = append(rounds, round), append(ones, a), append(others, b)
		}
	}
	return rounds, ones, others
}

// values are those of a metric in all rounds of both halves.
func (t *twin) values(unit string) []float64 {
	var values []float64
	for _, r := range t.Results {
		if amount, ok := r.Value(unit); ok {
			values = append(values, amount)
		}
	}
	return values
}

// judged are the metrics that a twin has and that have a direction.
func (t *twin) judged() []record.Metric {
	return slices.DeleteFunc(record.MetricsOf(t.Kind), func(m record.Metric) bool {
		return m.Better == record.Neither || len(t.values(m.Unit)) == 0
	})
}

// pilot is how many rounds the noise must have been measured in to be told: as
// many as a comparison takes on both sides together.
const pilot = 8

// smallest returns the smallest changes of a metric that so many rounds a side
// find, or false if noise was measured in too few.
func (t *twin) smallest(unit string, rounds int) (stat.Change, bool) {
	values := t.values(unit)
	if !t.Believed() || len(values) < pilot {
		return stat.Change{}, false
	}
	return stat.SmallestChange(values, rounds)
}

// Floor returns the change of a metric, in its unit, that so many rounds a side
// are only just enough to find. Name, configuration and median are those of the
// scenario of which a change is to be judged: the floor is that of the same
// scenario measured under the same conditions, and in proportion to its median
// if both are above zero. It is false where there is none.
func (n *Noise) Floor(name, unit string, config map[string]string, median float64, rounds int) (float64, bool) {
	if n == nil {
		return 0, false
	}
	for _, t := range n.sides {
		if t.Name != name || !sameConditions(t.All[0].Config, config) {
			continue
		}
		change, ok := t.smallest(unit, rounds)
		if own := t.Figure(unit).Median; own > 0 && median > 0 {
			return change.Tested * median / own, ok
		}
		return change.Tested, ok
	}
	return 0, false
}

// sameConditions reports whether two configurations differ in nothing but the
// toolchain of the subject, which is the build's own.
func sameConditions(a, b map[string]string) bool {
	without := func(config map[string]string) map[string]string {
		config = maps.Clone(config)
		delete(config, record.KeyGoSubject)
		return config
	}
	return maps.Equal(without(a), without(b))
}

// A chance counts the figures by which two sides of one build were told apart.
type chance struct {
	figures  int     // that have a direction, vary, and have rounds enough
	told     int     // by the test
	called   int     // of those, with medians further apart than either side's rounds
	expected float64 // how many the test tells by chance
	// Ways are those of exchanging the sides in some of the rounds: how many
	// there are, in how many as many figures were told or more, and the least
	// and most that were.
	ways, asMany, least, most int
}

// exchanged is in how many rounds the sides are exchanged at most.
const exchanged = 8

// chance counts.
func (n *Noise) chance() chance {
	contests, rounds := n.contests()
	c := chance{figures: len(contests), ways: 1 << max(0, min(len(rounds), exchanged)-1)}
	for _, each := range contests {
		c.expected += stat.TestSize(len(each.a))
	}
	for way := range c.ways {
		told := 0
		for _, each := range contests {
			if a, b := each.exchanged(rounds, way); toldApart(a, b) {
				told++
				if way == 0 && partedBeyond(a, b) {
					c.called++
				}
			}
		}
		if way == 0 {
			c.told, c.least, c.most = told, told, told
		}
		if told >= c.told {
			c.asMany++
		}
		c.least, c.most = min(c.least, told), max(c.most, told)
	}
	return c
}

// A contest is one figure on both sides, round by round.
type contest struct {
	rounds []string
	a, b   []float64
}

// contests are the figures that could be told apart, and all of their rounds.
func (n *Noise) contests() (all []contest, rounds []string) {
	for _, t := range n.sides {
		if !t.Believed() {
			continue
		}
		for _, m := range t.judged() {
			in, a, b := t.pairs(m.Unit, sideA, sideB)
			both := slices.Concat(a, b)
			if stat.TestSize(len(a)) == 0 || slices.Min(both) == slices.Max(both) {
				continue
			}
			all = append(all, contest{in, a, b})
			rounds = append(rounds, in...)
		}
	}
	slices.Sort(rounds)
	return all, slices.Compact(rounds)
}

// exchanged returns both sides, exchanged in the rounds whose bit is set.
func (c contest) exchanged(rounds []string, way int) (a, b []float64) {
	a, b = slices.Clone(c.a), slices.Clone(c.b)
	for i, round := range c.rounds {
		if way>>slices.Index(rounds, round)&1 == 1 {
			a[i], b[i] = b[i], a[i]
		}
	}
	return a, b
}

// toldApart is the test that comparisons use.
func toldApart(a, b []float64) bool {
	sample := func(values []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	}
	test := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return test.P <= test.Alpha
}

// partedBeyond reports whether medians are further apart than the rounds of
// either side, which a comparison asks for as well.
func partedBeyond(a, b []float64) bool {
	one, _ := stat.Summarize(a) // values of a record are numbers, and there are some
	other, _ := stat.Summarize(b)
	return max(one.Median-other.Median, other.Median-one.Median) > max(one.Max-one.Min, other.Max-other.Min)
}

// title names a twin among those of all kinds.
func (t *twin) title() string {
	if t.Kind != record.Series {
		return t.Title()
	}
	return strings.Join([]string{t.Transport, t.Surface, t.Title()}, ", ")
}
