package stat

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// MinFit is the least number of steps (different populations) at which Fit
// gives its slope an interval and Linear gives a verdict. Five values in order
// come about by chance once in 120 times, four once in 24, which is too often
// for an interval of Confidence.
const MinFit = 5

// near divides the length of the ladder into the distance below which two
// steps give no slope.
const near = 20

// ErrOneStep says that all values were measured at one population, through
// which no line can be laid.
var ErrOneStep = errors.New("all values are at one population, and a slope needs two: measure another step")

// An XY is one value of a metric, Y in its own unit, at the population X.
type XY struct{ X, Y float64 }

// A Line is what Fit made of a series.
type Line struct {
	Slope      float64 // of the metric's unit per unit of population; negative as it is
	Intercept  float64 // the metric's unit, at a population of zero
	Lo, Hi     float64 // ends of the slope's interval, if Interval
	Interval   bool    // whether there were steps enough for one
	Confidence float64 // what was asked of the interval
	N, Steps   int     // values and different populations
	Residual   float64 // median distance of a value from the line, the metric's unit
	MaxOff     float64 // largest fraction by which a step, the median of its rounds, is off the line
	MaxOffAt   float64 // population of that step
}

// At returns what the line says of population x.
func (l Line) At(x float64) float64 { return l.Intercept + l.Slope*x }

// Fit lays a line through the values of a series: the median of the slopes
// between two values of different steps (Theil 1950; Sen 1968, JASA 63:1379),
// and the median of what that slope leaves as the intercept.
//
// The interval of the slope is Sen's: a true slope b leaves y - b·x in an order
// that has nothing to do with x, so the number of pairwise slopes below b is
// distributed as the discordant pairs of Kendall's tau, and two of the sorted
// slopes are the ends. The distribution is exact, rounds included, for noise
// that is independent and alike at all steps, normal or not. Where noise grows
// with the value, twofold along the ladder, 95% become 91, and elevenfold 85.
//
// On a ladder that grows by factors most pairs are neighbours at its foot,
// whose slopes are noise, or the warming up of a process. Weights would be one
// way out: with the distance of the pair, they come closest to the truth while
// all is well, but the highest step then holds more than half of the weight,
// and one bad reading there carries the slope wherever it goes. So slopes
// count alike, and there is none between steps less than a twentieth of the
// ladder apart, which are taken together as one tied group. On 1, 2, 5, … 1000
// no step then has a part in more than 9 of 30 slopes.
//
// Fit costs n³ for n values and is meant for hundreds.
func Fit(points []XY) (Line, error) {
	steps, err := ladder(points)
	if err != nil {
		return Line{}, err
	}
	groups := apart(steps)
	slopes := pairSlopes(groups)
	l := Line{Slope: median(slopes), N: len(points), Steps: len(steps), Confidence: Confidence}
	l.Intercept = median(eachOf(points, func(p XY) float64 { return p.Y - l.Slope*p.X }))
	l.Residual = median(eachOf(points, func(p XY) float64 { return math.Abs(p.Y - l.At(p.X)) }))
	l.MaxOffAt, l.MaxOff = l.worst(steps)
	if k := tauRank(sizes(groups), (1-Confidence)/2); k > 0 && l.Steps >= MinFit {
		l.Lo, l.Hi, l.Interval = slopes[k-1], slopes[len(slopes)-k], true
	}
	return l, nil
}

// A step is one population and the values measured there, one a round.
type step struct {
	x  float64
	ys []float64
}

// ladder sorts values into steps of rising population.
func ladder(points []XY) ([]step, error) {
	for _, of := range []func(XY) float64{
		func(p XY) float64 { return p.X },
		func(p XY) float64 { return p.Y },
	} {
		if err := check(eachOf(points, of)); err != nil {
			return nil, fmt.Errorf("fit: %w", err)
		}
	}
	var steps []step
	byX := func(a, b XY) int { return cmp.Compare(a.X, b.X) }
	for _, p := range slices.SortedStableFunc(slices.Values(points), byX) {
		if n := len(steps); n == 0 || steps[n-1].x != p.X {
			steps = append(steps, step{x: p.X})
		}
		last := &steps[len(steps)-1]
		last.ys = append(last.ys, p.Y)
	}
	if len(steps) == 1 {
		return nil, ErrOneStep
	}
	return steps, nil
}

