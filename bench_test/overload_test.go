package bench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// TestOverload asks the subject for more than it admits, in each way that its subject file lets it.
func TestOverload(t *testing.T) {
	s := gateSuite(t)
	shareCPUs(t, s)
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

// shareCPUs has a suite that is not confined know all CPUs as its own, so that it sees what others take of them.
func shareCPUs(t *testing.T, s *suite) {
	t.Helper()
	if len(s.cpus.Suite) > 0 {
		return
	}
	cpus, err := spawn.CPUs()
	require.NoError(t, err)
	s.cpus.Suite = cpus
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
	if !opts.gate && ruled.verdict() == stat.Inconclusive {
		t.Skipf("the short form could not tell beside what else ran:\n%s%s", ruled.table(), ruled.line())
	}
	ruled.decide(t, s)
}
