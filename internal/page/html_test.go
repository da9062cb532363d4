package page

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// elsewhere finds what is left out of the golden page, since it stands in files
// of its own.
var elsewhere = regexp.MustCompile(`(?s)<svg.*?</svg>|<style>.*?</style>|<script>.*?</script>|sha256-(?:[^&]|&#43;)*`)

func TestGoldenHTML(t *testing.T) {
	const golden = "testdata/page/meta/index.html"
	updateSamples(t)
	doc, err := Draw(only(sample(t, pointsPath, seriesPath), "surface=meta"))
	require.NoError(t, err)
	data, err := doc.HTML()
	require.NoError(t, err)
	page := elsewhere.ReplaceAll(data, []byte("…"))
	if *update {
		require.NoError(t, record.WriteFile(golden, page))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(page))
}

// asHTML is a document as text and as a tree.
func asHTML(t *testing.T, doc *Document) (string, *html.Node) {
	t.Helper()
	data, err := doc.HTML()
	require.NoError(t, err)
	root, err := html.Parse(strings.NewReader(string(data)))
	require.NoError(t, err)
	return string(data), root
}

// wholePage is the page of the whole made-up record.
func wholePage(t *testing.T) (string, *html.Node) {
	t.Helper()
	doc, err := Draw(sample(t, pointsPath, seriesPath))
	require.NoError(t, err)
	return asHTML(t, doc)
}

// elements returns the elements for which a test holds, in order.
func elements(root *html.Node, test func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && test(n) {
			found = append(found, n)
		}
	}
	return found
}

func tagged(names ...string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(names, n.Data) }
}

// attribute returns what an element says of itself, and whether it does.
func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func with(key string) func(*html.Node) bool {
	return func(n *html.Node) bool { _, ok := attribute(n, key); return ok }
}

// said is the text of an element, spaces folded.
func said(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Every element that is opened is closed, in turn.
func TestHTMLIsWellFormed(t *testing.T) {
	page, _ := wholePage(t)
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	void := []string{"meta", "link", "input", "br", "img"}
	for z.Next() != html.ErrorToken {
		switch token := z.Token(); token.Type {
		case html.StartTagToken:
			if !slices.Contains(void, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			require.NotEmpty(t, open, token.Data)
			require.Equal(t, open[len(open)-1], token.Data)
			open = open[:len(open)-1]
		}
	}
	assert.Empty(t, open)
	assert.NotContains(t, page, "ZgotmplZ", "the template refused nothing")
	assert.NotContains(t, page, "<no value>")
}

func TestHTMLNeedsNothingBesideIt(t *testing.T) {
	_, root := wholePage(t)
	ids := make(map[string]bool)
	for _, n := range elements(root, with("id")) {
		id, _ := attribute(n, "id")
		assert.False(t, ids[id], "%s is there twice", id)
		ids[id] = true
	}
	for _, key := range []string{"href", "xlink:href"} {
		for _, n := range elements(root, with(key)) {
			to, _ := attribute(n, key)
			if name, inside := strings.CutPrefix(to, "#"); inside {
				assert.True(t, ids[name], "nothing has the name of %s", to)
				continue
			}
			assert.Regexp(t, `^(\.\./(points|series)\.txt(#L\d+)?|data:,)$`, to)
		}
	}
	for _, key := range []string{"aria-labelledby", "aria-describedby", "for"} {
		for _, n := range elements(root, with(key)) {
			names, _ := attribute(n, key)
			for name := range strings.FieldsSeq(names) {
				assert.True(t, ids[name], "nothing has the name of %s", name)
			}
		}
	}
	assert.Empty(t, elements(root, with("src")))
	assert.Empty(t, elements(root, tagged("iframe", "object", "embed", "img", "base")))
	for _, style := range elements(root, tagged("style")) {
		assert.NotRegexp(t, `url\(|@import`, said(style))
	}
}

func TestHTMLForbidsEverythingElse(t *testing.T) {
	_, root := wholePage(t)
	metas := elements(root, func(n *html.Node) bool { v, _ := attribute(n, "http-equiv"); return v == "Content-Security-Policy" })
	require.Len(t, metas, 1)
	policy, _ := attribute(metas[0], "content")
	assert.Contains(t, policy, "default-src 'none'")
	scripts := elements(root, func(n *html.Node) bool { _, typed := attribute(n, "type"); return n.DataAtom == atom.Script && !typed })
	require.Len(t, scripts, 2)
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script.FirstChild.Data))
		assert.Contains(t, policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		assert.Contains(t, script.FirstChild.Data, "\n'use strict';\n")
	}
	for _, n := range elements(root, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			assert.False(t, strings.HasPrefix(a.Key, "on"), "a script in %s", a.Key)
		}
	}
}

