package bench_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// TestAbandoned holds a server to what may stay of clients that go away: of each way to go, nothing but what its
// budget names. `make abandoned` runs it in full.
func TestAbandoned(t *testing.T) {
	s := gateSuite(t)
	subjects, leaks := []*suite{s}, []*leak{}
	if !opts.gate && opts.subject == scenarios.Default && opts.binary == "" {
		subjects = append(subjects, shortSuite(t, "calibrator", ""))
		leaks = knownLeaks(t)
	}
	all := make([][]*abandoned, len(subjects))
	var trials sync.WaitGroup
	for _, l := range leaks { // these take the same time, so that they cost none
		trials.Go(func() { l.found = abandonAll(t, l.suite, []scenarios.Abandonment{l.event})[0] })
	}
	for i, s := range subjects {
		trials.Go(func() { all[i] = abandonAll(t, s, scenarios.Abandonments()) })
	}
	trials.Wait()
	for i, s := range subjects {
		for _, a := range all[i] {
			t.Run("subject="+s.subject.Name+"/event="+a.event.Event, func(t *testing.T) { a.decide(t, s) })
		}
	}
	for _, l := range leaks {
		t.Run("leak="+l.name, l.check)
	}
}

// abandoned is what came of one event.
type abandoned struct {
	event  scenarios.Abandonment
	ruling *ruling
	sheet  *sheet
	err    error
	// without says why the event was not tried, of a subject that does not make it possible.
	without string
}

// abandonAll tries events, one after another in full, and each is on disk before the next begins. In the short form
// they are tried at the same time: what takes time is to wait.
func abandonAll(t *testing.T, s *suite, events []scenarios.Abandonment) []*abandoned {
	t.Helper()
	all := make([]*abandoned, len(events))
	var trials sync.WaitGroup
	s.progress.more(len(events) - 1)
	for i, e := range events {
		all[i] = &abandoned{event: e}
		trial := func() {
			all[i].try(t, s)
			if opts.gate {
				all[i].keep(s)
			}
		}
		if opts.gate {
			s.progress.begin("abandoned/" + e.Event)
			s.doing.enter("abandoned/"+e.Event, "measure")
			trial()
			s.progress.end(all[i].said())
		} else {
			trials.Go(trial)
		}
	}
	trials.Wait()
	if !opts.gate {
		tryAgain(t, s, all)
	}
	return all
}

// tryAgain is for the short form, which runs beside other things: what could not be told is tried once more.
func tryAgain(t *testing.T, s *suite, all []*abandoned) {
	t.Helper()
	var trials sync.WaitGroup
	for _, a := range all {
		if a.unclear() {
			*a = abandoned{event: a.event}
			trials.Go(func() { a.try(t, s) })
		}
	}
	trials.Wait()
	for _, a := range all {
		a.keep(s)
	}
}

// unclear reports whether the event was tried and nothing can be said of it.
func (a *abandoned) unclear() bool {
	return a.without == "" && a.err == nil && a.ruling.verdict() == stat.Inconclusive
}

// said is what came of the event, in a word or a line.
func (a *abandoned) said() string {
	switch {
	case a.without != "":
		return a.without
	case a.err != nil:
		return a.err.Error()
	default:
		return string(a.ruling.verdict())
	}
}

// keep records the event, if it could be measured.
func (a *abandoned) keep(s *suite) {
	if a.without != "" || a.err != nil {
		return
	}
	a.ruling.identify(&a.sheet.result)
	if units := a.sheet.unmeasured(); len(units) > 0 {
		a.err = fmt.Errorf("%s was not measured, and nothing says why", strings.Join(units, ", "))
		return
	}
	a.err = s.keep(a.sheet.result)
}

// decide lets the event pass or fail.
func (a *abandoned) decide(t *testing.T, s *suite) {
	t.Helper()
	if a.without != "" {
		t.Skip(a.without)
	}
	require.NoError(t, a.err)
	a.ruling.decide(t, s)
}

