package bench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/scenarios"
)

// TestOverload asks the subject for more than it admits, in each way that its subject file lets it.
func TestOverload(t *testing.T) {
	s := gateSuite(t)
	variants, leftOut := scenarios.Overloads(s.subject)
	s.progress.more(len(variants) - 1)
	for variant, why := range leftOut {
		t.Logf("subject %s, variant %s: left out, %s", s.subject.Name, variant, why)
	}
	for _, plan := range variants {
		t.Run("variant="+plan.Variant, func(t *testing.T) {
			if !opts.gate {
				plan = plan.Short()
			}
			runOverload(t, s, plan)
		})
	}
}

// runOverload tries a variant and records what came of it.
func runOverload(t *testing.T, s *suite, plan scenarios.Overload) {
	t.Helper()
	s.progress.begin("overload/" + plan.Variant)
	r, err := tryOverload(t, s, plan)
	require.NoError(t, err)
	f := r.figures()
	ruled := f.rule(s.subject.Name)
	s.progress.end(string(ruled.verdict()))
	require.NoError(t, r.record(&f, ruled))
	ruled.decide(t, s)
}
