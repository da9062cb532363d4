package page

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// noiseRounds is how many rounds a side the made-up noise has.
const noiseRounds = 6

// sampleNoise is the sample with a made-up build measured against itself: every point on HTTP without telemetry, one
// step, and one process that is looked at by turns.
func sampleNoise() *record.Record {
	rec := sampleRecord()
	climb := ascents()[1]
	for round := 1; round <= noiseRounds; round++ {
		for i, side := range []string{"a", "b"} {
			for j, s := range scenes()[4:7] {
				rec.Results = append(rec.Results, noisyTwin(sampleResult(s, 500+100*i+j, round), "Point", "side="+side))
			}
			rec.Results = append(rec.Results, noisyTwin(stepResult(climb, 70+i, 20, round), "Series", "side="+side))
		}
		for i, look := range []string{"on", "off"} {
			rec.Results = append(rec.Results, noisyTwin(stepResult(climb, 80+i, 20, round), "Series", "look="+look))
		}
	}
	return rec
}

// noisyTwin makes a result one half of a repetition.
func noisyTwin(r record.Result, kind, half string) record.Result {
	r.Name = strings.Replace(r.Name, kind+"/", "Noise/", 1) + "/" + half
	r.Certificate, r.Stop = nil, ""
	return r
}

// noiseOf is the section of a record's page.
func noiseOf(t *testing.T, rec *record.Record) string {
	t.Helper()
	_, section, found := strings.Cut(drawn(t, rec), "\n## Noise floor\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// A reader who finds two medians of one scenario is told why.
func TestMediansOfTheNoiseAreOfTheirOwnBuild(t *testing.T) {
	rec := sampleNoise()
	for i, r := range rec.Results {
		if r.Kind() == record.Noise {
			rec.Results[i].Identity[record.KeyCommit] = "fedcba98765432100"
			rec.Results[i].Identity[record.KeyDate] = "2026-12-24T00:00:00Z"
		}
	}
	assert.Contains(t, noiseOf(t, rec), "these are of commit `fedcba987654`, measured on 2026-12-24; those above are of commit `0123456789ab`, measured on 2026-11-30.")
	for i, r := range rec.Results {
		if r.Kind() == record.Point && r.About(record.KeyRound) == "1" {
			rec.Results[i].Identity[record.KeyDate] = "2026-11-29T23:00:00Z"
		}
	}
	assert.Contains(t, noiseOf(t, rec), "measured from 2026-11-29 to 2026-11-30.")
	assert.Contains(t, noiseOf(t, rec), "| Metric | Median of both sides |")
	assert.NotContains(t, noiseOf(t, only(rec, "Noise/")), "Medians here", "there are no others")
	for i := range rec.Results {
		delete(rec.Results[i].Identity, record.KeyCommit)
	}
	assert.NotContains(t, noiseOf(t, rec), "Medians here", "a record that says nothing of builds")
}

func TestNoNoiseNoSection(t *testing.T) {
	assert.NotContains(t, drawn(t, sampleRecord()), "Noise floor")
}

// The spread and the smallest change are those of both sides together.
func TestFloorsAreOfBothSides(t *testing.T) {
	rec := sampleNoise()
	section := noiseOf(t, rec)
	assert.Contains(t, section, "The build that all figures are of was measured against itself on 2026-11-30, under")
	for _, title := range []string{"**http, dynamic**, 12 rounds of both sides:", "**http, meta**, ", "**http, individual**, ", "**http, meta, 20 credentials**, "} {
		assert.Contains(t, section, title)
	}
	assert.Contains(t, section, "The same in every round, so that any change is found: `goroutines`, `descriptors`, `list-bytes`")
	assert.NotContains(t, section, "p99-lo-ns", "an end of an interval has no direction")

	const unit, at = "peak-RSS-bytes", where("Noise/subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=off")
	n := 0.0
	change(rec, at, unit, func(float64) float64 { n++; return (100 + n) * (1 << 20) })
	var values []float64
	for i := range 2 * noiseRounds {
		values = append(values, float64(101+i)*(1<<20))
	}
	found, ok := stat.SmallestChange(values, 6)
	require.True(t, ok)
	percent := func(v float64) string { return mib.with(v) + " (" + significant(100*v/(106.5*(1<<20))) + "%)" }
	assert.Equal(t, "| `peak-RSS-bytes` | 106 MiB | 11 MiB (10.3%) | "+percent(found.Tested)+" | "+percent(found.Apart)+" |",
		line(t, noiseOf(t, rec), "| `peak-RSS-bytes`"))
}

// Between sides that do not differ the test errs as often as it must, and a side that differs is known.
func TestSidesToldApart(t *testing.T) {
	rec := sampleNoise()
	n, err := NewNoise(rec.Results)
	require.NoError(t, err)
	c := n.chance()
	assert.Greater(t, c.figures, 60)
	assert.InDelta(t, 0.0411, c.expected/float64(c.figures), 0.0001)
	assert.Equal(t, 32, c.ways)
	assert.Less(t, c.told, c.figures/8)
	assert.Greater(t, c.asMany, 2)
	assert.LessOrEqual(t, c.least, c.told)
	assert.Greater(t, c.most, c.least)
	assert.LessOrEqual(t, c.called, 2)
	assert.Regexp(t, `told \d+ apart \(\d.*%\), where 5.35 are expected\..* Chance explains that\. A comparison would have called \d of them`, noiseOf(t, rec))

	change(rec, "side=b", "", times(1.2))
	n, err = NewNoise(rec.Results)
	require.NoError(t, err)
	c = n.chance()
	assert.Equal(t, c.most, c.told)
	assert.Equal(t, 1, c.asMany, "no other way has as many")
	assert.Greater(t, c.told, c.figures/2)
	assert.Positive(t, c.called)
	assert.Contains(t, noiseOf(t, rec), "**That is more than chance explains:**")
}

// What looking costs is told from pairs, and known where it is set.
func TestLooking(t *testing.T) {
	const on, off = where("look=on"), where("look=off")
	paired := func(factor func(round int) float64) *record.Record {
		rec := sampleNoise()
		round := 0
		change(rec, off, "cpu-ns/call", to(1e6))
		change(rec, on, "cpu-ns/call", func(float64) float64 { round++; return 1e6 * factor(round) })
		return rec
	}
	costs := noiseOf(t, paired(func(round int) float64 { return 1.02 + 0.001*float64(round) }))
	assert.Contains(t, costs, "**What looking costs**, http, meta, 20 credentials, 6 rounds.")
	assert.Equal(t, "| `cpu-ns/call` | 1 ms | 1.02 ms (1.02–1.03) | +2.35% (+2.10% to +2.60%) |", line(t, costs, "| `cpu-ns/call` | 1 ms"))
	assert.Contains(t, costs, "Looking costs the server 2.35% of processor time per call.")

	none := noiseOf(t, paired(func(round int) float64 { return 1 + 0.01*float64(round%2) - 0.005 }))
	assert.Contains(t, none, "does not show: per call the difference is between −0.500% and +0.500%.")

	rec := sampleNoise()
	for _, unit := range seenUnits {
		change(rec, off, unit, to(100))
		change(rec, on, unit, to(100))
	}
	assert.Contains(t, noiseOf(t, rec), " Of 5 figures that its clients see, none has an interval without zero.")
	change(rec, on, "call-p50-ns", to(101))
	assert.Contains(t, noiseOf(t, rec), "Of 5 figures that its clients see, those whose interval is without zero: `call-p50-ns` (+1.00%).")

	less := noiseOf(t, paired(func(int) float64 { return 0.9 }))
	assert.Contains(t, less, "**The server took less processor time per call while it was looked at, by 10.00%:**")
}

func TestNoiseOfAnotherBuildAndDoubts(t *testing.T) {
	rec := sampleNoise()
	for i, r := range rec.Results {
		if r.Kind() == record.Noise {
			identity := maps.Clone(r.Identity)
			identity[record.KeySHA256], identity[record.KeyBuild] = "abc", "v0.0.9"
			rec.Results[i].Identity = identity
		}
	}
	doubt(rec, "surface=meta/creds=20/side=a", "busy")
	doubt(rec, "surface=meta/creds=20/look=off", "busy")
	section := noiseOf(t, rec)
	assert.Contains(t, section, "Another build than that of the other figures (v0.0.9, commit `0123456789ab`) was measured")
	for _, r := range rec.Results {
		if r.Kind() == record.Noise {
			r.Config[record.KeyKernel] = "6.19_x"
			delete(r.Identity, record.KeyDate)
		}
	}
	assert.Contains(t, noiseOf(t, rec), "`0123456789ab`), where not all was as for the other figures (kernel 6.19\\_x), was measured against itself, under")
	assert.Contains(t, section, "**http, meta, 20 credentials**, 6 rounds of both sides, and left out for doubt round 1 (busy), ")
	assert.Contains(t, section, "(too few to say which change is found, which takes 8):")
	assert.Contains(t, section, "| n/a | n/a |", "six rounds are too few")
	assert.NotContains(t, section, "What looking costs", "no pair is left")

	doubt(rec, "surface=meta/creds=20/side=b", "busy")
	assert.Contains(t, noiseOf(t, rec), "all doubted, so that no change is told: round 1 (busy)")
}

func TestNoiseOfFewRounds(t *testing.T) {
	rec := sampleNoise()
	few := rec.Results[:0]
	for _, r := range rec.Results {
		if r.Kind() != record.Noise || r.About(record.KeyRound) <= "2" {
			few = append(few, r)
		}
	}
	rec.Results = few
	section := noiseOf(t, rec)
	assert.NotContains(t, section, "Whatever the test finds", "two rounds a side tell nothing")
	assert.NotContains(t, section, "Looking costs")
	assert.Contains(t, section, "| n/a | n/a |")
}

func TestNoiseRefuses(t *testing.T) {
	for name, spoil := range map[string]func(r *record.Record){
		"two builds": func(rec *record.Record) { rec.Results[len(rec.Results)-1].Identity[record.KeySHA256] = "other" },
		"other settings of a side": func(rec *record.Record) {
			rec.Results[len(rec.Results)-3].Config[record.KeySettings] = "other"
		},
		"other settings of a look": func(rec *record.Record) {
			rec.Results[len(rec.Results)-1].Config[record.KeySettings] = "other"
		},
	} {
		rec := sampleNoise()
		spoil(rec)
		_, err := Draw(rec)
		require.Error(t, err, name)
	}
}

func TestFloor(t *testing.T) {
	rec := sampleNoise()
	const name = "Point/subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=off"
	at := where(strings.Replace(name, "Point", "Noise", 1))
	change(rec, at, "threads", to(0))
	n, err := NewNoise(rec.Results)
	require.NoError(t, err)
	config := maps.Clone(sampleResult(scenes()[4], 0, 1).Config)
	config[record.KeyGoSubject] = "another"

	floor, ok := n.Floor(name, "peak-RSS-bytes", config, 100<<20, 6)
	assert.True(t, ok)
	twice, _ := n.Floor(name, "peak-RSS-bytes", config, 200<<20, 6)
	assert.InEpsilon(t, 2*floor, twice, 1e-9, "in proportion")
	more, _ := n.Floor(name, "peak-RSS-bytes", config, 100<<20, 12)
	assert.Less(t, more, floor, "more rounds find less")
	none, ok := n.Floor(name, "threads", config, 5, 6)
	assert.True(t, ok)
	assert.Zero(t, none)

	for _, tt := range []struct {
		name, unit string
		config     map[string]string
		rounds     int
	}{
		{"Point/subject=other", "peak-RSS-bytes", config, 6}, {name, "alone-ns/call", config, 6}, {name, "peak-RSS-bytes", config, 3},
		{name, "peak-RSS-bytes", map[string]string{record.KeyHost: "other"}, 6},
	} {
		_, ok := n.Floor(tt.name, tt.unit, tt.config, 1, tt.rounds)
		assert.False(t, ok, "%v", tt)
	}
	_, ok = (*Noise)(nil).Floor(name, "peak-RSS-bytes", config, 1, 6)
	assert.False(t, ok)
}
