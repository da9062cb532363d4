package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sizing is what a subject file says for the benchmarks of sizing. A part that is missing is not measured.
type Sizing struct {
	// SurfaceURL is the endpoint of the surface {surface}, whichever the process was started with.
	SurfaceURL string `toml:"surface_url"`
	// Endpoints are plain pages, such as a health check, by their names.
	Endpoints map[string]*Endpoint `toml:"endpoints"`
	// Sweeps are settings that are moved over a list of values, by their names.
	Sweeps map[string]*Sweep `toml:"sweeps"`
}

// Endpoint is a page that is asked for with GET, without a credential.
type Endpoint struct {
	URL string `toml:"url"`
	// Contains must stand among the first 200 bytes of the page.
	Contains string `toml:"contains"`
}

// A Rung is one step of the ladder of calls whose answers from GitLab are large.
type Rung struct {
	Surface Surface
	// Calls is how many there are, one after another but for the last AtOnce, which are made at once.
	Calls, AtOnce int
}

// DownloadBytes is how large GitLab's answer to CallHeavy is on the ladder unless told otherwise.
const DownloadBytes = 20 << 20

// Burst is how many calls of the ladder are made at once at most.
const Burst = 12

// Rungs lists the ladder of a subject in the order in which it runs: on the surface of the fewest tools that has such
// a call.
func Rungs(s *Subject) []Rung {
	if s.Transports[HTTP] == nil {
		return nil
	}
	for _, surface := range s.SurfaceNames() {
		if s.Surfaces[surface].Calls[CallHeavy] == nil {
			continue
		}
		rungs := []Rung{{surface, 0, 0}, {surface, 1, 1}, {surface, 8, 1}, {surface, 32, 1}}
		for _, calls := range []int{44, 100, 1000} {
			rungs = append(rungs, Rung{surface, calls, Burst})
		}
		return rungs
	}
	return nil
}

// Name returns the rung's part of a benchmark name.
func (r Rung) Name(subject string) string { return httpName(subject, r.Surface, "calls", r.Calls) }

// A Holding is so many things held open at once in one process: calls that GitLab does not answer, or sessions.
type Holding struct {
	Surface Surface
	N       int
}

// holdings are how many calls are held, and sessions how many there are of those. Five make a slope with an interval.
var (
	holdings = []int{16, 32, 64, 128, 256}
	sessions = []int{25, 50, 100, 200, 400}
)

// HeldCalls lists how many calls are held open at once: on the surface of the fewest tools whose read reaches GitLab.
func HeldCalls(s *Subject) []Holding {
	if s.Transports[HTTP] == nil {
		return nil
	}
	for _, surface := range s.SurfaceNames() {
		if s.Surfaces[surface].Calls[CallRead].Route != "" {
			return holdingsOf(surface, holdings)
		}
	}
	return nil
}

// OpenSessions lists how many sessions of an older revision there are at once.
func OpenSessions(s *Subject) []Holding {
	if s.Transports[HTTP] == nil || s.Sessions == nil {
		return nil
	}
	return holdingsOf(s.SurfaceNames()[0], sessions)
}

func holdingsOf(surface Surface, ns []int) []Holding {
	all := make([]Holding, len(ns))
	for i, n := range ns {
		all[i] = Holding{surface, n}
	}
	return all
}

// Name returns the holding's part of a benchmark name, in which what is held is called what.
func (h Holding) Name(subject, what string) string { return httpName(subject, h.Surface, what, h.N) }

// EndpointConnections is how many connections ask a cheap endpoint at once.
const EndpointConnections = 16

// A Probe is one cheap endpoint: a plain page, or a method of the protocol.
type Probe struct {
	Surface Surface
	// Endpoint names it in a benchmark name.
	Endpoint string
	// Page is the plain page, or nil, and Method the method then.
	Page   *Endpoint
	Method string
}

// cheap are the methods that cost a server next to nothing, by the names that stand for them, each since a revision.
var cheap = []struct{ name, method, since string }{
	{"discover", "server/discover", "2026-07-28"}, {"resources", "resources/list", ""},
}

// Probes lists the cheap endpoints in the order in which they run: pages by name, then methods.
func Probes(s *Subject) []Probe {
	if s.Transports[HTTP] == nil {
		return nil
	}
	surface := s.SurfaceNames()[0]
	var all []Probe
	for _, name := range slices.Sorted(maps.Keys(s.Sizing.Endpoints)) {
		all = append(all, Probe{Surface: surface, Endpoint: name, Page: s.Sizing.Endpoints[name]})
	}
	for _, m := range cheap {
		if m.since > s.Protocol {
			continue
		}
		all = append(all, Probe{Surface: surface, Endpoint: m.name, Method: m.method})
	}
	return all
}

// Name returns the probe's part of a benchmark name.
func (p Probe) Name(subject string) string {
	return httpName(subject, p.Surface, "endpoint", p.Endpoint)
}

// A Configuration is a set of surfaces that one process serves at once.
type Configuration struct {
	Surfaces []Surface
	// Creds is how many credentials use all of them.
	Creds int
}

// configurationCreds is how many credentials use the surfaces of a configuration: enough to tell a catalog of each
// credential's own from one that they share.
const configurationCreds = 16

// Configurations lists each surface alone, and then the smallest two, three, … together.
func Configurations(s *Subject) []Configuration {
	if s.Transports[HTTP] == nil || s.Sizing.SurfaceURL == "" {
		return nil
	}
	surfaces := s.SurfaceNames()
	var all []Configuration
	for i := range surfaces {
		all = append(all, Configuration{surfaces[i : i+1], configurationCreds})
	}
	for n := 2; n <= len(surfaces); n++ {
		all = append(all, Configuration{surfaces[:n], configurationCreds})
	}
	return all
}

// Name returns the configuration's part of a benchmark name.
func (c Configuration) Name(subject string) string {
	names := make([]string, len(c.Surfaces))
	for i, surface := range c.Surfaces {
		names[i] = string(surface)
	}
	return httpName(subject, Surface(strings.Join(names, "+")), "creds", c.Creds)
}

// httpName is the form of names of all that is measured over HTTP.
func httpName(subject string, surface Surface, key string, value any) string {
	return fmt.Sprintf("subject=%s/transport=%s/surface=%s/%s=%v", subject, HTTP, surface, key, value)
}

func (z *Sizing) validate(s *Subject) error {
	for name, e := range z.Endpoints {
		if !namePattern.MatchString(name) || e.URL == "" || e.Contains == "" {
			return fmt.Errorf("endpoints.%s: needs a name in lower case, a url, and what its page contains", name)
		}
	}
	for name, sweep := range z.Sweeps {
		if err := sweep.validate(name, s); err != nil {
			return fmt.Errorf("sweeps.%s: %w", name, err)
		}
	}
	return nil
}
