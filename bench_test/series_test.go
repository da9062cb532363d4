package bench_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// BenchmarkSeries measures each surface over HTTP at rising numbers of credentials, each step in a process of
// its own, until the ladder or a guard ends.
func BenchmarkSeries(b *testing.B) {
	for _, series := range bench.series {
		c := &climb{suite: bench}
		for i, step := range series.Steps {
			name := step.Name(bench.subject.Name)
			b.Run(name, func(b *testing.B) { c.step(b, "Series/"+name, step, following(series.Steps, i)) })
		}
	}
}

// BenchmarkSeriesOpen offers calls at fixed rates, parts of what the closed loop reached at its knee, whether
// or not earlier ones were answered. It builds on the steps of BenchmarkSeries, measured before it in the
// same run or held by the record that is resumed.
func BenchmarkSeriesOpen(b *testing.B) {
	for _, o := range bench.offers {
		name := o.Name(bench.subject.Name)
		b.Run(name, func(b *testing.B) { bench.open(b, "Open/"+name, o) })
	}
}

// following is the step after the i-th, or nil.
func following(steps []scenarios.Step, i int) *scenarios.Step {
	if i+1 < len(steps) {
		return &steps[i+1]
	}
	return nil
}

// climb is one series while it is measured.
type climb struct {
	suite  *suite
	before []reached
	// stopped is why no further step may follow.
	stopped string
}

// step measures one step and records what came of it, and whether the next may follow.
func (c *climb) step(b *testing.B, name string, step scenarios.Step, next *scenarios.Step) {
	b.Helper()
	s := c.suite
	if old, held := s.skip(b, name, stepSettings(s.subject, step)); held {
		c.remember(*old, step)
		return
	}
	short := strings.TrimPrefix(name, "Series/subject="+s.subject.Name+"/transport=http/")
	if c.stopped == "" {
		c.stopped = s.guards.next(c.before, step, s.subject.Many.UpstreamConnections)
	}
	if c.stopped != "" {
		s.progress.leaveOut(short, c.stopped)
		b.Skip(c.stopped)
	}
	s.progress.begin(short)
	// A step that fails says nothing good of a larger one.
	verdict := "failed"
	c.stopped = stoppedByFailure(step)
	defer func() { s.progress.end(verdict) }()
	r := &stepRun{trial: newTrial(b, s, stepLaunch(name, step), stepMethod, stepSettings(s.subject, step)), step: step}
	verdict = r.run(append(r.phases(), phase{"look ahead", c.lookAhead(r, next)}))
	c.stopped = r.sheet.result.Stop
}

func stoppedByFailure(step scenarios.Step) string {
	return stopFailed.because("the step of %d credentials failed", step.Creds)
}

// remember takes a step that the resumed record holds for one that was measured. A step that failed or was ended
// early stays the last; what the guards said of the next one then, they say anew of what is allowed now.
func (c *climb) remember(old record.Result, step scenarios.Step) {
	c.before = append(c.before, stepFigures(old, step))
	c.stopped = ""
	if strings.HasPrefix(old.Stop, string(stopFailed)) || strings.Contains(old.Stop, endedEarly) {
		c.stopped = old.Stop
	}
}

func stepLaunch(name string, step scenarios.Step) launch {
	return launch{
		name: name, transport: scenarios.HTTP, surface: step.Surface, many: true, clients: step.Creds,
		vars: scenarios.Vars{"clients": fmt.Sprint(step.Creds)},
	}
}

// stepMethod says in the record how the figures of a step came about.
const stepMethod = "closed loop, tools/call and tools/list alternating, then one method at a time; " + statistics

// stepSettings holds what makes steps comparable; the population is in the name.
func stepSettings(subject *scenarios.Subject, step scenarios.Step) string {
	settings := fmt.Sprintf("in-flight=%d step=%s", step.InFlight, step.Duration)
	if n := subject.Many.UpstreamConnections; n > 0 {
		settings += fmt.Sprintf(" upstream-connections=%d", n)
	}
	return settings
}

// stepFigures are what a step says about the next.
func stepFigures(r record.Result, step scenarios.Step) reached {
	idle, _ := r.Value("idle-RSS-bytes")
	peak, _ := r.Value("peak-RSS-bytes")
	p99, ok := r.Value(record.Call.Unit("p99-ns"))
	if !ok {
		// Too few calls for a percentile are the sign of the very slowness that the ceiling is about.
		p99, _ = r.Value(record.Call.Unit("max-ns"))
	}
	return reached{step.Connections(), idle, peak, time.Duration(p99)}
}
