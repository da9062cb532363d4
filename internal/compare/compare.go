// Package compare holds two records against each other and says which figures
// of the newer are worse or better, and how sure that is.
//
// A figure is one metric of one scenario, over the rounds of a record. Two
// medians always differ, so a difference is a verdict only if it passes both of
//
//   - the test: the rounds of the two records are told apart by the
//     Mann-Whitney U test at the level that benchmath sets (p of 0.05), and
//   - the noise floor: the medians are further apart than the rounds of either
//     record are among themselves, the largest less the smallest of them,
//     and, where a build was measured against itself in the same scenario and
//     under the same conditions, by more than so many rounds only just find.
//
// The test alone would not do: there are hundreds of figures, and it lets one
// in twenty pass by chance. Of a build and itself, with noise that is normal,
// uniform or skewed, both let pass about one figure in 100 with four rounds,
// one in 400 or fewer with six, and next to none with ten. A significant change
// that the floor takes back is called "within the noise". With fewer than four rounds on a side no test can
// find anything, so there is no verdict. Metrics that are exact are not tested:
// any difference counts.
//
// Which way is better the table of metrics says. What describes the suite and
// not its subject is never better or worse, and the ends of an interval, which
// belong to another figure, are not compared.
//
// The package refuses to compare what was not measured alike (host, kernel,
// processors, settings), to use a result that has a certificate, and to sum
// figures up into one verdict. It reads and measures nothing.
package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A Comparison is what two records say of the scenarios that are in both.
type Comparison struct {
	Old, New         *Side
	Scenarios        []Scenario   // compared, in the order of the old record
	Differences      []Difference // in spite of which they were compared
	OldOnly, NewOnly []string     // names that one record alone holds
	Unbelieved       []string     // names in both with no result to believe in one
	Lone             []Lone       // metrics that one record alone has
}

// A Scenario is what there is to compare under one benchmark name.
type Scenario struct {
	Name    string
	Figures []Figure // in the order of the table of metrics
}

// A Lone metric is in one record and missing from the other.
type Lone struct {
	Unit, Missing string // Missing is the Name of the side without it
	Reason        string // why, if that record says so
	Scenarios     int    // how many
}

// A Difference is a condition under which the two records were not measured
// alike, in the scenarios named.
type Difference struct {
	Key, Old, New string
	Names         []string
}

// String names the key and both values.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %q in the old record, %q in the new (%s)", d.Key, d.Old, d.New, atNames(d.Names))
}

func atNames(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// ErrUnlike says that conditions differ, so that a change could not be laid to
// the builds. Forced compares all the same.
var ErrUnlike = errors.New("the records were not measured alike")

// Compare compares the records. It fails with ErrUnlike, naming every
// difference, where they were not measured under the same conditions.
func Compare(before, after *record.Record) (*Comparison, error) {
	c, err := Forced(before, after)
	if err != nil {
		return nil, err
	}
	if len(c.Differences) > 0 {
		var lines []string
		for _, d := range c.Differences {
			lines = append(lines, d.String())
		}
		return nil, fmt.Errorf("%w:\n  %s", ErrUnlike, strings.Join(lines, "\n  "))
	}
	return c, nil
}

// Forced compares the records even where conditions differ. The comparison says
// so in its first line.
func Forced(before, after *record.Record) (*Comparison, error) {
	c := &Comparison{}
	var err error
	if c.Old, err = newSide("old", before); err != nil {
		return nil, err
	}
	if c.New, err = newSide("new", after); err != nil {
		return nil, err
	}
	c.OldOnly, c.NewOnly = without(c.Old.names, c.New), without(c.New.names, c.Old)
	if len(c.OldOnly) == len(c.Old.names) {
		return nil, fmt.Errorf("no scenario is in both records: the old one begins with %s, the new one with %s",
			c.Old.names[0], c.New.names[0])
	}
	for _, name := range c.Old.names {
		if c.New.config[name] != nil {
			c.add(name)
		}
	}
	return c, nil
}

// without returns the names that the other side does not hold.
func without(names []string, other *Side) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return other.config[name] != nil })
}

// add compares what both records hold under one name.
func (c *Comparison) add(name string) {
	c.differ(name)
	before, after := c.Old.believed[name], c.New.believed[name]
	if len(before) == 0 || len(after) == 0 {
		c.Unbelieved = append(c.Unbelieved, name)
		return
	}
	s := Scenario{Name: name}
	for _, m := range record.Metrics() {
		old, fresh := values(before, m.Unit), values(after, m.Unit)
		switch {
		case isEnd(m.Unit), len(old)+len(fresh) == 0:
		case len(old) == 0:
			c.lone(m.Unit, c.Old.Name, reason(before, m.Unit))
		case len(fresh) == 0:
			c.lone(m.Unit, c.New.Name, reason(after, m.Unit))
		default:
			s.Figures = append(s.Figures, newFigure(m, old, fresh, c.floor(name, m.Unit, old, fresh)))
		}
	}
	c.Scenarios = append(c.Scenarios, s)
}

// floor is the change that the noise of either record, if it has measured it,
// says is only just found by so many rounds; zero where neither has.
func (c *Comparison) floor(name, unit string, before, after []float64) float64 {
	least := 0.0
	for _, s := range []*Side{c.Old, c.New} {
		if floor, ok := s.noise.Floor(name, unit, s.config[name], center(before), min(len(before), len(after))); ok {
			least = max(least, floor)
		}
	}
	return least
}

// differ takes down the conditions in which the records differ under one name.
// The toolchain of the subject is the build's own.
func (c *Comparison) differ(name string) {
	before, after := c.Old.config[name], c.New.config[name]
	keys := make(map[string]bool)
	for _, config := range []map[string]string{before, after} {
		for key := range config {
			keys[key] = key != record.KeyGoSubject && before[key] != after[key]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if keys[key] {
			c.difference(key, before[key], after[key], name)
		}
	}
}

func (c *Comparison) difference(key, before, after, name string) {
	same := func(d Difference) bool { return d.Key == key && d.Old == before && d.New == after }
	i := slices.IndexFunc(c.Differences, same)
	if i < 0 {
		i = len(c.Differences)
		c.Differences = append(c.Differences, Difference{Key: key, Old: before, New: after})
	}
	c.Differences[i].Names = append(c.Differences[i].Names, name)
}

func (c *Comparison) lone(unit, missing, why string) {
	same := func(l Lone) bool { return l.Unit == unit && l.Missing == missing && l.Reason == why }
	i := slices.IndexFunc(c.Lone, same)
	if i < 0 {
		i = len(c.Lone)
		c.Lone = append(c.Lone, Lone{Unit: unit, Missing: missing, Reason: why})
	}
	c.Lone[i].Scenarios++
}

// Figures returns all that were compared.
func (c *Comparison) Figures() []Figure {
	var all []Figure
	for _, s := range c.Scenarios {
		all = append(all, s.Figures...)
	}
	return all
}

// Count returns how many figures have the verdict.
func (c *Comparison) Count(v Verdict) int {
	n := 0
	for _, f := range c.Figures() {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// values are the amounts of one metric over rounds.
func values(rounds []record.Result, unit string) []float64 {
	var amounts []float64
	for _, r := range rounds {
		if amount, ok := r.Value(unit); ok {
			amounts = append(amounts, amount)
		}
	}
	return amounts
}

// reason is why a metric is missing, if any round says so.
func reason(rounds []record.Result, unit string) string {
	for _, r := range rounds {
		if why := r.Absent[unit]; why != "" {
			return why
		}
	}
	return ""
}
