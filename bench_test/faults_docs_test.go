package bench_test

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
)

const (
	faultsStart = "<!-- faults: this table is written by `go test ./bench_test -run TestFaultsDocumented -update` -->\n"
	faultsEnd   = "<!-- /faults -->"
)

// TestFaultsDocumented keeps the table of faults in docs/method.md equal to the cases that TestFaults tries.
func TestFaultsDocumented(t *testing.T) {
	methodBlock(t, faultsStart, faultsEnd).hold(t, faultsTable())
}

// faultsTable writes one row for each case; those that are tried several times have one.
func faultsTable() string {
	var rows []string
	for _, c := range faultCases() {
		row := fmt.Sprintf("| %s | %s | %s | %v | %s |\n", c.what, c.ends.text, c.ends.code(), c.within, c.seen())
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return "\n| fault | what happens | exit code | within | where it is seen |\n|---|---|---|---|---|\n" + strings.Join(rows, "") + "\n"
}

// code is the exit code for people.
func (a aftermath) code() string {
	if a.exit < 0 {
		return ""
	}
	return fmt.Sprint(a.exit)
}

// seen tells where a fault is seen, and what is said of it.
func (c *faultCase) seen() string {
	var parts []string
	if c.phase != "" {
		parts = append(parts, c.phase)
	}
	for _, text := range c.says {
		parts = append(parts, "`"+strings.TrimRight(text, ": ")+"`")
	}
	if c.tail != "" {
		parts = append(parts, "last line of the process: `… "+strings.TrimSpace(c.tail)+" …`")
	}
	return strings.Join(parts, "; ")
}

// TestEveryFaultIsTried asks the calibrator which faults it has.
func TestEveryFaultIsTried(t *testing.T) {
	subject, err := loadSubject("calibrator")
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), built.path, "-fault=none").CombinedOutput()
	require.Error(t, err)
	_, list, ok := strings.Cut(string(out), "the known ones are ")
	require.True(t, ok, "%s", out)
	list, _, ok = strings.Cut(list, ": ")
	require.True(t, ok, "%s", out)
	known := strings.Split(list, ", ")
	assert.Greater(t, len(known), 15)
	assert.ElementsMatch(t, known, faultsTried("-fault="))
}

// TestEveryGitlabFaultIsTried holds the flag to have all faults of the stand-in, and the cases to try all of the flag.
func TestEveryGitlabFaultIsTried(t *testing.T) {
	var kinds []fakegitlab.FaultKind
	for _, fault := range gitlabFaults() {
		kinds = append(kinds, fault.Kind)
	}
	assert.ElementsMatch(t, fakegitlab.FaultKinds(), append(kinds, fakegitlab.FaultStatus))
	known := append(slices.Collect(maps.Keys(gitlabFaults())), "429", "500", "503")
	assert.ElementsMatch(t, known, faultsTried("-gitlab-fault="))
}

// faultsTried lists what the cases give to a flag, each once, without the number of the call it begins with.
func faultsTried(flag string) []string {
	var tried []string
	for _, c := range faultCases() {
		for _, arg := range slices.Concat(c.args, c.flags) {
			if fault, ok := strings.CutPrefix(arg, flag); ok {
				name, _, _ := strings.Cut(fault, ":")
				tried = append(tried, name)
			}
		}
	}
	slices.Sort(tried)
	return slices.Compact(tried)
}
