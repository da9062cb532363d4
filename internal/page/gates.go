package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// verdictsOf are the results that carry the verdict of a gate, by kind and name. They may be of another build than
// the figures, and each says of which.
func verdictsOf(results []record.Result) []record.Result {
	gates := slices.DeleteFunc(slices.Clone(results), func(r record.Result) bool { return !isVerdict(r) })
	slices.SortStableFunc(gates, func(a, b record.Result) int {
		return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Name, b.Name))
	})
	return gates
}

// gates shows what each gate came to.
func (v *View) gates() []Block {
	if len(v.Verdicts) == 0 {
		return nil
	}
	m := &tableMaker{table: Table{Head: []string{"Gate", "Verdict", "What it rests on"}, Names: 3}}
	for _, r := range v.Verdicts {
		gate := newScenario(r.Name, []record.Result{r})
		gate.Label = gateTitle(r)
		name := m.name(gate)
		name.Refs = []string{refOf(r)}
		m.table.Rows = append(m.table.Rows, []Cell{
			name,
			{Text: verdictWords(r.About(record.KeyVerdict))},
			{Text: escape(r.About(record.KeyBecause))},
		})
	}
	return append([]Block{text("A gate is a test with a verdict, for a release. " +
		"What did not pass is what a verdict other than PASS rests on; INCONCLUSIVE says that the measurement can carry neither of the others.")},
		append(tables(m.finish()), paragraphs(v.gateBuilds())...)...)
}

// gateTitle is what a gate's result was measured of: its kind, and all of its name but the subject.
func gateTitle(r record.Result) string {
	title := string(r.Kind())
	for part := range strings.SplitSeq(r.Name, "/") {
		if key, value, ok := strings.Cut(part, "="); ok && key != "subject" {
			title += ", " + key + " " + value
		}
	}
	return title
}

// verdictWords stress what is no pass.
func verdictWords(verdict string) string {
	if verdict == string(stat.Pass) {
		return verdict
	}
	return "**" + escape(verdict) + "**"
}

// gateBuilds says which builds the gates were held against, and when.
func (v *View) gateBuilds() string {
	var said []string
	for _, r := range v.Verdicts {
		of := "the build of the figures"
		if r.About(record.KeySHA256) != v.any.About(record.KeySHA256) {
			of = labelledBuild(r)
		}
		said = withNew(said, fmt.Sprintf("%s on %s with %s", r.Kind(), day(r.About(record.KeyDate)), of))
	}
	return "Measured: " + strings.Join(said, "; ") + "."
}

// labelledBuild names another build than that of the figures.
func labelledBuild(r record.Result) string {
	return fmt.Sprintf("another build, %s, commit `%s`", escape(r.About(record.KeyBuild)), short(r.About(record.KeyCommit)))
}
