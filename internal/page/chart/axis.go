package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// A span is the part of an axis that is drawn.
type span struct{ lo, hi float64 }

// nothing is the span of no value.
func nothing() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) take(values ...float64) {
	for _, v := range values {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

// A scale maps values of an axis to a length.
type scale struct {
	span
	normalizer plot.Normalizer
	length     float64 // px
	ticks      []Tick
}

// place is how many px from the axis's beginning a value stands.
func (s scale) place(v float64) float64 { return s.length * s.normalizer.Normalize(s.lo, s.hi, v) }

// set makes the axis of a plot this one.
func (s scale) set(a *plot.Axis) { a.Min, a.Max, a.Scale, a.Padding = s.lo, s.hi, s.normalizer, 0 }

// exactly is the scale from the least value to the greatest. The text of a tick
// takes as many px of the axis as size says.
func (a Axis) exactly(s span, length float64, size func(string) float64) scale {
	return a.scale(a.apart(s), length, size)
}

// rounded is the scale from one round figure to another, with zero if the axis
// is not logarithmic.
func (a Axis) rounded(s span, length float64, size func(string) float64) scale {
	if a.Log {
		s = a.apart(s)
		return a.scale(span{roundBelow(s.lo), roundAbove(s.hi)}, length, size)
	}
	s = a.apart(s)
	s.take(0)
	step := roundAbove((s.hi - s.lo) / 8)
	return a.scale(span{math.Floor(s.lo/step) * step, math.Ceil(s.hi/step) * step}, length, size)
}

// apart is the span with ends that differ.
func (a Axis) apart(s span) span {
	switch {
	case s.lo > s.hi && a.Log:
		return span{1, 10}
	case s.lo > s.hi, s.lo == 0 && s.hi == 0:
		return span{0, 1}
	case s.lo < s.hi:
		return s
	case a.Log:
		return span{s.lo / 2, s.hi * 2}
	}
	return span{s.lo - 1, s.hi + 1}
}

func (a Axis) scale(s span, length float64, size func(string) float64) scale {
	out := scale{span: s, length: length, normalizer: plot.LinearScale{}}
	if a.Log {
		out.normalizer = plot.LogScale{}
	}
	switch {
	case len(a.Ticks) > 0:
		out.ticks = out.fitting(within(s, a.Ticks), size)
	case a.Log:
		out.ticks = out.densest(a.logTicks(s), size)
	default:
		out.ticks = out.densest(a.linearTicks(s), size)
	}
	return out
}

// between is the least distance between the texts of two ticks.
const between = 7.0

// densest returns the first of the sets of ticks of which the texts keep apart,
// or the last.
func (s scale) densest(sets [][]Tick, size func(string) float64) []Tick {
	for _, ticks := range sets {
		if len(s.fitting(ticks, size)) == len(ticks) {
			return ticks
		}
	}
	return sets[len(sets)-1]
}

// fitting leaves out each tick with a text that would touch the one before.
func (s scale) fitting(ticks []Tick, size func(string) float64) []Tick {
	var out []Tick
	end := math.Inf(-1)
	for _, t := range ticks {
		at, half := s.place(t.At), size(t.Label)/2
		switch {
		case t.Label == "":
		case at-half < end:
			continue
		default:
			end = at + half + between
		}
		out = append(out, t)
	}
	return out
}

// linearTicks are sets of ticks at round distances, the densest first.
func (a Axis) linearTicks(s span) [][]Tick {
	var sets [][]Tick
	step := roundAbove((s.hi - s.lo) / 8)
	for range 4 {
		var ticks []Tick
		for i := math.Floor(s.lo/step + 1 - hair); i*step <= s.hi+hair*step; i++ {
			ticks = append(ticks, a.tick(i*step))
		}
		sets = append(sets, ticks)
		step = roundAbove(step * 1.5)
	}
	return sets
}

// hair is what computing a round figure may miss it by.
const hair = 1e-9

// logTicks are sets of ticks at 1, 2 and 5, at 1 alone, and at fewer powers of
// ten than all. What is left out is there without a text.
func (a Axis) logTicks(s span) [][]Tick {
	first, last := int(math.Floor(math.Log10(s.lo)+hair)), int(math.Ceil(math.Log10(s.hi)-hair))
	var sets [][]Tick
	for _, named := range []struct {
		power int     // of ten, each so many
		digit float64 // the greatest
	}{{1, 5}, {1, 1}, {2, 1}, {3, 1}} {
		var ticks []Tick
		for power := first; power <= last; power++ {
			for _, digit := range []float64{1, 2, 5} {
				t := a.tick(digit * math.Pow10(power))
				if power%named.power != 0 || digit > named.digit {
					t.Label = ""
				}
				ticks = append(ticks, t)
			}
		}
		sets = append(sets, within(s, ticks))
	}
	return sets
}

// tick is one at a figure, which arithmetic may have brought a little off.
func (a Axis) tick(at float64) Tick {
	text := strconv.FormatFloat(at, 'g', 9, 64)
	round, _ := strconv.ParseFloat(text, 64) // it was a number before
	if a.Write != nil {
		return Tick{round, a.Write(round)}
	}
	return Tick{round, strconv.FormatFloat(round, 'f', -1, 64)}
}

// within returns the ticks inside the span.
func within(s span, ticks []Tick) []Tick {
	var in []Tick
	for _, t := range ticks {
		if t.At >= s.lo-hair*math.Abs(s.lo) && t.At <= s.hi+hair*math.Abs(s.hi) {
			in = append(in, t)
		}
	}
	return in
}

// roundAbove is the least of 1, 2, 5, 10 and so on that is not below v, which
// is above zero.
func roundAbove(v float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(v))))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= v*(1-hair) {
			return digit * power
		}
	}
	return 10 * power
}

// roundBelow is the greatest of them that is not above v.
func roundBelow(v float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(v))))
	for _, digit := range []float64{5, 2} {
		if digit*power <= v*(1+hair) {
			return digit * power
		}
	}
	return power
}
