package bench_test

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/internal/load"
	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// soaked is a soak of which nothing is wrong. It has two paths, call and list, on which every call took 10 ms.
func soaked(t *testing.T) *soakRun {
	t.Helper()
	heap := int64(7 * mib)
	at := soakRest{rss: 60 * mib, heap: &heap, descriptors: 22, threads: 17, goroutines: 10, rested: true}
	r := &soakRun{
		tb: t, plan: scenarios.NewSoak(30 * time.Minute), gitlab: fakegitlab.New(fakegitlab.Options{}),
		suite: &suite{cpus: spawn.Split{Suite: []int{0}, Subject: []int{1}}, subject: &scenarios.Subject{
			Name:       "made-up",
			Transports: map[scenarios.Transport]*scenarios.Launch{scenarios.HTTP: {}},
			Surfaces:   map[scenarios.Surface]*scenarios.SurfaceSpec{"s": {Calls: map[string]*scenarios.Call{scenarios.CallRead: {}}}},
		}},
		rests: map[string]soakRest{restFresh: at, restOpened: at, restAfter: at, restAgain: at},
	}
	t.Cleanup(r.gitlab.Close)
	for second := range 1800 {
		r.moments = append(r.moments, soakMoment{second: float64(second), phase: phaseLoad, least: 80 * mib})
	}
	for _, p := range []scenarios.SoakPath{{Name: "call", Surface: "s", Method: "tools/call"}, {Name: "list", Surface: "s", Method: "tools/list"}} {
		path := &soakPath{SoakPath: p}
		for range soakFifths + 1 {
			path.phases = append(path.phases, calls(t, p.Name, 10*time.Millisecond))
		}
		r.paths = append(r.paths, path)
	}
	for range soakFifths + 1 {
		r.stretches = append(r.stretches, &loadTotal{wall: 6 * time.Minute})
	}
	return r
}

// calls is a load of 20,000 calls that took a time each.
func calls(t *testing.T, path string, each time.Duration) *load.Phase {
	t.Helper()
	const n = 20_000
	m := &load.Method{OK: n, Max: each, Reasons: map[string]int64{}, Latency: hdrhistogram.New(1, int64(time.Minute), 3)}
	require.NoError(t, m.Latency.RecordValues(int64(each), n))
	return &load.Phase{Begun: 6 * time.Minute, Methods: map[string]*load.Method{path: m}}
}

// TestSoakRules has one figure at a time be just good enough, and then not.
func TestSoakRules(t *testing.T) {
	require.Equal(t, stat.Pass, soaked(t).rule().verdict(), soaked(t).rule().because())
	last := func(change func(*soakRest)) func(*soakRun) {
		return func(r *soakRun) {
			at := r.rests[restAgain]
			change(&at)
			r.rests[restAgain] = at
		}
	}
	heap := func(more int64) func(*soakRest) {
		return func(at *soakRest) { n := *at.heap + more; at.heap = &n }
	}
	both := func(changes ...func(*soakRun)) func(*soakRun) {
		return func(r *soakRun) {
			for _, change := range changes {
				change(r)
			}
		}
	}
	after := func(change func(*soakRest)) func(*soakRun) {
		return func(r *soakRun) {
			at := r.rests[restAfter]
			change(&at)
			r.rests[restAfter] = at
		}
	}
	grows := func(rate float64) func(*soakRun) {
		return func(r *soakRun) {
			for i := range r.moments {
				r.moments[i].least += int64(rate * stat.MiBPerHour * r.moments[i].second)
			}
		}
	}
	for _, tt := range []struct {
		what   string
		change func(*soakRun)
		want   stat.Verdict
	}{
		{"calls", func(r *soakRun) { r.paths[0].phases[5].Methods["call"].Failed = 1 }, stat.Fail},
		{"calls", func(r *soakRun) { r.paths[0].phases[0].Methods["call"].Refused = 1 }, stat.Fail},
		{"calls", func(r *soakRun) { r.paths[1].openings = []*load.Phase{{Cut: 1}} }, stat.Fail},
		{"calls unsent", func(r *soakRun) { r.paths[0].phases[5].Unsent = 2424 }, stat.Pass},
		{"calls unsent", func(r *soakRun) { r.paths[0].phases[5].Unsent = 2425 }, stat.Inconclusive},
		{"connections", func(r *soakRun) { r.paths[1].reconnects = 1 }, stat.Fail},
		{"requests to GitLab", func(r *soakRun) { r.suite.subject.Transports[scenarios.HTTP].AdmissionRequests = 1 }, stat.Fail},
		{"requests to GitLab", func(r *soakRun) { r.suite.subject.Surfaces["s"].Calls[scenarios.CallRead].Upstream = 1 }, stat.Fail},
		{"resident set under load", grows(7.9), stat.Pass},
		{"resident set under load", grows(8.1), stat.Fail},
		{"resident set under load", func(r *soakRun) { r.moments = r.moments[:100] }, stat.Inconclusive},
		{"live heap, second load", last(heap(512 << 10)), stat.Pass},
		{"live heap, second load", last(heap(512<<10 + 1)), stat.Fail},
		{"live heap, all loads", both(last(heap(1<<20)), after(heap(1<<20))), stat.Pass},
		{"live heap, all loads", both(last(heap(1<<20+1)), after(heap(1<<20))), stat.Fail},
		{"resident set at rest", last(func(at *soakRest) { at.rss = 62.9 * mib }), stat.Pass},
		{"resident set at rest", last(func(at *soakRest) { at.rss = 63.1 * mib }), stat.Fail},
		{"resident set at rest", last(func(at *soakRest) { at.rss, at.rested = 63.1*mib, false }), stat.Inconclusive},
		{"descriptors", last(func(at *soakRest) { at.descriptors += 4 }), stat.Pass},
		{"descriptors", last(func(at *soakRest) { at.descriptors += 5 }), stat.Fail},
		{"descriptors", both(after(func(at *soakRest) { at.descriptors += 5 }), last(func(at *soakRest) { at.descriptors += 5 })), stat.Fail},
		{"goroutines", last(func(at *soakRest) { at.goroutines += 4 }), stat.Pass},
		{"goroutines", both(after(func(at *soakRest) { at.goroutines += 5 }), last(func(at *soakRest) { at.goroutines += 5 })), stat.Fail},
		{"threads", both(after(func(at *soakRest) { at.threads += 5 }), last(func(at *soakRest) { at.threads += 9 })), stat.Pass},
		{"threads", both(after(func(at *soakRest) { at.threads += 5 }), last(func(at *soakRest) { at.threads += 10 })), stat.Fail},
		{"p99 in the last fifth", func(r *soakRun) { r.paths[1].phases[4] = calls(t, "list", 14900*time.Microsecond) }, stat.Pass},
		{"p99 in the last fifth", func(r *soakRun) { r.paths[1].phases[4] = calls(t, "list", 15200*time.Microsecond) }, stat.Fail},
		{"p99 in the last fifth", func(r *soakRun) { r.paths[0].phases[4] = &load.Phase{} }, stat.Inconclusive},
		{"end", func(r *soakRun) { r.unclean = "killed" }, stat.Fail},
	} {
		r := soaked(t)
		tt.change(r)
		found := verdictsOf(r.rule())
		assert.Equal(t, tt.want, found[tt.what], "%s: %s", tt.what, r.rule().table())
		assert.Equal(t, tt.want, found[""], "%s alone: %s", tt.what, r.rule().table())
	}
}

