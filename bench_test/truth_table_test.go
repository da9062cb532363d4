package bench_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
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

// verdict says whether the row holds, or why it is known not to, as it is of some.
func (r truthRow) verdict(unreached map[string]string) string {
	why, known := unreached[r.name()]
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

// known adds to rows that are known not to be reached those of them that were measured on the host as it is, are off,
// and hold with its processors kept awake: what else they are off by would be so there as well.
func (table truthTable) known(unreached map[string]string) map[string]string {
	all := make(map[string]string)
	maps.Copy(all, unreached)
	for _, r := range table {
		what, asIs := strings.CutSuffix(r.what, hostAsIs)
		twin := slices.IndexFunc(table, func(other truthRow) bool { return other.what == what && other.set == r.set })
		if asIs && !r.holds() && twin >= 0 && table[twin].holds() {
			all[r.name()] = fmt.Sprintf("off by %s with processors kept awake", table[twin].show(table[twin].off()))
		}
	}
	return all
}

// check fails the test for each row from the given one on that does not hold and is not known not to.
func (table truthTable) check(tb testing.TB, from int, unreached map[string]string) {
	tb.Helper()
	assert.NotEmpty(tb, table[from:], "nothing was measured")
	known := table.known(unreached)
	for _, r := range table[from:] {
		verdict := r.verdict(known)
		tb.Logf("%s: found %s, off by %s, allowed %s: %s", r.name(), r.show(r.found), r.show(r.off()), r.allowed(), verdict)
		assert.NotEqual(tb, "no", verdict, "%s: found %s, off by %s, allowed %s", r.name(), r.show(r.found), r.show(r.off()), r.allowed())
	}
}

// markdown writes the table.
func (table truthTable) markdown(unreached map[string]string) string {
	var b strings.Builder
	known := table.known(unreached)
	b.WriteString("| quantity | set | found | error | allowed | holds |\n|---|---|---|---|---|---|\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what, r.set, r.show(r.found), r.show(r.off()), r.allowed(), r.verdict(known))
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
	rows := []string{
		"retained a credential | 10240 B", "retained a credential | 51200 B", "retained a credential | 1048576 B",
		"CPU a call | 100µs more", "CPU a call | 1ms more", "CPU a call | 10ms more",
		"CPU a listing, calls taking another time | 1ms more", "CPU a call, listings taking another time | 3ms more",
		"resident set of a tree of three | 2 × 64 MiB", "CPU of a tree of three a call | 2 × 1 ms more",
		"peak resident set of a spike in the record | 200 MiB for 20 ms",
		"p99 of an open loop, 100 calls/s | 1 s stall", "p99 of a closed loop, which is blind to it | 1 s stall",
		"tools in the record | 100", "listing in the record | 100000 B", "upstream requests a call in the record | 3",
		"calls answered, refused every 10th", "calls refused every 10th", "upstream requests, refused every 10th",
	}
	for _, how := range []string{"503", "429", "rpc"} {
		for _, set := range []string{"every 10th of 200, as ", "above 5 at once of 20, as "} {
			rows = append(rows, "calls refused in the record | "+set+how, "of these, in the record as what they are | "+set+how)
		}
	}
	for _, perHour := range leaksPerHour() {
		set := setLeak(perHour)
		rows = append(rows, "leak, the furthest off of 20 runs | "+set, fmt.Sprintf("verdict %s on a leak, of 20 runs | %s", rightVerdict(perHour*mib), set))
	}
	for _, host := range []string{"", hostAsIs} {
		for _, d := range []string{"50ms", "500ms", "2s"} {
			rows = append(rows, "start"+host+" | "+d+" more", "first listing"+host+" | "+d)
		}
		for _, quantile := range []string{"p50", "p99", "max"} {
			rows = append(rows, quantile+host+" | bimodal", quantile+host+" | lognormal")
		}
	}
	return rows
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

// TestTruthTable sees rows hold, not hold, and be known not to, and a table fail for those that do not.
func TestTruthTable(t *testing.T) {
	row := func(found float64, within tolerance) truthRow {
		return truthRow{"p50", "10 ms", 10e6, found, within, inTime}
	}
	known := map[string]string{"p50, 10 ms": "it rains"}
	for _, tt := range []struct {
		row       truthRow
		unreached map[string]string
		want      string
		fails     bool
	}{
		{row(10.19e6, latencyWithin), nil, "| p50 | 10 ms | 10.190 ms | 190.0 µs | 200.0 µs | yes |", false},
		{row(9.8e6, latencyWithin), nil, "| p50 | 10 ms | 9.800 ms | -200.0 µs | 200.0 µs | yes |", false},
		{row(10.21e6, latencyWithin), nil, "| p50 | 10 ms | 10.210 ms | 210.0 µs | 200.0 µs | no |", true},
		{row(10e6, tolerance{}), nil, "| p50 | 10 ms | 10.000 ms | 0.0 µs | none | yes |", false},
		{row(10e6+1, tolerance{}), nil, "| p50 | 10 ms | 10.000 ms | 0.0 µs | none | no |", true},
		{row(10.19e6, latencyWithin), known, "| p50 | 10 ms | 10.190 ms | 190.0 µs | 200.0 µs | yes |", false},
		{row(10.21e6, latencyWithin), known, "| p50 | 10 ms | 10.210 ms | 210.0 µs | 200.0 µs | not reached: it rains |", false},
		{row(10.21e6, latencyWithin), map[string]string{"p99, 10 ms": "it rains"}, "| 200.0 µs | no |", true},
	} {
		table := truthTable{tt.row}
		assert.Contains(t, table.markdown(tt.unreached), tt.want)
		in := &checked{TB: t}
		table.check(in, 0, tt.unreached)
		assert.Equal(t, tt.fails, in.failed, tt.want)
	}
	in := &checked{TB: t}
	truthTable{row(10e6, latencyWithin)}.check(in, 1, nil)
	assert.True(t, in.failed, "nothing was measured")
}

// A row of the host as it is is known not to hold where the same row holds with processors kept awake, and only there.
func TestTruthOfAHostAsItIs(t *testing.T) {
	row := func(what string, found float64) truthRow {
		return truthRow{what, "10 ms", 10e6, found, latencyWithin, inTime}
	}
	asIs := row("p50"+hostAsIs, 11e6)
	for _, tt := range []struct {
		table truthTable
		want  string
	}{
		{truthTable{row("p50", 10.1e6), asIs}, "not reached: off by 100.0 µs with processors kept awake"},
		{truthTable{row("p50", 10.1e6), row("p50"+hostAsIs, 10.2e6)}, "yes"},
		{truthTable{row("p50", 11e6), asIs}, "no"},
		{truthTable{row("p99", 10.1e6), asIs}, "no"},
		{truthTable{asIs}, "no"},
	} {
		last := len(tt.table) - 1
		assert.Equal(t, tt.want, tt.table[last].verdict(tt.table.known(nil)))
		in := &checked{TB: t}
		tt.table.check(in, last, nil)
		assert.Equal(t, tt.want == "no", in.failed)
	}
}

// checked is a test that a table is checked in, to see whether that fails it.
type checked struct {
	testing.TB
	failed bool
}

func (c *checked) Errorf(string, ...any) { c.failed = true }
