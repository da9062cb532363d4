package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// sizedResult is a made-up result of a kind of sizing: what it is not given is absent.
func sizedResult(kind record.Kind, name, settings string, values map[string]float64) record.Result {
	r := sampleResult(scenes()[0], 0, 1)
	r.Name, r.Certificate = string(kind)+"/subject=gitlab-mcp"+name, nil
	r.Config[record.KeySettings] = settings
	r.Values, r.Absent = nil, nil
	for _, m := range record.MetricsOf(kind) {
		if amount, ok := values[m.Unit]; ok {
			r.Values = append(r.Values, record.Value{Unit: m.Unit, Amount: amount})
		} else {
			r.MarkAbsent("not here", m.Unit)
		}
	}
	return r
}

// sizedRecord is the sample with results of every kind of sizing.
func sizedRecord() *record.Record {
	const mib = 1 << 20
	rec := sampleRecord()
	add := func(kind record.Kind, name, settings string, values map[string]float64) {
		if kind != record.Image {
			name = "/transport=http/surface=" + name
		}
		rec.Results = append(rec.Results, sizedResult(kind, name, settings, values))
	}
	add(record.Image, "", "authorities=none", map[string]float64{"binary-bytes": 34 * mib, "image-bytes": 17 * mib, "image-layer-bytes": 16 * mib})
	add(record.Endpoint, "dynamic/endpoint=health", "connections=16", map[string]float64{"calls/s": 40_000, "cpu-ns/call": 21_000, "ready-ns": 9e6, "suite-cpu-cores": 0.97})
	add(record.Endpoint, "dynamic/endpoint=discover", "connections=16", map[string]float64{"calls/s": 2500, "cpu-ns/call": 390_000})
	rec.Results[len(rec.Results)-2].Identity[record.KeyLimit] = "suite: the server used 80% of its processors and the suite 97%"
	rec.Results[len(rec.Results)-1].Identity[record.KeyLimit] = "server: the server used 99% of its processors and the suite 5%"
	for _, calls := range []int{44, 0, 1} {
		burst := map[int]float64{0: 0, 1: 1, 44: 12}[calls]
		values := map[string]float64{"rest-heap-bytes": 1e6 + float64(calls)*1000, "burst-calls": burst, "idle-RSS-bytes": 20 * mib, "start-RSS-bytes": 25 * mib, "rest-RSS-bytes": 26 * mib}
		if calls > 0 {
			values["peak-RSS-bytes"] = float64(200*calls) * mib
		}
		if calls == 44 {
			values["return-ns"] = 125e9
		}
		add(record.Ladder, fmt.Sprintf("dynamic/calls=%d", calls), "answer-bytes=20971520 return-wait=3m0s", values)
	}
	for i, n := range []float64{16, 32, 64, 128, 256} {
		held, open := map[string]float64{}, map[string]float64{}
		held[record.CallsHeld.Unit("heap-bytes")] = 1e6 + 32*1024*n
		held[record.CallsHeld.UnitEach("heap-bytes")] = 32 * 1024
		held[record.CallsHeld.Unit("goroutines")] = 20 + 5*n
		open[record.SessionsAbandoned.Unit("heap-bytes")] = 1e6 + 8*1024*n + float64(i%2)
		add(record.Held, fmt.Sprintf("dynamic/calls=%.0f", n), "credentials=1", held)
		add(record.Session, fmt.Sprintf("dynamic/sessions=%.0f", n), "protocol=2025-11-25", open)
	}
	add(record.Configs, "dynamic+meta/creds=16", "surfaces=2", map[string]float64{"clients": 16, "tools": 171, "first-heap-bytes": 2 * mib, "rest-heap-bytes": 2.5 * mib})
	for _, n := range []float64{1, 4} {
		add(record.Sweep, fmt.Sprintf("dynamic/setting=gitlab-max-conns/value=%.0f", n), "gitlab-latency=5ms credentials=1 callers=64 call=read load=5s",
			map[string]float64{"calls/s": 200 * n, "cpu-ns/call": 1e6, "admissions/call": 0})
	}
	add(record.Sweep, "dynamic/setting=pool-idle-timeout/value=30m", "gitlab-latency=0s credentials=1 callers=1 call=read calls=15 pause=400ms",
		map[string]float64{"admissions/call": 0.5, "cpu-ns/call": 3e6})
	add(record.Sweep, "dynamic/setting=gitlab-latency/value=20ms", "gitlab-latency=20ms credentials=1 callers=256 call=read rate=500 load=5s",
		map[string]float64{"calls/s": 499, "mean-RSS-bytes": 30 * mib})
	return rec
}

// sizingSection is what a page says of sizing.
func sizingSection(t *testing.T, rec *record.Record) string {
	t.Helper()
	doc, err := Draw(rec)
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(doc.Markdown()), "## What sizing rests on")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

