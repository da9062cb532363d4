package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/compare"
	"mcpbench/internal/record"
)

// verdicts counts figures that changed or may have.
func verdicts(c *compare.Comparison) map[compare.Verdict]int {
	counts := make(map[compare.Verdict]int)
	for _, v := range []compare.Verdict{compare.Untold, compare.Changed, compare.Better, compare.Worse} {
		if n := c.Count(v); n > 0 {
			counts[v] = n
		}
	}
	return counts
}

func TestKnownAnswer(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	c := compared(t, before, after)
	assert.Empty(t, verdicts(c), "noise")
	assert.Len(t, c.Figures(), 3*9)

	change(after, httpDynamic, "cpu-ns/call", 1.10)
	c = compared(t, before, after)
	assert.Equal(t, map[compare.Verdict]int{compare.Worse: 1}, verdicts(c), "one metric of one scenario")
	for _, f := range c.Scenarios[1].Figures {
		assert.Equal(t, f.Metric.Unit == "cpu-ns/call", f.Verdict == compare.Worse, f.Metric.Unit)
	}
	assert.Equal(t, map[compare.Verdict]int{compare.Better: 1}, verdicts(compared(t, after, before)), "the other way round")
}

// A tenth more is found whatever the noise of a percent happens to be.
func TestTenthIsAlwaysFound(t *testing.T) {
	for seed := range uint64(50) {
		before, after := server("a", 100+seed), server("b", 200+seed)
		change(after, httpMeta, "peak-RSS-bytes", 1.10)
		c := compared(t, before, after)
		assert.Equal(t, "peak-RSS-bytes", c.Scenarios[0].Figures[0].Metric.Unit)
		assert.Equal(t, compare.Worse, c.Scenarios[0].Figures[0].Verdict, "seed %d", seed)
	}
}

func TestAgainstItself(t *testing.T) {
	c := compared(t, server("a", 1), server("a", 1))
	assert.Equal(t, len(c.Figures()), c.Count(compare.Unchanged))
}

func TestIntervalEndsAreNotFigures(t *testing.T) {
	s := scene{httpMeta, amounts{"call-p99-ns": {1}, "call-p99-lo-ns": {1}, "call-p99-hi-ns": {1}}}
	c := compared(t, recordOf("a", s), recordOf("b", s))
	require.Len(t, c.Figures(), 1)
	assert.Equal(t, "call-p99-ns", c.Figures()[0].Metric.Unit)
}

func TestWhatIsLeftOut(t *testing.T) {
	one := amounts{"ready-ns": {1, 1}}
	before := recordOf("a", scene{httpMeta, amounts{"ready-ns": {1, 1}, "exit-ns": {1, 1}}}, scene{httpDynamic, one}, scene{stdioMeta, one})
	after := recordOf("b", scene{hundred, one}, scene{httpDynamic, one}, scene{httpMeta, amounts{"ready-ns": {1, 1}, "tools": {1, 1}}})
	for i := range after.Results {
		after.Results[i].MarkAbsent("broken", "exit-ns")
	}
	for _, i := range []int{2, 3} {
		after.Results[i].Certificate = []string{"busy"}
	}
	before.Results[1].Certificate = []string{"late", "slow"}

	c := compared(t, before, after)
	assert.Equal(t, []string{stdioMeta}, c.OldOnly)
	assert.Equal(t, []string{hundred}, c.NewOnly)
	assert.Equal(t, []string{httpDynamic}, c.Unbelieved)
	assert.Equal(t, []compare.Doubt{{Name: httpMeta, Round: "2", Reasons: []string{"late", "slow"}}}, c.Old.Doubts)
	assert.Equal(t, []compare.Doubt{{httpDynamic, "1", []string{"busy"}}, {httpDynamic, "2", []string{"busy"}}}, c.New.Doubts)
	assert.Equal(t, []compare.Lone{{Unit: "tools", Missing: "old", Scenarios: 1},
		{Unit: "exit-ns", Missing: "new", Reason: "broken", Scenarios: 1}}, c.Lone)
	require.Len(t, c.Figures(), 1)
	assert.Equal(t, []int{1, 2}, []int{c.Figures()[0].Old.N, c.Figures()[0].New.N}, "the doubted round does not count")
}

