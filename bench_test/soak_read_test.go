package bench_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// Phases of a soak, as in the record.
const (
	phaseOpen  = "open"
	phaseLoad  = "load"
	phaseRest  = "rest"
	phaseAgain = "again"
)

// keyPhase is the key under which a reading of the record says in which phase it was taken.
const keyPhase = "phase"

// soakMoment is what the processes take at one moment, summed.
type soakMoment struct {
	second   float64 // since the start of the first load
	phase    string
	reading  meter.Reading
	least    int64  // resident set, the least since the moment before
	inUse    *int64 // heap, what is no longer reachable included
	goal     *int64
	routines int // -1 where they were not counted
}

// leastBetween is the least time between readings: each costs the subject something.
const leastBetween = 50 * time.Millisecond

// looksEach is how often the resident set is looked at for each reading: of a sawtooth the troughs must be seen. The
// kernel answers that by itself.
const looksEach = 10

// saidEvery is how many readings there are to a line of progress.
const saidEvery = 6

// soakWatch reads the processes until it is stopped.
type soakWatch struct {
	end  context.CancelFunc
	done chan error
}

// watch begins to read. Where a reading fails the returned context ends, and with it the load.
func (r *soakRun) watch(ctx context.Context, phase string) (context.Context, *soakWatch) {
	within, fail := context.WithCancel(ctx)
	reading, end := context.WithCancel(ctx)
	w := &soakWatch{end: end, done: make(chan error, 1)}
	go func() {
		err := r.readOn(reading, phase)
		if err != nil {
			fail()
		}
		w.done <- err
	}()
	r.tb.Cleanup(fail)
	return within, w
}

// stop ends the readings, and returns what went wrong with them.
func (w *soakWatch) stop() error {
	w.end()
	return <-w.done
}

// readOn reads and records until ctx ends.
func (r *soakRun) readOn(ctx context.Context, phase string) error {
	if r.started.IsZero() {
		return nil // the clock has not begun
	}
	looks := max(1, min(looksEach, int(r.plan.Every/leastBetween)))
	ticker := time.NewTicker(max(r.plan.Every/time.Duration(looks), leastBetween))
	defer ticker.Stop()
	least := int64(math.MaxInt64)
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now, err := r.processes.read()
		if err != nil {
			return fmt.Errorf("read the processes: %w", err)
		}
		if least = min(least, now.RSS); n%looks != 0 {
			continue
		}
		if err := r.note(ctx, phase, now, least); err != nil {
			return err
		}
		least = math.MaxInt64
	}
}

// note takes and records a moment, for which the process tree was read already.
func (r *soakRun) note(ctx context.Context, phase string, now meter.Reading, least int64) error {
	m := soakMoment{second: time.Since(r.started).Seconds(), phase: phase, reading: now, least: least, routines: -1}
	if err := r.askRuntimes(ctx, &m); err != nil {
		if ctx.Err() != nil {
			return nil // it was cut short
		}
		return fmt.Errorf("read the heap: %w", err)
	}
	r.moments = append(r.moments, m)
	if len(r.moments)%saidEvery == 0 {
		r.say("%s of about %s, %s: %.1f MiB resident", time.Since(r.started).Round(time.Second), r.length(), phase, float64(now.RSS)/mib)
	}
	return r.recordMoment(m)
}

// askRuntimes asks the processes' runtimes how they stand, under load only and without a collection: at rest the
// answer would take memory from which the processes are coming to rest.
func (r *soakRun) askRuntimes(ctx context.Context, m *soakMoment) error {
	if m.phase == phaseRest {
		return nil
	}
	var inUse, goal int64
	for _, in := range r.processes.instances {
		if in.heap == nil {
			return nil
		}
		live, err := in.heap.Live(ctx)
		if err != nil {
			return err
		}
		if live.Live == nil || live.Goal == nil {
			return nil
		}
		inUse, goal = inUse+*live.Live, goal+*live.Goal
	}
	m.inUse, m.goal = &inUse, &goal
	var err error
	m.routines, err = r.goroutines(ctx)
	return err
}

// recordMoment puts a reading on disk at once: an interrupt costs none.
func (r *soakRun) recordMoment(m soakMoment) error {
	second := strconv.FormatFloat(m.second, 'f', 3, 64)
	s := newSheet(r.name(record.SoakReading, "second="+second), r.config(), r.suite.identity())
	s.result.Identity[keyPhase] = m.phase
	s.set("now-RSS-bytes", float64(m.reading.RSS))
	s.set("now-least-RSS-bytes", float64(m.least))
	s.set("now-descriptors", float64(m.reading.Descriptors))
	s.set("now-threads", float64(m.reading.Threads))
	why := noHeap
	if m.phase == phaseRest {
		why = "nothing is asked of a process that is coming to rest"
	}
	s.optional("now-heap-bytes", m.inUse, why)
	s.optional("now-goal-bytes", m.goal, why)
	if m.routines < 0 {
		s.absent(why, "now-goroutines")
	} else {
		s.set("now-goroutines", float64(m.routines))
	}
	return r.suite.keep(s.result)
}

// config is what makes soaks incomparable.
func (r *soakRun) config() map[string]string {
	config := r.suite.config()
	config[record.KeyMethod] = "all paths at once, open loops, due at random as from independent callers, latency from when a call was due; " + statistics
	config[record.KeySettings] = r.suite.settings(fmt.Sprintf("load=%s again=%s share=%v connections-a-path=%d", r.plan.Load, r.plan.Again, r.plan.Share, scenarios.SoakConnections))
	return config
}
