// Package stat turns repeated values into figures that may be published:
// percentiles, medians and the intervals they carry; the line through a series,
// and whether it is one; whether memory leaks; the knee of a closed loop; how many calls a number of
// people have in flight.
//
// It assumes nothing about the shape of a distribution. Every interval is an
// order-statistics interval: its ends are values that were measured, or slopes
// between two of them, and it exists only where there are enough of them. Where
// there are too few, the answer is "none", never a guess and never a wider
// guess. A figure that does not describe what was measured, such as the slope
// of a series that bends, comes with the words that say so.
//
// The package is pure, and the only importer of montanaflynn/stats, whose
// definition of a percentile has changed between versions; the definition used
// here is named by PercentileMethod and held by a test.
package stat

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Confidence is the confidence of every interval this package returns unless
// it is asked for another.
const Confidence = 0.95

// PercentileMethod names the definition that Percentile follows, in words fit
// for a record: the p-th percentile of n values is the one at rank ⌈p·n⌉, a
// value that was measured, with nothing interpolated (Hyndman and Fan 1996,
// definition 1).
const PercentileMethod = "nearest-rank"

// ErrNoValues says that there is nothing to summarise.
var ErrNoValues = errors.New("no values")

// Percentile returns the p-th percentile of values, 0 < p ≤ 1, by
// PercentileMethod. The values need not be sorted and are left as they are.
func Percentile(values []float64, p float64) (float64, error) {
	if !(p > 0 && p <= 1) {
		return 0, fmt.Errorf("percentile %v: want a fraction above 0 and at most 1", p)
	}
	if err := check(values); err != nil {
		return 0, err
	}
	// The library multiplies before it rounds up, so a product that should
	// be whole may come out a hair above and take the next rank. Asking for
	// the middle of the rank's own stretch cannot miss.
	n := len(values)
	return stats.PercentileNearestRank(values, 100*(float64(Rank(n, p))-0.5)/float64(n))
}

// Rank returns the 1-based rank ⌈p·n⌉ of the p-th percentile among n sorted
// values, by PercentileMethod.
func Rank(n int, p float64) int {
	const hair = 1e-9 // p·n may come out a rounding error above a whole number
	return min(max(int(math.Ceil(p*float64(n)-hair)), 1), n)
}

// A Summary is what is published about repeated values of one metric, in the
// metric's own unit.
type Summary struct {
	N                      int     // how many values there were
	Mean, Median, Min, Max float64 // of those values
	Lo, Hi                 float64 // ends of the median's interval, if Interval
	Interval               bool    // whether there were values enough for one
	Confidence             float64 // what was asked of the interval
}

// Summarize returns the summary of values with an interval of Confidence
// around the median. It refuses NaN and infinities: they are not measurements.
func Summarize(values []float64) (Summary, error) {
	if err := check(values); err != nil {
		return Summary{}, err
	}
	// check has ruled out every error that these four can return.
	mean, _ := stats.Mean(values)
	median, _ := stats.Median(values)
	least, _ := stats.Min(values)
	most, _ := stats.Max(values)
	s := Summary{N: len(values), Mean: mean, Median: median, Min: least, Max: most, Confidence: Confidence}
	if lo, hi, ok := PercentileRanks(len(values), 0.5, Confidence); ok {
		sorted := slices.Sorted(slices.Values(values))
		s.Lo, s.Hi, s.Interval = sorted[lo-1], sorted[hi-1], true
	}
	return s, nil
}

// check refuses what no summary can be made of.
func check(values []float64) error {
	if len(values) == 0 {
		return ErrNoValues
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d of %d is %v, which is not a measurement", i+1, len(values), v)
		}
	}
	return nil
}
