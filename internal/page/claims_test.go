package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// where chooses results of a record by a part of their name.
type where string

const everywhere where = ""

// change applies f to every amount of a unit.
func change(rec *record.Record, at where, unit string, f func(float64) float64) {
	for _, r := range rec.Results {
		for i := range r.Values {
			if strings.Contains(r.Name, string(at)) && (unit == "" || r.Values[i].Unit == unit) {
				r.Values[i].Amount = f(r.Values[i].Amount)
			}
		}
	}
}

func times(factor float64) func(float64) float64 {
	return func(v float64) float64 { return v * factor }
}
func to(amount float64) func(float64) float64 { return func(float64) float64 { return amount } }

// withhold removes a unit and says why.
func withhold(rec *record.Record, unit, reason string) {
	for i := range rec.Results {
		r := &rec.Results[i]
		r.Values = slices.DeleteFunc(r.Values, func(v record.Value) bool { return v.Unit == unit })
		r.MarkAbsent(reason, unit)
	}
}

// doubt gives every result of a name a certificate.
func doubt(rec *record.Record, at where, reason string) {
	for i := range rec.Results {
		if strings.Contains(rec.Results[i].Name, string(at)) {
			rec.Results[i].Certificate = []string{reason}
		}
	}
}

// glance draws the claims of a record, by topic.
func glance(t *testing.T, rec *record.Record) map[string]string {
	t.Helper()
	v, err := NewView(rec)
	require.NoError(t, err)
	said := make(map[string]string)
	for _, c := range claims {
		said[c.topic] = uncited(c.says(v))
	}
	return said
}

// sayings draws what claims are made of as well, each part by a name of its own.
func sayings(t *testing.T, rec *record.Record) map[string]string {
	t.Helper()
	v, err := NewView(rec)
	require.NoError(t, err)
	said := glance(t, rec)
	for name, says := range map[string]func(*View) string{
		"Holding and serving": firstOf(heldAndServed, holdingAndServing), "Bounding credentials": boundingCredentials,
		"Processor": processor, "Listing and calling": listingAndCalling,
		"Under load": firstOf(atARate, underLoad), "Throughput": throughput,
	} {
		said[name] = uncited(says(v))
	}
	return said
}

