package stat

import "math"

// PercentileRanks returns the 1-based ranks, among n sorted values, of the two
// values that bracket the true p-th percentile (0 < p < 1) with at least the
// given confidence (0 < confidence < 1), whatever the distribution. Each of
// the two ways to be wrong gets half of the error.
//
// The number of values below the percentile is binomial(n, p); lo is the
// largest rank that it reaches too rarely to matter, hi the smallest (Hahn and
// Meeker, Statistical Intervals, 5.2). With too few values one of the ends
// would lie outside the sample: then ok is false, and the percentile is to be
// withheld.
func PercentileRanks(n int, p, confidence float64) (lo, hi int, ok bool) {
	if n < 1 || !inside(p) || !inside(confidence) {
		return 0, 0, false
	}
	tail := (1 - confidence) / 2
	lo = quantile(n, p, tail)
	hi = n + 1 - quantile(n, 1-p, tail)
	return lo, hi, lo >= 1 && hi <= n
}

// MinValues returns the least number of values for which PercentileRanks finds
// an interval around the p-th percentile, or 0 if p or confidence is not
// between 0 and 1. The extreme value must lie beyond the percentile surely
// enough: max(p, 1-p)ⁿ ≤ (1-confidence)/2.
func MinValues(p, confidence float64) int {
	if !inside(p) || !inside(confidence) {
		return 0
	}
	return int(math.Ceil(math.Log((1-confidence)/2) / math.Log(max(p, 1-p))))
}

// inside reports whether f is a proper fraction; NaN is not.
func inside(f float64) bool { return f > 0 && f < 1 }

// quantile returns the largest k with P(B < k) ≤ tail for B binomial(n, p).
func quantile(n int, p, tail float64) int {
	// Below this the distribution holds less than any tail worth asking for,
	// which keeps the walk at some standard deviations however large n is.
	mean := float64(n) * p
	k := max(0, int(mean-12*math.Sqrt(mean*(1-p))-12))
	for below := mass(n, k, p); below <= tail && k < n; below += mass(n, k, p) {
		k++
	}
	return k
}

// mass is P(B = k) for B binomial(n, p), by way of logarithms because the
// coefficients overflow.
func mass(n, k int, p float64) float64 {
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// logChoose is the logarithm of the binomial coefficient.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
