package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"mcpbench/internal/page"
)

// Markdown renders the comparison for a comment on a merge request: the verdict
// in one line, the builds, what got worse, what got better, exact metrics that
// differ, and all figures folded up. Text over limit bytes, if that is above
// zero, is avoided by leaving out the folded figures of the last scenarios and
// saying so; what changed is always there.
func (c *Comparison) Markdown(limit int) []byte {
	blocks := []string{c.headline(), c.builds(), c.context(), c.differences(), c.fewRounds(), c.reading()}
	blocks = append(blocks, c.changes()...)
	blocks = append(blocks, c.leftOut(), c.warnings(), c.meansTable())
	text := join(blocks)
	var cut []string
	for _, s := range c.Scenarios {
		details := "\n" + c.details(s)
		if len(cut) > 0 || limit > 0 && len(text)+len(details)+cutRoom > limit {
			cut = append(cut, c.title(s.Name))
			continue
		}
		text += details
	}
	if len(cut) > 0 {
		text += fmt.Sprintf("\nLeft out to stay under %d bytes: all figures of %s.\n", limit, few(cut))
	}
	return []byte(text)
}

// HTML renders the whole comparison as a file for browsers that needs nothing
// beside it.
func (c *Comparison) HTML() ([]byte, error) {
	text := bytes.ReplaceAll(c.Markdown(0), []byte("\n### "), []byte("\n## ")) // under the title
	return page.HTMLOf(fmt.Sprintf("%s against %s", c.New.called(), c.Old.called()), text)
}

// called is what a title calls the build of a side.
func (s *Side) called() string {
	if commit := short(s.Commit); s.Build != "" && commit != "" {
		return fmt.Sprintf("%s (%s)", s.Build, commit)
	}
	return cmp.Or(s.Build, short(s.Commit), "the "+s.Name+" record")
}

// cutRoom is kept for the sentence that says what was left out.
const cutRoom = 400

// few lists the first of many.
func few(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, "; ")
	}
	return fmt.Sprintf("%s and %d more scenarios", strings.Join(names[:most], "; "), len(names)-most)
}

// join puts an empty line between the blocks that are there.
func join(blocks []string) string {
	var there []string
	for _, b := range blocks {
		if b != "" {
			there = append(there, strings.TrimRight(b, "\n")+"\n")
		}
	}
	return strings.Join(there, "\n")
}

// folded is a block that opens on a click. Without empty lines around it
// GitHub and GitLab would not read what it holds as Markdown.
func folded(summary, content string) string {
	return fmt.Sprintf("<details><summary>%s</summary>\n\n%s\n\n</details>\n", html.EscapeString(summary), strings.TrimRight(content, "\n"))
}

// reading says what the words mean.
func (c *Comparison) reading() string {
	if len(c.Scenarios) == 0 {
		return ""
	}
	return fmt.Sprintf("Medians of rounds, in brackets the smallest and largest. A figure is worse or better where the rounds of the two "+
		"records are told apart (Mann-Whitney U test, p of at most %v) *and* the medians differ by more than the noise floor: "+
		"the range of the rounds of either record, the wider one%s. What passes the test only is within the noise. "+
		"Exact figures count wherever they differ. What describes the suite itself is never worse or better. "+
		"Chance alone gets about one figure in a hundred past both with four rounds, and one in several hundred with six: "+
		"measure again before acting on a single one.",
		benchmath.DefaultThresholds.CompareAlpha, c.beforehand())
}

// beforehand says that changes were held to noise measured before.
func (c *Comparison) beforehand() string {
	if !slices.ContainsFunc(c.Figures(), func(f Figure) bool { return f.Floor > 0 }) {
		return ""
	}
	return ", and where a build was measured against itself, the change that so many rounds only just find"
}
