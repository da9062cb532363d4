package meter

import (
	"context"
	"time"
)

// point is a resident set some time after the settling began.
type point struct {
	at  time.Duration
	rss int64
}

// rest decides when a series of readings has come to rest. Its options have no zero fields.
type rest struct {
	options SettleOptions
	began   time.Time // of the settling; the first reading if not set
	points  []point
	window  int    // the first point that may belong to a window
	tried   *point // the stillness that a collection was to disturb
}

func (r *rest) add(reading Reading) {
	if r.began.IsZero() {
		r.began = reading.At
	}
	r.points = append(r.points, point{at: reading.At.Sub(r.began), rss: reading.RSS})
}

func (r *rest) last() point { return r.points[len(r.points)-1] }

// band is the change that counts as none, in bytes.
func (r *rest) band() int64 {
	return max(int64(r.options.Relative*float64(r.last().rss)), r.options.Absolute)
}

// still reports whether the window is full and no two of its readings differ by more than the band.
func (r *rest) still() bool {
	last := r.last()
	lowest, highest := last.rss, last.rss
	for i := len(r.points) - 1; i >= r.window; i-- {
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

// confirm reports whether stillness is rest. If that is in doubt it forces a collection, which gives a runtime
// that has only paused an occasion to go on, and begins another window.
func (r *rest) confirm(ctx context.Context, h Heap) (bool, error) {
	if h == nil || (r.tried != nil && r.near(*r.tried)) {
		return true, nil
	}
	heap, err := h.Live(ctx)
	if err != nil || r.gaveBack(heap) {
		return err == nil, err
	}
	last := r.last()
	r.tried, r.window = &last, len(r.points)
	return false, h.Collect(ctx)
}

// gaveBack reports whether the heap has returned its free memory to the system but for the tenth of what is
// in use that Go's runtime keeps on purpose (retainExtraPercent). It is false if that is not known.
func (r *rest) gaveBack(h HeapReading) bool {
	if h.InUse == nil || h.Idle == nil || h.Released == nil {
		return false
	}
	return *h.Idle-*h.Released <= *h.InUse/10+r.band()
}

// near reports whether p is within the band of the last point.
func (r *rest) near(p point) bool {
	return max(p.rss-r.last().rss, r.last().rss-p.rss) <= r.band()
}

// result describes the wait up to the last point.
func (r *rest) result(rested bool) Settled {
	last := r.last()
	s := Settled{Rested: rested, RSS: last.rss, Took: last.at, Waited: last.at}
	if rested {
		s.Took = r.arrival()
	}
	return s
}

// arrival is the time of the first point from which on all are near the last.
func (r *rest) arrival() time.Duration {
	at := r.last().at
	for i := len(r.points) - 1; i >= 0 && r.near(r.points[i]); i-- {
		at = r.points[i].at
	}
	return at
}
