package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// The sample is made up: plausible figures, so that a page can be looked at
// and tested without measuring anything.

// profile is what a made-up server costs on one surface.
type profile struct {
	surface          string
	tools, listBytes float64
	one, work        float64 // bytes: first client, and what load adds
	first            time.Duration
	warm             time.Duration
	listCPU, callCPU time.Duration
	hasFind          bool
}

var profiles = []profile{
	{"dynamic", 2, 12_410, 41 << 20, 61 << 20, 190 * time.Millisecond, 310 * time.Microsecond, 95 * time.Microsecond, 780 * time.Microsecond, true},
	{"meta", 186, 612_733, 52 << 20, 74 << 20, 240 * time.Millisecond, 690 * time.Microsecond, 260 * time.Microsecond, 730 * time.Microsecond, false},
	{"individual", 1230, 3_151_872, 96 << 20, 210 << 20, 610 * time.Millisecond, 2600 * time.Microsecond, 1450 * time.Microsecond, 710 * time.Microsecond, false},
}

// scene is one made-up scenario.
type scene struct {
	profile
	transport string
	telemetry bool
	clients   int
}

func (s scene) name() string {
	telemetry := "off"
	if s.telemetry {
		telemetry = "on"
	}
	return fmt.Sprintf("Point/subject=gitlab-mcp/transport=%s/surface=%s/telemetry=%s", s.transport, s.surface, telemetry)
}

func scenes() []scene {
	var out []scene
	for _, at := range []struct {
		transport string
		clients   int
	}{{"stdio", 8}, {"http", 64}} {
		for _, p := range profiles {
			out = append(out, scene{p, at.transport, false, at.clients})
		}
		out = append(out, scene{profiles[0], at.transport, true, at.clients})
	}
	return out
}

// sheet fills one result, with noise that the seed decides.
type sheet struct {
	record.Result
	noise *rand.Rand
}

// set adds a value that differs by some percent from round to round.
func (sh *sheet) set(unit string, base, percent float64) {
	if percent > 0 {
		base = math.Round(base * (1 + (sh.noise.Float64()*2-1)*percent/100))
	}
	sh.Values = append(sh.Values, record.Value{Unit: unit, Amount: base})
}

// newSheet begins a result with what all of the made-up run say of it.
func newSheet(name string, index, round int) *sheet {
	date := time.Date(2026, 11, 30, 10, 4*round, 30*(index%1000), 0, time.UTC)
	return &sheet{noise: rand.New(rand.NewPCG(uint64(index), uint64(round))), Result: record.Result{
		Name: name, Iterations: 1,
		Config: map[string]string{
			record.KeyGOOS: "linux", record.KeyGOARCH: "amd64", record.KeyHost: "reference",
			record.KeyCPU: "Example CPU at 2.60 GHz, 2 logical", record.KeyKernel: "6.18.0-example", record.KeyMemory: "24.0 GiB",
			record.KeySubjectCPUs: "1", record.KeySuiteCPUs: "0", record.KeyGoSuite: "go1.26.8",
		},
		Identity: map[string]string{
			record.KeyBuild: "v0.1.0", record.KeyCommit: "0123456789abcdef0123456789abcdef01234567", record.KeyGoSubject: "go1.26.8",
			record.KeySHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			record.KeyDate:   date.Format(time.RFC3339), record.KeyRound: fmt.Sprint(round),
		},
	}}
}

func sampleResult(s scene, index, round int) record.Result {
	sh := newSheet(s.name(), index, round)
	sh.Config[record.KeyMethod] = "closed loop, one method at a time, all clients at once; " + stat.PercentileMethod + " percentiles"
	sh.Config[record.KeySettings] = fmt.Sprintf("gitlab-latency=0s clients=%d rounds-per-method=%d", s.clients, 448/s.clients)
	sh.memory(s)
	sh.times(s)
	sh.methods(s)
	sh.atRest(s)
	if s.name() == scenes()[6].name() && round == 2 {
		sh.Certificate = []string{"suite used 0.97 of 1 cores: it may have been the limit"}
	}
	return sh.Result
}

func (sh *sheet) memory(s scene) {
	clients := float64(s.clients)
	base, extra := s.one, 0.0
	if s.telemetry {
		base, extra = base+(2<<20), 4
	}
	sh.set("clients", clients, 0)
	if s.transport == "stdio" {
		sh.MarkAbsent("a process on stdio has its client from the start", "idle-RSS-bytes")
		sh.set("one-RSS-bytes", base, 1)
		sh.set("all-RSS-bytes", base*clients, 1)
		sh.set("further-RSS-bytes/client", base, 1)
		sh.set("peak-RSS-bytes", (base+s.work/8)*clients, 2)
		sh.set("rest-PSS-bytes", base*clients*0.82, 1)
		sh.set("threads", 9*clients, 4)
		sh.set("descriptors", 11*clients, 0)
		sh.set("goroutines", 12+extra, 0)
		return
	}
	sh.set("idle-RSS-bytes", 17.4*(1<<20), 1)
	sh.set("one-RSS-bytes", base, 1)
	sh.set("all-RSS-bytes", base+clients*41_000, 1)
	sh.set("further-RSS-bytes/client", 41_000, 30)
	sh.set("peak-RSS-bytes", base+s.work, 3)
	sh.set("rest-PSS-bytes", base+9*(1<<20), 2)
	sh.set("threads", 8, 12)
	sh.set("descriptors", 9+clients, 0)
	sh.set("goroutines", 14+2*clients+extra, 0)
}

