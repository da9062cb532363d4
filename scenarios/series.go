package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Series is a ladder of populations of one surface over HTTP. Each of its steps has a process of its own.
type Series struct {
	Surface Surface
	Steps   []Step
}

// Step is one population of a series.
type Step struct {
	Surface Surface
	// Creds is how many distinct credentials are admitted.
	Creds int
	// InFlight is how many requests each of them keeps in flight, each on a connection of its own.
	InFlight int
	// Duration is how long the mixed load lasts; each method's own phase lasts a third of it.
	Duration time.Duration
}

// DefaultStepDuration is how long a step's mixed load lasts unless told otherwise.
const DefaultStepDuration = 10 * time.Second

// ladder is the populations of every series. The long steps come on top for the smallest surface, with one
// request in flight a credential: suite and subject together hold two descriptors a connection, and 20,000
// is a common bound for a process.
var (
	ladder     = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	longLadder = []int{2000, 5000, 10000}
)

// largeListing is the size from which a listing is work enough for half as many requests in flight.
const largeListing = 1_000_000

// inFlight is how many requests a credential keeps in flight.
func inFlight(surface *SurfaceSpec, creds int) int {
	switch {
	case creds > ladder[len(ladder)-1]:
		return 1
	case surface.ListingBytes > largeListing:
		return 2
	default:
		return 4
	}
}

// AllSeries lists a subject's series in the order in which they run and are published; there are none for a
// subject that is not served over HTTP or cannot hold many credentials. creds replaces the ladders unless it is
// empty.
func AllSeries(s *Subject, creds []int, step time.Duration) []Series {
	if s.Transports[HTTP] == nil || s.Many == nil {
		return nil
	}
	var all []Series
	for i, surface := range s.SurfaceNames() {
		series := Series{Surface: surface}
		for _, n := range populations(creds, i == 0) {
			series.Steps = append(series.Steps, Step{surface, n, inFlight(s.Surfaces[surface], n), step})
		}
		all = append(all, series)
	}
	return all
}

func populations(given []int, long bool) []int {
	switch {
	case len(given) > 0:
		return given
	case long:
		return slices.Concat(ladder, longLadder)
	default:
		return ladder
	}
}

// Name returns the step's part of a benchmark name.
func (s Step) Name(subject string) string {
	return strings.Join([]string{
		"subject=" + subject,
		"transport=" + string(HTTP),
		"surface=" + string(s.Surface),
		"creds=" + strconv.Itoa(s.Creds),
	}, "/")
}

// Connections is how many connections the step's load holds open.
func (s Step) Connections() int { return s.Creds * s.InFlight }

// Offer is an open loop: calls that fall due at a part of the throughput that a surface's closed loop
// reached at its knee.
type Offer struct {
	Step    Step
	Percent int
}

// offered are the parts of the knee's throughput, and offerCreds how many credentials send the calls.
var offered = []int{50, 80, 95}

const offerCreds = 100

// Offers lists the open loops of a subject's surfaces in the order in which they run.
func Offers(s *Subject, step time.Duration) []Offer {
	var all []Offer
	for _, series := range AllSeries(s, []int{offerCreds}, step) {
		for _, percent := range offered {
			all = append(all, Offer{Step: series.Steps[0], Percent: percent})
		}
	}
	return all
}

// Name returns the open loop's part of a benchmark name.
func (o Offer) Name(subject string) string {
	return fmt.Sprintf("subject=%s/transport=%s/surface=%s/load=%dpct", subject, HTTP, o.Step.Surface, o.Percent)
}

// ParseCreds reads a list of populations such as 1,10,100.
func ParseCreds(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var creds []int
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("credentials %q: want positive numbers such as 1,10,100", list)
		}
		if len(creds) > 0 && n <= creds[len(creds)-1] {
			return nil, fmt.Errorf("credentials %q: want them ascending, each once", list)
		}
		creds = append(creds, n)
	}
	return creds, nil
}
