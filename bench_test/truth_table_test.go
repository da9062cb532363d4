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
	rounds      []float64 // what each round found, where there were several
}

// rowOf is a row of one round.
func rowOf(what, set string, want, found float64, within tolerance, show func(float64) string) truthRow {
	return truthRow{what: what, set: set, want: want, found: found, within: within, show: show}
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

// spread is the least and the most that a round found.
func (r truthRow) spread() string {
	if len(r.rounds) < 2 {
		return "one"
	}
	return fmt.Sprintf("%d: %s to %s", len(r.rounds), r.show(slices.Min(r.rounds)), r.show(slices.Max(r.rounds)))
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
	b.WriteString("| quantity | set | found | rounds | error | allowed | holds |\n|---|---|---|---|---|---|---|\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
			r.what, r.set, r.show(r.found), r.spread(), r.show(r.off()), r.allowed(), r.verdict(known))
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

// TestTruthTable sees rows hold, not hold, and be known not to, and a table fail for those that do not.
func TestTruthTable(t *testing.T) {
	row := func(found float64, within tolerance) truthRow {
		return rowOf("p50", "10 ms", 10e6, found, within, inTime)
	}
	known := map[string]string{"p50, 10 ms": "it rains"}
	for _, tt := range []struct {
		row       truthRow
		unreached map[string]string
		want      string
		fails     bool
	}{
		{row(10.19e6, latencyWithin), nil, "| p50 | 10 ms | 10.190 ms | one | 190.0 µs | 200.0 µs | yes |", false},
		{row(9.8e6, latencyWithin), nil, "| p50 | 10 ms | 9.800 ms | one | -200.0 µs | 200.0 µs | yes |", false},
		{row(10.21e6, latencyWithin), nil, "| p50 | 10 ms | 10.210 ms | one | 210.0 µs | 200.0 µs | no |", true},
		{row(10e6, tolerance{}), nil, "| p50 | 10 ms | 10.000 ms | one | 0.0 µs | none | yes |", false},
		{row(10e6+1, tolerance{}), nil, "| p50 | 10 ms | 10.000 ms | one | 0.0 µs | none | no |", true},
		{row(10.19e6, latencyWithin), known, "| p50 | 10 ms | 10.190 ms | one | 190.0 µs | 200.0 µs | yes |", false},
		{row(10.21e6, latencyWithin), known, "| p50 | 10 ms | 10.210 ms | one | 210.0 µs | 200.0 µs | not reached: it rains |", false},
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
	several := row(10e6, latencyWithin)
	several.rounds = []float64{10e6, 9e6, 12e6}
	assert.Contains(t, truthTable{several}.markdown(nil), "| 10.000 ms | 3: 9.000 ms to 12.000 ms | 0.0 µs |")
}

// A row of the host as it is is known not to hold where the same row holds with processors kept awake, and only there.
func TestTruthOfAHostAsItIs(t *testing.T) {
	row := func(what string, found float64) truthRow {
		return rowOf(what, "10 ms", 10e6, found, latencyWithin, inTime)
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
