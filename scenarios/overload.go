package scenarios

import (
	"fmt"
	"time"
)

// Overload is one way of asking a subject for more than it admits.
type Overload struct {
	Variant string
	// Bound is how many requests of one credential may be in progress, and Connections how many ask at once, all of
	// one credential. A refused one comes back when it was told to.
	Bound, Connections int
	// Latency is how long GitLab takes at first, so that Bound / Latency is what is admitted. Where the subject's
	// processors do not come to that, the suite doubles it up to Doublings times: it is the bound that is tried.
	Latency   time.Duration
	Doublings int
	// Slower is how many times as long GitLab takes during the overload; 1 is no change.
	Slower int
	// Idle is how many connections ask nothing, and Trickling how many send a head a byte at a time, so that it is
	// never whole.
	Idle, Trickling int
	// Credentials, where there are any, call in place of Connections, each on one of its own with Pause between its
	// calls, while the subject holds Pool of them.
	Credentials, Pool int
	Pause             time.Duration
	// Probes is how many connections of a credential that is not busy call all the while.
	Probes int
	// Before and After are how long Bound connections call alone, Ramp how long it takes until all others have
	// begun, and During how long the overload lasts from then.
	Before, Ramp, During, After time.Duration
	// Refusals is how many refusals are measured alone.
	Refusals int
}

// GiveUp is how long a server may keep a connection on which it was asked nothing.
const GiveUp = 30 * time.Second

// The variants of overload.
const (
	OverloadRequests    = "requests"    // more requests than the bound
	OverloadConnections = "connections" // connections that ask nothing
	OverloadSlowGitLab  = "slow-gitlab" // more requests than the bound, while GitLab has become slow
	OverloadCredentials = "credentials" // more credentials than the pool holds
)

// Overloads lists the variants in the order in which they run, and says of each that the subject does not offer why.
func Overloads(s *Subject) (all []Overload, leftOut map[string]string) {
	leftOut = make(map[string]string)
	for _, o := range []Overload{
		{Variant: OverloadRequests, Connections: 2000},
		{Variant: OverloadConnections, Idle: 4000, Trickling: 1000},
		{Variant: OverloadSlowGitLab, Connections: 2000, Slower: 3},
		{Variant: OverloadCredentials, Credentials: 200, Pool: 100, Pause: time.Second},
	} {
		if why := o.unavailable(s); why != "" {
			leftOut[o.Variant] = why
			continue
		}
		all = append(all, o.inFull())
	}
	return all, leftOut
}

// unavailable says what the subject lacks for the variant.
func (o Overload) unavailable(s *Subject) string {
	switch {
	case s.Transports[HTTP] == nil:
		return "it is not served over HTTP"
	case o.Connections > 0 && s.Bounded == nil:
		return "its subject file does not say how requests are bounded: it has no [bounded]"
	case o.Credentials > 0 && (s.Many == nil || s.Transports[HTTP].AdmissionRequests == 0):
		return "its subject file does not say how credentials are bounded, or what GitLab is asked for each"
	}
	return ""
}

// inFull is the variant as it is published.
func (o Overload) inFull() Overload {
	o.Bound, o.Latency, o.Doublings, o.Probes = 64, 50*time.Millisecond, 3, 4
	o.Slower = max(1, o.Slower)
	o.Before, o.Ramp, o.During, o.After = 20*time.Second, 3*time.Second, 60*time.Second, 20*time.Second
	o.Refusals = 100_000
	return o
}

// Short is the variant with a tenth of all that asks, for a few seconds.
func (o Overload) Short() Overload {
	o.Bound, o.Doublings, o.Probes = 16, 0, 2
	for _, n := range []*int{&o.Connections, &o.Idle, &o.Trickling, &o.Credentials, &o.Pool} {
		*n /= 10
	}
	o.Pause /= 5
	o.Before, o.Ramp, o.During, o.After = time.Second, time.Second/2, 2*time.Second, time.Second
	o.Refusals = 2000
	return o
}

// Refuses reports whether the variant asks for more requests than are admitted.
func (o Overload) Refuses() bool { return o.Connections > 0 }

// Capacity is how many calls a second the bound admits while GitLab takes a time.
func (o Overload) Capacity(latency time.Duration) float64 {
	return float64(o.Bound) / latency.Seconds()
}

// Demand is how many calls a second the Credentials make whose calls take a time each.
func (o Overload) Demand(each time.Duration) float64 {
	return float64(o.Credentials) / (o.Pause + each).Seconds()
}

// Name is the variant's part of a benchmark name.
func (o Overload) Name(subject string) string {
	return fmt.Sprintf("subject=%s/variant=%s", subject, o.Variant)
}

// ReadingName is the part of a benchmark name of one second of it, from 0.
func (o Overload) ReadingName(subject string, second int) string {
	return fmt.Sprintf("%s/second=%03d", o.Name(subject), second)
}
