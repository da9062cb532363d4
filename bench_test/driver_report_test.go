package bench_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"mcpbench/internal/meter"
	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
)

// driverReport is what TestDriver found.
type driverReport struct {
	host     meter.Host
	ground   ground
	versions string
	wall     time.Duration
	spent    spending

	small, listing, crowd *comparison
}

func (r *driverReport) all() []*comparison { return []*comparison{r.small, r.listing, r.crowd} }

// The limits the driver is held to: it must not be what the suite measures.
const (
	overWrkLimit = 1.4             // of wrk's CPU, for a small call
	listingLimit = 0.8e6           // ns of CPU, for a listing
	crowdLimit   = 100 * (1 << 20) // bytes resident, with the crowd's connections
)

// The units figures are printed in.
const (
	microsecond = 1e3
	mebibyte    = 1 << 20
)

// markdown writes the tables, and whether the limits hold.
func (r *driverReport) markdown() string {
	var b strings.Builder
	b.WriteString(r.setting())
	b.WriteString("\n| load | client | CPU per call, µs | driver over it, paired | peak resident set, MiB |\n|---|---|---|---|---|\n")
	for _, c := range r.all() {
		for _, tool := range c.tools {
			fmt.Fprintf(&b, "| %s, %d connections | %s | %s |\n", c.drive.name, c.drive.connections(), tool.name, c.row(tool.name))
		}
	}
	b.WriteString("\n| limit | measured | holds |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| at most %.1f × the CPU of wrk for a small call | %s |\n", overWrkLimit, verdict(r.small.over(wrk), 1, overWrkLimit))
	fmt.Fprintf(&b, "| at most %.0f µs of CPU for a 3 MB listing | %s |\n", listingLimit/microsecond,
		verdict(r.listing.perCall(driver), microsecond, listingLimit))
	fmt.Fprintf(&b, "| under %d MiB resident at %d × %d connections | %s |\n", crowdLimit/mebibyte, r.crowd.drive.credentials,
		r.crowd.drive.inFlight, verdict(r.crowd.peaks(driver), mebibyte, crowdLimit))
	return b.String()
}

// setting says where the figures come from and how much they are worth.
func (r *driverReport) setting() string {
	versions := r.versions
	if versions == "" {
		versions = "no other tool was found"
	}
	return fmt.Sprintf("%s, kernel %s; clients on CPU %s, the stub on CPU %s; %s. Medians of %d rounds (least–most). "+
		"Meanwhile other processes took %.0f%% of a CPU, and the hypervisor withheld %.0f%%.\n",
		r.host.CPUModel, r.host.Kernel, spawn.FormatCPUs(r.ground.client), spawn.FormatCPUs(r.ground.stub), versions,
		len(r.small.costs[driver]),
		100*beyondTicks(r.spent.others())/r.wall.Seconds(), 100*beyondTicks(r.spent.steal)/r.wall.Seconds())
}

func (c *comparison) row(tool string) string {
	if err := c.unfit[tool]; err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return "not compared: " + reason + " |  | "
	}
	ratio := ""
	if tool != driver {
		ratio = spread(c.over(tool), 1)
	}
	return spread(c.perCall(tool), microsecond) + " | " + ratio + " | " + spread(c.peaks(tool), mebibyte)
}

// spread writes a median and the ends of what it is the median of.
func spread(values []float64, unit float64) string {
	s, err := stat.Summarize(values)
	if err != nil {
		return "not measured"
	}
	digits := 2
	if s.Median/unit >= 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, s.Median/unit, digits, s.Min/unit, digits, s.Max/unit)
}

// verdict says whether the median is within a limit, and in how many rounds the value was.
func verdict(values []float64, unit, limit float64) string {
	s, err := stat.Summarize(values)
	if err != nil {
		return "not measured | unknown"
	}
	within := 0
	for _, v := range values {
		if v <= limit {
			within++
		}
	}
	holds := "no"
	if s.Median <= limit {
		holds = "yes"
	}
	return fmt.Sprintf("%s | %s, in %d of %d rounds", spread(values, unit), holds, within, len(values))
}

func TestVerdict(t *testing.T) {
	assert.Equal(t, "not measured | unknown", verdict(nil, 1, 1.4))
	assert.Equal(t, "1.30 (1.20–1.50) | yes, in 2 of 3 rounds", verdict([]float64{1.2, 1.5, 1.3}, 1, 1.4))
	assert.Equal(t, "90.0 (80.0–110.0) | no, in 1 of 3 rounds", verdict([]float64{80e3, 110e3, 90e3}, microsecond, 85e3))
}

func TestDriverReport(t *testing.T) {
	costs := func(cpu ...time.Duration) []cost {
		var all []cost
		for _, d := range cpu {
			all = append(all, cost{cpu: d, peak: 10 * mebibyte})
		}
		return all
	}
	tools := []generator{{name: driver}, {name: wrk}, {name: vegeta}}
	compared := func(d drive, tools ...generator) *comparison {
		d.calls = 1000
		return &comparison{
			drive: d, tools: tools, unfit: map[string]error{vegeta: errors.New("2 calls failed\nand more")},
			costs: map[string][]cost{driver: costs(30*time.Millisecond, 60*time.Millisecond), wrk: costs(20*time.Millisecond, 30*time.Millisecond)},
		}
	}
	r := &driverReport{
		host: meter.Host{CPUModel: "A CPU", Kernel: "6.1"}, ground: ground{client: []int{0}, stub: []int{1}}, versions: "wrk 4.1.0",
		wall: 10 * time.Second, spent: spending{host: 3050 * time.Millisecond, cpu: time.Second, suite: time.Second},
		small: compared(smallCalls, tools...), listing: compared(listings, tools[:2]...), crowd: compared(crowd, tools[0]),
	}
	assert.Equal(t, `A CPU, kernel 6.1; clients on CPU 0, the stub on CPU 1; wrk 4.1.0. Medians of 2 rounds (least–most). `+
		`Meanwhile other processes took 10% of a CPU, and the hypervisor withheld 0%.

| load | client | CPU per call, µs | driver over it, paired | peak resident set, MiB |
|---|---|---|---|---|
| small call, 16 connections | driver | 45.0 (30.0–60.0) |  | 10.0 (10.0–10.0) |
| small call, 16 connections | wrk | 25.0 (20.0–30.0) | 1.75 (1.50–2.00) | 10.0 (10.0–10.0) |
| small call, 16 connections | vegeta | not compared: 2 calls failed |  |  |
| 3 MB listing, 4 connections | driver | 45.0 (30.0–60.0) |  | 10.0 (10.0–10.0) |
| 3 MB listing, 4 connections | wrk | 25.0 (20.0–30.0) | 1.75 (1.50–2.00) | 10.0 (10.0–10.0) |
| both in turn, 4000 connections | driver | 45.0 (30.0–60.0) |  | 10.0 (10.0–10.0) |

| limit | measured | holds |
|---|---|---|
| at most 1.4 × the CPU of wrk for a small call | 1.75 (1.50–2.00) | no, in 0 of 2 rounds |
| at most 800 µs of CPU for a 3 MB listing | 45.0 (30.0–60.0) | yes, in 2 of 2 rounds |
| under 100 MiB resident at 1000 × 4 connections | 10.0 (10.0–10.0) | yes, in 2 of 2 rounds |
`, r.markdown())
}
