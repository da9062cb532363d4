// Package scenarios holds what is measured, as data: the subjects (TOML files), the point
// scenarios, and the settings they run under. It starts nothing and reads no clock; the suite in
// bench_test turns an entry into a running process.
package scenarios

import "strings"

// Transport is how a client reaches a subject.
type Transport string

// The transports that a subject may offer.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// Surface is the name of the set of tools that a subject is told to expose.
type Surface string

// Point is one scenario at one population: a subject's transport, surface and options, and how many
// clients use it at once.
type Point struct {
	Transport Transport
	Surface   Surface
	Telemetry bool
	// Clients is the number of credentials on HTTP and of processes on stdio.
	Clients int
	// Rounds is how often each client makes each call while all of them are loaded.
	Rounds int
}

// Populations of the point scenarios. 64 credentials stay below the shipped bound of 100 and are far
// past what a small host serves at once; 8 processes are a busy developer's machine.
const (
	PointCredentials = 64
	PointProcesses   = 8
)

// minCallsPerMethod is the least number of calls of each method in a scenario: a finite 95% interval
// of a 99th percentile needs 368.
const minCallsPerMethod = 400

// minRounds is the least number of times each client makes each call.
const minRounds = 3

// Points lists a subject's point scenarios in the order in which they run and are published: every surface on
// every transport, and the smallest of them once more with telemetry.
func Points(s *Subject) []Point {
	var points []Point
	for _, transport := range s.TransportNames() {
		surfaces := s.SurfaceNames()
		for _, surface := range surfaces {
			points = append(points, newPoint(transport, surface, false))
		}
		if s.Telemetry != nil {
			points = append(points, newPoint(transport, surfaces[0], true))
		}
	}
	return points
}

func newPoint(transport Transport, surface Surface, telemetry bool) Point {
	clients := PointCredentials
	if transport == Stdio {
		clients = PointProcesses
	}
	rounds := max(minRounds, (minCallsPerMethod+clients-1)/clients)
	return Point{Transport: transport, Surface: surface, Telemetry: telemetry, Clients: clients, Rounds: rounds}
}

// Name returns the scenario's part of a benchmark name: key=value pairs joined by slashes, in the
// order of the published tables.
func (p Point) Name(subject string) string {
	return strings.Join([]string{
		"subject=" + subject,
		"transport=" + string(p.Transport),
		"surface=" + string(p.Surface),
		"telemetry=" + onOff(p.Telemetry),
	}, "/")
}

// Calls returns how often a method is called in total while all clients are loaded.
func (p Point) Calls() int { return p.Clients * p.Rounds }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
