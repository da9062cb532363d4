package bench_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpbench/internal/meter"
	"mcpbench/scenarios"
)

// stopKind is why a series ended before the last step of its ladder.
type stopKind string

// The kinds of stops. A stop is recorded with the last step that was measured.
const (
	stopMemory      stopKind = "memory-budget"
	stopLatency     stopKind = "latency-ceiling"
	stopDescriptors stopKind = "descriptors"
	stopWatchdog    stopKind = "watchdog"
	stopTimeout     stopKind = "timeout"
	stopFailed      stopKind = "failed"
)

// stop makes the text that a record holds.
func (k stopKind) because(format string, args ...any) string {
	return string(k) + ": " + fmt.Sprintf(format, args...)
}

// guards are the bounds that a series keeps.
type guards struct {
	// memory is what the subject's resident set may reach, and left what the host must keep available, in bytes.
	memory, left int64
	// latency is the 99th percentile of tools/call above which a step is the last.
	latency time.Duration
	// descriptors is what a process may have open.
	descriptors int64
	// deadline is when go test ends the run, by its -timeout; zero if it never does.
	deadline time.Time
	now      func() time.Time
}

// memoryShare is the part of the memory available that a series may use unless told otherwise, and leftShare the
// part that nobody may use while a step runs.
const memoryShare, leftShare = 0.8, 0.05

// defaultCeiling is the ceiling of latency unless a flag sets another.
const defaultCeiling = 30 * time.Second

// patience is how long an answer is waited for at all: three times the ceiling.
func (g guards) patience() time.Duration { return 3 * cmp.Or(g.latency, defaultCeiling) }

// errSilent ends a wait for an answer that does not come.
var errSilent = errors.New("no answer")

// await bounds a wait for an answer by the patience that there is. The error of what waits is to be explained.
func (g guards) await(ctx context.Context) (waiting context.Context, end func()) {
	return context.WithTimeoutCause(ctx, g.patience(), fmt.Errorf("%w within %v", errSilent, g.patience()))
}

// explain adds to an error that the wait for an answer was over, if it was.
func explain(waiting context.Context, err error) error {
	if cause := context.Cause(waiting); err != nil && errors.Is(cause, errSilent) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// newGuards takes the bounds from the flags, and from the host where a flag is not given. A timeout of 0 is
// none.
func newGuards(budget int64, ceiling, timeout time.Duration) (guards, error) {
	available, err := meter.AvailableMemory()
	if err != nil {
		return guards{}, err
	}
	if budget == 0 {
		budget = int64(memoryShare * float64(available))
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return guards{}, fmt.Errorf("read the bound of descriptors: %w", err)
	}
	g := guards{
		memory: budget, left: int64(leftShare * float64(available)), latency: ceiling,
		descriptors: int64(min(limit.Cur, math.MaxInt64)), now: time.Now,
	}
	if timeout > 0 {
		g.deadline = time.Now().Add(timeout)
	}
	return g, nil
}

// reached is what a finished step tells about the next.
type reached struct {
	connections int
	idle, peak  float64
	callP99     time.Duration
}

// next returns why the given step must not follow those before it, or "".
func (g guards) next(before []reached, step scenarios.Step, upstream int) string {
	if need := descriptorsFor(step, upstream); need > g.descriptors {
		return stopDescriptors.because("%d credentials need %d descriptors in a process, and %d are allowed", step.Creds, need, g.descriptors)
	}
	if why := g.inTime(step); why != "" || len(before) == 0 {
		return why
	}
	last := before[len(before)-1]
	if last.callP99 > g.latency {
		return stopLatency.because("tools/call took %v at p99, more than %v", last.callP99.Round(time.Millisecond), g.latency)
	}
	if estimate := estimatePeak(before, step.Connections()); estimate > float64(g.memory) {
		return stopMemory.because("%d credentials are estimated to reach %.0f MiB, more than %.0f MiB", step.Creds, estimate/mib, float64(g.memory)/mib)
	}
	return ""
}

// inTime returns why there is no time left for the step, or "".
func (g guards) inTime(step scenarios.Step) string {
	if g.deadline.IsZero() || g.now().Add(timeFor(step)).Before(g.deadline) {
		return ""
	}
	return stopTimeout.because("go test would end the run during the step of %d credentials; add -timeout 0", step.Creds)
}

// timeFor is a time within which a step ends, unless the subject is very slow: its loads, of which the mixed one
// lasts until connections have had enough calls, twice the way to rest, and admission.
func timeFor(step scenarios.Step) time.Duration {
	const resting, admission, call = 40 * time.Second, 20 * time.Millisecond, time.Millisecond
	calls := time.Duration(enoughCalls*step.Connections()) * call
	others := step.Duration/aloneShare + 3*step.Duration/methodShare
	return others + max(step.Duration, calls) + resting + time.Duration(step.Creds)*admission
}

const mib = 1 << 20

// descriptorsFor is how many descriptors the process with the most of them needs: the suite and the subject
// both hold one for each connection of a client and one for each of the subject to GitLab.
func descriptorsFor(step scenarios.Step, upstream int) int64 {
	toGitLab := step.Connections()
	if upstream > 0 {
		toGitLab = min(toGitLab, upstream)
	}
	const ownFiles = 200
	return int64(step.Connections() + toGitLab + ownFiles)
}

// estimatePeak extends the peaks so far to more connections, along the steeper of two lines: the one through
// the last two steps, and the one from idle through the last. It errs upwards, for the host's sake.
func estimatePeak(before []reached, connections int) float64 {
	last := before[len(before)-1]
	slope := (last.peak - last.idle) / float64(last.connections)
	if n := len(before); n > 1 && last.connections > before[n-2].connections {
		slope = max(slope, (last.peak-before[n-2].peak)/float64(last.connections-before[n-2].connections))
	}
	return last.peak + max(0, slope)*float64(max(0, connections-last.connections))
}

// errMemory ends a step that was about to take more memory than there is for it.
var errMemory = errors.New("the memory budget was passed")

// usage is the subject's resident set and what the host has available, in bytes.
type usage struct{ rss, available int64 }

// beyond returns errMemory, with the figures, if the usage is more than may be.
func (g guards) beyond(u usage) error {
	switch {
	case u.rss > g.memory:
		return fmt.Errorf("%w: %.0f MiB of %.0f MiB", errMemory, float64(u.rss)/mib, float64(g.memory)/mib)
	case u.available < g.left:
		return fmt.Errorf("%w: the host has %.0f MiB available and must keep %.0f MiB", errMemory, float64(u.available)/mib, float64(g.left)/mib)
	default:
		return nil
	}
}

// watchdogEvery is how often the watchdog looks: a process cannot take much more memory in between than a CPU
// can touch, some gigabytes a second.
const watchdogEvery = 100 * time.Millisecond

// watchdog returns a context that ends with errMemory when more memory is used than may be, and a function that
// ends the watch.
func (g guards) watchdog(ctx context.Context, used func() (usage, error)) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(watchdogEvery)
		defer ticker.Stop()
		for {
			// A process that cannot be read has ended, which others will notice and explain.
			if now, err := used(); err == nil && g.beyond(now) != nil {
				cancel(g.beyond(now))
			}
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return watched, func() { cancel(nil) }
}

func TestNext(t *testing.T) {
	start := time.Unix(0, 0)
	g := guards{
		memory: 1000 * mib, latency: 30 * time.Second, descriptors: 20000,
		deadline: start.Add(10 * time.Minute), now: func() time.Time { return start },
	}
	flat := []reached{{4, 20 * mib, 40 * mib, time.Second}, {40, 20 * mib, 60 * mib, time.Second}}
	slow := []reached{{4, 20 * mib, 40 * mib, 31 * time.Second}}
	for _, tt := range []struct {
		name     string
		before   []reached
		step     scenarios.Step
		upstream int
		want     string
	}{
		{"first", nil, scenarios.Step{Creds: 1, InFlight: 4}, 0, ""},
		{"fits", flat, scenarios.Step{Creds: 100, InFlight: 4}, 0, ""},
		{"too much memory", flat, scenarios.Step{Creds: 1000, InFlight: 4}, 0, "memory-budget: 1000 credentials are estimated to reach 4020 MiB, more than 1000 MiB"},
		{"too slow", slow, scenarios.Step{Creds: 2, InFlight: 4}, 0, "latency-ceiling: tools/call took 31s at p99, more than 30s"},
		{"descriptors", nil, scenarios.Step{Creds: 10000, InFlight: 1}, 0, "descriptors: 10000 credentials need 20200 descriptors in a process, and 20000 are allowed"},
		{"few to GitLab", nil, scenarios.Step{Creds: 10000, InFlight: 1}, 1000, ""},
		{"no time", nil, scenarios.Step{Creds: 1, Duration: 5 * time.Minute}, 0, "timeout: go test would end the run during the step of 1 credentials; add -timeout 0"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, g.next(tt.before, tt.step, tt.upstream)) })
	}
}

