package page

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// calculatorOf is the calculator of a record.
func calculatorOf(t *testing.T, rec *record.Record) *Calculator {
	t.Helper()
	doc, err := Draw(rec)
	require.NoError(t, err)
	return doc.Calculator
}

func TestGoldenCalculator(t *testing.T) {
	const golden = "testdata/page/series/calculator.json"
	updateSamples(t)
	got, err := json.MarshalIndent(calculatorOf(t, sample(t, pointsPath, seriesPath)), "", "  ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, record.WriteFile(golden, append(got, '\n')))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))
}

// Who asks for what calls take on average is told that waits were measured with more.
func TestGrantOfLessThanWasMeasuredWith(t *testing.T) {
	granted := func(rec *record.Record) string {
		c := calculatorOf(t, rec)
		n, err := c.Need("dynamic", "http", 100, time.Minute)
		require.NoError(t, err)
		g, err := c.Grant("dynamic", "http", n)
		require.NoError(t, err)
		return g.Snippet(Kubernetes)
	}
	const said = "    # What calls take on average. Waits were measured with 1 CPU free for them: set no limit below that.\n    cpu: "
	rec := wholeRecord()
	assert.Contains(t, granted(rec), said)
	assert.Contains(t, drawn(t, rec), "Times were measured with 1 CPU free for the server at all times:")
	for i := range rec.Results {
		rec.Results[i].Config[record.KeySubjectCPUs] = "1-3"
	}
	assert.Contains(t, granted(rec), "with 3 CPUs free for them")
	for i := range rec.Results {
		delete(rec.Results[i].Config, record.KeySubjectCPUs)
	}
	assert.Contains(t, granted(rec), "\n    cpu: ")
	assert.NotContains(t, granted(rec), "free for them")
	assert.NotContains(t, drawn(t, rec), "free for the server")
}

// The page's table and its calculator are one model.
func TestCalculatorNeedsWhatTheTableNeeds(t *testing.T) {
	rec := wholeRecord()
	c := calculatorOf(t, rec)
	for _, surface := range []string{"dynamic", "meta", "individual"} {
		sizer := newSizer(ladders(t, rec)[surface])
		for _, people := range crowds {
			for _, every := range periods {
				got, err := c.Need(surface, "http", people, every)
				require.NoError(t, err)
				assert.Equal(t, sizer.Need(people, every).Memory, got.Memory)
				assert.Equal(t, 1, got.Processes)
			}
		}
	}
	for want, ask := range map[string]func() (Need, error){
		"want one or more":              func() (Need, error) { return c.Need("meta", "http", 0, time.Second) },
		"a period above zero":           func() (Need, error) { return c.Need("meta", "http", 1, 0) },
		"no model of other over http":   func() (Need, error) { return c.Need("other", "http", 1, time.Second) },
		"no model of dynamic over mail": func() (Need, error) { return c.Need("dynamic", "mail", 1, time.Second) },
	} {
		_, err := ask()
		require.ErrorContains(t, err, want)
	}
}

func TestNoModelNoCalculator(t *testing.T) {
	assert.Nil(t, calculatorOf(t, sampleRecord()), "a point has no slope")
	rec := sampleSeries()
	doubt(rec, everywhere, "x")
	assert.Nil(t, calculatorOf(t, rec))
}

// On stdio everybody has a process of their own.
func TestProcessesAddUp(t *testing.T) {
	rec := wholeRecord()
	change(rec, "transport=stdio/surface=meta", "peak-RSS-bytes", to(80*mebi)) // of eight
	change(rec, "transport=stdio/surface=meta", "loaded-cpu-cores", to(0.5))
	change(rec, "transport=stdio/surface=meta", "cpu-ns/call", to(5e6)) // so 100 calls a second
	change(rec, "transport=stdio/surface=meta", callP99, to(7e6))
	c := calculatorOf(t, rec)
	n, err := c.Need("meta", "stdio", 300, 10*time.Second)
	require.NoError(t, err)
	assert.Equal(t, 300, n.Processes)
	assert.InDelta(t, 3000*mebi, n.Memory.Hi, 1)
	limit, why := n.Limit()
	assert.Empty(t, why)
	assert.InDelta(t, 10*mebi*Headroom, limit, 1, "of each process")
	require.NotNil(t, n.Load)
	assert.InDelta(t, 0.08, n.Load.Latency.Seconds(), 1e-9, "eight at once, a hundred a second")
	cores, why := n.Cores()
	assert.Empty(t, why)
	assert.InDelta(t, 30*0.005, cores.Middle, 1e-9)
	p99, why := n.P99()
	assert.Empty(t, why)
	assert.InDelta(t, 7e6, p99.Middle, 1e-9)

	n, err = c.Need("meta", "stdio", 501, 10*time.Second)
	require.NoError(t, err)
	assert.Nil(t, n.Load)
	assert.Equal(t, "beyond the 50 calls a second at which meta was seen to keep up", n.NoLoad)
	assert.Empty(t, n.NoMemory, "more processes take more memory whatever they do")
	_, why = n.Cores()
	assert.Equal(t, n.NoLoad, why)

	withhold(rec, "loaded-cpu-cores", "x")
	n, err = calculatorOf(t, rec).Need("meta", "stdio", 1, time.Minute)
	require.NoError(t, err)
	assert.Contains(t, n.NoLoad, "no load on meta that is to be believed")

	change(rec, "transport=stdio", "clients", to(0))
	_, err = calculatorOf(t, rec).Need("meta", "stdio", 1, time.Minute)
	require.Error(t, err)
}

func TestWordsOfLoads(t *testing.T) {
	c := calculatorOf(t, wholeRecord())
	words := make(map[string]bool)
	for _, s := range c.Surfaces {
		for _, l := range s.Loads {
			words[l.Words] = true
		}
	}
	assert.True(t, words["1,136 calls a second, coming at random"])
	assert.True(t, words["1 credential calling without pause"])
	assert.True(t, words["8 clients calling without pause, each with a process of their own"])
}

func TestModelsAsData(t *testing.T) {
	of := func(c *Calculator, surface string) SizedMemory {
		for _, s := range c.Surfaces {
			if s.Surface == surface && s.Transport == "http" {
				return s.Memory
			}
		}
		t.Fatalf("no %s", surface)
		return SizedMemory{}
	}
	c := calculatorOf(t, sampleSeries())
	line := of(c, "dynamic")
	assert.NotNil(t, line.Base)
	assert.Empty(t, line.Steps)
	assert.Equal(t, 1000, line.People)
	assert.InDelta(t, 4000, line.InFlight, 1e-9)
	steps := of(c, "meta")
	assert.Nil(t, steps.Base)
	assert.Len(t, steps.Steps, 10)

	rec := sampleSeries()
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		withhold(rec, unit, "no permission")
	}
	assert.Equal(t, SizedMemory{Why: "no steps on meta say what a credential takes that does not call"}, of(calculatorOf(t, rec), "meta"))
}

