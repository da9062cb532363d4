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
		t.Run(part.name, func(t *testing.T) { table = append(table, table.check(t, part.run(t))...) })
	}
	text := fmt.Sprintf("%s, kernel %s, in %v.\n\n%s", host.CPUModel, host.Kernel, time.Since(begun).Round(time.Minute), table.markdown())
	fmt.Fprintln(os.Stderr, text)
	if *update && !t.Failed() {
		methodBlock(t, truthStart, truthEnd).rewrite(t, "\n"+text+"\n")
	}
}

// directParts are measured with the suite's parts rather than through its record, which has no place for them.
func directParts() []truthPart {
	return []truthPart{
		{"spike", spikeRows}, {"stalls", stallRows}, {"counts", countRows}, {"leaks", leakRows},
	}
}

// TestTruthInShort is what of the known answers can be held while other tests run beside it, each in as little time as
// it takes: times are long ones, of which 2% are more than a busy host puts them off by, and what is compared is the
// least of several, interleaved. Left to TestTruth are stalls and leaks, which take minutes; processor time of 0.1
// ms, of which 2% are less than what others' work in the caches adds to a call; times below 200 ms, of which 2% are less
// than a call waits for its turn on a busy host; and the longest latency.
func TestTruthInShort(t *testing.T) {
	for _, part := range shortParts() {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			truthTable(nil).check(t, part.run(t))
		})
	}
}
