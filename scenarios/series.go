package scenarios

import (
	"fmt"
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

// ladder is the populations of every series. The long steps come on top for one surface, with one request
// in flight a credential: suite and subject together hold two descriptors a connection, and 20,000 is a
// common bound for a process.
var (
	ladder      = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	longLadder  = []int{2000, 5000, 10000}
	longSurface = Surface("dynamic")
)

// inFlight is how many requests a credential keeps in flight. Half as many on individual, where every
// second reply is megabytes long.
func inFlight(surface Surface, creds int) int {
	switch {
	case creds > ladder[len(ladder)-1]:
		return 1
	case surface == "individual":
		return 2
	default:
		return 4
	}
}

// AllSeries lists the series in the order in which they run and are published. creds replaces the ladders
// unless it is empty.
func AllSeries(creds []int, step time.Duration) []Series {
	var all []Series
	for _, surface := range []Surface{"dynamic", "meta", "individual"} {
		populations := creds
		if len(creds) == 0 {
			populations = append(populations, ladder...)
			if surface == longSurface {
				populations = append(populations, longLadder...)
			}
		}
		series := Series{Surface: surface}
		for _, n := range populations {
			series.Steps = append(series.Steps, Step{surface, n, inFlight(surface, n), step})
		}
		all = append(all, series)
	}
	return all
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

// Validate reports what makes the step impossible for the subject.
func (s Step) Validate(subject *Subject) error {
	p := Point{Transport: HTTP, Surface: s.Surface}
	if err := p.Validate(subject); err != nil {
		return err
	}
	if subject.Many == nil {
		return fmt.Errorf("subject %s has no [many]: it must say how it is told to hold {clients} credentials", subject.Name)
	}
	return nil
}

// Offer is an open loop: calls that fall due at a part of the throughput that a surface's closed loop
// reached at its knee.
type Offer struct {
	Step    Step
	Percent int
}

// offered are the parts of the knee's throughput, and offerCreds how many credentials send the calls.
var offered = []int{50, 80, 95}

const offerCreds = 100

// Offers lists the open loops of the surfaces in the order in which they run.
func Offers(step time.Duration) []Offer {
	var all []Offer
	for _, series := range AllSeries([]int{offerCreds}, step) {
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
