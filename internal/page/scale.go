package page

import (
	"math"
	"strconv"
	"strings"
)

// A Scale turns an amount in a base unit into a figure for people.
type Scale struct {
	Symbol string  // what follows the figure, or stands in a column's head
	Factor float64 // how many base units make one
}

// The scales that columns use, each the same from top to bottom so that a
// column can be read downwards.
var (
	plain   = Scale{"", 1}
	mib     = Scale{"MiB", 1 << 20}
	millis  = Scale{"ms", 1e6}
	seconds = Scale{"s", 1e9}
)

// fitting is the scale that fits each figure by itself, for a column in which
// figures are orders of magnitude apart.
var fitting = Scale{}

// in returns the scale for an amount of a metric.
func (s Scale) in(unit string, amount float64) Scale {
	if s == fitting {
		return scaleOf(unit, amount)
	}
	return s
}

// The ladders that prose climbs, smallest first.
var (
	byteLadder = []Scale{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
	timeLadder = []Scale{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
)

// figure writes the amount without its symbol.
func (s Scale) figure(amount float64) string { return significant(amount / s.Factor) }

// with writes the amount with its symbol.
func (s Scale) with(amount float64) string {
	if s.Symbol == "" {
		return s.figure(amount)
	}
	return s.figure(amount) + " " + s.Symbol
}

// scaleOf returns the scale in which prose gives one amount of a metric.
func scaleOf(unit string, amount float64) Scale {
	quantity, _, _ := strings.Cut(unit, "/")
	switch {
	case strings.HasSuffix(quantity, "-bytes"):
		return climb(byteLadder, amount)
	case strings.HasSuffix(quantity, "-ns"):
		return climb(timeLadder, amount)
	}
	return plain
}

// climb returns the largest scale of which the amount makes at least one.
func climb(ladder []Scale, amount float64) Scale {
	at := ladder[0]
	for _, s := range ladder {
		if math.Abs(amount) >= s.Factor {
			at = s
		}
	}
	return at
}

// significant writes three significant digits, whole numbers from a hundred up
// in full, and groups thousands. Digits beyond the third of a measurement made
// on a shared machine would only look like knowledge.
func significant(v float64) string {
	decimals := 0
	if a := math.Abs(v); a > 0 && a < 100 && v != math.Trunc(v) {
		decimals = min(max(2-int(math.Floor(math.Log10(a))), 0), 6)
	}
	return fixed(v, decimals)
}

// asFineAs writes what is left of a figure no finer than that reads.
func asFineAs(text string, v float64) string {
	_, fraction, _ := strings.Cut(text, ".")
	return fixed(v, len(fraction))
}

// fixed writes so many decimals, with a sign unless all of them are zero.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if v < 0 && strings.Trim(text, "0.") != "" {
		return "−" + grouped(text)
	}
	return grouped(text)
}

// grouped puts a comma between thousands.
func grouped(text string) string {
	whole, fraction, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + fraction
	}
	return whole
}