func TestHTMLCanBeReadWithoutSight(t *testing.T) {
	_, root := wholePage(t)
	lang, _ := attribute(elements(root, tagged("html"))[0], "lang")
	assert.Equal(t, "en", lang)
	for _, one := range []string{"h1", "main", "nav", "header", "title"} {
		count := elements(root, func(n *html.Node) bool { return n.Data == one && n.Namespace == "" })
		assert.Len(t, count, 1, one)
	}
	labels := make(map[string]bool)
	for _, n := range elements(root, func(n *html.Node) bool { role, _ := attribute(n, "role"); return role == "region" }) {
		label, _ := attribute(n, "aria-label")
		assert.NotEmpty(t, label)
		assert.False(t, labels[label], "two are called %s", label)
		labels[label] = true
		stop, _ := attribute(n, "tabindex")
		assert.Equal(t, "0", stop)
	}
	assert.True(t, labels["Table: Memory: At rest"])
	for _, section := range elements(root, tagged("section")) {
		heading := said(elements(section, tagged("h2"))[0])
		assert.False(t, labels[heading], "a section is a region too: %s", heading)
	}
	for _, th := range elements(root, tagged("th")) {
		scope, _ := attribute(th, "scope")
		assert.Contains(t, []string{"col", "row"}, scope)
	}
	level := 1
	for _, h := range elements(root, tagged("h1", "h2", "h3", "h4")) {
		next := int(h.Data[1] - '0')
		assert.LessOrEqual(t, next, level+1, "no level is left out before %s", said(h))
		level = next
	}
	for _, b := range elements(root, tagged("button")) {
		kind, _ := attribute(b, "type")
		assert.Equal(t, "button", kind)
		assert.NotEmpty(t, said(b))
	}
}

// What is asked first is on top, and what it belongs to below it.
func TestHTMLBeginsWithTheGlance(t *testing.T) {
	rec := sample(t, pointsPath, seriesPath)
	rec.Plan["Point/subject=gitlab-mcp/transport=http/surface=other"] = 2
	doc, err := Draw(rec)
	require.NoError(t, err)
	page, _ := asHTML(t, doc)
	inOrder := []string{"Measured on reference with v0.1.0, 2026-11-30, in 2 to 3 rounds of closed loop and open loop.", "This record is partial.",
		`<section id="at-a-glance"`, `<dl class="answers">`, "How much memory?", "Largest peak of memory", "Host: reference", "Method: scenarios in a closed loop", `<section id="what-to-plan-for"`, `<form id="calculator"`, "That many people"}
	at := 0
	for _, part := range inOrder {
		next := strings.Index(page[at:], part)
		require.GreaterOrEqual(t, next, 0, "%s is not where it should be", part)
		at += next
	}

	doc.Lead = ""
	page, _ = asHTML(t, doc)
	assert.Less(t, strings.Index(page, "Host: reference"), strings.Index(page, `<section id="at-a-glance"`), "small print is on top where nothing takes its place")

	doc = &Document{Title: "Small", Lead: "Nothing else.", Sections: []Section{{Blocks: []Block{text("print")}, Small: true}}}
	page, _ = asHTML(t, doc)
	assert.Contains(t, page, "<p>print</p>", "and in the end where there are no headings")
}

func TestHTMLWithoutAModelHasNoCalculator(t *testing.T) {
	doc, err := Draw(sample(t, pointsPath))
	require.NoError(t, err)
	page, root := asHTML(t, doc)
	assert.Empty(t, elements(root, tagged("form")))
	assert.NotContains(t, page, "mcpbenchCalculator")
	assert.Len(t, elements(root, tagged("script")), 1)
}