func TestCommandOfTheSubject(t *testing.T) {
	args, clients := command("gitlab-mcp", "http", "meta")
	assert.Equal(t, []string{"gitlab-mcp-server", "--tool-surface", "meta", "--http"}, args)
	assert.Equal(t, "--max-http-clients", clients)
	args, clients = command("gitlab-mcp", "stdio", "meta")
	assert.Equal(t, []string{"gitlab-mcp-server", "--tool-surface", "meta"}, args)
	assert.Empty(t, clients)
	args, _ = command("somebody-elses", "http", "meta")
	assert.Empty(t, args, "nobody knows its flags")
}

// The collector's limit is above the peak, or it would never rest.
func TestLimitsLeaveRoom(t *testing.T) {
	assert.Greater(t, Headroom*SoftLimit, 1.1)
	assert.Less(t, SoftLimit, 1.0)
	assert.InDelta(t, stat.Crowded, calculatorOf(t, sampleSeries()).Crowded, 0)
}

func TestStandingLoadIsNone(t *testing.T) {
	rec := sampleSeries()
	change(rec, "Open", "unsent-calls", to(1))
	change(rec, "surface=meta/creds", "calls/s", to(0))
	load, why := newSizer(ladders(t, rec)["meta"]).Load(0)
	assert.Nil(t, load)
	assert.Contains(t, why, "no load on meta")
}

func TestNeedOfAnImpossibleCrowd(t *testing.T) {
	n := exactSizer(t).Need(-1, time.Second)
	assert.Nil(t, n.Load)
	assert.Contains(t, n.NoLoad, "-1 people")
	assert.Equal(t, n.NoLoad, n.NoMemory)
}
