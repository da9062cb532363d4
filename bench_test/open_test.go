package bench_test

import (
	"context"
	"errors"
	"fmt"
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
	knee, err := s.knee(o)
	if why := s.guards.inTime(o.Step); why != "" {
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
		rate:    knee.PerSecond * float64(o.Percent) / 100,
		unfound: knee.Reason,
	}
	verdict = r.run([]phase{{"idle", r.start}, {"admit", r.admit}, {"load", r.guarded(r.offer)}, {"close", r.end}})
}

// openMethod says in the record how the figures of an open loop came about.
const openMethod = "open loop, tools/call and tools/list in turn, offered at a part of the knee's throughput, " +
	"latency from when a call was due; " + statistics

// knee finds the surface's knee from the steps of its series so far that are to be believed, and that keep as
// many calls in flight a credential as the open loop may.
func (s *suite) knee(o scenarios.Offer) (stat.Knee, error) {
	surface, settings := o.Step.Surface, s.settings(stepSettings(s.subject, o.Step))
	var points []stat.Throughput
	for _, r := range s.results {
		if r.Kind() != record.Series || r.Part("surface") != string(surface) || len(r.Certificate) > 0 ||
			r.Config[record.KeySettings] != settings {
			continue
		}
		perSecond, ok1 := r.Value("calls/s")
		inFlight, ok2 := r.Value("inflight")
		if !ok1 || !ok2 {
			continue
		}
		p50, _ := r.Value(record.Call.Unit("p50-ns"))
		p99, _ := r.Value(record.Call.Unit("p99-ns"))
		round, _ := strconv.Atoi(r.Identity[record.KeyRound])
		points = append(points, stat.Throughput{
			Round: round, InFlight: int(inFlight), PerSecond: perSecond, P50: time.Duration(p50), P99: time.Duration(p99),
		})
	}
	if len(points) == 0 {
		return stat.Knee{}, fmt.Errorf("the record holds no step of the series on %s to be believed: measure Series/surface=%s first, or name a record that has it with -record and -resume", surface, surface)
	}
	return stat.FindKnee(points)
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
			return load.Open(ctx, r.workers(record.Call, record.List), r.rate, load.Options{Duration: r.step.Duration})
		})
		if err != nil {
			return err
		}
		offered.write(r.trial)
		if r.unfound != "" {
			r.sheet.doubt("the rate is not a part of a knee: %s", r.unfound)
		}
		r.sheet.set("offered-calls/s", r.rate)
		r.sheet.set("unsent-calls", float64(offered.phase.Unsent))
		r.sheet.set("queued-calls", float64(offered.phase.Queued))
		r.sheet.set("late-calls", float64(offered.phase.Late))
		if share := float64(offered.phase.Late) / float64(max(1, offered.phase.Calls())); share > lateLimit {
			r.sheet.doubt("the suite itself sent %.1f%% of the calls late", 100*share)
		}
		return nil
	})
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
