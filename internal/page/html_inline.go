package page

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// newInline makes a Markdown renderer of what stands within a line. Whatever
// would begin a block, such as a number and a full stop, is text to it.
func newInline() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(onlyRaised{}, 1))))
}

// onlyRaised renders HTML within a line: the raised marks that the page itself
// writes, and of everything else the characters.
type onlyRaised struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (onlyRaised) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		tag := string(node.(*ast.RawHTML).Segments.Value(source))
		if tag != "<sup>" && tag != "</sup>" {
			tag = html.EscapeString(tag)
		}
		_, err := w.WriteString(tag)
		return ast.WalkSkipChildren, err
	})
}

// inline renders a line of Markdown.
func (w *htmlWriter) inline(line string) template.HTML {
	var b bytes.Buffer
	w.failed(w.markdown.Convert([]byte(line), &b))
	text := strings.TrimSpace(b.String())
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<p>"), "</p>")
	return template.HTML(w.linked(text)) // goldmark escaped it
}

var tag = regexp.MustCompile(`<[^>]*>`)

// plain is a line of Markdown as plain text, without the marks of notes.
func (w *htmlWriter) plain(line string) string {
	line, _, _ = strings.Cut(line, " <sup>")
	return html.UnescapeString(tag.ReplaceAllString(string(w.inline(line)), ""))
}

// anchors gives headings the names by which GitHub lets a link go to them, so
// that a link within the page works in Markdown and in HTML.
type anchors map[string]int

// of returns the anchor of the next heading: its small letters and digits, with
// hyphens for spaces, and a number if there was one like it before.
func (a anchors) of(heading string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			return r
		}
		return -1
	}, strings.ToLower(heading))
	before, taken := a[name]
	a[name] = before + 1
	if taken {
		return name + "-" + strconv.Itoa(before)
	}
	return name
}
