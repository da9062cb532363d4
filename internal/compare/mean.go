package compare

import (
	"math"
	"slices"

	"mcpbench/internal/record"
)

// A Mean is the geometric mean of one metric over the scenarios of one kind, as
// benchstat gives it: a summary, for which there is no test.
type Mean struct {
	Kind      record.Kind
	Unit      string
	Scenarios int
	Old, New  float64
}

// Means returns the metrics that have a direction and were told of in two
// scenarios of a kind or more. There is none of a metric that was zero or less
// in any of them, since such a value has no logarithm.
func (c *Comparison) Means() []Mean {
	var means []Mean
	for _, kind := range c.kinds() {
		for _, m := range record.MetricsOf(kind) {
			if mean, ok := c.mean(kind, m); ok {
				means = append(means, mean)
			}
		}
	}
	return means
}

// kinds are those of the scenarios compared, in their order.
func (c *Comparison) kinds() []record.Kind {
	var kinds []record.Kind
	for _, s := range c.Scenarios {
		if kind := s.kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (s Scenario) kind() record.Kind { return record.Result{Name: s.Name}.Kind() }

func (c *Comparison) mean(kind record.Kind, m record.Metric) (Mean, bool) {
	mean := Mean{Kind: kind, Unit: m.Unit}
	old, fresh := 0.0, 0.0
	for _, s := range c.Scenarios {
		i := slices.IndexFunc(s.Figures, func(f Figure) bool { return f.Metric.Unit == m.Unit })
		if s.kind() != kind || i < 0 || s.Figures[i].Verdict == Untold {
			continue
		}
		f := s.Figures[i]
		if f.Old.Median <= 0 || f.New.Median <= 0 {
			return mean, false
		}
		old, fresh = old+math.Log(f.Old.Median), fresh+math.Log(f.New.Median)
		mean.Scenarios++
	}
	n := float64(mean.Scenarios)
	mean.Old, mean.New = math.Exp(old/n), math.Exp(fresh/n)
	return mean, mean.Scenarios > 1 && direction(m) != record.Neither
}
