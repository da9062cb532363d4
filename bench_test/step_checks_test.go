package bench_test

import (
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
	tr := &trial{sheet: newSheet("Series/creds=1", nil, nil)}
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

// What the resumed record holds of a series is remembered, but for a lack of time.
func TestClimbRemembers(t *testing.T) {
	c := &climb{}
	c.remember(record.Result{}, scenarios.Step{Creds: 1, InFlight: 4})
	assert.Len(t, c.before, 1)
	assert.Empty(t, c.stopped)
	c.remember(record.Result{Stop: "timeout: go test would end the run"}, scenarios.Step{Creds: 2, InFlight: 4})
	assert.Empty(t, c.stopped)
	c.remember(record.Result{Stop: "memory-budget: too much"}, scenarios.Step{Creds: 5, InFlight: 4})
	assert.Equal(t, "memory-budget: too much", c.stopped)
}