func TestHTMLSaysWhomTheCalculatorSpeaksFor(t *testing.T) {
	doc, err := Draw(sampleSeries())
	require.NoError(t, err)
	doc.Record = "../../record"
	said := func() string {
		page, _ := asHTML(t, doc)
		text, _, _ := strings.Cut(page[strings.Index(page, `<p class="note">For`):], "The limit is")
		return strings.Join(strings.Fields(text), " ")
	}
	assert.Equal(t, `<p class="note">For the host reference and v0.1.0, by the record, measured until 2026-11-30.`, said())
	doc.Calculator.Record = []string{"a.txt", "b.txt"}
	assert.Contains(t, said(), `by <a href="../../record/a.txt">a.txt</a>, <a href="../../record/b.txt">b.txt</a>, measured`)
	doc.Calculator.Host, doc.Calculator.Build, doc.Calculator.Measured = "", "", ""
	assert.Contains(t, said(), "For the host measured, by")
}

func TestHTMLBlocks(t *testing.T) {
	chartDoc := func(c *chart.Chart) *Document {
		return &Document{Title: "T", Sections: []Section{section("S", Block{Chart: c})}}
	}
	for _, tc := range []struct {
		name, want string
		block      Block
	}{
		{"a paragraph", "\n<p>two <strong>words</strong></p>", text("two **words**")},
		{"a note", "\n<p class=\"note\"><sup>a</sup> n/a: why.</p>", text("<sup>a</sup> n/a: why.")},
		{"a list", "\n<ul>\n<li>one</li>\n<li><code>two</code></li>\n</ul>", list("one", "`two`")},
		{"code", "\n<pre>make &lt;it&gt;\nand more</pre>", code("make <it>", "and more")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page, _ := asHTML(t, &Document{Title: "T", Sections: []Section{section("S", tc.block)}})
			assert.Contains(t, page, tc.want)
		})
	}
	_, err := chartDoc(&chart.Chart{Name: "bad name"}).HTML()
	require.ErrorContains(t, err, "draw the page as HTML")
}

func TestHTMLShowsEachChartForBothThemes(t *testing.T) {
	page, root := wholePage(t)
	doc, err := Draw(sample(t, pointsPath, seriesPath))
	require.NoError(t, err)
	pictures := elements(root, tagged("svg"))
	assert.Len(t, pictures, len(doc.Charts()))
	assert.Contains(t, page, chart.Style())
	assert.Contains(t, page, "fill:var(--chart-0)")
	assert.NotEmpty(t, elements(root, with("viewBox")), "attributes of SVG keep their capitals")
}

func TestInlineMarkdown(t *testing.T) {
	w := &htmlWriter{markdown: newInline()}
	for in, want := range map[string]string{
		"":                                "",
		"plain":                           "plain",
		"**bold** and `code`":             "<strong>bold</strong> and <code>code</code>",
		"[Memory](#memory)":               `<a href="#memory">Memory</a>`,
		"405 KiB <sup>a</sup>":            "405 KiB <sup>a</sup>",
		escape(`a_b *c* <i>d|e[f]` + "`"): "a_b *c* &lt;i&gt;d|e[f]`",
		"<b>no</b> <sup x>":               "&lt;b&gt;no&lt;/b&gt; &lt;sup x&gt;",
		"1. no list":                      "1. no list",
		"# no heading":                    "# no heading",
		"- 3":                             "- 3",
		"[x](javascript:alert(1))":        `<a href="">x</a>`,
	} {
		assert.Equal(t, want, string(w.inline(in)), in)
	}
	assert.Empty(t, w.errs)
	assert.Equal(t, "a_b <x>", w.plain(escape("a_b <x>")))
	assert.Equal(t, "http, individual", w.plain("http, individual <sup>†</sup>"))
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	a := make(anchors)
	for _, tc := range []struct{ heading, want string }{
		{"At a glance", "at-a-glance"},
		{"Series: http, dynamic, 1 to 10,000 credentials", "series-http-dynamic-1-to-10000-credentials"},
		{"Threads, descriptors, goroutines", "threads-descriptors-goroutines"},
		{"Größe: ½ – snake_case (a.b)", "größe-½--snake_case-ab"},
		{"At a glance", "at-a-glance-1"},
		{"At a glance", "at-a-glance-2"},
	} {
		assert.Equal(t, tc.want, a.of(tc.heading))
	}
}

func TestTopicsOfTables(t *testing.T) {
	w := &htmlWriter{markdown: newInline(), labels: make(map[string]int)}
	for paragraph, want := range map[string]string{
		"Just words.":                     "Memory",
		"**At rest**, MiB: more.":         "Memory: At rest",
		"What the series came to:":        "Memory: What the series came to",
		strings.Repeat("long ", 20) + ":": "Memory",
	} {
		assert.Equal(t, want, w.topic("Memory", paragraph))
	}
	assert.Equal(t, []string{"Memory", "Memory, 2", "Waits", "Memory, 3"},
		[]string{w.label("Memory"), w.label("Memory"), w.label("Waits"), w.label("Memory")})
}

