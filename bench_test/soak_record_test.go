package bench_test

import (
	"maps"
	"math"
	"slices"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
)

// record writes the soak, and each of its paths.
func (r *soakRun) record(v *ruling) error {
	s := newSheet(r.name(record.Soak), r.config(), r.suite.identity())
	v.identify(&s.result)
	if r.broke != nil {
		s.set("soak-calls", float64(r.total().calls)) // of what ended by then
		s.absent("the soak broke off", s.unmeasured()...)
		return r.suite.keep(s.result)
	}
	for _, p := range r.paths {
		if err := r.recordPath(p); err != nil {
			return err
		}
	}
	r.write(s)
	return r.suite.keep(s.result)
}

// write adds the figures of the whole.
func (r *soakRun) write(s *sheet) {
	all, load := r.total(), r.firstLoad()
	s.set("soak-load-ns", float64(r.plan.Load))
	s.set("soak-again-ns", float64(r.plan.Again))
	for unit, n := range map[string]int64{
		"soak-calls": all.calls, "soak-failed-calls": all.failed, "soak-refused-calls": all.refused,
		"soak-cut-calls": all.cut, "soak-unsent-calls": all.unsent, "soak-reconnects": r.reconnects(),
		"soak-upstream-requests": r.gitlab.Total(),
	} {
		s.set(unit, float64(n))
	}
	s.set("soak-cpu-cores", load.spent.cpu.Seconds()/load.wall.Seconds())
	r.writeGrowth(s, "growth-RSS", leastOf)
	r.writeGrowth(s, "growth-goal", goalOf)
	for _, name := range slices.Sorted(maps.Keys(r.rests)) {
		r.rests[name].write(s, "soak-"+name+"-")
	}
	certify(s, load, r.suite.cpus)
	for fifth, part := range map[int]string{0: " in the first fifth of the load", soakFifths - 1: " in the last fifth of the load"} {
		certifySuite(s, part, r.stretches[fifth], r.suite.cpus)
		certifyHost(s, part, r.stretches[fifth])
	}
}

// firstLoad is what all fifths of the first load cost.
func (r *soakRun) firstLoad() *loadTotal {
	var sum loadTotal
	for _, fifth := range r.stretches[:soakFifths] {
		sum.wall += fifth.wall
		sum.spent = sum.spent.plus(fifth.spent)
	}
	return &sum
}

func (r *soakRun) writeGrowth(s *sheet, unit string, of func(soakMoment) (float64, bool)) {
	units := []string{unit + "-bytes/s", unit + "-lo-bytes/s", unit + "-hi-bytes/s"}
	l, err := r.leak(of)
	switch {
	case err != nil:
		s.absent(err.Error(), units...)
	case !l.Interval:
		s.absent(l.Because, units...)
	default:
		for i, amount := range []float64{l.Growth, l.Lo, l.Hi} {
			s.set(units[i], amount)
		}
	}
}

func (at soakRest) write(s *sheet, prefix string) {
	s.set(prefix+"RSS-bytes", at.rss)
	s.optional(prefix+"heap-bytes", at.heap, noHeap)
	s.set(prefix+"descriptors", float64(at.descriptors))
	s.set(prefix+"threads", float64(at.threads))
	if at.goroutines < 0 {
		s.absent(noHeap, prefix+"goroutines")
		return
	}
	s.set(prefix+"goroutines", float64(at.goroutines))
}

// recordPath writes what became of the calls on a path.
func (r *soakRun) recordPath(p *soakPath) error {
	s := newSheet(r.name(record.SoakPath, "path="+p.Name), r.config(), r.suite.identity())
	s.result.Identity["how"] = string(p.How)
	t := &soakTotal{reasons: make(map[string]int64)}
	p.count(t)
	for unit, n := range map[string]int64{
		"path-calls": t.calls, "path-failed-calls": t.failed, "path-refused-calls": t.refused,
		"path-cut-calls": t.cut, "path-unsent-calls": t.unsent,
	} {
		s.set(unit, float64(n))
	}
	var begun time.Duration
	var inLoad int64
	whole := &load.Phase{Methods: map[string]*load.Method{}}
	for _, phase := range p.phases[:soakFifths] {
		begun += phase.Begun
		inLoad += phase.Calls()
		whole.Add(phase)
	}
	s.set("path-calls/s", float64(inLoad)/math.Max(begun.Seconds(), 1e-9))
	s.quantile("path-p50", whole.Methods[p.Name], 0.5)
	s.quantile("path-p99", whole.Methods[p.Name], 0.99)
	s.quantile("path-first-p99", p.phases[0].Methods[p.Name], 0.99)
	s.quantile("path-last-p99", p.phases[soakFifths-1].Methods[p.Name], 0.99)
	return r.suite.keep(s.result)
}

// quantile adds a percentile with its interval, if there were calls enough.
func (s *sheet) quantile(name string, m *load.Method, p float64) {
	units := []string{name + "-ns", name + "-lo-ns", name + "-hi-ns"}
	q, ok := quantile(m, p)
	if !ok {
		s.absent("too few calls for an interval", units...)
		return
	}
	for i, at := range []float64{q.at, q.lo, q.hi} {
		s.set(units[i], at)
	}
}
