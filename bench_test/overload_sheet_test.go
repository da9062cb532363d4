package bench_test

import (
	"fmt"
	"time"

	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// overloadMethod says how the load was made.
const overloadMethod = "closed loop; refused connections come back when Retry-After has passed, and up to a quarter of it later"

// record writes what a variant came to: one result for it with the verdict, and one for each of its seconds.
func (r *overloadRun) record(f *overloadFigures, ruled *ruling) error {
	s := r.sheet(ruled)
	f.write(s)
	s.result.Certificate = f.distinctDoubts()
	if missing := s.unmeasured(); len(missing) > 0 {
		return fmt.Errorf("%s: %v were not measured, and nothing says why", s.result.Name, missing)
	}
	if err := r.suite.keep(s.result); err != nil {
		return err
	}
	for n := range r.seconds() {
		second := r.second(n)
		if err := r.suite.keep(second.result); err != nil {
			return err
		}
	}
	return nil
}

// sheet is that of the variant, with its verdict.
func (r *overloadRun) sheet(ruled *ruling) *sheet {
	s := newSheet(r.name(), r.config(), r.suite.identity())
	if r.without != "" {
		s.result.Identity["without"] = r.without
	}
	ruled.identify(&s.result)
	return s
}

// recordBroken writes the verdict on a variant that did not come to its end, and that nothing was measured.
func (r *overloadRun) recordBroken(ruled *ruling) error {
	s := r.sheet(ruled)
	s.set("measured-refusals", 0)
	s.absent("it did not come to its end", s.unmeasured()...)
	return r.suite.keep(s.result)
}

func (r *overloadRun) config() map[string]string {
	config := r.suite.config()
	config[record.KeyMethod] = overloadMethod
	p := r.plan
	config[record.KeySettings] = fmt.Sprintf("gitlab-latency=%s gitlab-latency-during=%s bound=%d connections=%d silent=%d credentials=%d pool=%d probes=%d before=%s during=%s after=%s",
		r.latency, r.latency*time.Duration(p.Slower), p.Bound, p.Connections, p.Idle+p.Trickling, p.Credentials, p.Pool, p.Probes, p.Before, p.During, p.After)
	return config
}

// write adds the figures to the sheet of a variant.
func (f *overloadFigures) write(s *sheet) {
	f.writeRates(s)
	f.writeRefusals(s)
	f.writeWaits(s)
	f.writeState(s)
}

func (f *overloadFigures) writeRates(s *sheet) {
	if f.tried != nil {
		s.set("tried-calls/s", *f.tried)
	} else {
		s.absent("no latency but the one asked for was to be tried", "tried-calls/s")
	}
	if f.plan.Credentials > 0 {
		s.absent("nothing bounds the calls of this variant", "capacity-calls/s")
		s.set("admissions/s", max(0, f.admissions))
	} else {
		s.set("capacity-calls/s", f.capacityDuring)
		s.absent("this variant has one busy credential", "admissions/s")
	}
	s.set("before-calls/s", f.before)
	s.set("admitted-calls/s", f.admitted)
	s.set("rejected-calls/s", f.rejected)
	s.set("after-calls/s", f.after)
}

func (f *overloadFigures) writeRefusals(s *sheet) {
	s.set("busy-refusals", float64(f.byBusy))
	s.set("rate-refusals", float64(f.byRate))
	s.set("untold-refusals", float64(f.untold))
	s.set("failed-calls", float64(f.failed))
	s.set("unanswered-calls", float64(f.unanswered))
	s.ranked("refusal-p50", f.refusal.percentile(0.5))
	s.ranked("refusal-p99", f.refusal.percentile(0.99))
	if len(f.refusal) > 0 {
		s.set("refusal-min-ns", float64(f.refusal.shortest()))
	} else {
		s.absent("no call was refused", "refusal-min-ns")
	}
	k := f.refusing
	if k == nil || k.refused == 0 {
		s.absent("no call was refused while the bound was filled", "measured-refusals", "cpu-ns/refusal", "retained-bytes/refusal")
		return
	}
	s.set("measured-refusals", float64(k.refused))
	s.set("cpu-ns/refusal", float64(k.cpu)/float64(k.refused))
	if k.grown == nil {
		s.absent("the subject's heap cannot be read", "retained-bytes/refusal")
		return
	}
	s.set("retained-bytes/refusal", float64(*k.grown)/float64(k.refused))
}

func (f *overloadFigures) writeWaits(s *sheet) {
	for _, w := range []struct {
		name string
		all  sortedTimes
	}{
		{"busy-before", f.busyBefore}, {"busy-during", f.busyDuring}, {"busy-after", f.busyAfter},
		{"probe-before", f.probeBefore}, {"probe-during", f.probeDuring},
	} {
		s.ranked(w.name+"-p50", w.all.percentile(0.5))
		s.ranked(w.name+"-p99", w.all.percentile(0.99))
	}
	s.set("probe-calls", float64(f.probe.calls))
	s.set("probe-cut-calls", float64(f.probe.cut))
	s.set("probe-wrong-calls", float64(f.probe.wrong))
	s.set("probe-late-calls", float64(f.probe.late))
	s.set("health-checks", float64(f.health.calls))
	s.set("health-wrong-checks", float64(f.health.wrong+f.health.late))
	s.set("health-max-ns", float64(f.health.longest))
	if f.recovery != nil {
		s.set("recovery-ns", float64(*f.recovery))
	} else {
		s.absent("no row of calls was as fast as before", "recovery-ns")
	}
}

func (f *overloadFigures) writeState(s *sheet) {
	s.set("before-RSS-bytes", f.rssBefore)
	s.set("first-half-RSS-bytes", f.rssFirst)
	s.set("second-half-RSS-bytes", f.rssSecond)
	s.set("after-RSS-bytes", f.rssAfter)
	s.set("overload-cpu-cores", f.cores)
	s.set("suite-cpu-cores", f.suiteCores)
	for i, unit := range []string{"before-descriptors", "most-descriptors", "after-descriptors"} {
		s.set(unit, float64(f.descriptors[i]))
	}
	if f.silence == nil {
		s.absent("every connection of this variant asks something", "silent-connections", "ended-connections", "silent-max-ns")
		return
	}
	s.set("silent-connections", float64(f.silence.opened))
	s.set("ended-connections", float64(f.silence.ended))
	s.set("silent-max-ns", float64(f.silence.longest))
}

// ranked adds a percentile with its interval, or says why there is none.
func (s *sheet) ranked(name string, r ranked) {
	if !r.known {
		s.absent(fmt.Sprintf("%d calls are too few", r.n), name+"-ns", name+"-lo-ns", name+"-hi-ns")
		return
	}
	s.set(name+"-ns", float64(r.at))
	s.set(name+"-lo-ns", float64(r.lo))
	s.set(name+"-hi-ns", float64(r.hi))
}

// seconds is how many whole ones there were from the first phase to the last.
func (r *overloadRun) seconds() int { return int(r.found.after.to.Sub(r.found.begun).Seconds()) }

// second is what one second came to, from 0.
func (r *overloadRun) second(n int) *sheet {
	o := &r.found
	from := o.begun.Add(time.Duration(n) * time.Second)
	to := from.Add(time.Second)
	s := newSheet("OverloadReading/"+r.plan.ReadingName(r.suite.subject.Name, n), r.config(), map[string]string{
		"phase": o.phaseAt(to), record.KeySHA256: r.suite.build.sha256,
	})
	var came [mcp.Cut + 1]int
	for _, p := range []overloadPhase{o.before, o.during, o.after} {
		for _, h := range during(p.heard, from, to) {
			came[h.outcome]++
		}
	}
	s.set("answered-in-second", float64(came[mcp.OK]))
	s.set("refused-in-second", float64(came[mcp.Refused]))
	s.set("failed-in-second", float64(came[mcp.Failed]))
	s.set("given-up-in-second", float64(came[mcp.Cut]))
	if rss := meanRSS(o.readings, from, to); rss > 0 {
		s.set("RSS-in-second-bytes", rss)
	} else {
		s.absent("no reading fell into it", "RSS-in-second-bytes")
	}
	probe := latenciesOf(those(during(o.probe, from, to), mcp.OK))
	if len(probe) == 0 {
		s.absent("no call of the probe was answered in it", "probe-in-second-p50-ns", "probe-in-second-max-ns")
		return s
	}
	s.set("probe-in-second-p50-ns", float64(probe[stat.Rank(len(probe), 0.5)-1]))
	s.set("probe-in-second-max-ns", float64(probe.longest()))
	return s
}

// phaseAt names the phase of a moment.
func (o *overloadFound) phaseAt(at time.Time) string {
	switch {
	case at.Before(o.before.ended):
		return "before"
	case at.Before(o.during.ended):
		return "during"
	default:
		return "after"
	}
}
