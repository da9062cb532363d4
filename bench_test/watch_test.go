package bench_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpbench/internal/meter"
	"mcpbench/internal/spawn"
)

// spending is what a stretch of time cost.
type spending struct {
	// cpu is the subject's, suite the suite's own with the stand-ins in it, host that of every
	// process on the CPUs in use, and steal what the hypervisor withheld.
	cpu, suite, host, steal time.Duration
}

func (s spending) minus(o spending) spending {
	return spending{s.cpu - o.cpu, s.suite - o.suite, s.host - o.host, s.steal - o.steal}
}

func (s spending) plus(o spending) spending {
	return spending{s.cpu + o.cpu, s.suite + o.suite, s.host + o.host, s.steal + o.steal}
}

// others is what processes took that have no part in the measurement.
func (s spending) others() time.Duration { return s.host - s.cpu - s.suite }

// watch holds the readings from which a stretch begins.
type watch struct {
	people *population
	cpus   []int
	start  spending
}

func startWatch(people *population) (*watch, error) {
	cpus := allOf(people.suite.cpus)
	start, err := spentSoFar(people, cpus)
	return &watch{people, cpus, start}, err
}

func (w *watch) stop() (spending, error) {
	now, err := spentSoFar(w.people, w.cpus)
	return now.minus(w.start), err
}

// allOf are the CPUs that suite and subject run on, each once.
func allOf(plan spawn.Split) []int {
	all := slices.Concat(plan.Suite, plan.Subject)
	slices.Sort(all)
	return slices.Compact(all)
}

func spentSoFar(people *population, cpus []int) (spending, error) {
	reading, err := people.read()
	if err != nil {
		return spending{}, err
	}
	suite, err := meter.SelfCPU()
	if err != nil {
		return spending{}, err
	}
	host, err := meter.HostCPU(cpus)
	return spending{reading.CPU, suite, host.Processes, host.Steal}, err
}

// Limits beyond which a result is not to be believed.
const (
	// suiteLimit is the share of its own CPUs above which the suite may have been what was measured.
	suiteLimit = 0.90
	// stealLimit is the share of one CPU that the hypervisor may withhold, and othersLimit what other
	// processes may take of the host.
	stealLimit, othersLimit = 0.05, 0.10
	// tickError is how far the host's times, which are counted in ticks, may be off by themselves.
	tickError = 50 * time.Millisecond
)

// certify adds the reasons, if any, for which the load that a result is about must not be believed.
func certify(s *sheet, t *loadTotal, cpus spawn.Split) {
	if cpus.Sharing == spawn.SameCPU {
		s.doubt("suite and subject share CPU %v", cpus.Suite)
	}
	certifySuite(s, "", t, cpus)
	certifyHost(s, "", t)
}

// certifySuite doubts latencies that the suite was too busy to take. Part names the load if it is one of several in
// a result, and begins with a space.
func certifySuite(s *sheet, part string, t *loadTotal, cpus spawn.Split) {
	if share := t.spent.suite.Seconds() / t.wall.Seconds() / float64(len(cpus.Suite)); share > suiteLimit {
		s.doubt("the suite used %.0f%% of its own CPUs%s: latencies are partly its own", 100*share, part)
	}
}

// certifyHost doubts what others on the host had a part in.
func certifyHost(s *sheet, part string, t *loadTotal) {
	if share := beyondTicks(t.spent.steal) / t.wall.Seconds(); share > stealLimit {
		s.doubt("the hypervisor withheld %.0f%% of a CPU%s", 100*share, part)
	}
	if share := beyondTicks(t.spent.others()) / t.wall.Seconds(); share > othersLimit {
		s.doubt("other processes used %.0f%% of a CPU%s", 100*share, part)
	}
}

// beyondTicks is the part of a host's time, in seconds, that is not its error of counting.
func beyondTicks(d time.Duration) float64 { return max(0, d-tickError).Seconds() }

// countedReasons writes reasons with their counts, the most frequent first.
func countedReasons(reasons map[string]int64) string {
	keys := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		if reasons[a] != reasons[b] {
			return int(reasons[b] - reasons[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%d × %s", reasons[k], k))
	}
	return strings.Join(parts, "; ")
}
