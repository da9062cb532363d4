package page

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

func TestCitations(t *testing.T) {
	assert.Equal(t, "3 MiB", cite("3 MiB", nil))
	said := "It takes " + cite("3 MiB", []string{"/a (b)/points.txt:12", "points.txt:80"}) + " and [more](#memory)."
	assert.Equal(t, "It takes 3 MiB and [more](#memory).", uncited(said))
	w := &htmlWriter{markdown: newInline(), folder: ".."}
	assert.Equal(t, `It takes <a class="figure" href="../points.txt#L12" title="points.txt, lines 12 and 80">3 MiB</a> and <a href="#memory">more</a>.`, string(w.inline(said)))
	assert.Equal(t, "It takes 3 MiB and more.", w.plain(said))
	assert.Equal(t, "3 MiB", string(w.inline(cite("3 MiB", []string{":0"}))), "read from no file")
	assert.Empty(t, w.errs)
	w.inline("[x](" + recordScheme + "%zz)")
	assert.Empty(t, w.errs, "what is no citation is left to Markdown")
	assert.Equal(t, "Peak: 3 MiB of `x`.", unmarked(cite("Peak: 3 MiB", []string{"a:1"}))+" of `x`.")
}

// Every figure of what the page says first goes to a line that has it.
func TestFiguresOfClaimsAreLinks(t *testing.T) {
	_, root := wholePage(t)
	glance := elements(root, func(n *html.Node) bool { id, _ := attribute(n, "id"); return id == "at-a-glance" })
	require.Len(t, glance, 1)
	said := elements(glance[0], tagged("li", "strong"))
	require.Greater(t, len(said), 8)
	typed := regexp.MustCompile(`\bp(50|99)\b|\d+ CPUs? that|CPU \d+`)
	for _, s := range said {
		for d := range s.Descendants() {
			inLink := d.Parent != nil && d.Parent.Data == "a"
			if d.Type == html.TextNode && !inLink {
				assert.NotRegexp(t, `\d`, typed.ReplaceAllString(d.Data, ""), "a figure that leads nowhere")
			}
		}
	}
	assert.NotContains(t, drawn(t, wholeRecord()), recordScheme)
}

func TestLongListsOfLinesAreCut(t *testing.T) {
	var refs, lines []string
	for range manyLines + 2 {
		lines = append(lines, "7")
		refs = append(refs, "a.txt:"+string(rune('A'+len(refs))))
	}
	_, said := (&htmlWriter{folder: ".."}).sources(refs)
	assert.Contains(t, said, " and 2 more")
	assert.Len(t, someOf(lines), manyLines+1)
	assert.Len(t, someOf(lines[:manyLines]), manyLines)
}
