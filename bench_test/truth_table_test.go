package bench_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// truthRow is one known answer: what, how it was set, what it comes to, and what was found.
type truthRow struct {
	what, set   string
	want, found float64
	within      tolerance
	show        func(float64) string
}

// tolerance is how far a figure may be off: a part of what is set, or an amount, whichever is more.
type tolerance struct{ part, amount float64 }

func (w tolerance) of(want float64) float64 { return max(w.part*math.Abs(want), w.amount) }

func (r truthRow) off() float64 { return r.found - r.want }

func (r truthRow) holds() bool { return math.Abs(r.off()) <= r.within.of(r.want) }

// name tells the row from all others.
func (r truthRow) name() string { return r.what + ", " + r.set }

// notReached begins the verdict on a row that is known not to hold.
const notReached = "not reached: "

// verdict says whether the row holds, or why it is known not to.
func (r truthRow) verdict() string {
	why, known := unreached()[r.name()]
	switch {
	case r.holds():
		return "yes"
	case known:
		return notReached + why
	default:
		return "no"
	}
}

// allowed is the bound as the table shows it.
func (r truthRow) allowed() string {
	if bound := r.within.of(r.want); bound > 0 {
		return r.show(bound)
	}
	return "none"
}

type truthTable []truthRow

// unreached lists rows that a shared host is known not to let the suite reach, and the measured reason.
func unreached() map[string]string { return map[string]string{} }

// check fails the test for each row that does not hold and is not known not to.
func (truthTable) check(t *testing.T, rows truthTable) truthTable {
	t.Helper()
	assert.NotEmpty(t, rows, "nothing was measured")
	for _, r := range rows {
		t.Logf("%s: found %s, off by %s, allowed %s", r.name(), r.show(r.found), r.show(r.off()), r.allowed())
		assert.NotEqual(t, "no", r.verdict(), "%s: found %s, off by %s, allowed %s", r.name(), r.show(r.found), r.show(r.off()), r.allowed())
	}
	return rows
}

// markdown writes the table.
func (table truthTable) markdown() string {
	var b strings.Builder
	b.WriteString("| quantity | set | found | error | allowed | holds |\n|---|---|---|---|---|---|\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what, r.set, r.show(r.found), r.show(r.off()), r.allowed(), r.verdict())
	}
	return b.String()
}

func inBytes(v float64) string { return fmt.Sprintf("%.0f B", v) }
func inMiB(v float64) string   { return fmt.Sprintf("%.2f MiB", v/mib) }
func inTime(v float64) string {
	if math.Abs(v) < float64(time.Millisecond) {
		return fmt.Sprintf("%.1f µs", v/microsecond)
	}
	return fmt.Sprintf("%.3f ms", v/1e6)
}
func inNumber(v float64) string { return fmt.Sprint(v) }

// Where the table stands in docs/method.md.
const (
	truthStart = "<!-- truth: this table is written by `make truth` -->\n"
	truthEnd   = "<!-- /truth -->"
)

// documentedTruths are the quantities that the table must have, each with a value that it is set to.
func documentedTruths() []string {
	return []string{
		"retained a credential | 10240 B", "retained a credential | 51200 B", "retained a credential | 1048576 B",
		"CPU a call | 100µs more", "CPU a call | 1ms more", "CPU a call | 10ms more",
		"resident set of a tree of three | 2 × 64 MiB", "CPU of a tree of three a call | 2 × 1 ms more",
		"start | 50ms more", "start | 500ms more", "start | 2s more",
		"first listing | 50ms", "first listing | 500ms", "first listing | 2s",
		"p50 | bimodal", "p99 | bimodal", "max | bimodal", "p50 | lognormal", "p99 | lognormal", "max | lognormal",
		"peak resident set of a spike | 200 MiB for 20 ms",
		"p99 of an open loop, 100 calls/s | 1 s stall", "p99 of a closed loop, which is blind to it | 1 s stall",
		"tools | 100", "listing bytes | 100000", "calls answered, refused every 10th", "calls refused every 10th", "upstream requests, refused every 10th",
		"leak, the furthest off of 20 runs | none", "leak, the furthest off of 20 runs | 0.5 MiB/h",
		"leak, the furthest off of 20 runs | 5 MiB/h", "leak, the furthest off of 20 runs | 50 MiB/h",
		"verdict PASS on a leak, of 20 runs | none", "verdict PASS on a leak, of 20 runs | 0.5 MiB/h",
		"verdict FAIL on a leak, of 20 runs | 5 MiB/h", "verdict FAIL on a leak, of 20 runs | 50 MiB/h",
	}
}

// TestTruthDocumented keeps the table in docs/method.md: it has every row that it is to have, and in each of them what
// was found holds, or is known not to be reached.
func TestTruthDocumented(t *testing.T) {
	table := methodBlock(t, truthStart, truthEnd).text
	for _, row := range documentedTruths() {
		if !strings.Contains(table, "\n| "+row) { // the whole table is not to be printed for each
			t.Errorf("no row %q: `make truth` writes it", row)
		}
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if verdict := strings.TrimSpace(cells[len(cells)-1]); len(cells) == 6 && verdict != "holds" && verdict != "---" {
			assert.True(t, verdict == "yes" || strings.HasPrefix(verdict, notReached), "%s", line)
		}
	}
	for name := range unreached() {
		assert.Contains(t, table, strings.Replace(name, ", ", " | ", 1), "listed as not reached, and not in the table")
	}
}

// TestTruthTable sees rows hold, not hold, and be known not to.
func TestTruthTable(t *testing.T) {
	row := func(found float64, within tolerance) truthRow {
		return truthRow{"p50", "10 ms", 10e6, found, within, inTime}
	}
	for _, tt := range []struct {
		row  truthRow
		want string
	}{
		{row(10.19e6, latencyWithin), "| p50 | 10 ms | 10.190 ms | 190.0 µs | 200.0 µs | yes |"},
		{row(9.8e6, latencyWithin), "| p50 | 10 ms | 9.800 ms | -200.0 µs | 200.0 µs | yes |"},
		{row(10.21e6, latencyWithin), "| p50 | 10 ms | 10.210 ms | 210.0 µs | 200.0 µs | no |"},
		{row(10e6, tolerance{}), "| p50 | 10 ms | 10.000 ms | 0.0 µs | none | yes |"},
		{row(10e6+1, tolerance{}), "| p50 | 10 ms | 10.000 ms | 0.0 µs | none | no |"},
	} {
		assert.Contains(t, truthTable{tt.row}.markdown(), tt.want)
	}
}