func TestSizingSection(t *testing.T) {
	assert.Empty(t, sizingSection(t, sampleRecord()), "a record without such results has no section of them")
	section := sizingSection(t, sizedRecord())
	for _, want := range []string{
		"| Binary | 34 MiB |", "| Container image, as it is pulled | 16 MiB |", "| Start to ready | 9 ms |", "| Resident set, idle | 20 MiB |",
		"| Resident set at its largest, during 44 calls, 12 of them at once, each with an answer of 20 MiB | 8.59 GiB |",
		"| Requests a second, /health | 40,000 |",
		"over 16 connections", "| /health | 40,000 | 21 µs |", "At /health **the suite was the limit**",
		"| 0 calls | 25 | n/a", "| 1 call | 25 | 200 |", "| 44 calls, 12 of them at once | 25 | 8,800 |", "or for 3m0s",
		"By itself the process gave back 95% of what the calls had added in 1 of 2 rows with calls, after 125 s at the latest. Collected, the live heap was 1,020 KiB after 44 calls, 12 of them at once, and 977 KiB without any.",
		"| 16 held | n/a", "of revision 2025-11-25",
		"By the line through all rows, one held call more, its connection included, takes 32 KiB of the live heap (32) and 5 goroutines (5), with its 95% interval in brackets.",
		"By the line through all rows, one abandoned session more takes 8 KiB of the live heap (8.00), with its 95% interval in brackets.",
		"What one open session more, its connection included, takes is in no line: not here.",
		"| dynamic, meta | 171 |", "and then by all 16.",
		"**`gitlab-max-conns`** moved, all else fixed: `tools/call` (read) on dynamic, 64 callers with 1 credential; GitLab answers after 5ms.",
		"| 4 | 800 | 4 × |", "| 1 | 200 | 1 × |",
		"each rests 400ms between calls", "Admitted again a call",
		"500 calls a second offered", "It had one value here", "**`gitlab-latency`** moved, all else fixed: `tools/call` (read) on dynamic, 256 callers with 1 credential; 500",
	} {
		assert.Contains(t, section, want)
	}
	assert.NotContains(t, section, "another build")
	assert.NotContains(t, section, "At server/discover", "the server was the limit there")
}

// Doubted rounds are marked, and carry no line.
func TestSizingMarksDoubts(t *testing.T) {
	rec := sizedRecord()
	for i, r := range rec.Results {
		if r.Kind() == record.Held {
			rec.Results[i].Certificate = []string{"other processes used 50% of a CPU"}
		}
	}
	section := sizingSection(t, rec)
	assert.Contains(t, section, "| 16 held <sup>†</sup> |")
	assert.Contains(t, section, "16 held, doubted, so that no statement uses it")
	assert.Contains(t, section, "What one held call more, its connection included, takes is in no line: no step is to be believed.")
}

func TestSizingOfAnotherBuild(t *testing.T) {
	rec := sizedRecord()
	for i, r := range rec.Results {
		if r.Kind() != record.Point {
			rec.Results[i].Identity[record.KeySHA256] = strings.Repeat("0", 64)
		}
	}
	assert.Contains(t, sizingSection(t, rec), "another build than the figures of this page")
}

// Rounds that were measured otherwise are no repetitions.
func TestSizingRefusesOtherSettings(t *testing.T) {
	rec := sizedRecord()
	again := sizedResult(record.Image, "", "authorities=some", map[string]float64{"binary-bytes": 1})
	again.Identity[record.KeyRound] = "2"
	rec.Results = append(rec.Results, again)
	_, err := Draw(rec)
	require.ErrorContains(t, err, "differ in their settings")
}

// A record of one kind alone says what it has.
func TestSizingOfOneKind(t *testing.T) {
	for _, kind := range sizedKinds {
		rec := sampleRecord()
		for _, r := range sizedRecord().Results {
			if r.Kind() == kind {
				rec.Results = append(rec.Results, r)
			}
		}
		assert.NotEmpty(t, sizingSection(t, rec), kind)
	}
}

// Where the server was the limit nothing is said of the suite, and a rung that does not say how large answers are has
// none in its words.
func TestSizingSaysNoMoreThanItKnows(t *testing.T) {
	rec := sampleRecord()
	rec.Results = append(rec.Results,
		sizedResult(record.Endpoint, "/transport=http/surface=dynamic/endpoint=resources", "connections=16", map[string]float64{"calls/s": 5}),
		sizedResult(record.Ladder, "/transport=http/surface=dynamic/calls=8", "return-wait=1s", map[string]float64{"peak-RSS-bytes": 5 << 20}))
	section := sizingSection(t, rec)
	assert.Contains(t, section, "| resources/list | 5 |")
	assert.NotContains(t, section, "the suite was the limit")
	assert.Contains(t, section, "| Resident set at its largest, during 8 calls | 5 MiB |")
	assert.Contains(t, section, "By itself the process gave back 95% of what the calls had added in 0 of 1 rows with calls.")
}