func TestFiguresLinkToTheirLines(t *testing.T) {
	for _, tc := range []struct {
		refs       []string
		folder     string
		href, says string
	}{
		{nil, "..", "", ""},
		{[]string{":0"}, "..", "", ""},
		{[]string{"points.txt:12"}, "..", "../points.txt#L12", "points.txt, line 12"},
		{[]string{"/some/where/points.txt:12", "/some/where/points.txt:12", "/some/where/points.txt:80"}, "..", "../points.txt#L12", "points.txt, lines 12 and 80"},
		{[]string{"b.txt:3", "a.txt:1", "b.txt:4", "b.txt:5"}, "../x", "../x/b.txt#L3", "b.txt, lines 3, 4 and 5; a.txt, line 1"},
	} {
		href, says := (&htmlWriter{folder: tc.folder}).sources(tc.refs)
		assert.Equal(t, tc.href, href)
		assert.Equal(t, tc.says, says)
	}
	_, root := wholePage(t)
	links := elements(root, func(n *html.Node) bool { class, _ := attribute(n, "class"); return n.Data == "a" && class == "figure" })
	assert.Greater(t, len(links), 1000)
	for _, link := range links {
		href, _ := attribute(link, "href")
		title, _ := attribute(link, "title")
		assert.Regexp(t, `^\.\./(points|series)\.txt#L\d+$`, href)
		assert.Contains(t, title, "line")
	}
}

func TestTablesCanBeSorted(t *testing.T) {
	table := &Table{Head: []string{"Name", "Memory, MiB", "Words"}, Names: 1, Rows: [][]Cell{
		{{Text: "http, meta", Mark: "†"}, {Text: "1.50 (1–2)", Value: 1.5 * mebi, Known: true, Refs: []string{"a.txt:4"}}, {Text: "not linear"}},
		{{Text: "stdio, meta"}, {Text: "n/a", Mark: "a"}, {Text: "yes"}},
	}}
	draw := func(t *testing.T, table *Table) (string, *html.Node) {
		t.Helper()
		return asHTML(t, &Document{Title: "T", Sections: []Section{section("Heading", Block{Table: table})}})
	}
	page, root := draw(t, table)
	assert.Contains(t, page, `<div class="region" role="region" tabindex="0" aria-label="Table: Heading">`)
	assert.Contains(t, page, `<th scope="col" class="figures" aria-sort="none"><button type="button">Memory, MiB</button></th>`)
	assert.Contains(t, page, `<th scope="row" class="words">http, meta <sup>†</sup></th>`)
	assert.Contains(t, page, `<td class="figures" data-value="1572864"><a class="figure" href="../a.txt#L4" title="a.txt, line 4">1.50 <span class="range">(1–2)</span></a></td>`)
	assert.Contains(t, page, `<td class="figures">n/a <sup>a</sup></td>`)
	assert.Contains(t, page, `<td class="words">yes</td>`)
	assert.Len(t, elements(root, with("aria-sort")), 3)

	table.Rows = table.Rows[:1]
	page, root = draw(t, table)
	assert.Empty(t, elements(root, with("aria-sort")), "there is nothing to sort")
	assert.Contains(t, page, `<th scope="col" class="figures">Memory, MiB</th>`)

	table.Rows = nil
	page, _ = draw(t, table)
	assert.Contains(t, page, "<tbody>\n</tbody>")
}

// A column of the largest peaks is sorted by these and not by medians.
func TestTablesAreSortedByWhatTheyShow(t *testing.T) {
	f := Figure{Unit: "peak-RSS-bytes", Summary: stat.Summary{Median: 100 * mebi, Min: 90 * mebi, Max: 120 * mebi}, Refs: []string{"a.txt:1"}}
	m := &tableMaker{}
	assert.InDelta(t, 120*mebi, m.cell(f, mib, Figure.largest).Value, 0)
	assert.InDelta(t, 100*mebi, m.cell(f, mib, Figure.spread).Value, 0)
	assert.InDelta(t, 100*mebi, m.cell(f, mib, Figure.middle).Value, 0)
}
