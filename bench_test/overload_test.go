package bench_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/scenarios"
)

// TestOverload asks the subject for more than it admits, in each way that its subject file lets it.
func TestOverload(t *testing.T) {
	s := gateSuite(t)
	variants, leftOut := scenarios.Overloads(s.subject)
	s.progress.more(len(variants) - 1)
	without := saidOfEach(leftOut)
	if without != "" {
		t.Logf("subject %s: left out, %s", s.subject.Name, without)
	}
	for _, plan := range variants {
		t.Run("variant="+plan.Variant, func(t *testing.T) {
			if !opts.gate {
				plan = plan.Short()
			}
			runOverload(t, s, plan, without)
		})
	}
}

// saidOfEach says of each name why, in their order.
func saidOfEach(why map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		all = append(all, name+": "+why[name])
	}
	return strings.Join(all, "; ")
}

// runOverload tries a variant, and records and says what came of it.
func runOverload(t *testing.T, s *suite, plan scenarios.Overload, without string) {
	t.Helper()
	s.progress.begin("overload/" + plan.Variant)
	ruled := judgeOverload(t, s, plan, without)
	if ruled.again() {
		s = gateSuite(t)
		ruled = judgeOverload(t, s, plan, without)
	}
	s.progress.end(string(ruled.verdict()))
	ruled.decide(t, s)
}

// judgeOverload tries a variant and records what came of it. One that does not come to its end fails: the subject ended,
// or answered no more.
func judgeOverload(t *testing.T, s *suite, plan scenarios.Overload, without string) *ruling {
	t.Helper()
	r, err := tryOverload(t, s, plan)
	r.without = without
	var ruled *ruling
	if err != nil {
		ruled = &ruling{gate: "overload/" + plan.Variant, subject: s.subject.Name}
		ruled.brokeOff(r.people, err)
		err = r.recordBroken(ruled)
	} else {
		f := r.figures()
		ruled = f.rule(s.subject.Name)
		err = r.record(&f, ruled)
	}
	require.NotErrorIs(t, err, errInterrupted) // which says nothing of the subject
	if err != nil {
		ruled.passes("record", false, err.Error(), "written")
	}
	return ruled
}
