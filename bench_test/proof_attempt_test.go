package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"mcpbench/fakegitlab"
	"mcpbench/internal/cgroup"
	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// prover starts the server under limits and drives one load.
type prover struct {
	t        *testing.T
	suite    *suite
	need     need
	load     time.Duration
	lives    int     // attempts that must succeed under a limit
	grain    float64 // how close, as a share, the least limit is approached
	gitlab   *fakegitlab.Server
	vars     scenarios.Vars
	requests requests
	group    cgroup.Group // the suite's, below which those with a limit are made
	watched  string       // why limits are only watched and not enforced; "" if they are
	sheet    *sheet
	attempts int
	patience time.Duration // that an attempt is given; what the first took, and more
}

// attempt is what one process under a limit came to.
type attempt struct {
	limit    int64
	survived bool
	why      string // it did not
	charged  int64  // most that was charged to its group at once; its peak where limits are only watched
	peak     int64  // resident
	calls    int64
}

func (a attempt) words() string {
	if !a.survived {
		return fmt.Sprintf("under %s %s", inMiB(float64(a.limit)), a.why)
	}
	return fmt.Sprintf("under %s it took %s", inMiB(float64(a.limit)), inMiB(float64(a.charged)))
}

func newProver(t *testing.T, s *suite, n need, d time.Duration, lives int, grain float64) *prover {
	t.Helper()
	p := &prover{t: t, suite: s, need: n, load: d, lives: lives, grain: grain, gitlab: fakegitlab.New(fakegitlab.Options{Latency: s.gitlabLatency})}
	t.Cleanup(p.gitlab.Close)
	p.vars = standInVars(p.gitlab)
	p.vars["clients"] = fmt.Sprint(n.Credentials)
	var err error
	if p.requests, err = buildRequests(s.subject, s.subject.Surfaces[n.Surface], p.vars); err != nil {
		t.Fatal(err)
	}
	p.sheet = p.newSheet()
	return p
}

// newSheet finds out whether limits can be enforced here, which figures that compare must have in common.
func (p *prover) newSheet() *sheet {
	by := "watched"
	own, err := cgroup.Own()
	if err == nil {
		var try *cgroup.Limited
		if try, err = own.Limit(p.groupName("try"), p.need.Limit); err == nil {
			err = try.Remove()
			by = fmt.Sprintf("cgroup%d", own.Version())
		}
	}
	if err != nil {
		p.watched = err.Error()
	}
	p.group = own
	config := p.suite.config()
	config[record.KeyMethod] = "the same load under limit after limit"
	config[record.KeySettings] = p.suite.settings(fmt.Sprintf("load=%s lives=%d limit-by=%s", p.load, p.lives, by))
	name := fmt.Sprintf("Proof/subject=%s/transport=http/surface=%s/creds=%d/calling=%d", p.suite.subject.Name, p.need.Surface,
		p.need.Credentials, p.need.Calling)
	return newSheet(name, config, p.suite.identity())
}

func (p *prover) groupName(what any) string { return fmt.Sprintf("mcpbench-%d-%v", os.Getpid(), what) }

// attempt starts the server under a limit and drives the load.
func (p *prover) attempt(ctx context.Context, limit int64) (attempt, error) {
	p.attempts++
	p.suite.doing.enter(p.sheet.result.Name, fmt.Sprintf("attempt %d, under %s", p.attempts, inMiB(float64(limit))))
	defer p.suite.doing.enter("", "")
	a := attempt{limit: limit}
	// Beside the short form other tests may run the same binary, and its figures are published nowhere.
	if err := forget(p.suite.build.path); err != nil && opts.gate {
		return a, err
	}
	var group *cgroup.Limited
	if p.watched == "" {
		var err error
		if group, err = p.group.Limit(p.groupName(p.attempts), limit); err != nil {
			return a, err
		}
	}
	people := p.population(group)
	served := p.patiently(ctx, func(ctx context.Context) error { return p.serve(ctx, people, &a) })
	ended := len(people.instances) == 0 || people.instances[0].ended()
	grace, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	if served != nil {
		end() // without memory it may take for ever over its end
	}
	_, stopped := people.stop(grace)
	err := a.judge(group, served, ended)
	if group != nil {
		err = errors.Join(err, group.Remove())
	}
	return a, errors.Join(err, stopped, ctx.Err())
}

// How long a server may take for what the first took a time for. One that the kernel has read its own program again
// and again, because there is no room for it beside the heap, does not serve any more than one that was killed.
const (
	morePatience  = 3
	leastPatience = time.Second
	firstPatience = 5 * time.Minute
)

