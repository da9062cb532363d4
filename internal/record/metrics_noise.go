package record

import "strings"

// noiseMetrics is empty: noise is told in the metrics of what it repeats.
func noiseMetrics() []Metric { return nil }

// Parts of a name that only results of Noise have: the side of a build that is
// measured against itself, and whether the suite's sampler looked.
const (
	PartSide = "side" // a or b
	PartLook = "look" // on or off
)

// Measures returns the kind whose metrics the result has: its own, or of Noise
// that of the result that it repeats.
func (r Result) Measures() Kind {
	switch {
	case r.Kind() != Noise:
		return r.Kind()
	case r.Part("creds") != "":
		return Series
	default:
		return Point
	}
}

// Repeated returns the name of what a result of Noise repeats, and of any other
// its own name.
func (r Result) Repeated() string {
	if r.Kind() != Noise {
		return r.Name
	}
	parts := strings.Split(r.Name, "/")
	name := []string{string(r.Measures())}
	for _, part := range parts[1:] {
		if key, _, _ := strings.Cut(part, "="); key != PartSide && key != PartLook {
			name = append(name, part)
		}
	}
	return strings.Join(name, "/")
}
