package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/compare"
	"mcpbench/internal/record"
)

// withNoise adds what a build measured against itself in one scenario, six
// rounds a side within some percent of a value.
func withNoise(rec *record.Record, name, unit string, value, percent float64) {
	rng := rand.New(rand.NewPCG(3, 3))
	_, rest, _ := strings.Cut(name, "/")
	for _, side := range []string{"a", "b"} {
		noise := recordOf("other", scene{"Noise/" + rest + "/side=" + side, amounts{unit: noisy(rng, 6, value, percent)}})
		rec.Results = append(rec.Results, noise.Results...)
	}
}

// A change that six rounds show is a verdict, unless the noise measured
// beforehand is larger: rounds that happen to lie close together are no proof.
func TestNoiseFloorMeasuredBeforehand(t *testing.T) {
	verdict := func(percent float64, spoil func(noise *record.Record)) (compare.Figure, *compare.Comparison) {
		before := recordOf("a", scene{httpMeta, amounts{"cpu-ns/call": {1000, 1001, 1002, 1003, 1004, 1005}}})
		after := recordOf("b", scene{httpMeta, amounts{"cpu-ns/call": {1050, 1051, 1052, 1053, 1054, 1055}}})
		if percent > 0 {
			withNoise(before, httpMeta, "cpu-ns/call", 500, percent)
		}
		spoil(before)
		c := compared(t, before, after)
		require.Len(t, c.Figures(), 1, "noise is no figure")
		return c.Figures()[0], c
	}
	unspoiled := func(*record.Record) {}
	const said = "where a build was measured against itself"

	f, c := verdict(0, unspoiled)
	assert.Equal(t, compare.Worse, f.Verdict, "without noise")
	assert.NotContains(t, string(c.Markdown(0)), said)

	f, c = verdict(10, unspoiled)
	assert.Equal(t, compare.WithinNoise, f.Verdict, "5% where rounds of the same build are 10% to either side of each other")
	assert.InDelta(t, 130, f.Floor, 30, "in proportion: the noise was measured at half the median")
	assert.Contains(t, string(c.Markdown(0)), said)

	f, _ = verdict(1, unspoiled)
	assert.Equal(t, compare.Worse, f.Verdict, "5% where they are 1% apart")
	assert.Positive(t, f.Floor)

	for name, spoil := range map[string]func(noise *record.Record){
		"another host": func(rec *record.Record) {
			for _, r := range rec.Results[6:] {
				r.Config[record.KeyHost] = "elsewhere"
			}
		},
		"doubted": func(rec *record.Record) {
			for i := range rec.Results[6:] {
				rec.Results[6+i].Certificate = []string{"busy"}
			}
		},
		"three rounds": func(rec *record.Record) { rec.Results = append(rec.Results[:9], rec.Results[12:15]...) },
	} {
		f, _ := verdict(10, spoil)
		assert.Equal(t, compare.Worse, f.Verdict, name)
		assert.Zero(t, f.Floor, name)
	}
}

func TestNoiseOfTwoBuildsIsRefused(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	withNoise(before, httpMeta, "cpu-ns/call", 1e6, 1)
	before.Results[len(before.Results)-1].Identity[record.KeySHA256] = "third"
	_, err := compare.Compare(before, after)
	require.ErrorContains(t, err, "the noise of the old record: one page cannot hold two of sha256")
}

// Verdicts of gates are not compared, and may be of another build.
func TestOtherKindsAreLeftOut(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	before.Results = append(before.Results, recordOf("other", scene{"Soak/subject=s", amounts{"exit-ns": {1}}}).Results...)
	c := compared(t, before, after)
	assert.Empty(t, c.OldOnly)
	assert.Len(t, c.Scenarios, 3)
}
