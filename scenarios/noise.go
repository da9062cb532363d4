package scenarios

import "time"

// NoisePoints lists the point scenarios in which a build is measured against itself: those without telemetry,
// and of stdio, whose processes do on every surface what the one on HTTP does, the smallest surface alone.
func NoisePoints(s *Subject) []Point {
	var points []Point
	taken := 0
	for _, p := range Points(s) {
		if p.Telemetry || p.Transport == Stdio && taken > 0 {
			continue
		}
		if p.Transport == Stdio {
			taken++
		}
		points = append(points, p)
	}
	return points
}

// noiseCreds is the population of a step in which a build is measured against itself: past the knee, and not so far
// that latency is nothing but the queue.
const noiseCreds = 20

// NoiseSteps lists the steps of series in which a build is measured against itself: one, of the surface of
// middle size.
func NoiseSteps(s *Subject, step time.Duration) []Step {
	all := AllSeries(s, []int{noiseCreds}, step)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)/2].Steps
}
