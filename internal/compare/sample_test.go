package compare_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/compare"
	"mcpbench/internal/record"
)

// Names of made-up scenarios.
const (
	httpMeta    = "Point/subject=s/transport=http/surface=meta/telemetry=off"
	httpDynamic = "Point/subject=s/transport=http/surface=dynamic/telemetry=off"
	stdioMeta   = "Point/subject=s/transport=stdio/surface=meta/telemetry=on"
	hundred     = "Series/subject=s/transport=http/surface=meta/creds=100"
	single      = "Series/subject=s/transport=http/surface=meta/creds=1"
	half        = "Open/subject=s/transport=http/surface=meta/load=50pct"
)

// amounts are the values of metrics, one a round.
type amounts map[string][]float64

// scene is what one record holds under one name.
type scene struct {
	name string
	amounts
}

// recordOf makes up a record of one build. A metric with fewer values than
// others is missing from the later rounds.
func recordOf(build string, scenes ...scene) *record.Record {
	rec := &record.Record{Plan: record.Plan{}}
	for _, s := range scenes {
		rounds := 0
		for _, values := range s.amounts {
			rounds = max(rounds, len(values))
		}
		for round := range rounds {
			r := record.Result{Name: s.name, Iterations: 1, File: build + ".txt", Line: 10*len(rec.Results) + 1,
				Config: map[string]string{
					record.KeyHost: "reference", record.KeyKernel: "6.18.0", record.KeyCPU: "Example CPU, 2 logical",
					record.KeySubjectCPUs: "1", record.KeySuiteCPUs: "0", record.KeySettings: "clients=8",
				},
				Identity: map[string]string{
					record.KeyBuild: "server " + build, record.KeyCommit: "c0ffee" + build, record.KeySHA256: "0123456789abcdef" + build,
					record.KeyRound: fmt.Sprint(round + 1), record.KeyDate: fmt.Sprintf("2026-11-30T10:%02d:00Z", round),
				}}
			for _, unit := range slices.Sorted(maps.Keys(s.amounts)) {
				if values := s.amounts[unit]; round < len(values) {
					r.Values = append(r.Values, record.Value{Unit: unit, Amount: values[round]})
				}
			}
			rec.Results = append(rec.Results, r)
		}
	}
	return rec
}

// noisy makes up n rounds that are within some percent of a value.
func noisy(rng *rand.Rand, n int, value, percent float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Round(value * (1 + percent/100*(2*rng.Float64()-1)))
	}
	return values
}

// repeat is n rounds that all read the same.
func repeat(value float64, n int) []float64 { return slices.Repeat([]float64{value}, n) }

// server makes up what a server measures in six rounds, with noise that the
// seed decides.
func server(build string, seed uint64) *record.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	var scenes []scene
	for _, name := range []string{httpMeta, httpDynamic, stdioMeta} {
		scenes = append(scenes, scene{name, amounts{
			"peak-RSS-bytes": noisy(rng, 6, 200<<20, 1), "rest-heap-bytes": noisy(rng, 6, 13<<20, 1),
			"cpu-ns/call": noisy(rng, 6, 1.1e6, 1), "call-p99-ns": noisy(rng, 6, 38e6, 1), "ready-ns": noisy(rng, 6, 13e6, 1),
			"descriptors": repeat(88, 6), "failed-calls": repeat(0, 6), "list-bytes": repeat(612_733, 6), "tools": repeat(186, 6),
		}})
	}
	return recordOf(build, scenes...)
}

// change multiplies one metric of one scenario.
func change(rec *record.Record, name, unit string, factor float64) {
	for _, r := range rec.Results {
		for i := range r.Values {
			if r.Name == name && r.Values[i].Unit == unit {
				r.Values[i].Amount *= factor
			}
		}
	}
}

// compared compares records that can be compared.
func compared(t *testing.T, before, after *record.Record) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(before, after)
	require.NoError(t, err)
	return c
}
