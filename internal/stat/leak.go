package stat

import (
	"fmt"
	"math"
	"slices"
)

// MiBPerHour is one mebibyte an hour in bytes a second.
const MiBPerHour = (1 << 20) / 3600.0

// What a LeakRule takes where it says nothing.
const (
	leakWindows = 16
	leakWarmUp  = 0.2
	leakGrain   = 256 << 10
)

const (
	// perWindow is the least number of readings of which a trough is the least.
	perWindow = 3
	// wander is the most that the correlation of neighbouring troughs counts as. Those that correlate more are as good
	// as a random walk, for which no width is enough: the interval then holds the truth in some eight of ten cases, and
	// the verdict, for which the tolerance has to be outside, is wrong in one of a hundred.
	wander = 0.9
)

// A LeakRule says how much growth is a leak.
type LeakRule struct {
	Tolerance float64 // growth up to which there is none, bytes a second: see MiBPerHour
	WarmUp    float64 // share of the time, from the start, that is left out; 0 stands for a fifth
	Windows   int     // parts of the rest that give a trough each, at least MinFit; 0 stands for 16
	Grain     float64 // bytes by which memory grows at a time: less cannot be told from nothing; 0 stands for 256 KiB
}

// A Leak is what a LeakRule makes of readings. Growth is in bytes a second, negative where memory shrinks.
type Leak struct {
	Growth      float64 // of the troughs
	Lo, Hi      float64 // ends of its interval of Confidence, if Interval
	Interval    bool    // whether there was enough for one
	Early, Late float64 // growth in the first half of the troughs, and in the second
	Correlation float64 // of neighbouring troughs, what the line leaves of them; not below 0
	Troughs     []XY    // that the growth was fitted to
	Verdict     Verdict
	Because     string // what an Inconclusive is for; else empty
}

// Judge says whether memory leaks. Readings are bytes (Y) at seconds (X) under
// constant load, in the order of time. Time may be made to run faster: growth
// and tolerance are both per unit of X, whatever that is.
//
// A collected heap is a sawtooth, and what it falls back to is what grows with
// a leak. So time is parted into windows of equal length, and of each only the
// least reading counts, which has to be one after a collection: a window must
// hold several. Through these troughs goes Fit's line.
//
// Sen's interval takes troughs to be independent. Of neighbours that are not,
// n tell about as much as n·(1-r)/(1+r) (Bayley and Hammersley 1946, Supplement
// to the Journal of the Royal Statistical Society 8:184; for Kendall's tau Hamed
// and Rao 1998, Journal of Hydrology 204:182), so its ends are moved outwards
// by the root of that. What a line leaves correlates less than what it was laid
// through, by (2+4r)/n (Marriott and Pope 1954, Biometrika 41:390, for a mean
// (1+3r)/n), which is put back first. A negative correlation narrows nothing.
//
// The verdict is Fail if the interval is wholly above the tolerance, Pass if it
// is wholly below, and else Inconclusive. So it is where readings are too few,
// or span too little time for the tolerated growth to exceed the grain; and
// instead of Fail, where growth in the second half is less than half of that in
// the first, as in a warm-up that goes on.
func (r LeakRule) Judge(readings []XY) (Leak, error) {
	r = r.orDefaults()
	if err := r.check(readings); err != nil {
		return Leak{}, err
	}
	warm := r.warm(readings)
	if why := r.tooShort(warm); why != "" {
		return Leak{Verdict: Inconclusive, Because: why}, nil
	}
	l := Leak{Troughs: troughs(warm, r.Windows)}
	line, _ := Fit(l.Troughs) // of numbers, of which the first and the last window have one each
	l.Growth, l.Interval = line.Slope, line.Interval
	l.Correlation = neighbours(line, l.Troughs)
	wider := math.Sqrt((1 + l.Correlation) / (1 - min(l.Correlation, wander)))
	l.Lo, l.Hi = line.Slope-wider*(line.Slope-line.Lo), line.Slope+wider*(line.Hi-line.Slope)
	l.Early, l.Late = halves(l.Troughs)
	l.Verdict, l.Because = r.verdict(l)
	return l, nil
}