func TestClaimsFollowTheRecord(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*record.Record)
		topic  string
		want   string // "" where nothing may be said
	}{
		{"peak", func(rec *record.Record) { change(rec, "http", "peak-RSS-bytes", to(777<<20)) },
			"Memory over HTTP", "peaked at 777 MiB. A memory limit has to clear that."},
		{"one surface alone", func(rec *record.Record) {
			doubt(rec, "surface=meta", "x")
			doubt(rec, "surface=individual", "x")
			change(rec, "http", "peak-RSS-bytes", to(777<<20))
		}, "Memory over HTTP", "peaked at 777 MiB (`dynamic`)."},
		{"idle withheld", func(rec *record.Record) { withhold(rec, "idle-RSS-bytes", "x") },
			"Memory over HTTP", "has to clear that."},
		{"at rest", func(rec *record.Record) { change(rec, "http", "rest-heap-bytes", to(33<<20)) },
			"Memory over HTTP", "(`individual`), of which 33 MiB are live heap."},
		{"rest withheld", func(rec *record.Record) { withhold(rec, "rest-heap-bytes", "x") }, "Memory over HTTP", "takes 17.3 to 17.5 MiB."},
		{"no peak", func(rec *record.Record) { withhold(rec, "peak-RSS-bytes", "no permission") }, "Memory over HTTP", ""},
		{"no peak on stdio", func(rec *record.Record) { withhold(rec, "peak-RSS-bytes", "no permission") }, "Memory on stdio", ""},
		{"processes", func(rec *record.Record) { change(rec, "stdio", "clients", to(12)) }, "Memory on stdio", "12 of them, all calling"},
		{"serving", func(*record.Record) {}, "Holding and serving", "memory goes to the clients that call"},
		{"holding", func(rec *record.Record) { change(rec, "http", "all-RSS-bytes", times(50)) },
			"Holding and serving", "memory goes to the clients that are connected"},
		{"holding on one surface", func(rec *record.Record) { change(rec, "surface=meta", "all-RSS-bytes", times(50)) }, "Holding and serving", ""},
		{"holding unknown", func(rec *record.Record) { withhold(rec, "all-RSS-bytes", "x") }, "Holding and serving", ""},
		{"cores", func(rec *record.Record) { change(rec, "http", "loaded-cpu-cores", to(5.5)) }, "Processor", "kept 5.50 cores busy (it could use CPU 1 of the host)"},
		{"no cores", func(rec *record.Record) { withhold(rec, "loaded-cpu-cores", "x") }, "Processor", ""},
		{"listing dearer", func(*record.Record) {}, "Listing and calling", "more than a `tools/call` on `individual`."},
		{"listing cheap", func(rec *record.Record) { change(rec, everywhere, "list-cpu-ns/call", to(5000)) },
			"Listing and calling", "costs 5 µs of processor time: on no surface more"},
		{"listing unknown", func(rec *record.Record) { withhold(rec, "list-cpu-ns/call", "x") }, "Listing and calling", ""},
		{"first waits", func(*record.Record) {}, "Starting", "waits until the tools are built"},
		{"first waits no longer", func(rec *record.Record) { change(rec, "http", "first-list-ns", to(200_000)) },
			"Starting", "waits no longer for a listing than later ones: 200 µs at first"},
		{"first waits on one", func(rec *record.Record) { change(rec, "surface=meta", "first-list-ns", to(1000)) },
			"Starting", "The first listing takes 1 µs (`meta`) to"},
		{"ready unknown", func(rec *record.Record) { withhold(rec, "ready-ns", "x") }, "Starting", ""},
		{"p99", func(rec *record.Record) { change(rec, "http", "call-p99-ns", to(3e9)) }, "Under load", "and 3 s at p99."},
		{"p99 withheld", func(rec *record.Record) { withhold(rec, "call-p99-ns", "too few calls") }, "Under load", ""},
		{"telemetry costs", func(rec *record.Record) { change(rec, "telemetry=on", "peak-RSS-bytes", times(3)) },
			"Telemetry", "raised peak memory on http, dynamic from 103 MiB to 314 MiB"},
		{"telemetry saves", func(rec *record.Record) { change(rec, "telemetry=on", "peak-RSS-bytes", times(0.1)) },
			"Telemetry", "lowered peak memory on stdio, dynamic"},
		{"telemetry is lost in noise", func(rec *record.Record) {
			change(rec, everywhere, "peak-RSS-bytes", to(100<<20))
			change(rec, everywhere, "call-cpu-ns/call", to(1e6))
		}, "Telemetry", "made no difference to peak memory or to processor time"},
		{"telemetry once", func(rec *record.Record) { rec.Results = rec.Results[:8] }, "Telemetry", ""},
		{"no failure", func(*record.Record) {}, "Failures", "None of the 37,632 calls"},
		{"no failure of points", func(*record.Record) {}, "Failures", "calls behind these figures failed, and none was refused."},
		{"failures", func(rec *record.Record) {
			change(rec, "http", "failed-calls", to(2))
			doubt(rec, "http", "calls failed")
		}, "Failures", "In all phases of the load 24 failed and 0 were refused; the rows concerned are marked."},
		{"connections lost", func(rec *record.Record) { change(rec, "http/surface=meta", "reconnects", to(2)) },
			"Failures", "and none was refused. The server closed 6 connections in use, which had to be opened again."},
		{"nothing called", func(rec *record.Record) {
			for _, m := range record.Methods() {
				withhold(rec, m.Unit("calls"), "x")
			}
		}, "Failures", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := sampleRecord()
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

// More than eight sentences are a text, and fewer than five leave questions.
func TestAPageHasFiveToEightClaims(t *testing.T) {
	for _, rec := range []*record.Record{sampleRecord(), wholeRecord()} {
		v, err := NewView(rec)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(v.atAGlance()), 8)
		assert.GreaterOrEqual(t, len(v.atAGlance()), 5)
	}
	assert.LessOrEqual(t, len(claims), 8, "whatever a record holds")
}

// A result that is not to be believed may carry no sentence, but a failure is
// told all the same.
func TestDoubtedResultsCarryNoClaim(t *testing.T) {
	rec := sampleRecord()
	doubt(rec, everywhere, "the clock jumped")
	for topic, sentence := range glance(t, rec) {
		if topic != "Failures" {
			assert.Empty(t, sentence, topic)
		}
	}

	rec = sampleRecord()
	change(rec, "transport=http/surface=individual", "peak-RSS-bytes", to(9<<30))
	doubt(rec, "transport=http/surface=individual", "the clock jumped")
	assert.NotContains(t, glance(t, rec)["Memory over HTTP"], "individual")
	assert.NotContains(t, glance(t, rec)["Memory over HTTP"], "GiB")
}

var number = regexp.MustCompile(`\d[\d.,]*`)

// No claim may hold a figure that somebody typed: when every value of the
// record changes, every figure of every claim does.
func TestNoFigureIsTyped(t *testing.T) {
	figures := func(rec *record.Record) []string {
		var out []string
		for topic, sentence := range glance(t, rec) {
			sentence = regexp.MustCompile("`[^`]*`|p50|p99|CPU \\S+").ReplaceAllString(sentence, "")
			for _, n := range number.FindAllString(sentence, -1) {
				out = append(out, topic+": "+n)
			}
		}
		return out
	}
	before, changed := sampleRecord(), sampleRecord()
	change(changed, everywhere, "", times(3.7))
	was, is := figures(before), figures(changed)
	require.Greater(t, len(was), 30)
	require.Len(t, is, len(was))
	for _, figure := range is {
		assert.NotContains(t, was, figure)
	}
}
