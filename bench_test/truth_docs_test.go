package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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

// awaited are the rows of the above that were added, or are told otherwise, since `make truth` last ran to its end. The next
// table has them, which takes them off here.
func awaited() []string {
	rows := []string{
		"CPU a listing, calls taking another time | 1ms more", "CPU a call, listings taking another time | 3ms more",
		"peak resident set of a spike in the record | 200 MiB for 20 ms",
	}
	for _, row := range documentedTruths() {
		if strings.Contains(row, "in the record | every 10th") || strings.Contains(row, "in the record | above 5") ||
			strings.Contains(row, "as what they are") || strings.Contains(row, "leak, ") || strings.Contains(row, hostAsIs) {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestTruthDocumented keeps the table in docs/method.md: it has every row that it is to have, and in each of them what
// was found holds, or is known not to be reached.
func TestTruthDocumented(t *testing.T) {
	table := methodBlock(t, truthStart, truthEnd).text
	later := awaited()
	for _, row := range documentedTruths() {
		there, later := strings.Contains(table, "\n| "+row), slices.Contains(later, row)
		switch { // the whole table is not to be printed for each
		case !there && !later:
			t.Errorf("no row %q: `make truth` writes it", row)
		case there && later:
			t.Errorf("row %q is there: take it off what is awaited", row)
		}
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if verdict := strings.TrimSpace(cells[len(cells)-1]); len(cells) == 7 && verdict != "holds" && verdict != "---" {
			assert.True(t, verdict == "yes" || strings.HasPrefix(verdict, notReached), "%s", line)
		}
	}
	for name := range unreached() {
		assert.Contains(t, table, strings.Replace(name, ", ", " | ", 1), "listed as not reached, and not in the table")
	}
}
