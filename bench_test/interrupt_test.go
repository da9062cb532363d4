package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpbench/internal/spawn"
)

// activity is what the suite is doing, for whoever ends it meanwhile. The zero value is nothing yet.
type activity struct {
	mu              sync.Mutex
	scenario, phase string
	processes       []*spawn.Process
	over            bool
}

// errInterrupted is why nothing begins, and nothing is recorded, while the suite ends.
var errInterrupted = errors.New("the suite is being ended")

// enter says what is done from now on. No scenario is the time between two.
func (a *activity) enter(scenario, phase string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scenario, a.phase = scenario, phase
}

// watching adds a process as soon as there is one to ask whether it is ready, and takes it away if it never is.
func (a *activity) watching(ready spawn.Probe) spawn.Probe {
	return func(ctx context.Context, p *spawn.Process) error {
		if err := a.begun(p); err != nil {
			return err
		}
		err := ready(ctx, p)
		if err != nil {
			a.gone(p)
		}
		return err
	}
}

// begun adds a process.
func (a *activity) begun(p *spawn.Process) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return errInterrupted
	}
	a.processes = append(a.processes, p)
	return nil
}

// gone takes a process away, if it is there.
func (a *activity) gone(p *spawn.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.processes = slices.DeleteFunc(a.processes, func(q *spawn.Process) bool { return q == p })
}

// recording runs what must not be ended half-way, nor begin when processes are being ended: what is measured then
// would be their end.
func (a *activity) recording(write func() error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return errInterrupted
	}
	return write()
}

// end lets nothing begin any more, ends the processes, and returns what was done when it came to that.
func (a *activity) end(why string) string {
	a.mu.Lock()
	a.over = true
	processes, story := a.processes, a.where()+": ended by "+why+tailsOf(a.processes)
	a.mu.Unlock()
	endAll(processes)
	return story
}

// where is the scenario and the phase. A gate's scenario is what its process is called.
func (a *activity) where() string {
	switch {
	case a.scenario != "":
		return a.scenario + ": " + a.phase
	case len(a.processes) > 0:
		return a.processes[0].Name()
	default:
		return "between scenarios"
	}
}

// endAll ends processes that nobody waits for any more: their grace is over at once.
func endAll(processes []*spawn.Process) {
	hurry, cancel := context.WithCancel(context.Background())
	cancel()
	var wg sync.WaitGroup
	for _, p := range processes {
		wg.Go(func() {
			if _, err := p.Stop(hurry); err != nil {
				fmt.Fprintln(os.Stderr, "bench_test:", err)
			}
		})
	}
	wg.Wait()
}

// tailsOf returns the last lines of the processes that ended too soon, or of the first if none did, to end an error
// with.
func tailsOf(processes []*spawn.Process) string {
	tell := slices.DeleteFunc(slices.Clone(processes), alive)
	if len(tell) == 0 {
		tell = processes[:min(1, len(processes))]
	}
	var b strings.Builder
	for _, p := range tell {
		if tail := p.Tail(); tail != "" {
			fmt.Fprintf(&b, "\nlast lines of process %d:\n%s", p.PID(), tail)
		}
	}
	return b.String()
}

// alive reports whether a process has not ended yet, asked or not.
func alive(p *spawn.Process) bool {
	select {
	case <-p.Exited():
		return false
	default:
		return true
	}
}

// exitOnSignal ends the suite at the first SIGINT or SIGTERM, by itself: it says what it was doing and ends its
// processes. Finished results are on disk. A second signal is not caught, and then the guardians end the processes.
func exitOnSignal(s *suite) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		sig := <-signals
		signal.Stop(signals)
		fmt.Fprintf(os.Stderr, "\nbench_test: %s\nbench_test: the finished results are in %s\n", s.doing.end(signalName(sig)), s.recordPath)
		os.Exit(exitInterrupted)
	}()
}

// openUnlessSignalled opens a suite, for which it may have to build. A signal ends that, and everything.
func openUnlessSignalled(open func(context.Context) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := open(ctx)
	if err == nil {
		exitOnSignal(bench) // before the other watch ends, so that no signal falls between the two
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(os.Stderr, "\nbench_test: nothing was measured: %v\n", context.Cause(ctx))
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench_test:", err)
		return exitUsage
	}
	return 0
}

// signalName is what people call a signal, such as SIGINT.
func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(s)
	}
	return sig.String()
}

// TestActivity ends what is done at every stage, with a process that would not end by itself.
func TestActivity(t *testing.T) {
	a := new(activity)
	assert.Equal(t, "between scenarios", a.where())
	p, err := spawn.Start(t.Context(), spawn.Spec{
		Name: "Gate/subject=shell", Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; echo hears nothing >&2; while :; do sleep 1; done"},
		Ready: a.watching(func(context.Context, *spawn.Process) error { return nil }),
	})
	require.NoError(t, err)
	assert.Equal(t, "Gate/subject=shell", a.where())
	a.enter("Point/subject=shell", "load")
	require.Eventually(t, func() bool { return p.Tail() != "" }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, a.recording(func() error { return nil }))
	assert.Equal(t, fmt.Sprintf("Point/subject=shell: load: ended by SIGTERM\nlast lines of process %d:\nhears nothing", p.PID()), a.end(signalName(syscall.SIGTERM)))
	assert.False(t, alive(p))
	require.ErrorIs(t, a.begun(p), errInterrupted)
	require.ErrorIs(t, a.recording(func() error { t.Error("it is recorded"); return nil }), errInterrupted)
	a.gone(p)
	assert.Empty(t, a.processes)
	never := errors.New("never ready")
	require.ErrorIs(t, new(activity).watching(func(context.Context, *spawn.Process) error { return never })(t.Context(), p), never)
}
