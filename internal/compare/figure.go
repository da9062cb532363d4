package compare

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"mcpbench/internal/record"
)

// MinRounds is how many rounds of each record a verdict takes. Four and four
// that do not overlap at all come about by chance once in 35 times, three and
// three once in 10, which is not significant.
const MinRounds = 4

// A Verdict says what became of a figure.
type Verdict int

// The verdicts.
const (
	Untold      Verdict = iota // too few rounds, or an exact metric that varies
	Unchanged                  // no significant change
	WithinNoise                // significant, and not larger than the noise floor
	Changed                    // a change of what has no better and no worse
	Better
	Worse
)

// String is the verdict as tables give it.
func (v Verdict) String() string {
	return [...]string{"not tellable", "~", "within the noise", "changed", "better", "worse"}[v]
}

// A Figure is one metric of one scenario in both records.
type Figure struct {
	Metric   record.Metric
	Old, New Rounds
	Floor    float64 // what the noise measured beforehand says a change has to pass; 0 if it says nothing
	Test     benchmath.Comparison
	Verdict  Verdict
	Warnings []string // of benchmath
}

// Rounds are the rounds of one record, in the metric's unit.
type Rounds struct {
	Median      float64 // of an exact metric its most frequent value
	Least, Most float64
	N           int
}

// Spread is how far the rounds are apart.
func (r Rounds) Spread() float64 { return r.Most - r.Least }

// newFigure compares the rounds of one metric. There is at least one on either
// side.
func newFigure(m record.Metric, before, after []float64, floor float64) Figure {
	old := benchmath.NewSample(slices.Clone(before), &benchmath.DefaultThresholds)
	fresh := benchmath.NewSample(slices.Clone(after), &benchmath.DefaultThresholds)
	assume := assumption(m)
	f := Figure{Metric: m, Floor: floor, Old: rounds(assume, old), New: rounds(assume, fresh), Test: assume.Compare(old, fresh)}
	f.Verdict = f.judge()
	for _, w := range f.warnings(assume, old, fresh) {
		if !slices.Contains(f.Warnings, w.Error()) {
			f.Warnings = append(f.Warnings, w.Error())
		}
	}
	return f
}

// warnings are those that say more than the verdict does. A summary's are about
// an interval, which is shown of no metric that varies; the test's are that
// there are too few rounds, or that all of them read the same.
func (f Figure) warnings(assume benchmath.Assumption, old, fresh *benchmath.Sample) []error {
	switch {
	case f.Metric.Exact:
		return slices.Concat(assume.Summary(old, confidence).Warnings, assume.Summary(fresh, confidence).Warnings)
	case f.Verdict == Untold, f.same():
		return nil
	}
	return f.Test.Warnings
}

// assumption is what is assumed of how rounds are distributed.
func assumption(m record.Metric) benchmath.Assumption {
	if m.Exact {
		return benchmath.AssumeExact
	}
	return benchmath.AssumeNothing
}

// center is the median of values that a metric is assumed to have.
func center(values []float64) float64 {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), confidence).Center
}

// confidence is asked of the interval of a summary, of which only the centre
// is used.
const confidence = 0.95

func rounds(assume benchmath.Assumption, s *benchmath.Sample) Rounds {
	return Rounds{Median: assume.Summary(s, confidence).Center, Least: s.Values[0],
		Most: s.Values[len(s.Values)-1], N: len(s.Values)}
}

func (f Figure) judge() Verdict {
	switch {
	case f.Metric.Exact && f.same():
		return Unchanged
	case f.Metric.Exact && f.overlap():
		return Untold
	case f.Metric.Exact:
		return f.directed()
	case min(f.Old.N, f.New.N) < MinRounds:
		return Untold
	case f.Test.P > f.Test.Alpha:
		return Unchanged
	case math.Abs(f.Change()) <= f.Noise():
		return WithinNoise
	}
	return f.directed()
}

// directed is the verdict on a change that counts.
func (f Figure) directed() Verdict {
	better := direction(f.Metric)
	switch {
	case better == record.Neither:
		return Changed
	case (f.Change() < 0) == (better == record.Lower):
		return Better
	}
	return Worse
}

// direction is which way the metric gets better for the subject. A suite that
// works more because its subject answers faster is not worse.
func direction(m record.Metric) record.Direction {
	if strings.HasPrefix(m.Unit, "suite-") || m.Unit == "late-calls" {
		return record.Neither
	}
	return m.Better
}

// Change is by how much the median changed, in the metric's unit.
func (f Figure) Change() float64 { return f.New.Median - f.Old.Median }

// Percent is the change as a percentage of the old median, if that can be said.
func (f Figure) Percent() (float64, bool) {
	if f.Old.Median <= 0 || f.New.Median < 0 {
		return 0, false
	}
	return 100 * (f.New.Median/f.Old.Median - 1), true
}

// Noise is the floor that a change has to pass, in the metric's unit.
func (f Figure) Noise() float64 { return max(f.Old.Spread(), f.New.Spread(), f.Floor) }

// same reports whether all rounds of both records read the same.
func (f Figure) same() bool {
	return f.Old.Spread() == 0 && f.New.Spread() == 0 && f.Change() == 0
}

// overlap reports whether the ranges of the two have a value in common.
func (f Figure) overlap() bool {
	return f.Old.Least <= f.New.Most && f.New.Least <= f.Old.Most
}

// isEnd reports whether a metric is an end of the interval of another.
func isEnd(unit string) bool {
	for _, end := range []string{"-lo-ns", "-hi-ns"} {
		if of, ok := strings.CutSuffix(unit, end); ok {
			_, known := record.Lookup(of + "-ns")
			return known
		}
	}
	return false
}
