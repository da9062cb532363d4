package page

import (
	"html/template"
	"net/url"
	"regexp"
	"strings"
)

// recordScheme begins the destination of a link to lines of the record. Which
// file that is, as seen from a page, only the page knows.
const recordScheme = "record:"

// cite ties a figure of a sentence to the lines of the record that it is from,
// which are file:line. A page for browsers makes a link of that, and Markdown
// leaves it out, as it does in tables.
func cite(figure string, refs []string) string {
	if len(refs) == 0 {
		return figure
	}
	escaped := make([]string, len(refs))
	for i, ref := range refs {
		escaped[i] = url.QueryEscape(ref)
	}
	return "[" + figure + "](" + recordScheme + strings.Join(escaped, ",") + ")"
}

var citation = regexp.MustCompile(`\[([^\[\]]*)\]\(` + recordScheme + `[^)]*\)`)

// uncited is text without its ties to the record.
func uncited(text string) string { return citation.ReplaceAllString(text, "$1") }

// cited is the figure as prose has it, tied to its lines.
func (f Figure) cited() string { return cite(f.String(), f.Refs) }

// citedAnchor is what a citation has become in HTML.
var citedAnchor = regexp.MustCompile(`<a href="` + recordScheme + `([^"]*)">(.*?)</a>`)

// linked turns citations into links to the record.
func (w *htmlWriter) linked(text string) string {
	return citedAnchor.ReplaceAllStringFunc(text, func(anchor string) string {
		m := citedAnchor.FindStringSubmatch(anchor)
		var refs []string
		for ref := range strings.SplitSeq(m[1], ",") {
			ref, err := url.QueryUnescape(ref)
			w.failed(err)
			refs = append(refs, ref)
		}
		href, sources := w.sources(refs)
		if href == "" {
			return m[2]
		}
		return `<a class="figure" href="` + template.HTMLEscapeString(href) + `" title="` + template.HTMLEscapeString(sources) + `">` + m[2] + `</a>`
	})
}