// apart gathers values into the groups between which there are slopes: a step
// is of the same group as the lowest in it unless far enough above that.
func apart(steps []step) [][]XY {
	least := (steps[len(steps)-1].x - steps[0].x) / near
	var groups [][]XY
	for _, s := range steps {
		if n := len(groups); n == 0 || s.x-groups[n-1][0].X >= least {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		for _, y := range s.ys {
			*last = append(*last, XY{s.x, y})
		}
	}
	return groups
}

// pairSlopes returns, sorted, the slopes between values of different groups.
func pairSlopes(groups [][]XY) []float64 {
	var slopes []float64
	for i, low := range groups {
		for _, high := range groups[i+1:] {
			for _, from := range low {
				for _, to := range high {
					slopes = append(slopes, (to.Y-from.Y)/(to.X-from.X))
				}
			}
		}
	}
	slices.Sort(slopes)
	return slopes
}

// worst returns the population at which the median of the rounds is furthest
// from the line, and the fraction by which it is.
//
// The fraction is of the greater of the two, so that 0.2 means the same above
// and below: one is four fifths of the other. Where both are less than the
// median of the series it is a fraction of that, or a few units at the foot of
// the ladder would outweigh everything above.
func (l Line) worst(steps []step) (x, off float64) {
	var all []float64
	for _, s := range steps {
		all = append(all, math.Abs(median(s.ys)))
	}
	least := median(all)
	x = steps[0].x
	for _, s := range steps {
		y, on := median(s.ys), l.At(s.x)
		scale := max(math.Abs(y), math.Abs(on), least)
		if d := math.Abs(y - on); d > off*scale {
			x, off = s.x, d/scale
		}
	}
	return x, off
}

// tauRank returns the largest rank k for which the k-th smallest pairwise slope
// exceeds the true one with a probability of at most tail, given how many
// values each group has: fewer than k slopes are then below it. It is zero
// where there are too few groups for any.
func tauRank(sizes []int, tail float64) int {
	below, k := 0.0, 0
	for _, p := range discordant(sizes) {
		if below += p; below > tail {
			break
		}
		k++
	}
	return k
}

// discordant returns the distribution of the number of discordant pairs
// between groups of the given sizes when order is chance: element d is the
// probability of d. It counts the inversions of a word with repeated letters,
// whose generating function is the Gaussian multinomial coefficient (Stanley,
// Enumerative Combinatorics 1, 1.7; Kendall 1938 where no size exceeds one),
// built here factor by factor: times (1-q^have), over (1-q^j).
func discordant(sizes []int) []float64 {
	pairs, have := 0, 0
	for _, size := range sizes {
		pairs += have * size
		have += size
	}
	p := make([]float64, pairs+1)
	p[0], have = 1, 0
	for _, size := range sizes {
		for j := 1; j <= size; j++ {
			have++
			for d := pairs; d >= have; d-- {
				p[d] -= p[d-have]
			}
			for d := j; d <= pairs; d++ {
				p[d] += p[d-j]
			}
			for d := range p {
				p[d] *= float64(j) / float64(have)
			}
		}
	}
	return p
}

// sizes returns how many values each group has.
func sizes[T any](groups [][]T) []int {
	return eachOf(groups, func(group []T) int { return len(group) })
}

// median returns the median of values, of which there is at least one.
func median(values []float64) float64 {
	m, _ := stats.Median(values) // fails only on none
	return m
}

// eachOf returns what of says of each.
func eachOf[T, V any](all []T, of func(T) V) []V {
	values := make([]V, len(all))
	for i, one := range all {
		values[i] = of(one)
	}
	return values
}