func TestRefusals(t *testing.T) {
	s := scene{httpMeta, amounts{"ready-ns": {1, 1}}}
	for _, tt := range []struct {
		name  string
		spoil func(before, after *record.Record)
		want  []string
	}{
		{"nothing", func(before, _ *record.Record) { before.Results = nil }, []string{"the old record holds no results"}},
		{"nothing new", func(_, after *record.Record) { after.Results = nil }, []string{"the new record holds no results"}},
		{"two builds", func(_, after *record.Record) { after.Results[1].Identity[record.KeySHA256] = "other" },
			[]string{"the new record holds two of sha256", `"0123456789abcdefb" (b.txt:1)`, `"other" (b.txt:11)`}},
		{"two commits", func(before, _ *record.Record) { before.Results[1].Identity[record.KeyCommit] = "other" },
			[]string{"the old record holds two of commit"}},
		{"rounds that are none", func(before, _ *record.Record) { before.Results[1].Config[record.KeySettings] = "clients=9" },
			[]string{"the old record: rounds of " + httpMeta, "a.txt:11", "not repetitions"}},
		{"nothing in both", func(_, after *record.Record) { after.Results[0].Name, after.Results[1].Name = hundred, hundred },
			[]string{"no scenario is in both records", httpMeta, hundred}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := recordOf("a", s), recordOf("b", s)
			tt.spoil(before, after)
			for _, f := range []func(before, after *record.Record) (*compare.Comparison, error){compare.Compare, compare.Forced} {
				_, err := f(before, after)
				require.Error(t, err, "with force or without")
				require.NotErrorIs(t, err, compare.ErrUnlike)
				for _, want := range tt.want {
					require.ErrorContains(t, err, want)
				}
			}
		})
	}
}

// setAll gives a key of the configuration a value in all results.
func setAll(rec *record.Record, key, value string) {
	for _, r := range rec.Results {
		r.Config[key] = value
	}
}

func TestUnlikeConditionsAreRefused(t *testing.T) {
	for _, key := range []string{record.KeyHost, record.KeyKernel, record.KeyCPU, record.KeyMemory, record.KeySubjectCPUs,
		record.KeySuiteCPUs, record.KeySettings, record.KeyMethod, record.KeyGoSuite} {
		t.Run(key, func(t *testing.T) {
			before, after := server("a", 1), server("b", 2)
			setAll(before, key, "this")
			setAll(after, key, "that")
			_, err := compare.Compare(before, after)
			require.ErrorIs(t, err, compare.ErrUnlike)
			require.ErrorContains(t, err, key+`: "this" in the old record, "that" in the new (`+httpMeta+" and 2 more)")
			c, err := compare.Forced(before, after)
			require.NoError(t, err)
			require.Len(t, c.Differences, 1)
			assert.Equal(t, []string{httpMeta, httpDynamic, stdioMeta}, c.Differences[0].Names)
			assert.Contains(t, firstLine(c), "**Compared by force: the records were not measured alike** ("+key+"). **None of")
			assert.Contains(t, string(c.Markdown(0)), "\nNot measured alike:\n\n- "+key+`: "this" in the old record, "that" in the new (`)
		})
	}
}

func TestEveryDifferenceIsNamed(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	setAll(after, record.KeyKernel, "6.19.0")
	for i, r := range after.Results {
		if r.Name == stdioMeta {
			after.Results[i].Config[record.KeySettings] = "clients=9"
		}
	}
	_, err := compare.Compare(before, after)
	require.ErrorContains(t, err, `kernel: "6.18.0" in the old record, "6.19.0" in the new (`+httpMeta)
	require.ErrorContains(t, err, `settings: "clients=8" in the old record, "clients=9" in the new (`+stdioMeta+")")
	setAll(after, record.KeySettings, "clients=7")
	for _, r := range before.Results {
		if r.Name == httpMeta {
			r.Config[record.KeySettings] = "clients=6"
		}
	}
	c, err := compare.Forced(before, after)
	require.NoError(t, err)
	assert.Contains(t, firstLine(c), "(kernel, settings). ", "a key is named once, whatever it differs in")
}

// Builds may differ in the toolchain they were built with: that is the build's own.
func TestToolchainOfTheSubjectMayDiffer(t *testing.T) {
	before, after := server("a", 1), server("b", 2)
	setAll(before, record.KeyGoSubject, "go1.25.0")
	setAll(after, record.KeyGoSubject, "go1.26.0")
	compared(t, before, after)
}

func TestResultsWithoutConfiguration(t *testing.T) {
	s := scene{httpMeta, amounts{"ready-ns": {1, 1}}}
	bare := func(build string) *record.Record {
		rec := recordOf(build, s)
		for i := range rec.Results {
			rec.Results[i].Config, rec.Results[i].Identity = nil, nil
		}
		return rec
	}
	c := compared(t, bare("a"), bare("b"))
	assert.Contains(t, string(c.Markdown(0)), "| old | not said | not said | not said | not said | 2 |")
	assert.NotContains(t, string(c.Markdown(0)), "Both on")
	assert.NotContains(t, string(c.Markdown(0)), "same binary")
}