// try has one event happen many times.
func (a *abandoned) try(t *testing.T, s *suite) {
	t.Helper()
	e := a.event
	if !s.subject.Offers(e) {
		a.without = fmt.Sprintf("%s offers no %s, according to its subject file", s.subject.Name, orTransport(e))
		return
	}
	a.ruling = &ruling{gate: "abandoned/" + e.Event, subject: s.subject.Name}
	a.sheet = newAbandonedSheet(s, e)
	try := a.tryDepartures
	if e.Transport == scenarios.Stdio {
		try = a.tryDeaths
	}
	if err := try(t, s); err != nil {
		a.ruling.brokeOff(nil, err)
		if _, counted := a.sheet.result.Value("abandoned-events"); !counted {
			a.sheet.set("abandoned-events", 0)
		}
		a.sheet.absent("the event broke off", a.sheet.unmeasured()...)
	}
}

// notOffered lists the events that a subject does not make possible.
func notOffered(s *scenarios.Subject) string {
	var without []string
	for _, e := range scenarios.Abandonments() {
		if !s.Offers(e) {
			without = append(without, fmt.Sprintf("%s (no %s)", e.Event, orTransport(e)))
		}
	}
	return strings.Join(without, ", ")
}

func orTransport(e scenarios.Abandonment) string {
	if e.Needs != "" {
		return string(e.Needs)
	}
	return string(e.Transport)
}

// batchesOf is how many batches there are. With the reading before them that makes 21 slopes, of which the interval
// leaves out three at each end (stat.Fit); in the short form 15, of which it leaves out one.
func batchesOf() int {
	if opts.gate {
		return 6
	}
	return 5
}

func batch(e scenarios.Abandonment) int {
	if opts.gate {
		return e.Batch
	}
	return e.ShortBatch
}

func newAbandonedSheet(s *suite, e scenarios.Abandonment) *sheet {
	config := s.config()
	config[record.KeyMethod] = "collections forced and rest awaited between batches; slope of the live heap by Theil and Sen"
	config[record.KeySettings] = s.settings(fmt.Sprintf("batch=%d batches=%d within=%s session-timeout=%s", batch(e), batchesOf(),
		e.Budget.Within, scenarios.SessionTimeout))
	name := fmt.Sprintf("%s/subject=%s/transport=%s/event=%s", record.Abandoned, s.subject.Name, e.Transport, e.Event)
	identity := s.identity()
	identity["event"] = e.What
	if without := notOffered(s.subject); without != "" {
		identity["without"] = without
	}
	identity["budget-date"], identity["budget-reason"] = e.Budget.Date, e.Budget.Reason
	return newSheet(name, config, identity)
}

// tryDepartures tries an event over HTTP.
func (a *abandoned) tryDepartures(t *testing.T, s *suite) error {
	t.Helper()
	d, err := newDepartures(t, s, a.event)
	if err != nil {
		return err
	}
	found, err := d.measure(t.Context(), batchesOf(), batch(a.event))
	if err != nil {
		t.Logf("%s: %v\n%s", a.event.Event, err, d.instance.process.Tail())
		a.wentWrong(d, err)
		return nil
	}
	a.write(found)
	a.hold(found)
	exit, err := d.instance.process.Stop(t.Context())
	if err != nil {
		return err
	}
	a.ruling.passes("end", exit.Clean(), exit.String(), "clean when told to")
	return nil
}

// wentWrong holds the process to what an event has to look like from outside, or to be there still.
func (a *abandoned) wentWrong(d *departures, err error) {
	what, bound := "events", "each is answered as it must be"
	if d.instance.ended() {
		what, bound = "process", "serves to the end"
	}
	a.ruling.passes(what, false, strings.Join(strings.Fields(err.Error()), " "), bound)
	a.sheet.set("abandoned-events", 0)
	a.sheet.absent("not all events were what they are called", a.sheet.unmeasured()...)
}