// atRest fills what came last, so that the noise of all else is as it was.
func (sh *sheet) atRest(s scene) {
	processes := 1.0
	if s.transport == "stdio" {
		processes = float64(s.clients)
		sh.MarkAbsent("a process on stdio has no connections to lose", "reconnects")
	} else {
		sh.set("reconnects", 0, 0)
	}
	sh.set("rest-RSS-bytes", (s.one+9*(1<<20))*processes, 2)
	sh.set("rest-heap-bytes", s.one*0.4*processes, 1)
	sh.set("rest-ns", 1.4e9, 20)
	sh.set("first-call-ns", float64(3*s.callCPU), 8)
	if s.hasFind {
		sh.set("first-find-ns", 4.1e6, 8)
	} else {
		sh.MarkAbsent("the surface has no such call", "first-find-ns")
	}
}

func (sh *sheet) times(s scene) {
	ready := 34 * time.Millisecond
	if s.transport == "stdio" {
		ready = 21 * time.Millisecond
	}
	sh.set("ready-ns", float64(ready), 6)
	sh.set("first-list-ns", float64(s.first), 5)
	sh.set("warm-list-ns", float64(s.warm), 8)
	sh.set("list-bytes", s.listBytes, 0)
	sh.set("tools", s.tools, 0)
	sh.set("exit-ns", 14e6, 20)
	sh.set("loaded-cpu-cores", 0.93+0.01*float64(len(s.surface)%5), 0)
	sh.set("suite-cpu-cores", 0.31, 0)
	sh.set("cpu-ns/call", float64(s.callCPU+s.listCPU)/2, 3)
	sh.set("upstream-requests/call", 1, 0)
	sh.set("refused-calls", 0, 0)
	sh.set("failed-calls", 0, 0)
}

func (sh *sheet) methods(s scene) {
	for _, m := range record.Methods() {
		cpu := map[record.Method]time.Duration{record.Resources: 70 * time.Microsecond,
			record.List: s.listCPU, record.Call: s.callCPU, record.Find: 1900 * time.Microsecond}[m]
		if s.telemetry {
			cpu += 240 * time.Microsecond
		}
		if m == record.Find && !s.hasFind {
			for _, q := range []string{"calls", "p50-ns", "p90-ns", "p99-ns", "p50-lo-ns", "p50-hi-ns", "p90-lo-ns",
				"p90-hi-ns", "p99-lo-ns", "p99-hi-ns", "max-ns", "cpu-ns/call"} {
				sh.MarkAbsent("the surface has no such call", m.Unit(q))
			}
			continue
		}
		sh.set(m.Unit("calls"), 448, 0)
		sh.set(m.Unit("cpu-ns/call"), float64(cpu), 3)
		p50 := float64(cpu) * float64(s.clients) * 0.98
		for i, p := range []string{"p50", "p90", "p99"} {
			at := p50 * []float64{1, 1.25, 1.6}[i]
			sh.set(m.Unit(p+"-ns"), at, 3)
			sh.set(m.Unit(p+"-lo-ns"), at*0.95, 0)
			sh.set(m.Unit(p+"-hi-ns"), at*1.12, 0)
		}
		sh.set(m.Unit("max-ns"), p50*1.83, 2)
	}
}

// sampleRecord is the whole made-up record: eight scenarios, three rounds.
func sampleRecord() *record.Record {
	rec := &record.Record{Plan: make(record.Plan)}
	for round := 1; round <= 3; round++ {
		for i, s := range scenes() {
			rec.Plan[s.name()] = 3
			rec.Results = append(rec.Results, sampleResult(s, i, round))
		}
	}
	return rec
}

// The samples as a run would leave them.
const (
	pointsPath = "testdata/record/points.txt"
	seriesPath = "testdata/record/series.txt"
)

// updateSamples writes the samples anew if that is asked for: before anything is
// drawn from them, since their lines are part of what is.
func updateSamples(t *testing.T) {
	t.Helper()
	if *update {
		updateSample(t, pointsPath, sampleRecord())
		updateSample(t, seriesPath, sampleSeries())
	}
}

// updateSample writes a sample anew.
func updateSample(t *testing.T, to string, rec *record.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.txt")
	w, err := record.Create(path, rec.Plan)
	require.NoError(t, err)
	for _, r := range rec.Results {
		require.NoError(t, w.Write(r))
	}
	require.NoError(t, w.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, record.WriteFile(to, data))
}

// sample reads samples as a page's command would.
func sample(t *testing.T, paths ...string) *record.Record {
	t.Helper()
	rec, err := record.Read(paths...)
	require.NoError(t, err)
	return rec
}

// gateResult is a made-up result of a gate: with a verdict, the given figures, and one reason why there are no others.
func gateResult(name, verdict string, values map[string]float64, absent string) record.Result {
	r := sampleResult(scenes()[0], 0, 1)
	r.Name = name
	r.Identity[record.KeyVerdict], r.Identity[record.KeyBecause] = verdict, "because"
	r.Values, r.Absent = nil, nil
	for _, m := range record.MetricsOf(r.Kind()) {
		if amount, ok := values[m.Unit]; ok {
			r.Values = append(r.Values, record.Value{Unit: m.Unit, Amount: amount})
		} else {
			r.MarkAbsent(absent, m.Unit)
		}
	}
	return r
}
