package bench_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/load"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// A load that had to cut calls ends the step, as the latency ceiling would.
func TestCutCallsEndAStep(t *testing.T) {
	tr := &trial{suite: &suite{}, people: &population{}, sheet: newSheet("Series/creds=1", nil, nil)}
	err := (&timedLoad{phase: &load.Phase{Cut: 3}}).check(tr)
	var early *earlyEnd
	require.ErrorAs(t, err, &early)
	assert.Equal(t, stopLatency, early.kind)
	tr.endEarly("load", early)
	assert.Equal(t, "latency-ceiling: load: ended early: 3 calls had no answer long after the load", tr.sheet.result.Stop)
	assert.Empty(t, tr.sheet.unmeasured(), "all that is missing is named")
	assert.NotEmpty(t, tr.sheet.result.Certificate)
}

// The ceiling looks at the longest call where there are too few for a percentile.
func TestStepFigures(t *testing.T) {
	slow := record.Result{Values: []record.Value{
		{Unit: "idle-RSS-bytes", Amount: 10}, {Unit: "peak-RSS-bytes", Amount: 20}, {Unit: "call-max-ns", Amount: 4e10},
	}}
	step := scenarios.Step{Creds: 3, InFlight: 4}
	assert.Equal(t, reached{12, 10, 20, 40 * time.Second}, stepFigures(slow, step))
	slow.Values = append(slow.Values, record.Value{Unit: "call-p99-ns", Amount: 1e9})
	assert.Equal(t, reached{12, 10, 20, time.Second}, stepFigures(slow, step))
}

// What the resumed record holds of a series is remembered, but not what the guards said then.
func TestClimbRemembers(t *testing.T) {
	c := &climb{}
	c.remember(record.Result{}, scenarios.Step{Creds: 1, InFlight: 4})
	assert.Len(t, c.before, 1)
	assert.Empty(t, c.stopped)
	c.remember(record.Result{Stop: "timeout: go test would end the run"}, scenarios.Step{Creds: 2, InFlight: 4})
	assert.Empty(t, c.stopped)
	c.remember(record.Result{Stop: "memory-budget: too much"}, scenarios.Step{Creds: 5, InFlight: 4})
	assert.Empty(t, c.stopped, "there may be more memory now")
	for _, stop := range []string{"failed: the step of 5 credentials failed", "watchdog: load: ended early: the memory budget was passed"} {
		c.remember(record.Result{Stop: stop}, scenarios.Step{Creds: 5, InFlight: 4})
		assert.Equal(t, stop, c.stopped)
	}
}

// A connection's first calls are part of setting off.
func TestTooFewCallsAreDoubted(t *testing.T) {
	r := &stepRun{trial: &trial{sheet: newSheet("Series/creds=2", nil, nil)}, step: scenarios.Step{Creds: 2, InFlight: 4}}
	phase := func(calls int64) *load.Phase {
		return &load.Phase{Methods: map[string]*load.Method{"call": {OK: calls}}, Begun: 120 * time.Second}
	}
	r.checkSteady(phase(48))
	assert.Empty(t, r.sheet.result.Certificate)
	r.checkSteady(phase(44))
	assert.Equal(t, []string{"too few calls: 5.5 a connection in 2m0s, and a steady load takes 6"}, r.sheet.result.Certificate)
}

// What became of the calls of every load is counted, also of one that was ended.
func TestOutcomesOfAllLoads(t *testing.T) {
	tr := &trial{suite: &suite{}, people: &population{}, sheet: newSheet("Series/creds=1", nil, nil)}
	tr.writeOutcomes()
	assert.Equal(t, "no load ran", tr.sheet.result.Absent["failed-calls"], "absent is not zero")

	tr = &trial{sheet: newSheet("Series/creds=1", nil, nil)}
	tr.count(&load.Phase{Cut: 2, Methods: map[string]*load.Method{"call": {Failed: 1, Refused: 3}, "list": {Failed: 4}}})
	tr.count(&load.Phase{Cut: 1})
	tr.writeOutcomes()
	for unit, want := range map[string]float64{"failed-calls": 5, "refused-calls": 3, "cut-calls": 3} {
		got, ok := tr.sheet.result.Value(unit)
		assert.True(t, ok)
		assert.InDelta(t, want, got, 0, unit)
	}
}

// stepResult is what a step of a series may have come to.
func stepResult(clients, inflight, perSecond, p99 float64) record.Result {
	return record.Result{
		Name:     "Series/subject=s/transport=http/surface=dynamic/creds=" + fmt.Sprint(clients),
		Config:   map[string]string{record.KeySettings: "gitlab-latency=0s in-flight=4 step=10s"},
		Identity: map[string]string{record.KeyRound: "1"},
		Values: []record.Value{
			{Unit: "clients", Amount: clients}, {Unit: "inflight", Amount: inflight}, {Unit: "calls/s", Amount: perSecond},
			{Unit: "call-p99-ns", Amount: p99}, {Unit: "alone-ns/call", Amount: 1e6}, {Unit: "peak-RSS-bytes", Amount: 1e6 * clients},
		},
	}
}

// The rate of an open loop is a part of the knee of the surface's steps that are to be believed and were loaded
// alike, and the same in every round.
func TestOffer(t *testing.T) {
	doubted, other, long, lacking := stepResult(1, 4, 1e6, 1), stepResult(2, 8, 1e6, 1), stepResult(2000, 2000, 1e6, 1), stepResult(10, 40, 1e6, 1)
	doubted.Certificate = []string{"steal"}
	other.Name = strings.Replace(other.Name, "dynamic", "meta", 1)
	long.Config = map[string]string{record.KeySettings: "gitlab-latency=0s in-flight=1 step=10s"}
	lacking.Values = lacking.Values[:2]
	s := &suite{subject: &scenarios.Subject{Many: &scenarios.Many{}}, results: []record.Result{
		doubted, other, long, lacking,
		stepResult(5, 20, 1998, 2e7), stepResult(20, 80, 2000, 8e7), stepResult(50, 200, 1900, 2e8), stepResult(100, 400, 1500, 4e8),
	}}
	o := scenarios.Offer{Step: scenarios.Step{Surface: "dynamic", Creds: 20, InFlight: 4, Duration: 10 * time.Second}, Percent: 50}
	rate, unfound, err := s.offer("Open/a", o)
	require.NoError(t, err)
	assert.Empty(t, unfound)
	assert.InDelta(t, 999, rate, 0.5, "half of the second highest")
	before := s.smaller(o.Step)
	require.Len(t, before, 2, "what has no peak says nothing of the next")
	assert.Equal(t, []int{20, 80}, []int{before[0].connections, before[1].connections})

	s.results = append(s.results, record.Result{Name: "Open/a", Values: []record.Value{{Unit: "offered-calls/s", Amount: 987}}})
	rate, _, err = s.offer("Open/a", o)
	require.NoError(t, err)
	assert.InDelta(t, 987, rate, 0, "as in the round before")

	s.results = s.results[:4]
	_, _, err = s.offer("Open/b", o)
	require.ErrorContains(t, err, "too few steps for a knee")
	s.results = nil
	_, _, err = s.offer("Open/b", o)
	require.ErrorContains(t, err, "measure Series/surface=dynamic first")
}
