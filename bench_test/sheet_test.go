package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// sheet collects the metrics of one result while they are measured.
type sheet struct{ result record.Result }

func newSheet(name string, config, identity map[string]string) *sheet {
	return &sheet{record.Result{Name: name, Iterations: 1, Config: config, Identity: identity}}
}

func (s *sheet) set(unit string, amount float64) {
	s.result.Values = append(s.result.Values, record.Value{Unit: unit, Amount: amount})
}

// perCall sets a metric to an amount for each call, if there were calls.
func (s *sheet) perCall(unit string, amount float64, calls int64) {
	if calls == 0 {
		s.absent("no call ended", unit)
		return
	}
	s.set(unit, amount/float64(calls))
}

// optional sets a metric if there is a value.
func (s *sheet) optional(unit string, amount *int64, why string) {
	if amount == nil {
		s.absent(why, unit)
		return
	}
	s.set(unit, float64(*amount))
}

// wants reports whether results of this kind have the metric.
func (s *sheet) wants(unit string) bool {
	m, ok := record.Lookup(unit)
	return ok && slices.Contains(m.Kinds, s.result.Measures())
}

// absent says why metrics were not measured.
func (s *sheet) absent(reason string, units ...string) { s.result.MarkAbsent(reason, units...) }

// doubt adds a reason not to believe the result.
func (s *sheet) doubt(format string, args ...any) {
	s.result.Certificate = append(s.result.Certificate, fmt.Sprintf(format, args...))
}

// unmeasured lists the metrics that have neither a value nor a reason for having none.
func (s *sheet) unmeasured() []string {
	var units []string
	for _, m := range record.MetricsOf(s.result.Measures()) {
		_, measured := s.result.Value(m.Unit)
		if _, absent := s.result.Absent[m.Unit]; !measured && !absent {
			units = append(units, m.Unit)
		}
	}
	return units
}

// report hands the values to package testing as well, so that its output shows them.
func (s *sheet) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	for _, v := range s.result.Values {
		b.ReportMetric(v.Amount, v.Unit)
	}
}

// published are the percentiles that each method has.
var published = []struct {
	name string
	p    float64
}{{"p50", 0.50}, {"p90", 0.90}, {"p99", 0.99}, {"p999", 0.999}}

// latencies adds the percentiles of a method, each with its order-statistics interval, and withholds
// those that the number of calls cannot carry.
func (s *sheet) latencies(method record.Method, m *load.Method) {
	n := 0
	if m != nil {
		n = int(m.Latency.TotalCount())
	}
	s.set(method.Unit("calls"), float64(n))
	if n == 0 {
		s.absent("no call succeeded", s.latencyUnits(method)...)
		return
	}
	s.set(method.Unit("max-ns"), float64(m.Max.Nanoseconds()))
	if unit := method.Unit("mean-ns"); s.wants(unit) {
		s.set(unit, m.Latency.Mean())
	}
	for _, q := range published {
		if !s.wants(method.Unit(q.name + "-ns")) {
			continue
		}
		lo, hi, ok := stat.PercentileRanks(n, q.p, stat.Confidence)
		if !ok {
			s.absent(fmt.Sprintf("%d calls are too few: an interval needs %d", n, stat.MinValues(q.p, stat.Confidence)),
				method.Unit(q.name+"-ns"), method.Unit(q.name+"-lo-ns"), method.Unit(q.name+"-hi-ns"))
			continue
		}
		s.set(method.Unit(q.name+"-ns"), atRank(m, stat.Rank(n, q.p)))
		s.set(method.Unit(q.name+"-lo-ns"), atRank(m, lo))
		s.set(method.Unit(q.name+"-hi-ns"), atRank(m, hi))
	}
}

// atRank is the rank-th smallest latency, from 1, to the resolution of the histogram, which names the upper
// end of a bucket: the longest of all is known exactly and bounds it.
func atRank(m *load.Method, rank int) float64 {
	value := m.Latency.ValueAtPercentile(100 * float64(rank) / float64(m.Latency.TotalCount()))
	return float64(min(value, m.Max.Nanoseconds()))
}

// methodUnits lists every metric of the result's kind that belongs to a method.
func (s *sheet) methodUnits(method record.Method) []string {
	return append(s.latencyUnits(method), method.Unit("calls"), method.Unit("cpu-ns/call"))
}

func (s *sheet) latencyUnits(method record.Method) []string {
	units := []string{method.Unit("max-ns")}
	if unit := method.Unit("mean-ns"); s.wants(unit) {
		units = append(units, unit)
	}
	for _, q := range published {
		if s.wants(method.Unit(q.name + "-ns")) {
			units = append(units, method.Unit(q.name+"-ns"), method.Unit(q.name+"-lo-ns"), method.Unit(q.name+"-hi-ns"))
		}
	}
	return units
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[stat.Rank(len(sorted), 0.5)-1]
}
