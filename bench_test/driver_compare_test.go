package bench_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpbench/internal/meter"
	"mcpbench/internal/spawn"
)

// comparison is what the tools cost under one drive.
type comparison struct {
	drive drive
	tools []generator
	// costs are by tool, one for each round. A tool that failed is in unfit instead, with the reason.
	costs map[string][]cost
	unfit map[string]error
	// message is what tools send that are not the driver.
	message message
}

func newComparison(ctx context.Context, d drive, tools []generator) (*comparison, error) {
	c := &comparison{drive: d, tools: tools, costs: map[string][]cost{}, unfit: map[string]error{}}
	var err error
	c.message, err = asSent(ctx, d.methods[0])
	return c, err
}

// round runs every tool once, beginning with another one each time, so that a slow change of the host and the place
// after another tool fall on all alike.
func (c *comparison) round(t *testing.T, g ground, n int) error {
	t.Helper()
	for i := range c.tools {
		tool := c.tools[(i+n)%len(c.tools)]
		if c.unfit[tool.name] != nil {
			continue
		}
		spent, err := g.run(t.Context(), t.TempDir(), tool, c.drive, c.message)
		switch {
		case err == nil:
			c.costs[tool.name] = append(c.costs[tool.name], spent)
		case tool.name == driver:
			return err
		default:
			c.unfit[tool.name] = err
			delete(c.costs, tool.name)
		}
	}
	return nil
}

// perCall are a tool's CPU times for each call, in ns, by round.
func (c *comparison) perCall(tool string) []float64 {
	var values []float64
	for _, spent := range c.costs[tool] {
		values = append(values, float64(spent.cpu)/float64(c.drive.calls))
	}
	return values
}

// over are the ratios of the driver's CPU time to a tool's, by round.
func (c *comparison) over(tool string) []float64 {
	own, values := c.perCall(driver), c.perCall(tool)
	for i := range values {
		values[i] = own[i] / values[i]
	}
	return values
}

// peaks are a tool's peaks in bytes, by round.
func (c *comparison) peaks(tool string) []float64 {
	var values []float64
	for _, spent := range c.costs[tool] {
		values = append(values, float64(spent.peak))
	}
	return values
}

// compareAll compares the driver with the tools, a round of each drive at a time.
func compareAll(t *testing.T, o options, tools []generator) (*driverReport, error) {
	t.Helper()
	g, err := newGround(o.cpus)
	if err != nil {
		return nil, err
	}
	own, err := driverGenerator()
	if err != nil {
		return nil, err
	}
	report, err := newDriverReport(t.Context(), g, own, tools)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	before, err := g.spentSoFar()
	if err != nil {
		return nil, err
	}
	for n := range o.rounds {
		for _, c := range report.all() {
			t.Logf("round %d of %d: %s, %d connections", n+1, o.rounds, c.drive.name, c.drive.connections())
			if err := c.round(t, g, n); err != nil {
				return nil, err
			}
		}
	}
	after, err := g.spentSoFar()
	report.spent, report.wall = after.minus(before), time.Since(began)
	return report, err
}

// spentSoFar reads what the tools and stubs took, all of which have been waited for, and what everybody took.
func (g ground) spentSoFar() (spending, error) {
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return spending{}, fmt.Errorf("getrusage: %w", err)
	}
	suite, err := meter.SelfCPU()
	if err != nil {
		return spending{}, err
	}
	host, err := meter.HostCPU(allOf(spawn.Split{Suite: g.client, Subject: g.stub}))
	cpu := time.Duration(children.Utime.Nano() + children.Stime.Nano())
	return spending{cpu, suite, host.Processes, host.Steal}, err
}

func newDriverReport(ctx context.Context, g ground, own generator, others []generator) (*driverReport, error) {
	host, err := meter.ReadHost()
	if err != nil {
		return nil, err
	}
	r := &driverReport{host: host, ground: g}
	var versions []string
	for _, tool := range others {
		versions = append(versions, tool.version(ctx))
	}
	r.versions = strings.Join(versions, ", ")
	all := append([]generator{own}, others...)
	if r.small, err = newComparison(ctx, smallCalls, all); err != nil {
		return nil, err
	}
	if r.listing, err = newComparison(ctx, listings, all); err != nil {
		return nil, err
	}
	r.crowd, err = newComparison(ctx, crowd, all[:1])
	return r, err
}
