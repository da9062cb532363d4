package meter

import "time"

// point is a resident set some time after the wait began.
type point struct {
	at  time.Duration
	rss int64
}

// rest decides when a series of readings has come to rest. Its options have no zero fields.
type rest struct {
	options SettleOptions
	points  []point
}

func (r *rest) add(p point) { r.points = append(r.points, p) }

// verdict returns what is known, and whether it is over: at rest, or out of time.
func (r *rest) verdict() (Settled, bool) {
	last := r.points[len(r.points)-1]
	s := Settled{RSS: last.rss, Waited: last.at}
	if r.still() {
		s.Rested, s.Took = true, r.arrival()
		return s, true
	}
	s.Took = last.at
	return s, last.at >= r.options.Timeout
}

// still reports whether the window is full and no two of its readings differ by more than the band.
func (r *rest) still() bool {
	last := r.points[len(r.points)-1]
	lowest, highest := last.rss, last.rss
	for i := len(r.points) - 1; i >= 0; i-- {
		p := r.points[i]
		lowest, highest = min(lowest, p.rss), max(highest, p.rss)
		if highest-lowest > r.band() {
			return false
		}
		if last.at-p.at >= r.options.Window {
			return true
		}
	}
	return false
}

// arrival is the time of the first reading from which on all are within the band of the last.
func (r *rest) arrival() time.Duration {
	last := r.points[len(r.points)-1]
	at := last.at
	for i := len(r.points) - 1; i >= 0; i-- {
		p := r.points[i]
		if max(p.rss-last.rss, last.rss-p.rss) > r.band() {
			break
		}
		at = p.at
	}
	return at
}

// band is the change that counts as none, in bytes.
func (r *rest) band() int64 {
	last := r.points[len(r.points)-1]
	return max(int64(r.options.Relative*float64(last.rss)), r.options.Absolute)
}
