package page

import (
	"fmt"
	"math"
	"time"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// The made-up series: one surface that is well behaved and goes on with one
// request in flight a credential, one whose peaks do not lie on a line and
// whose first round stops early, and one that stops in every round.

// ascent is a made-up server on one surface under growing load.
type ascent struct {
	profile
	inFlight     int
	creds        []int
	held, served float64       // bytes: a credential at rest, and what it adds to the peak
	bend         float64       // exponent of the peak's growth; 1 is a line
	work         time.Duration // processor time a call of the mix
	alone        time.Duration // time a call takes when no other is in its way
}

func ascents() []ascent {
	full := []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	return []ascent{
		{profiles[0], 4, append(full[:len(full):len(full)], 2000, 5000, 10000), 38_000, 1.1 * (1 << 20), 1, 440 * time.Microsecond, 2200 * time.Microsecond},
		{profiles[1], 4, full, 41_000, 9 << 20, 0.55, 490 * time.Microsecond, 2500 * time.Microsecond},
		{profiles[2], 2, full, 52_000, 6.2 * (1 << 20), 1, 1080 * time.Microsecond, 3900 * time.Microsecond},
	}
}

func (a ascent) name(creds int) string {
	return fmt.Sprintf("Series/subject=gitlab-mcp/transport=http/surface=%s/creds=%d", a.surface, creds)
}

// doubted is the one step and round with a certificate.
func (a ascent) doubted(creds, round int) bool {
	return a.surface == "dynamic" && creds == 50 && round == 2
}

// ceased is why a round of a series ended at a step, if it did.
func (a ascent) ceased(creds, round int) string {
	switch {
	case a.surface == "individual" && creds == 500:
		return "memory-budget: 1000 credentials are estimated to peak at 6.3 GiB, and the budget is 4.8 GiB"
	case a.surface == "meta" && creds == 500 && round == 1:
		return "latency-ceiling: tools/call p99 was 31.2 s, and the ceiling is 30 s"
	}
	return ""
}

// stepResult is one step in one round.
func stepResult(a ascent, index, creds, round int) record.Result {
	inFlight := a.inFlight
	if creds > 1000 {
		inFlight = 1
	}
	sh := newSheet(a.name(creds), 100+index*10_000+creds, round)
	sh.Config[record.KeyMethod] = "closed loop, tools/call and tools/list in turn; " + stat.PercentileMethod + " percentiles"
	sh.Config[record.KeySettings] = fmt.Sprintf("in-flight=%d step=10s gitlab-latency=0s", inFlight)
	n, flying := float64(creds), float64(creds*inFlight)
	sh.set("clients", n, 0)
	sh.set("inflight", flying, 0)
	sh.stepMemory(a, n)
	sh.stepLoad(a, n, flying)
	sh.set("goroutines", 14+n+flying, 0)
	sh.set("threads", 9, 10)
	sh.set("descriptors", 9+flying, 0)
	sh.set("ready-ns", 34e6, 6)
	sh.set("first-list-ns", float64(a.first), 5)
	sh.set("admit-cpu-ns/client", float64(a.listCPU)+(float64(a.first)/n), 5)
	sh.set("list-bytes", a.listBytes, 0)
	sh.set("tools", a.tools, 0)
	sh.set("alone-ns/call", float64(a.alone), 2)
	if a.doubted(creds, round) {
		sh.Certificate = []string{"other processes used 0.31 of a CPU"}
		sh.raise("peak-RSS-bytes", 3)
	}
	sh.Stop = a.ceased(creds, round)
	return sh.Result
}

func (sh *sheet) stepMemory(a ascent, n float64) {
	base := a.one + 9*(1<<20)
	peak := base + a.served*math.Pow(n, a.bend)
	if n > 1000 {
		peak = base + a.served*n/5
	}
	sh.set("idle-RSS-bytes", 17.4*(1<<20), 1)
	sh.set("all-RSS-bytes", a.one+1.4*a.held*n, 2)
	sh.set("mean-RSS-bytes", peak*0.84, 2)
	sh.set("peak-RSS-bytes", peak, 3)
	sh.set("rest-RSS-bytes", a.one+1.2*a.held*n, 2)
	sh.set("rest-heap-bytes", a.one*0.4+a.held*n, 0.5)
	sh.set("rest-ns", 3.1e9, 20)
	sh.set("closed-RSS-bytes", a.one+0.5*a.held*n, 2)
	sh.set("closed-heap-bytes", a.one*0.4+0.31*a.held*n, 0.5)
	sh.set("closed-rest-ns", 2.2e9, 20)
	for _, at := range []struct {
		short string
		whole float64
	}{{"load", peak * 0.84}, {"rest", a.one + 1.2*a.held*n}} {
		if at.short == "load" { // what parts do not say, or say too much
			sh.set("load-RSS-bytes", math.Round(at.whole*(1+0.04*(a.bend-0.8))), 0)
		}
		for i, part := range []string{"inuse", "stacks", "free", "runtime", "file"} {
			sh.set(at.short+"-"+part+"-bytes", math.Round(at.whole*[]float64{0.52, 0.06, 0.2, 0.05, 0.17}[i]), 0)
		}
	}
}

// stepLoad fills what a closed loop came to.
func (sh *sheet) stepLoad(a ascent, n, flying float64) {
	most := float64(time.Second) / float64(a.work)
	rate := min(flying/a.alone.Seconds(), most)
	sh.set("calls/s", rate, 2)
	sh.set("calls", 10*rate, 2)
	sh.set("load-ns", float64(10*time.Second)+2*flying/rate*1e9, 0)
	sh.set("loaded-cpu-cores", math.Round(100*rate/most)/100, 0)
	sh.set("cpu-ns/call", float64(a.work), 3)
	sh.set("suite-cpu-cores", 0.31, 0)
	sh.set("suite-RSS-bytes", 24*(1<<20)+n*9000, 2)
	sh.shared(flying/rate*1e9, 5*rate)
	sh.set(record.Call.Unit("cpu-ns/call"), float64(a.callCPU), 3)
	sh.set(record.List.Unit("cpu-ns/call"), float64(a.listCPU), 3)
}

// shared fills what series and open loops have in common: latency around a
// mean, and counts.
func (sh *sheet) shared(mean, calls float64) {
	for _, m := range methodsInTurn() {
		sh.set(m.Unit("calls"), math.Round(calls), 0)
		sh.set(m.Unit("mean-ns"), mean, 0)
		for i, p := range []string{"p50", "p90", "p99", "p999"} {
			at := mean * []float64{0.94, 1.2, 1.7, 2.6}[i]
			if p == "p999" && calls < float64(stat.MinValues(0.999, stat.Confidence)) {
				sh.MarkAbsent("too few calls for the percentile's interval", m.Unit(p+"-ns"), m.Unit(p+"-lo-ns"), m.Unit(p+"-hi-ns"))
				continue
			}
			sh.set(m.Unit(p+"-ns"), at, 3)
			sh.set(m.Unit(p+"-lo-ns"), at*0.96, 0)
			sh.set(m.Unit(p+"-hi-ns"), at*1.05, 0)
		}
		sh.set(m.Unit("max-ns"), mean*3.4, 8)
	}
	sh.set("upstream-requests/call", 1, 0)
	sh.set("refused-calls", 0, 0)
	sh.set("failed-calls", 0, 0)
	sh.set("cut-calls", 0, 0)
	sh.set("exit-ns", 14e6, 20)
	sh.set("reconnects", 0, 0)
}

// raise multiplies a value.
func (sh *sheet) raise(unit string, factor float64) {
	for i := range sh.Values {
		if sh.Values[i].Unit == unit {
			sh.Values[i].Amount *= factor
		}
	}
}

// openResult is one open loop in one round.
func openResult(a ascent, index, percent, round int) record.Result {
	sh := newSheet(fmt.Sprintf("Open/subject=gitlab-mcp/transport=http/surface=%s/load=%dpct", a.surface, percent), 50_000+1000*index+percent, round)
	sh.Config[record.KeyMethod] = "open loop, latency from the intended start; " + stat.PercentileMethod + " percentiles"
	sh.Config[record.KeySettings] = "connections=200 gitlab-latency=0s"
	most := float64(time.Second) / float64(a.work)
	busy := float64(percent) / 100
	sh.set("clients", 50, 0)
	sh.set("offered-calls/s", math.Round(busy*most), 0)
	sh.set("calls/s", busy*most, 0.2)
	sh.set("loaded-cpu-cores", busy, 0)
	sh.set("cpu-ns/call", float64(a.work), 3)
	sh.set("suite-cpu-cores", 0.31, 0)
	sh.set("mean-RSS-bytes", a.one*1.6, 2)
	sh.set("peak-RSS-bytes", a.one*2, 3)
	sh.set("unsent-calls", 0, 0)
	sh.set("late-calls", 1, 0)
	sh.set("queued-calls", math.Round(40*max(busy-0.8, 0)), 0)
	sh.shared(float64(a.alone)*(0.4+busy/(2*(1-busy))), 5*busy*most)
	return sh.Result
}

// sampleSeries is the made-up series and open loops alone, three rounds of
// each, as a run would write them.
func sampleSeries() *record.Record {
	rec := &record.Record{Plan: make(record.Plan)}
	for round := 1; round <= 3; round++ {
		for i, a := range ascents() {
			stopped := false
			for _, creds := range a.creds {
				rec.Plan[a.name(creds)] = 3
				if stopped {
					continue
				}
				r := stepResult(a, i, creds, round)
				rec.Results = append(rec.Results, r)
				stopped = r.Stop != ""
			}
			for _, percent := range []int{50, 80, 95} {
				r := openResult(a, i, percent, round)
				rec.Plan[r.Name] = 3
				rec.Results = append(rec.Results, r)
			}
		}
	}
	return rec
}

// wholeRecord is the point scenarios, the series and the open loops.
func wholeRecord() *record.Record {
	rec, more := sampleRecord(), sampleSeries()
	rec.Results = append(rec.Results, more.Results...)
	for name, rounds := range more.Plan {
		rec.Plan[name] = rounds
	}
	return rec
}
