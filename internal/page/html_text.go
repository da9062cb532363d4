package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

var textTemplate = template.Must(template.ParseFS(assets, "assets/text.html"))

// HTMLOf renders a text in Markdown as one file that needs nothing beside it and
// runs no script. Of HTML within the text it keeps what unfolds and what is
// raised, and shows all other as characters.
func HTMLOf(title string, markdown []byte) ([]byte, error) {
	w := &htmlWriter{}
	var body, out bytes.Buffer
	w.failed(newText().Convert(markdown, &body))
	w.failed(textTemplate.Execute(&out, struct {
		Policy, Title string
		Style, Body   template.HTML
	}{policy(nil), title, template.HTML("<style>" + w.asset("page.css") + "</style>"), template.HTML(inRegions(body.String()))}))
	if err := errors.Join(w.errs...); err != nil {
		return nil, fmt.Errorf("draw %q as HTML: %w", title, err)
	}
	return out.Bytes(), nil
}

// newText makes a Markdown renderer of whole texts with tables.
func newText() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(onlyFolds{}, 1))))
}

// onlyFolds renders the tags that a text may have, and of every other the
// characters.
type onlyFolds struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (onlyFolds) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		block, lines := node.(*ast.HTMLBlock), node.Lines()
		if !entering {
			return ast.WalkContinue, nil
		}
		text := string(lines.Value(source))
		if block.HasClosure() {
			text += string(block.ClosureLine.Value(source))
		}
		_, err := w.WriteString(folds(text))
		return ast.WalkSkipChildren, err
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.WriteString(folds(string(node.(*ast.RawHTML).Segments.Value(source))))
		return ast.WalkSkipChildren, err
	})
}

var (
	anyTag     = regexp.MustCompile(`<[^>]*>?`)
	allowedTag = regexp.MustCompile(`^</?(details|summary|sup)>$`)
)

// folds is HTML with no tags but the allowed ones.
func folds(text string) string {
	return anyTag.ReplaceAllStringFunc(text, func(tag string) string {
		if allowedTag.MatchString(tag) {
			return tag
		}
		return template.HTMLEscapeString(tag)
	})
}

// inRegions lets tables that are wider than the page scroll by themselves, by
// the keyboard as well.
func inRegions(body string) string {
	n := 0
	for strings.Contains(body, "<table>") {
		n++
		body = strings.Replace(body, "<table>", fmt.Sprintf(`<div class="region" role="region" tabindex="0" aria-label="Table %d"><table >`, n), 1)
	}
	return strings.ReplaceAll(strings.ReplaceAll(body, "<table >", "<table>"), "</table>", "</table></div>")
}
