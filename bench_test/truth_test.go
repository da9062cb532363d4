package bench_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/meter"
)

var truth = flag.Bool("truth", false, "with -run TestTruth: measure all known answers, for about half an hour; -update writes them into docs/")

// truthPart is some of the known answers, measured together.
type truthPart struct {
	name string
	run  func(*testing.T) truthTable
}

// TestTruth has the suite measure a server whose costs are set and known, and holds what it finds to what was set. It
// fails where a row does not hold, unless it is listed as one that a shared host does not let it reach. TestTruthInShort
// is what of it stands other work beside it.
func TestTruth(t *testing.T) {
	if !*truth {
		t.Skip("no -truth: `make truth` runs this, for about half an hour, with nothing beside it")
	}
	host, err := meter.ReadHost()
	require.NoError(t, err)
	begun := time.Now()
	var table truthTable
	for _, part := range append(experiments(newTruthTrials(t)), directParts()...) {
		began := time.Now()
		t.Run(part.name, func(t *testing.T) {
			from := len(table)
			table = append(table, part.run(t)...)
			table.check(t, from, unreached())
		})
		fmt.Fprintf(os.Stderr, "%v: %s took %v\n", time.Since(begun).Round(time.Second), part.name, time.Since(began).Round(time.Second))
	}
	text := fmt.Sprintf("%s, kernel %s, suite %s, %s, in %v.\n\n%s", host.CPUModel, host.Kernel, suiteRevision(),
		begun.UTC().Format(time.DateOnly), time.Since(begun).Round(time.Minute), table.markdown(unreached()))
	fmt.Fprintln(os.Stderr, text)
	if *update { // of a table that does not hold as well, which TestTruthDocumented does not let pass
		methodBlock(t, truthStart, truthEnd).rewrite(t, "\n"+text+"\n")
	}
}

// directParts are measured with the suite's parts rather than through its record, which does not hold the server to the
// account that it keeps itself, has no closed loop beside an open one, and tells leaks in half an hour.
func directParts() []truthPart {
	return []truthPart{
		{"stalls", stallRows}, {"counts", countRows}, {"leaks", leakRows},
	}
}

// TestTruthInShort is what of the known answers can be held while other tests run beside it, each in as little time as
// it takes: times are long ones, of which 2% are more than a busy host puts them off by, and what is compared is the
// least of several, interleaved. Left to TestTruth are processor time of 0.1 ms, of which 2% are less than what others'
// work in the caches adds to a call; times below 200 ms, of which 2% are less than a call waits for its turn on a busy
// host; the longest latency, which is of one call that may have waited for others' work; and what takes minutes: leaks of
// a process, and records, of which a difference takes two.
func TestTruthInShort(t *testing.T) {
	for _, part := range shortParts() {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			truthTable(part.run(t)).check(t, 0, nil)
		})
	}
}
