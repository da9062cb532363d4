package page

import (
	"fmt"
	"slices"
)

// Serving sizes the server for credentials that are held, so many of them with a
// call in flight at all times, each sending the next as soon as one is answered. It fails where the record has no model of the surface, and where nobody calls
// or more than there are.
func (c *Calculator) Serving(surface, transport string, credentials, calling int) (Need, error) {
	if calling < 1 || credentials < calling {
		return Need{}, fmt.Errorf("%d credentials, %d of them calling: want one calling or more, and no more than there are", credentials, calling)
	}
	of, err := c.find(surface, transport)
	if err != nil {
		return Need{}, err
	}
	return of.crowd.Serving(credentials, calling), nil
}

// Extrapolate follows the lines of memory up to so many times what was measured,
// where that is why a need has no memory. Need.Extrapolated then says so.
func (c *Calculator) Extrapolate(surface, transport string, n Need, times float64) (Need, error) {
	of, err := c.find(surface, transport)
	if err != nil || n.NoMemory == "" || n.Most < 1 {
		return n, err
	}
	return of.crowd.extrapolate(n, times), nil
}

// find is the model of a surface.
func (c *Calculator) find(surface, transport string) (SizedSurface, error) {
	at := slices.IndexFunc(c.Surfaces, func(s SizedSurface) bool { return s.Surface == surface && s.Transport == transport })
	if at < 0 {
		return SizedSurface{}, fmt.Errorf("the record has no model of %s over %s", surface, transport)
	}
	return c.Surfaces[at], nil
}

// Names are what the calculator has models of.
func (c *Calculator) Names() []string {
	names := make([]string, len(c.Surfaces))
	for i, s := range c.Surfaces {
		names[i] = s.Surface + " over " + s.Transport
	}
	return names
}

// Serving is that of a process that holds all credentials.
func (s *Sizer) Serving(credentials, calling int) Need {
	n := Need{People: credentials, Processes: 1, Mean: float64(calling), Most: calling}
	n.Memory, n.NoMemory = s.Memory(credentials, calling)
	if s.noHeld == "" && credentials > s.held.Last {
		n.noTimes = s.timesBeyond()
	}
	n.Load, n.NoLoad = s.busy(calling)
	if n.Load != nil {
		n.PerSecond = n.Load.Figure("calls/s").Median
	}
	return n
}

// busy is the lightest closed loop with so many calls in flight at all times.
// Waits are held to be no less than those of a lighter closed loop. Open loops
// say nothing here: in one of few calls a second, chance has more calls in
// flight at once than there ever are in this load.
func (s *Sizer) busy(calling int) (*Load, string) {
	for _, l := range rising(s.closed()) {
		if l.Figure("inflight").Median >= float64(calling) {
			return l, ""
		}
	}
	return nil, beyondInFlight(s.Surface)
}

// extrapolate takes memory from the lines beyond what was measured. Steps
// without a line through them lead nowhere.
func (s *Sizer) extrapolate(n Need, times float64) Need {
	if times <= 1 || s.NoModel != "" {
		return n
	}
	if float64(n.People) > times*float64(s.held.Last) || float64(n.Most) > times*s.mostInFlight() {
		n.NoMemory += fmt.Sprintf(", and more than %s times as many", significant(times))
		return n
	}
	n.Memory, n.NoMemory = s.Model.At(n.People, n.Most), ""
	n.Extrapolated = fmt.Sprintf("memory was measured up to %s credentials and %s calls in flight",
		significant(float64(s.held.Last)), significant(s.mostInFlight()))
	return n
}

// extrapolate has nothing to do: any number of processes is as many times one.
func (o *oneEach) extrapolate(n Need, _ float64) Need { return n }

// Serving is that of processes for one each.
func (o *oneEach) Serving(credentials, calling int) Need {
	n := Need{People: credentials, Processes: credentials, Mean: float64(calling), Most: calling, Memory: o.process.times(float64(credentials))}
	if loads := o.loads(); len(loads) > 0 && float64(calling) <= o.Figure("clients").Median {
		n.Load, n.PerSecond = loads[0], loads[0].PerSecond/roomy
	} else {
		n.NoLoad = beyondInFlight(o.Surface)
	}
	return n
}
