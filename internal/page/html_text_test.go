package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATextAsHTML(t *testing.T) {
	text := strings.Join([]string{
		"**Bold** and `code` <script>alert(1)</script> with <b onclick=x>tags</b>.", "",
		"| a | b |", "| --- | ---: |", "| x \\| y | 1 <sup>a</sup> |", "",
		"<details><summary>More &lt;b&gt; <script src=x></summary>", "", "- one", "- two", "", "</details>", "",
		"| c |", "| --- |", "| [x](javascript:alert(1)) |", "",
		"<!-- a", "comment -->", "", "<pre>", "raw</pre>",
	}, "\n")
	data, err := HTMLOf("a < b", []byte(text))
	require.NoError(t, err)
	page := string(data)
	for _, want := range []string{
		"<title>a &lt; b</title>", "script-src &#39;none&#39;", "<strong>Bold</strong> and <code>code</code> &lt;script&gt;alert(1)&lt;/script&gt;",
		"&lt;b onclick=x&gt;tags&lt;/b&gt;", "<details><summary>More &lt;b&gt; &lt;script src=x&gt;</summary>", "</details>",
		`<div class="region" role="region" tabindex="0" aria-label="Table 1"><table>`, `aria-label="Table 2"><table>`, "x | y", "1 <sup>a</sup>",
		"&lt;!-- a", "&lt;/pre&gt;", `<a href="">x</a>`,
	} {
		assert.Contains(t, page, want)
	}
	for _, wrong := range []string{"<script", "<b ", "<pre", "<!--", "javascript:"} {
		assert.NotContains(t, page, wrong)
	}
	assert.Equal(t, 2, strings.Count(page, "</table></div>"))
}

func TestClassesOfColumns(t *testing.T) {
	long := strings.Repeat("word ", longWords/5)
	table := &Table{Names: 1, Rows: [][]Cell{
		{{Text: "a"}, {Text: "1", Known: true}, {Text: "PASS"}, {Text: "short"}},
		{{Text: "b"}, {Text: "2", Known: true}, {Text: "two words"}, {Text: long}},
	}}
	for column, want := range []string{wordsClass, figuresClass, wordsClass, longClass} {
		assert.Equal(t, want, table.class(column), column)
	}
}

// A verdict is no figure, and comes from a line of the record all the same.
func TestWordsLeadToTheRecord(t *testing.T) {
	w := &htmlWriter{markdown: newInline(), folder: "..", anchors: make(anchors), labels: make(map[string]int)}
	c := w.cell(Cell{Text: "**FAIL**", Refs: []string{"x/soak.txt:7"}})
	assert.Equal(t, "../soak.txt#L7", c.Href)
	assert.Empty(t, c.Value, "nothing to sort by")
}
