package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// grow sets a metric of every step to base and so much for each credential.
func grow(rec *record.Record, unit string, base, each float64) {
	for _, r := range rec.Results {
		for i := range r.Values {
			if clients, ok := r.Value("clients"); ok && r.Kind() == record.Series && r.Values[i].Unit == unit {
				r.Values[i].Amount = base + each*clients
			}
		}
	}
}

func TestSeriesClaimsFollowTheRecord(t *testing.T) {
	const mega = 1 << 20
	straight := func(held, served float64) func(*record.Record) {
		return func(rec *record.Record) {
			for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
				grow(rec, unit, 20*mega, held)
			}
			grow(rec, "peak-RSS-bytes", 60*mega, served)
		}
	}
	for _, tc := range []struct {
		name   string
		change func(*record.Record)
		topic  string
		want   string // "" where nothing may be said
	}{
		{"orders apart", straight(mega/32, 2*mega), "Holding and serving",
			"different orders of magnitude: at 2 (`individual`) to 4 (`dynamic`) connections a credential, held or calling, one more that is held takes 32 KiB of memory at rest, and one more that calls without pause adds 2 MiB to the peak, at least 64 times as much."},
		{"the same order", straight(mega/2, 2*mega), "Holding and serving",
			"serving it are costs of one order of magnitude: at 2 (`individual`) to 4 (`dynamic`) connections a credential, held or calling, one more that is held takes 512 KiB of memory at rest"},
		{"another number of connections", func(rec *record.Record) {
			straight(mega/32, 2*mega)(rec)
			for _, r := range only(rec, "Series/").Results {
				clients, _ := r.Value("clients")
				change(&record.Record{Results: []record.Result{r}}, everywhere, "inflight", to(clients))
			}
		}, "Holding and serving", "of magnitude: at 1 connection a credential, held or calling, one more that is held takes 32 KiB"},
		{"connections unknown", func(rec *record.Record) {
			straight(mega/32, 2*mega)(rec)
			withhold(rec, "inflight", "x")
		}, "Holding and serving", "of magnitude: one more that is held takes 32 KiB"},
		{"no line", func(rec *record.Record) {
			for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
				withhold(rec, unit, "x")
			}
		}, "Holding and serving", ""},
		{"a line that bends says nothing", func(rec *record.Record) {
			doubt(rec, "surface=dynamic", "x")
			doubt(rec, "surface=individual", "x")
		}, "Holding and serving", ""},
		{"holding shrinks", straight(-1000, 2*mega), "Holding and serving", ""},
		{"one surface, another order", func(rec *record.Record) {
			doubt(rec, "surface=meta", "x")
			straight(mega/32, 2*mega)(rec)
			for _, r := range rec.Results {
				if strings.Contains(r.Name, "individual") {
					grow(&record.Record{Results: []record.Result{r}}, "rest-heap-bytes", 20*mega, mega)
				}
			}
		}, "Holding and serving", ""},
		{"bound is none", straight(mega/32, 2*mega), "Bounding credentials",
			"is not a memory setting: by the last step, of 500 to 1,000 credentials, the live heap at rest has grown by 15.6 MiB (`individual`) to 31.2 MiB (`dynamic`), while with all of them calling the process peaks at"},
		{"bound is one", straight(1.9*mega, 2*mega), "Bounding credentials", "is a memory setting: by the last step, of"},
		{"bound in between", straight(0.5*mega, 2*mega), "Bounding credentials", ""},
		{"bound unknown", func(rec *record.Record) { withhold(rec, "peak-RSS-bytes", "x") }, "Bounding credentials", ""},
		{"throughput", func(rec *record.Record) { change(rec, "Series", "calls/s", to(123)) }, "Throughput", "with 123 calls a second"},
		{"still growing", func(rec *record.Record) {
			for _, r := range only(rec, "Series/").Results {
				inflight, _ := r.Value("inflight")
				change(&record.Record{Results: []record.Result{r}}, everywhere, "calls/s", to(2*inflight))
			}
		}, "Throughput", "On `dynamic`, `meta` and `individual` the series does not show where throughput stops growing: the most was"},
		{"throughput unknown", func(rec *record.Record) { withhold(rec, "calls/s", "x") }, "Throughput", ""},
		{"at a rate", func(rec *record.Record) { change(rec, "Open", "call-p99-ns", to(77e6)) }, "Under load", "on `individual` up to 77 ms at 463 a second and 77 ms at 880."},
		{"at a rate that was not kept up with", func(rec *record.Record) { change(rec, "95pct", "unsent-calls", to(3)) },
			"Under load", "on `individual` up to 6.14 ms at 463 a second and 16.0 ms at 741."},
		{"at random moments", func(*record.Record) {}, "Under load", "Callers who come at random moments, whether or not others were answered, wait"},
		{"at the ladder's foot", func(rec *record.Record) { withhold(rec, "alone-ns/call", "x") }, "Throughput", "throughput stops growing at or below 3.6"},
		{"none given up", func(*record.Record) {}, "Failures", "calls behind these figures failed, none was refused and none went without an answer."},
		{"given up is unknown", func(rec *record.Record) { withhold(rec, "cut-calls", "x") }, "Failures", "calls behind these figures failed, and none was refused."},
		{"given up is unknown of one round", func(rec *record.Record) {
			withhold(&record.Record{Results: rec.Results[:1]}, "cut-calls", "x")
		}, "Failures", "failed, and none was refused."},
		{"given up", func(rec *record.Record) { change(rec, "surface=meta/load=95pct", "cut-calls", to(2)) }, "Failures",
			"In all phases of the load 0 failed and 0 were refused, and 6 had no answer and were given up; the rows concerned are marked."},
		{"never sent", func(rec *record.Record) { change(rec, "surface=meta/load=95pct", "unsent-calls", to(5)) }, "Failures",
			"none was refused and none went without an answer. Of the calls at a rate, 15 fell due and were never sent,"},
		{"no rate kept up with", func(rec *record.Record) { change(rec, "Open", "unsent-calls", to(3)) }, "Under load", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := sampleSeries()
			tc.change(rec)
			got := sayings(t, rec)[tc.topic]
			if tc.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, tc.want)
		})
	}
}

