package bench_test

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"time"

	"mcpbench/internal/meter"
	"mcpbench/internal/spawn"
)

// drive is a load under which the driver and the other tools are compared: connections, some of each credential,
// that call until so many calls are answered, one method after the other.
type drive struct {
	name                  string
	credentials, inFlight int
	calls                 int64
	methods               []string
}

func (d drive) connections() int { return d.credentials * d.inFlight }

func (d drive) stub() stubJob { return stubJob{Calls: d.calls, Clients: int64(d.connections())} }

// cost is what one run of a tool came to.
type cost struct {
	cpu  time.Duration // from the process's start to its end, user and system
	peak int64         // high-water mark of the resident set in bytes, when the last reply had been read
}

// ground is where tools run: on one CPU, and the stub on another.
type ground struct{ client, stub []int }

// newGround takes the CPUs of a list as -cpus has it, or those of this process.
func newGround(list string) (ground, error) {
	cpus, err := spawn.CPUs()
	if list != "" {
		cpus, err = spawn.ParseCPUs(list)
	}
	if err != nil {
		return ground{}, err
	}
	split := spawn.SplitCPUs(cpus)
	return ground{client: split.Suite[:1], stub: split.Subject[:1]}, nil
}

// driveLimit bounds one run, so that a tool which gets no further is an error.
const driveLimit = 5 * time.Minute

// run runs a tool against a new stub until the drive's calls are answered, and counts them. dir is a folder for
// this run alone.
func (g ground) run(ctx context.Context, dir string, by generator, d drive, m message) (cost, error) {
	ctx, cancel := context.WithTimeout(ctx, driveLimit)
	defer cancel()
	stub, err := startStub(ctx, d.stub(), g.stub)
	if err != nil {
		return cost{}, err
	}
	defer stub.Stop(context.Background()) //nolint:errcheck // nothing is left to be lost by it
	args, err := by.args(order{dir: dir, url: stub.url, drive: d, message: m})
	if err != nil {
		return cost{}, err
	}
	tool, err := spawn.Start(ctx, spawn.Spec{Name: by.name, Path: by.path, Args: args, CPUs: g.client, Stdio: true})
	if err != nil {
		return cost{}, err
	}
	defer tool.Stop(context.Background()) //nolint:errcheck // it was stopped before, or another error is told
	c, stdout, err := follow(ctx, tool, stub)
	if err != nil {
		return c, fmt.Errorf("%s, %s: %w", by.name, d.name, err)
	}
	counted, err := by.counts(ctx, finished{path: by.path, dir: dir, stdout: stdout})
	if err != nil {
		return c, fmt.Errorf("%s, %s: cannot read its counts in %q: %w", by.name, d.name, stdout, err)
	}
	return c, counted.check(d.stub())
}

// follow reads a tool when its calls are answered, ends it, and returns what it wrote.
func follow(ctx context.Context, tool *spawn.Process, stub *stubProcess) (c cost, stdout []byte, err error) {
	if err := awaitFull(ctx, tool, stub); err != nil {
		return c, nil, err
	}
	if c.peak, err = peakOf(tool); err != nil {
		return c, nil, err
	}
	exit, stdout, err := interrupt(ctx, tool, stub)
	c.cpu = exit.CPU
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("%v; its last lines:\n%s", exit, tool.Tail())
	}
	return c, stdout, err
}

// awaitFull waits until the tool has read every reply.
func awaitFull(ctx context.Context, tool *spawn.Process, stub *stubProcess) error {
	select {
	case err := <-stub.full():
		return err
	case <-tool.Exited():
		// Not all it wrote may have been read before it is stopped.
		_, _ = tool.Stop(ctx)
		return fmt.Errorf("it ended before its calls were answered; its last lines:\n%s", tool.Tail())
	case <-ctx.Done():
		return fmt.Errorf("its calls were not answered in time: %w", ctx.Err())
	}
}

func peakOf(p *spawn.Process) (int64, error) {
	tree, err := meter.NewTree(p.PID())
	if err != nil {
		return 0, err
	}
	defer tree.Close() //nolint:errcheck // read only
	return tree.Peak()
}

// hangUpAfter is how long a tool is given to end by itself. wrk looks for the signal ten times a second, and would
// connect again and again if the stub were gone before; others wait for the held replies until it is.
const hangUpAfter = 300 * time.Millisecond

// interrupt ends a tool as Ctrl-C does, and returns what it wrote.
func interrupt(ctx context.Context, tool *spawn.Process, stub *stubProcess) (spawn.Exit, []byte, error) {
	if err := syscall.Kill(tool.PID(), syscall.SIGINT); err != nil {
		return spawn.Exit{}, nil, err
	}
	hangUp := time.AfterFunc(hangUpAfter, func() { _, _ = stub.Stop(ctx) })
	defer hangUp.Stop()
	// An ended context leaves no grace: the tool is killed, and the reading below comes to its end.
	release := context.AfterFunc(ctx, func() { _, _ = tool.Stop(ctx) })
	defer release()
	stdout, err := io.ReadAll(tool.Stdout())
	if err != nil {
		return spawn.Exit{}, nil, err
	}
	<-tool.Exited()
	exit, err := tool.Stop(ctx)
	return exit, stdout, err
}
