package bench_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpbench/internal/meter"
)

// spending is what a stretch of time cost.
type spending struct {
	// cpu is the subject's, suite the suite's own with the stand-ins in it, and steal what the
	// hypervisor withheld from the whole host.
	cpu, suite, steal time.Duration
}

// watch holds the readings from which a stretch begins.
type watch struct {
	people *population
	start  spending
}

func startWatch(people *population) (*watch, error) {
	start, err := spentSoFar(people)
	return &watch{people, start}, err
}

func (w *watch) stop() (spending, error) {
	now, err := spentSoFar(w.people)
	return spending{now.cpu - w.start.cpu, now.suite - w.start.suite, now.steal - w.start.steal}, err
}

func spentSoFar(people *population) (spending, error) {
	reading, err := people.read()
	if err != nil {
		return spending{}, err
	}
	suite, err := meter.SelfCPU()
	if err != nil {
		return spending{}, err
	}
	steal, err := meter.Steal()
	return spending{reading.CPU, suite, steal}, err
}

// Limits beyond which a result is not to be believed.
const (
	// suiteLimit is the share of its own CPUs above which the suite may have been what was measured.
	suiteLimit = 0.90
	// stealLimit is the share of one CPU that the hypervisor may withhold.
	stealLimit = 0.05
)

// certify adds the reasons, if any, for which the load must not be believed.
func certify(s *sheet, t *loadTotal, cpus cpuPlan) {
	if cpus.shared {
		s.doubt("suite and subject share CPU %v", cpus.suite)
	}
	if share := t.suite.Seconds() / t.wall.Seconds() / float64(len(cpus.suite)); share > suiteLimit {
		s.doubt("the suite used %.0f%% of its own CPUs: latencies are partly its own", 100*share)
	}
	if share := t.steal.Seconds() / t.wall.Seconds(); share > stealLimit {
		s.doubt("the hypervisor withheld %.0f%% of a CPU", 100*share)
	}
}

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
