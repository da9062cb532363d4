package stat

import (
	"fmt"
	"time"
)

// Crowded is the share of all moments at which no more calls are in flight
// than InFlight says at most.
const Crowded = 0.99

// InFlight returns how many calls are in flight when that many people call
// independently, each once in every period, and a call takes latency: the mean,
// and the number that is not exceeded at Crowded of all moments.
//
// The mean is Little's law, L = λ·W with λ = people/every (Little 1961,
// Operations Research 9:383). At a random moment a person is waiting for a
// reply with the probability p = latency/every, the share of the period that
// the call takes (Ross, Introduction to Probability Models, alternating
// renewal processes), so the number in flight is binomial(people, p), and
// nearly Poisson with the mean people·p when p is small. Only the mean of the
// latency matters, not its shape.
//
// Nobody has two calls in flight: where a call takes the whole period or
// longer, everybody waits all the time. The latency is the one at that load;
// past the knee it is not the one that was measured before it.
func InFlight(people int, every, latency time.Duration) (mean float64, most int, err error) {
	if people < 0 || every <= 0 || latency < 0 {
		return 0, 0, fmt.Errorf("%d people calling every %v with a latency of %v: want a period above zero, and nothing negative",
			people, every, latency)
	}
	p := float64(latency) / float64(every)
	switch {
	case people == 0 || p == 0:
		return 0, 0, nil
	case p >= 1:
		return float64(people), people, nil
	}
	return float64(people) * p, quantile(people, p, Crowded), nil
}
