package stat

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// MinKnee is the least number of steps (different numbers in flight) in which
// a knee is looked for: three to see whether the end is flat, and one before.
const MinKnee = 4

// bent is the growth at the end of the ladder up to which it counts as flat:
// below, more calls in flight buy more waiting than throughput.
const bent = 0.5

// slower is how many times longer than at the lightest step calls must take at
// the heaviest for the waiting to be in what is measured.
const slower = 1.5

// ErrFewSteps says that a closed loop was measured at too few steps.
var ErrFewSteps = errors.New("too few steps for a knee")

// A Throughput is what one step of a closed loop came to in one round.
type Throughput struct {
	Round     int           // tells the repetitions of a step apart
	InFlight  int           // calls in flight at all times
	PerSecond float64       // calls completed a second
	P50, P99  time.Duration // latency of a call; zero where it is withheld
}

// A Knee is the point beyond which more calls in flight only wait longer.
type Knee struct {
	Found     bool          // whether it lies within the ladder
	Reason    string        // if it does not: why, in words
	AtFoot    bool          // the lightest step, of several calls, is at it already: the knee is there or below, and R0 holds waiting
	InFlight  float64       // N*, calls in flight at the knee
	PerSecond float64       // Xmax, calls a second on the plateau
	Response  time.Duration // R0, time a call takes when none is in another's way
	Growth    float64       // at the ladder's end: 0 flat, 1 as the number in flight, negative falling
	Rounds    Summary       // of N*, round by round, over the rounds in which it was found
}

// FindKnee finds the knee of a closed loop by the asymptotic bounds of
// operational analysis (Denning and Buzen 1978, ACM Computing Surveys 10:225;
// Lazowska et al., Quantitative System Performance, chapter 5): throughput
// cannot exceed N/R0, each call taking R0 when it waits for no other, nor Xmax,
// what the busiest part can do, and the bounds meet at N* = Xmax·R0.
//
// By Little's law calls take N/X in a loop that does nothing between them, so
// R0 is the least N/X of any step, so that no step beats its bound: a step that
// stalls does no harm, one whose calls came back too soon, being refused, does.
// If even the lightest step fills the server, and is not one call at a time,
// which waits for no other, R0 includes waiting and the knee is at that step or
// below, which AtFoot says. Xmax is the median of the three highest steps,
// which one bad step does not move; of a noisy plateau it takes the upper half.
// A step is the median of its rounds.
//
// The knee is within the ladder if throughput is flat at its end: Growth, the
// median exponent of throughput over the number in flight between the last
// three steps, is at most a half, where the bounds' own corner has 1 before it
// and 0 after. Otherwise the figures are still the bounds of what was measured,
// and the knee is at or above N*. And latency must have grown: where throughput
// is flat and latency is too, the limit is in the load and not in the server.
func FindKnee(points []Throughput) (Knee, error) {
	k, err := kneeOf(points)
	if err != nil {
		return Knee{}, err
	}
	var found []float64
	for _, round := range grouped(points, func(p Throughput) int { return p.Round }) {
		// A round that lacks steps cannot say.
		if one, err := kneeOf(round); err == nil && one.Found {
			found = append(found, one.InFlight)
		}
	}
	if len(found) > 0 {
		// Products of what kneeOf has checked are numbers.
		k.Rounds, _ = Summarize(found)
	}
	return k, nil
}

// kneeOf finds the knee of all rounds together.
func kneeOf(points []Throughput) (Knee, error) {
	steps, err := loopSteps(points)
	if err != nil {
		return Knee{}, err
	}
	var rates []float64
	response := math.Inf(1)
	for _, s := range steps {
		rates = append(rates, s.PerSecond)
		response = min(response, float64(s.InFlight)/s.PerSecond)
	}
	slices.Sort(rates)
	k := Knee{PerSecond: rates[len(rates)-2], Growth: endGrowth(steps)}
	k.InFlight = k.PerSecond * response
	k.Response = time.Duration(response * float64(time.Second))
	k.Reason = whyNone(steps, k.Growth)
	k.Found = k.Reason == ""
	k.AtFoot = k.Found && steps[0].InFlight > 1 && k.InFlight <= foot*float64(steps[0].InFlight)
	return k, nil
}

// foot is how near to the lightest step a knee must be to be called at it.
const foot = 1.5

// whyNone says why there is no knee within the ladder, or nothing.
func whyNone(steps []Throughput, growth float64) string {
	last := steps[len(steps)-1]
	if growth > bent {
		return fmt.Sprintf("no knee within the ladder: throughput still grows at %d in flight", last.InFlight)
	}
	// Where both are withheld there is nothing to hold against the throughput.
	longer := max(
		longest(steps, func(s Throughput) time.Duration { return s.P50 }),
		longest(steps, func(s Throughput) time.Duration { return s.P99 }))
	if longer > 0 && longer <= slower {
		return "no knee: throughput is flat but latency did not grow, so the limit is in the load"
	}
	return ""
}

// longest returns how many times as long as at the lightest step that has a
// latency it is at the heaviest step of all, or zero where it is withheld.
func longest(steps []Throughput, of func(Throughput) time.Duration) float64 {
	last := len(steps) - 1
	for _, s := range steps[:last] {
		if first := of(s); first > 0 {
			return float64(of(steps[last])) / float64(first)
		}
	}
	return 0
}

// endGrowth returns the median exponent between the last three steps.
func endGrowth(steps []Throughput) float64 {
	end := eachOf(steps[len(steps)-3:], func(s Throughput) []XY {
		return []XY{{math.Log(float64(s.InFlight)), math.Log(s.PerSecond)}}
	})
	return median(pairSlopes(end))
}

// loopSteps returns the median of every step, with the number in flight rising.
func loopSteps(points []Throughput) ([]Throughput, error) {
	for _, p := range points {
		if !(p.InFlight > 0 && p.PerSecond > 0) || math.IsInf(p.PerSecond, 1) {
			return nil, fmt.Errorf("round %d: %v calls a second with %d in flight are no closed loop's: leave out steps that completed no call",
				p.Round, p.PerSecond, p.InFlight)
		}
	}
	var steps []Throughput
	for _, rounds := range grouped(points, func(p Throughput) int { return p.InFlight }) {
		steps = append(steps, Throughput{
			InFlight:  rounds[0].InFlight,
			PerSecond: median(eachOf(rounds, func(p Throughput) float64 { return p.PerSecond })),
			P50:       medianTime(rounds, func(p Throughput) time.Duration { return p.P50 }),
			P99:       medianTime(rounds, func(p Throughput) time.Duration { return p.P99 }),
		})
	}
	if len(steps) < MinKnee {
		return nil, fmt.Errorf("%w: %d, and it takes %d", ErrFewSteps, len(steps), MinKnee)
	}
	return steps, nil
}

// medianTime returns the median of the latencies that are given, or zero.
func medianTime(rounds []Throughput, of func(Throughput) time.Duration) time.Duration {
	var given []float64
	for _, r := range rounds {
		if d := of(r); d > 0 {
			given = append(given, float64(d))
		}
	}
	if len(given) == 0 {
		return 0
	}
	return time.Duration(median(given))
}

// grouped parts points by key, and returns the groups with their keys rising.
func grouped(points []Throughput, key func(Throughput) int) [][]Throughput {
	by := map[int][]Throughput{}
	for _, p := range points {
		by[key(p)] = append(by[key(p)], p)
	}
	var groups [][]Throughput
	for _, k := range slices.Sorted(maps.Keys(by)) {
		groups = append(groups, by[k])
	}
	return groups
}