// write puts what was found on the sheet.
func (a *abandoned) write(l *leftovers) {
	s := a.sheet
	s.set("abandoned-events", float64(l.events))
	s.set("retained-budget-bytes/event", a.event.Budget.Bytes)
	s.set("retained-descriptors", float64(l.after.descriptors-l.before.descriptors))
	const overHTTP = "over HTTP all clients have one process, which outlives them"
	s.absent(overHTTP, "retained-processes", "gone-ns")
	ofHeap := []string{"retained-bytes/event", "retained-lo-bytes/event", "retained-hi-bytes/event", "retained-goroutines"}
	if !l.heap {
		s.absent(noHeap, ofHeap...)
	} else {
		s.set("retained-goroutines", float64(l.after.goroutines-l.before.goroutines))
		s.set("retained-bytes/event", l.line.Slope)
		s.set("retained-lo-bytes/event", l.line.Lo)
		s.set("retained-hi-bytes/event", l.line.Hi)
	}
	a.writeHeld(l)
}

// writeHeld puts on the sheet what the process held as long as it may.
func (a *abandoned) writeHeld(l *leftovers) {
	for unit, of := range map[string]func(meanwhile) float64{
		"held-bytes/event":       func(h meanwhile) float64 { return h.bytes },
		"held-goroutines/event":  func(h meanwhile) float64 { return h.goroutines },
		"held-descriptors/event": func(h meanwhile) float64 { return h.descriptors },
	} {
		switch {
		case !a.event.Holds:
			a.sheet.absent("nothing is to be held for such an event", unit)
		case !l.heap && unit != "held-descriptors/event":
			a.sheet.absent(noHeap, unit)
		case len(l.held) == 0:
			a.sheet.absent("the host was too slow to read it before the first had timed out", unit)
		default:
			values := make([]float64, len(l.held))
			for i, h := range l.held {
				values[i] = of(h)
			}
			a.sheet.set(unit, median(values))
		}
	}
}

// hold holds what was found to the budget.
func (a *abandoned) hold(l *leftovers) {
	r, budget := a.ruling, a.event.Budget
	r.passes("descriptors", l.after.descriptors <= l.before.descriptors,
		fmt.Sprintf("%d, %d before", l.after.descriptors, l.before.descriptors), "no more than before")
	if !l.heap {
		r.hold("bytes and goroutines", stat.Inconclusive, noHeap, fmt.Sprintf("at most %.0f bytes an event", budget.Bytes))
		return
	}
	r.passes("goroutines", l.after.goroutines <= l.before.goroutines,
		fmt.Sprintf("%d, %d before", l.after.goroutines, l.before.goroutines), "no more than before")
	r.hold("bytes an event", withinBudget(l.line, budget.Bytes),
		fmt.Sprintf("%.0f (%.0f to %.0f)", l.line.Slope, l.line.Lo, l.line.Hi), fmt.Sprintf("at most %.0f, set on %s", budget.Bytes, budget.Date))
}

// withinBudget is the verdict on a slope: only an interval that is wholly on one side of the budget says which.
func withinBudget(l stat.Line, budget float64) stat.Verdict {
	switch {
	case !l.Interval:
		return stat.Inconclusive
	case l.Hi <= budget:
		return stat.Pass
	case l.Lo > budget:
		return stat.Fail
	default:
		return stat.Inconclusive
	}
}

func TestWithinBudget(t *testing.T) {
	for _, tt := range []struct {
		line stat.Line
		want stat.Verdict
	}{
		{stat.Line{Lo: -5, Hi: 64, Interval: true}, stat.Pass},
		{stat.Line{Lo: 65, Hi: 70, Interval: true}, stat.Fail},
		{stat.Line{Lo: 64, Hi: 70, Interval: true}, stat.Inconclusive},
		{stat.Line{Lo: -900, Hi: 900, Interval: true}, stat.Inconclusive},
		{stat.Line{Slope: 1}, stat.Inconclusive},
	} {
		require.Equal(t, tt.want, withinBudget(tt.line, 64), "%+v", tt.line)
	}
}
