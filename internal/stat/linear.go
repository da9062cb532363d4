package stat

import (
	"fmt"
	"math"
)

const (
	// Tolerance is the fraction of Line.MaxOff beyond which a series is not
	// linear, however noisy: whoever sizes by such a line is a fifth out.
	Tolerance = 0.2
	// slight is the fraction up to which a series is linear, however surely
	// it bends: nobody sizes more closely than this.
	slight = 0.05
	// chance is how rarely a straight series may look bent, for each of the
	// two ways to look between slight and Tolerance.
	chance = 0.025
)

// Linear says whether a series that Fit laid line through is one, and if it is
// not, why, in words that follow "not linear: ". With fewer than MinFit steps
// it is not shown to be, and that is the reason.
//
// A step further from the line than Tolerance settles it. A step further than
// a twentieth raises the question whether that is noise, asked in two ways. If
// the series bends, what the line leaves over rises or falls from the ends of
// the ladder to its middle: Kendall's tau of the two, with its exact
// distribution, must be less likely than 0.025. If it departs in any other
// manner, rounds repeat the departure: the number of steps whose rounds are all
// on one side of the line is binomial where rounds are noise, and must be as
// unlikely.
//
// Runs of signs, the usual test, cannot see a bend in ten steps: a bend has
// three runs, and ten steps have as few by chance once in 25 times.
func Linear(points []XY, line Line) (linear bool, reason string) {
	steps, err := ladder(points)
	switch {
	case err != nil:
		return false, err.Error()
	case len(steps) < MinFit:
		return false, fmt.Sprintf("%d steps are too few to tell, which takes %d", len(steps), MinFit)
	case line.MaxOff > Tolerance:
		return false, fmt.Sprintf("the step at %v is %.0f%% off the line", line.MaxOffAt, 100*line.MaxOff)
	case line.MaxOff <= slight:
		return true, ""
	}
	left := line.leftOver(steps)
	if reason = bend(left); reason == "" {
		reason = agreement(left)
	}
	return reason == "", reason
}

// leftOver returns, step by step, what the line leaves of every value.
func (l Line) leftOver(steps []step) [][]float64 {
	var left [][]float64
	for _, s := range steps {
		left = append(left, eachOf(s.ys, func(y float64) float64 { return y - l.At(s.x) }))
	}
	return left
}

// bend says which way a series bends if it does: what is left is grouped by
// the step's distance from the middle of the ladder, the ends first.
func bend(left [][]float64) string {
	rings := make([][]float64, (len(left)+1)/2)
	for i, ys := range left {
		ring := min(i, len(left)-1-i)
		rings[ring] = append(rings[ring], ys...)
	}
	sinking, p := falls(rings)
	switch {
	case p > chance:
		return ""
	case sinking:
		return "the ends of the ladder lie above its middle, growth quickens"
	}
	return "the middle of the ladder lies above its ends, growth slackens"
}

// falls says whether values fall rather than rise from group to group, and how
// likely chance would order them as one-sidedly, either way (Kendall's tau,
// two-sided). A tie counts half.
func falls(groups [][]float64) (falling bool, p float64) {
	fallen := 0.0
	for i, group := range groups {
		for _, later := range groups[i+1:] {
			fallen += fallsBetween(group, later)
		}
	}
	var atMost, atLeast float64
	for d, mass := range discordant(sizes(groups)) {
		if float64(d) <= fallen {
			atMost += mass
		}
		if float64(d) >= fallen {
			atLeast += mass
		}
	}
	return atLeast < atMost, 2 * min(atMost, atLeast)
}

// fallsBetween counts the pairs whose later value is the lower.
func fallsBetween(earlier, later []float64) float64 {
	n := 0.0
	for _, a := range earlier {
		for _, b := range later {
			switch {
			case b < a:
				n++
			case b == a:
				n += 0.5
			}
		}
	}
	return n
}

// agreement says so if the rounds of too many steps agree on the side of the
// line. A step of r rounds does so by chance with 2·(1/2)^r; that of the step
// with the fewest is taken for all, which errs towards linear.
func agreement(left [][]float64) string {
	repeated, agreed, fewest := 0, 0, math.MaxInt
	for _, ys := range left {
		if len(ys) < 2 {
			continue
		}
		repeated++
		fewest = min(fewest, len(ys))
		if oneSided(ys) {
			agreed++
		}
	}
	if repeated == 0 {
		return ""
	}
	p := 0.0
	for k := agreed; k <= repeated; k++ {
		p += mass(repeated, k, math.Pow(0.5, float64(fewest-1)))
	}
	if p > chance {
		return ""
	}
	return fmt.Sprintf("all rounds are on the same side of the line in %d of %d steps", agreed, repeated)
}

// oneSided reports whether all values have one sign.
func oneSided(values []float64) bool {
	above, below := 0, 0
	for _, v := range values {
		if v > 0 {
			above++
		}
		if v < 0 {
			below++
		}
	}
	return above == len(values) || below == len(values)
}
