package bench_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/load"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// What the names of looking end in: the benchmark's, and those of its two results.
const (
	lookOn   = "/" + record.PartLook + "=on"
	lookOff  = "/" + record.PartLook + "=off"
	lookBoth = lookOn + ",off"
)

// lookMethod says in the record how the cost of looking came about.
const lookMethod = "closed loop, tools/call and tools/list alternating, in turns with the suite's sampler on and off in one process; " + statistics

const (
	// lookTurns is how many turns a process is loaded for, half of them looked at.
	lookTurns = 8
	// lookShare is the part of a step's mixed load that a turn lasts.
	lookShare = 3
)

// lookRun is one process while it is loaded with the sampler on and off by turns. A pair of results comes of it.
type lookRun struct {
	stepRun
	on, off lookSide
}

// lookSide is one half of the pair: its turns, added up.
type lookSide struct {
	sheet *sheet
	load  *timedLoad
}

// look measures what looking costs, and records both halves. The half that nobody looked at goes first, so that the
// other is recorded only with it.
func (s *suite) look(b *testing.B, name string, step scenarios.Step) {
	b.Helper()
	names := recordNames(name)
	settings := stepSettings(s.subject, step)
	for _, half := range names {
		if _, held := s.skip(b, half, settings); held {
			return
		}
	}
	s.progress.begin(name)
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	r := &lookRun{stepRun: stepRun{trial: newTrial(b, s, stepLaunch(names[0], step), lookMethod, settings), step: step}}
	r.on.sheet, r.off.sheet = r.sheet, newSheet(names[1], r.sheet.result.Config, r.sheet.result.Identity)
	verdict = r.run([]phase{{"idle", r.idle}, {"admit", r.guarded(r.admit)}, {"warm", r.guarded(r.warm)}, {"look", r.guarded(r.turns)}, {"close", r.end}})
}

// warm is a turn whose figures nobody sees: the first load of a process is not like those that follow.
func (r *lookRun) warm(ctx context.Context) error {
	_, err := r.timed(ctx, r.workers(record.Call, record.List), r.options(r.step.Duration/lookShare))
	return err
}

// turns loads the process by turns.
func (r *lookRun) turns(ctx context.Context) error {
	for turn := range lookTurns {
		side := &r.off
		if looks(r.suite.round, turn) {
			side = &r.on
		}
		if err := r.turn(ctx, side); err != nil {
			return err
		}
	}
	return nil
}

// looks reports whether a turn is looked at: in the order of ABBA, begun by the other in the next round.
func looks(round, turn int) bool { return (turn+1)/2%2 == round%2 }

// turn loads the process once.
func (r *lookRun) turn(ctx context.Context, side *lookSide) error {
	stop := func() error { return nil }
	if side == &r.on {
		sampler := meter.StartSampler(r.people.instances[0].tree, sampleEvery)
		stop = func() error { _, err := sampler.Stop(); return err }
	}
	l, err := r.timed(ctx, r.workers(record.Call, record.List), r.options(r.step.Duration/lookShare))
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	side.add(l)
	return nil
}

// add takes another turn.
func (s *lookSide) add(l *timedLoad) {
	if s.load == nil {
		s.load = l
		return
	}
	sum, turn := s.load.phase, l.phase
	sum.End = sum.End.Add(turn.Elapsed())
	sum.Steady.End = sum.Steady.End.Add(turn.Steady.End.Sub(turn.Steady.Start))
	sum.Steady.Calls += turn.Steady.Calls
	for label, m := range turn.Methods {
		all := sum.Methods[label]
		all.OK += m.OK
		all.Latency.Merge(m.Latency)
		all.Max = max(all.Max, m.Max)
	}
	s.load.spent = s.load.spent.plus(l.spent)
	s.load.upstream += l.upstream
}

// end closes the connections and the process, and records the half that nobody looked at.
func (r *lookRun) end(ctx context.Context) error {
	if err := r.people.disconnect(); err != nil {
		return err
	}
	if err := r.stop(ctx); err != nil {
		return err
	}
	shared := r.sheet.result
	for _, side := range []*lookSide{&r.on, &r.off} {
		side.write(r.trial, shared)
	}
	return r.suite.keep(r.off.sheet.result)
}

// write adds the half's own figures to what is the process's and so of both.
func (s *lookSide) write(t *trial, shared record.Result) {
	s.sheet.result.Values = slices.Clone(shared.Values)
	s.sheet.result.Absent = maps.Clone(shared.Absent)
	s.sheet.result.Certificate = slices.Clone(shared.Certificate)
	half := *t
	half.sheet = s.sheet
	s.load.write(&half)
	s.sheet.absent("no part of what looking costs", s.sheet.unmeasured()...)
}

// TestLookingTakesTurns has every round look half of the time, at no turn oftener than at another.
func TestLookingTakesTurns(t *testing.T) {
	order := func(round int) string {
		var turns strings.Builder
		for turn := range lookTurns {
			turns.WriteByte(map[bool]byte{true: '+', false: '-'}[looks(round, turn)])
		}
		return turns.String()
	}
	assert.Equal(t, "-++--++-", order(1))
	assert.Equal(t, "+--++--+", order(2))
}

// TestLookSideAddsUp adds two turns whose sums are known.
func TestLookSideAddsUp(t *testing.T) {
	turn := func(calls int, latency time.Duration) *timedLoad {
		m := &load.Method{OK: int64(calls), Max: latency, Latency: hdrhistogram.New(1, int64(time.Minute), 3)}
		require.NoError(t, m.Latency.RecordValues(int64(latency), int64(calls)))
		start := time.Unix(100, 0)
		return &timedLoad{
			phase: &load.Phase{Start: start, End: start.Add(2 * time.Second), Methods: map[string]*load.Method{"call": m},
				Steady: load.Window{Start: start, End: start.Add(time.Second), Calls: int64(calls)}},
			spent: spending{cpu: time.Duration(calls) * time.Millisecond}, upstream: int64(calls),
		}
	}
	var side lookSide
	side.add(turn(10, time.Millisecond))
	side.add(turn(30, 5*time.Millisecond))
	perSecond, _ := side.load.phase.Steady.PerSecond()
	assert.InDelta(t, 20, perSecond, 0, "40 calls in two steady seconds")
	assert.Equal(t, 4*time.Second, side.load.phase.Elapsed())
	assert.EqualValues(t, 40, side.load.phase.Calls())
	assert.EqualValues(t, 40, side.load.upstream)
	assert.Equal(t, 40*time.Millisecond, side.load.spent.cpu)
	m := side.load.phase.Methods["call"]
	assert.Equal(t, 5*time.Millisecond, m.Max)
	assert.EqualValues(t, 40, m.Latency.TotalCount())
	assert.InEpsilon(t, float64(time.Millisecond), float64(m.Latency.ValueAtPercentile(20)), 0.002)
	assert.InEpsilon(t, float64(5*time.Millisecond), float64(m.Latency.ValueAtPercentile(30)), 0.002)
}
