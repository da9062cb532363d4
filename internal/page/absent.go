package page

import (
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// A part is what a record of everything has, by the kind of its results.
type part struct {
	kind      record.Kind
	words, by string // what it is, and the target that measures it
}

// recordParts are those of a whole record, in the order of the page.
var recordParts = []part{
	{record.Point, "point scenarios", "bench-resources"},
	{record.Series, "series of growing numbers of credentials", "bench-resources"},
	{record.Open, "calls at a rate", "bench-resources"},
	{record.Image, "binary and container image", "sizing"},
	{record.Endpoint, "cheap endpoints", "sizing"},
	{record.Ladder, "large answers", "sizing"},
	{record.Held, "calls that GitLab does not answer", "sizing"},
	{record.Session, "sessions of an older protocol", "sizing"},
	{record.Configs, "several surfaces in one process", "sizing"},
	{record.Sweep, "other settings", "sizing"},
	{record.Proof, "limits put to the test", "prove-sizing"},
	{record.Soak, "the gate soak", "soak"},
	{record.Overload, "the gate overload, more than the server admits", "overload"},
	{record.Abandoned, "the gate abandoned, clients that go away", "abandoned"},
	{record.Noise, "the noise floor", "noise"},
}

// absent names the parts that the record has nothing of, and what measures them.
func (v *View) absent() string {
	by := make(map[string][]string)
	var order []string
	for _, p := range recordParts {
		if len(v.resultsOf(p.kind)) == 0 {
			order = withNew(order, p.by)
			by[p.by] = append(by[p.by], p.words)
		}
	}
	var said []string
	for _, target := range order {
		said = append(said, fmt.Sprintf("%s (`make %s`)", enumerate(by[target]), target))
	}
	if len(said) == 0 {
		return ""
	}
	return "**Not in this record**, so that nothing here speaks of it: " + strings.Join(said, "; ") + "."
}

// ofOtherBuilds names the parts that were measured with another build than that of
// the figures, and with which.
func (v *View) ofOtherBuilds() string {
	var said []string
	for _, p := range recordParts {
		var builds []string
		for _, r := range v.resultsOf(p.kind) {
			if r.About(record.KeySHA256) != v.any.About(record.KeySHA256) {
				builds = withNew(builds, fmt.Sprintf("%s with %s, commit `%s`", dated(r), escape(r.About(record.KeyBuild)), short(r.About(record.KeyCommit))))
			}
		}
		if len(builds) > 0 {
			said = append(said, p.words+" "+strings.Join(builds, " and "))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "**The build of the figures in every part.** Measured with another: " + strings.Join(said, "; ") + "."
}

// resultsOf are the results of a kind.
func (v *View) resultsOf(kind record.Kind) []record.Result {
	return slices.DeleteFunc(slices.Clone(v.all), func(r record.Result) bool { return r.Kind() != kind })
}
