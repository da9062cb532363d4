package bench_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// openRun is one open loop while it is measured.
type openRun struct {
	stepRun
	rate float64
	// unfound is why the series shows no knee, if it shows none.
	unfound string
}

// open measures one open loop and records what came of it.
func (s *suite) open(b *testing.B, name string, o scenarios.Offer) {
	b.Helper()
	if _, held := s.skip(b, name, stepSettings(s.subject, o.Step)); held {
		return
	}
	short := strings.TrimPrefix(name, "Open/subject="+s.subject.Name+"/transport=http/")
	rate, unfound, err := s.offer(name, o)
	if why := s.guards.next(s.smaller(o.Step), o.Step, s.subject.Many.UpstreamConnections); why != "" {
		err = errors.New(why)
	}
	if err != nil {
		s.progress.leaveOut(short, err.Error())
		b.Skip(err)
	}
	s.progress.begin(short)
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	r := &openRun{
		stepRun: stepRun{trial: newTrial(b, s, stepLaunch(name, o.Step), openMethod, stepSettings(s.subject, o.Step)), step: o.Step},
		rate:    rate,
		unfound: unfound,
	}
	verdict = r.run([]phase{{"idle", r.start}, {"admit", r.guarded(r.admit)}, {"load", r.guarded(r.offer)}, {"close", r.end}})
}

// openMethod says in the record how the figures of an open loop came about.
const openMethod = "open loop, tools/call and tools/list in turn, due at random as from independent callers at a part of the knee's throughput, " +
	"latency from when a call was due; " + statistics

// offer is the rate of an open loop in calls a second, and why it is not a part of a knee, if it is not. Every
// round of it offers what the first one did, so that they can be told apart from each other by nothing else.
func (s *suite) offer(name string, o scenarios.Offer) (rate float64, unfound string, err error) {
	knee, err := s.knee(o)
	rate = knee.PerSecond * float64(o.Percent) / 100
	for _, r := range s.results {
		if offered, ok := r.Value("offered-calls/s"); ok && r.Name == name {
			return offered, knee.Reason, err
		}
	}
	return rate, knee.Reason, err
}

// steps are those of the offer's series so far that are to be believed, and that keep as many calls in flight a
// credential as the open loop may.
func (s *suite) steps(of scenarios.Step) []record.Result {
	settings := s.settings(stepSettings(s.subject, of))
	return slices.DeleteFunc(slices.Clone(s.results), func(r record.Result) bool {
		return r.Kind() != record.Series || r.Part("surface") != string(of.Surface) || len(r.Certificate) > 0 ||
			r.Config[record.KeySettings] != settings
	})
}

// smaller is what the steps of at most as many credentials reached, which tells what an open loop may.
func (s *suite) smaller(than scenarios.Step) []reached {
	var before []reached
	for _, r := range s.steps(than) {
		clients, _ := r.Value("clients")
		if _, ok := r.Value("peak-RSS-bytes"); ok && int(clients) <= than.Creds {
			before = append(before, stepFigures(r, scenarios.Step{Creds: int(clients), InFlight: than.InFlight}))
		}
	}
	slices.SortStableFunc(before, func(a, b reached) int { return cmp.Compare(a.connections, b.connections) })
	return before
}

// knee finds the surface's knee. The lightest step says as well what one call at a time comes to.
func (s *suite) knee(o scenarios.Offer) (stat.Knee, error) {
	steps := s.steps(o.Step)
	if len(steps) == 0 {
		return stat.Knee{}, fmt.Errorf("the record holds no step of the series on %s to be believed: measure Series/surface=%s first, or name a record that has it with -record and -resume", o.Step.Surface, o.Step.Surface)
	}
	least := math.Inf(1)
	for _, r := range steps {
		if clients, ok := r.Value("clients"); ok {
			least = min(least, clients)
		}
	}
	var points []stat.Throughput
	for _, r := range steps {
		points = append(points, throughputs(r, least)...)
	}
	return stat.FindKnee(points)
}

// throughputs are what a step came to: its load, and one call at a time where it is the step of the least clients.
func throughputs(r record.Result, least float64) []stat.Throughput {
	var points []stat.Throughput
	round, _ := strconv.Atoi(r.Identity[record.KeyRound])
	clients, _ := r.Value("clients")
	if alone, ok := r.Value("alone-ns/call"); ok && clients == least {
		points = append(points, stat.Throughput{Round: round, InFlight: 1, PerSecond: float64(time.Second) / alone})
	}
	perSecond, ok1 := r.Value("calls/s")
	inFlight, ok2 := r.Value("inflight")
	if !ok1 || !ok2 {
		return points
	}
	p50, _ := r.Value(record.Call.Unit("p50-ns"))
	p99, _ := r.Value(record.Call.Unit("p99-ns"))
	return append(points, stat.Throughput{
		Round: round, InFlight: int(inFlight), PerSecond: perSecond, P50: time.Duration(p50), P99: time.Duration(p99),
	})
}

// start starts the process. What it costs idle is in the series.
func (r *openRun) start(context.Context) error {
	r.sheet.set("clients", float64(r.step.Creds))
	return r.people.startIdle(r.b)
}

// offer sends calls at the rate.
func (r *openRun) offer(ctx context.Context) error {
	return r.resident(func() error {
		offered, err := r.watched(func() (*load.Phase, error) {
			return load.Open(ctx, r.workers(record.Call, record.List), r.rate, r.options(r.step.Duration))
		})
		if err != nil {
			return err
		}
		offered.write(r.trial)
		if r.unfound != "" {
			r.sheet.doubt("the rate is not a part of a knee: %s", r.unfound)
		}
		r.offered(offered.phase, r.rate)
		return nil
	})
}

// offered writes what became of calls that were offered at a rate, and doubts those that the suite sent late.
func (t *trial) offered(p *load.Phase, rate float64) {
	t.sheet.set("offered-calls/s", rate)
	t.sheet.set("unsent-calls", float64(p.Unsent))
	t.sheet.set("queued-calls", float64(p.Queued))
	t.sheet.set("late-calls", float64(p.Late))
	if share := float64(p.Late) / float64(max(1, p.Calls())); share > lateLimit {
		t.sheet.doubt("the suite itself sent %.2f%% of the calls late", 100*share)
	}
}

// lateLimit is the share of calls that the suite may send late before its latencies are not to be believed.
const lateLimit = 0.01

// end closes the connections and the process.
func (r *openRun) end(ctx context.Context) error {
	if err := r.people.disconnect(); err != nil {
		return err
	}
	return r.stop(ctx)
}