// patiently gives an attempt a bounded time.
func (p *prover) patiently(ctx context.Context, serve func(context.Context) error) error {
	limit := p.patience
	if limit == 0 {
		limit = firstPatience
	}
	began := time.Now()
	bounded, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was not done after %v", limit.Round(time.Second)))
	defer cancel()
	err := serve(bounded)
	if bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	if p.patience == 0 && err == nil {
		p.patience = morePatience*time.Since(began) + leastPatience
	}
	return err
}

// cached is the share of a file's pages that may stay in memory when they were to be dropped: the kernel holds some
// back for a moment in lists of its own.
const cached = 0.05

// forget has the kernel drop the pages of a file, so that they are charged to who reads it next, as in a container
// of its own (posix_fadvise(2)). It drops none that are not on disk yet, nor those that another process has mapped:
// these would be charged to that one, and the least limit found would be too small.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	if err := f.Sync(); err != nil {
		return err
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("drop the pages of %s: %w", path, err)
	}
	share, err := inMemory(f)
	if err != nil {
		return fmt.Errorf("which pages of %s are in memory: %w", path, err)
	}
	if share > cached {
		return fmt.Errorf("%.0f%% of %s stay in memory and would be charged to others: end the process that uses it, or put it on a disk", 100*share, path)
	}
	return nil
}

// inMemory is the share of a file's pages that are in memory (mincore(2)).
func inMemory(f *os.File) (float64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, err
	}
	defer unix.Munmap(data) //nolint:errcheck // of a mapping that there is
	pages := make([]byte, (len(data)+os.Getpagesize()-1)/os.Getpagesize())
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return 0, errno
	}
	var there int
	for _, p := range pages {
		there += int(p & 1)
	}
	return float64(there) / float64(len(pages)), nil
}

// population is that of one attempt. The runtime's own limit stays what the model gave, whatever the group's: it is
// the operator's setting, and what is looked for is the memory that the server then takes.
func (p *prover) population(group *cgroup.Limited) *population {
	return &population{suite: p.suite, token: p.gitlab.Token, launch: launch{
		name: p.sheet.result.Name, transport: scenarios.HTTP, surface: p.need.Surface, clients: p.need.Credentials,
		many: p.suite.subject.Many != nil, cpus: p.suite.cpus.Subject, vars: p.vars, memory: group,
		more: []scenarios.Option{{Env: map[string]string{"GOMEMLIMIT": fmt.Sprint(p.need.Soft)}}},
	}}
}

// serve admits the credentials and has as many as asked call and list in turn.
func (p *prover) serve(ctx context.Context, people *population, a *attempt) error {
	if err := people.startIdle(p.t); err != nil {
		return err
	}
	defer func() { _ = people.disconnect() }() // the connections of a process that was killed are gone
	people.clients = make([]mcp.Conn, p.need.Credentials)
	err := load.Each(ctx, p.need.Credentials, admitAtOnce, func(ctx context.Context, i int) error {
		conn, err := people.instances[0].dial(ctx, people.token(i))
		if err != nil {
			return err
		}
		people.clients[i] = conn
		_, err = timed(ctx, conn, p.requests[record.List])
		return err
	})
	if err != nil {
		return err
	}
	workers := make([]load.Worker, p.need.Calling)
	for i := range workers {
		workers[i] = load.Worker{Conn: people.clients[i], Requests: p.inTurn()}
	}
	phase, err := load.Closed(ctx, workers, load.Options{Duration: p.load, Spread: spreadOf(p.load), StopOnFailure: true})
	if err != nil {
		return err
	}
	a.calls = phase.Calls()
	if a.peak, err = people.peak(); err != nil {
		return err
	}
	if bad := phase.Failed() + phase.Refused() + phase.Cut; bad > 0 {
		return fmt.Errorf("%d calls failed, %d were refused and %d had no answer", phase.Failed(), phase.Refused(), phase.Cut)
	}
	return nil
}

func (p *prover) inTurn() []*mcp.Request {
	return []*mcp.Request{p.requests[record.Call], p.requests[record.List]}
}

// atLimit is the share of a limit from which on a failure is put down to it.
const atLimit = 0.98

// judge says whether the process survived. What failed with memory to spare is no matter of the limit, and an error.
func (a *attempt) judge(group *cgroup.Limited, served error, ended bool) error {
	if group == nil {
		a.charged = a.peak
		a.survived = a.peak <= a.limit
		a.why = "it would have passed the limit: " + inMiB(float64(a.peak))
		return served
	}
	kills, err := group.Kills()
	if err != nil {
		return err
	}
	if a.charged, err = group.Peak(); err != nil {
		return err
	}
	switch {
	case kills > 0:
		a.why = "it was killed for want of memory"
	case served == nil:
		a.survived = true
	case float64(a.charged) < atLimit*float64(a.limit):
		return served
	case ended:
		a.why = "it ended at its limit"
	default:
		a.why = "it could not serve at its limit: " + served.Error()
	}
	return nil
}