func TestEstimatePeakErrsUpwards(t *testing.T) {
	steep := []reached{{connections: 10, idle: 10, peak: 20}, {connections: 20, idle: 10, peak: 120}}
	assert.InDelta(t, 220, estimatePeak(steep, 30), 1e-9, "along the last two steps")
	fallen := []reached{{connections: 10, idle: 10, peak: 210}, {connections: 20, idle: 10, peak: 110}}
	assert.InDelta(t, 160, estimatePeak(fallen, 30), 1e-9, "along the line from idle, not downwards")
	assert.InDelta(t, 120, estimatePeak(steep, 15), 1e-9, "never less than what was seen, with fewer connections")
	below := []reached{{connections: 10, idle: 10, peak: 9}}
	assert.InDelta(t, 9, estimatePeak(below, 30), 1e-9, "never less than what was seen")
}

func TestWatchdog(t *testing.T) {
	g := guards{memory: 100, left: 50}
	for _, much := range []usage{{rss: 101, available: 50}, {rss: 100, available: 49}} {
		ctx, end := g.watchdog(t.Context(), func() (usage, error) { return much, nil })
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), errMemory)
		end()
	}
	ctx, end := g.watchdog(t.Context(), func() (usage, error) { return usage{100, 50}, nil })
	require.NoError(t, ctx.Err())
	end()
	<-ctx.Done()
	require.NotErrorIs(t, context.Cause(ctx), errMemory)
}

func TestNewGuards(t *testing.T) {
	g, err := newGuards(0, time.Second, 0)
	require.NoError(t, err)
	available, err := meter.AvailableMemory()
	require.NoError(t, err)
	assert.InEpsilon(t, memoryShare*float64(available), float64(g.memory), 0.1)
	assert.InEpsilon(t, leftShare*float64(available), float64(g.left), 0.1)
	assert.Positive(t, g.descriptors)
	assert.Zero(t, g.deadline, "without a timeout there is no end")
	g, err = newGuards(5, time.Second, time.Hour)
	require.NoError(t, err)
	assert.EqualValues(t, 5, g.memory)
	assert.WithinDuration(t, time.Now().Add(time.Hour), g.deadline, time.Minute)
}