func (r LeakRule) orDefaults() LeakRule {
	if r.WarmUp == 0 {
		r.WarmUp = leakWarmUp
	}
	if r.Windows == 0 {
		r.Windows = leakWindows
	}
	if r.Grain == 0 {
		r.Grain = leakGrain
	}
	return r
}

func (r LeakRule) check(readings []XY) error {
	if !(r.Tolerance > 0 && r.WarmUp > 0 && r.WarmUp < 1 && r.Windows >= MinFit && r.Grain > 0) {
		return fmt.Errorf("leak: %+v is no rule: want a tolerance and a grain above 0, a share of time, and at least %d windows", r, MinFit)
	}
	for i, p := range readings {
		if sum := p.X + p.Y; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("leak: reading %d is of %v bytes at %v, which is no measurement", i+1, p.Y, p.X)
		}
		if i > 0 && p.X <= readings[i-1].X {
			return fmt.Errorf("leak: reading %d is not after the one before it", i+1)
		}
	}
	return nil
}

// warm leaves out the readings of the warm-up.
func (r LeakRule) warm(readings []XY) []XY {
	if len(readings) == 0 {
		return nil
	}
	first, last := readings[0].X, readings[len(readings)-1].X
	from := first + r.WarmUp*(last-first)
	return readings[slices.IndexFunc(readings, func(p XY) bool { return p.X >= from }):]
}

// tooShort says why readings are too few or too close together, or nothing.
func (r LeakRule) tooShort(readings []XY) string {
	if least := perWindow * r.Windows; len(readings) < least {
		return fmt.Sprintf("too short: %d readings after the warm-up, and it takes %d", len(readings), least)
	}
	span := readings[len(readings)-1].X - readings[0].X
	if span*r.Tolerance < r.Grain {
		return fmt.Sprintf("too short: growth at the tolerance comes to %.0f KiB in %.3g s, and less than %.0f KiB cannot be told from none",
			span*r.Tolerance/1024, span, r.Grain/1024)
	}
	return ""
}

// troughs returns the least reading of each window that has any.
func troughs(readings []XY, windows int) []XY {
	first := readings[0].X
	width := (readings[len(readings)-1].X - first) / float64(windows)
	least := make([]XY, 0, windows)
	in := -1
	for _, p := range readings {
		w := min(int((p.X-first)/width), windows-1)
		switch {
		case w != in:
			least, in = append(least, p), w
		case p.Y < least[len(least)-1].Y:
			least[len(least)-1] = p
		}
	}
	return least
}

// neighbours returns the correlation of neighbouring points in what the line
// leaves, without the bias that comes of having laid the line through them.
func neighbours(line Line, points []XY) float64 {
	left := eachOf(points, func(p XY) float64 { return p.Y - line.At(p.X) })
	var mean, products, squares float64
	for _, y := range left {
		mean += y / float64(len(left))
	}
	for i, y := range left {
		squares += (y - mean) * (y - mean)
		if i > 0 {
			products += (y - mean) * (left[i-1] - mean)
		}
	}
	if squares == 0 {
		return 0
	}
	n := float64(len(left))
	return min(max((products/squares+2/n)/(1-4/n), 0), 1)
}

// halves returns the growth in the first half of the points and in the second.
func halves(points []XY) (early, late float64) {
	growth := func(half []XY) float64 {
		var groups [][]XY
		for _, p := range half {
			groups = append(groups, []XY{p})
		}
		return median(pairSlopes(groups))
	}
	middle := len(points) / 2
	return growth(points[:middle]), growth(points[middle:])
}

func (r LeakRule) verdict(l Leak) (Verdict, string) {
	switch {
	case !l.Interval:
		return Inconclusive, fmt.Sprintf("too few readings: they fall into %d windows, too few for an interval", len(l.Troughs))
	case l.Hi < r.Tolerance:
		return Pass, ""
	case (l.Lo > r.Tolerance || l.Correlation >= wander) && l.Late < l.Early/2:
		return Inconclusive, "growth slows down, as it does while a process warms up"
	case l.Lo > r.Tolerance:
		return Fail, ""
	}
	return Inconclusive, "too noisy or too short: the tolerance is within the interval"
}