func TestDoubtedSeriesCarryNoClaim(t *testing.T) {
	rec := sampleSeries()
	doubt(rec, everywhere, "the clock jumped")
	for topic, sentence := range glance(t, rec) {
		if topic != "Failures" {
			assert.Empty(t, sentence, topic)
		}
	}
	assert.Contains(t, drawn(t, rec), "n/a: no step is to be believed.")

	rec = sampleSeries()
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		withhold(rec, unit, "x")
	}
	assert.Contains(t, drawn(t, rec), "n/a: no steps on meta say what a credential takes that does not call.")
}

// Where a series is silent, the point scenarios speak for themselves.
func TestPointsSpeakWhereSeriesDoNot(t *testing.T) {
	rec := wholeRecord()
	doubt(rec, "Series/", "x")
	doubt(rec, "Open/", "x")
	was := glance(t, sampleRecord())
	for topic, sentence := range glance(t, rec) {
		if topic != "Failures" {
			assert.Equal(t, was[topic], sentence, topic)
		}
	}
}

// No figure about a series may be typed either. Metrics grow by different
// factors here, since what is a ratio stays when all grow alike; how many
// credentials there were is the record's to say, but in its names.
func TestNoFigureOfASeriesIsTyped(t *testing.T) {
	figures := func(rec *record.Record) map[string]bool {
		found := make(map[string]bool)
		for topic, sentence := range glance(t, rec) {
			sentence = regexp.MustCompile("`[^`]*`|p50|p99|CPU \\S+|[0-9,]+ to [0-9,]+ credentials").ReplaceAllString(sentence, "")
			for _, n := range number.FindAllString(sentence, -1) {
				found[topic+": "+n] = true
			}
		}
		return found
	}
	before, changed := sampleSeries(), sampleSeries()
	units := make(map[string]bool)
	for _, r := range changed.Results {
		for _, v := range r.Values {
			units[v.Unit] = true
		}
	}
	for i, unit := range sortedKeys(units) {
		if unit != "clients" && unit != "unsent-calls" {
			change(changed, everywhere, unit, times(2.3+0.011*float64(i)))
		}
	}
	was, is := figures(before), figures(changed)
	require.Greater(t, len(is), 15)
	for figure := range is {
		assert.NotContains(t, was, figure)
	}
}