// A path of which nothing can be said hides none that fails, and each is named.
func TestSoakLatencyOfEachPath(t *testing.T) {
	r := soaked(t)
	r.paths[0].phases[4] = &load.Phase{}
	r.paths[1].phases[4] = calls(t, "list", 20*time.Millisecond)
	v := &ruling{}
	r.ruleLatency(v)
	assert.Equal(t, stat.Fail, v.verdict())
	assert.Contains(t, v.because(), "list: 20ms after 10ms, call: too few calls in a fifth")
}

func TestSlower(t *testing.T) {
	plan := scenarios.Soak{Slower: 1.5, SlowerBy: 3 * time.Millisecond}
	ms := func(at float64) pace {
		return pace{quantiled: quantiled{at * 1e6, at * 0.9e6, at * 1.1e6}, known: true}
	}
	doubted := func(p pace) pace { p.doubts = []string{"other processes used 20% of a CPU"}; return p }
	unsent := func(p pace) pace { p.unsent = true; return p }
	for _, tt := range []struct {
		name        string
		first, last pace
		want        stat.Verdict
		why         string
	}{
		{"faster", ms(10), ms(5), stat.Pass, "5ms after 10ms"},
		{"by less than a time slice", ms(0.4), ms(3.3), stat.Pass, ""},
		{"by more", ms(0.4), ms(4), stat.Fail, ""},
		{"by half", ms(10), ms(15), stat.Pass, ""},
		{"by chance", ms(10), ms(16), stat.Inconclusive, "chance"},
		{"surely", ms(10), ms(19), stat.Fail, "19ms after 10ms"},
		{"others then", ms(10), doubted(ms(19)), stat.Inconclusive, "other processes used 20% of a CPU in the last fifth"},
		{"good in spite of others", ms(10), doubted(ms(10)), stat.Pass, ""},
		{"others at first", doubted(ms(10)), ms(10), stat.Inconclusive, "in the first fifth"},
		{"unsent at first", unsent(ms(10)), ms(10), stat.Inconclusive, "unsent in the first fifth"},
		{"unsent then", ms(10), unsent(ms(10)), stat.Inconclusive, "unsent in the last fifth"},
		{"slow in spite of unsent", ms(10), unsent(ms(19)), stat.Fail, ""},
		{"unknown at first", pace{}, ms(10), stat.Inconclusive, "too few calls"},
		{"unknown then", ms(10), pace{}, stat.Inconclusive, "too few calls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			verdict, why := slower(tt.first, tt.last, plan)
			assert.Equal(t, tt.want, verdict)
			assert.Contains(t, why, tt.why)
		})
	}
}

// The certificate of a fifth reaches the finding that it belongs to, and the record.
func TestSoakDoubtsAFifth(t *testing.T) {
	r := soaked(t)
	r.paths[1].phases[4] = calls(t, "list", 20*time.Millisecond)
	r.stretches[4].spent.host = time.Minute
	assert.Equal(t, stat.Inconclusive, r.rule().verdict(), r.rule().because())
	s := newSheet("Soak", nil, nil)
	r.write(s)
	assert.Equal(t, []string{"other processes used 17% of a CPU in the last fifth of the load"}, s.result.Certificate)
}

// What cannot be read cannot be told.
func TestSoakWithoutAHeap(t *testing.T) {
	r := soaked(t)
	for name, at := range r.rests {
		at.heap, at.goroutines = nil, -1
		r.rests[name] = at
	}
	v := r.rule()
	assert.Equal(t, stat.Inconclusive, v.verdict())
	assert.Equal(t, "live heap and goroutines: "+noHeap+" (both as before the loads)", v.because())
}
