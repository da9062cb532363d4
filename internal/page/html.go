package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"

	"mcpbench/internal/page/chart"
)

//go:embed assets
var assets embed.FS

var htmlTemplate = template.Must(template.ParseFS(assets, "assets/page.html", "assets/blocks.html"))

// An htmlPage is what the template shows.
type htmlPage struct {
	Policy        string // what the page may load and run
	Style         template.HTML
	Scripts       []template.HTML
	Title         string
	Heading, Lead template.HTML
	Contents      []htmlSection
	Sections      []htmlSection
	Calculator    *Calculator
	Choices       htmlChoices
	Folder        string // of the record, as seen from the page's
}

// An htmlSection is a section, or what stands above the first heading.
type htmlSection struct {
	ID         string // "" without a heading
	Heading    template.HTML
	Class      string
	Calculates bool // whether the calculator stands in it
	Blocks     []htmlBlock
}

// An htmlBlock is one of its fields but for the class.
type htmlBlock struct {
	Class   string
	Text    template.HTML
	Items   []template.HTML
	Answers []htmlAnswer
	Code    string
	Table   *htmlTable
	Chart   *htmlChart
}

// An htmlAnswer is a question with its answer, and what that is of.
type htmlAnswer struct{ Question, Figure, Of template.HTML }

// An htmlChart is a chart that takes its colours from the theme that shows.
type htmlChart struct {
	Label   string
	Picture template.HTML
}

// htmlChoices are what the calculator may be asked about.
type htmlChoices struct{ Surfaces, Transports []string }

// htmlWriter turns a document into what the template shows. It keeps the first
// errors for the end.
type htmlWriter struct {
	markdown goldmark.Markdown
	folder   string         // of the record, as seen from the page's
	anchors  anchors        // of headings so far
	labels   map[string]int // of regions so far
	errs     []error
}

func (w *htmlWriter) failed(err error) {
	if err != nil {
		w.errs = append(w.errs, err)
	}
}

// HTML renders the document as one file that needs nothing beside it: style,
// scripts and charts are part of it, and it forbids the browser to load more. It
// fails where a chart cannot be drawn.
func (d *Document) HTML() ([]byte, error) {
	w := &htmlWriter{markdown: newInline(), folder: cmp.Or(d.Record, ".."), anchors: make(anchors), labels: make(map[string]int)}
	p := w.page(d)
	var b bytes.Buffer
	w.failed(htmlTemplate.Execute(&b, p))
	if err := errors.Join(w.errs...); err != nil {
		return nil, fmt.Errorf("draw the page as HTML: %w", err)
	}
	return b.Bytes(), nil
}

func (w *htmlWriter) page(d *Document) *htmlPage {
	p := &htmlPage{
		Title: w.plain(d.Title), Heading: w.inline(d.Title), Lead: w.inline(d.Lead),
		Style:      template.HTML("<style>" + w.asset("page.css") + chart.Style() + "</style>"),
		Calculator: d.Calculator, Choices: choices(d.Calculator), Folder: w.folder,
	}
	scripts := []string{w.asset("page.js")}
	if d.Calculator != nil {
		scripts = append(scripts, w.asset("calculator.js"))
	}
	for _, s := range scripts {
		p.Scripts = append(p.Scripts, template.HTML("<script>"+s+"</script>"))
	}
	p.Policy = policy(scripts)
	p.arrange(w.sections(d))
	return p
}

// asset returns an embedded file.
func (w *htmlWriter) asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	w.failed(err)
	return string(data)
}

// policy allows the page's own scripts, by their hashes, its own style and
// pictures that are part of it. Nothing else is loaded or run, and nothing sent.
func policy(scripts []string) string {
	var hashes []string
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return "default-src 'none'; script-src " + cmp.Or(strings.Join(hashes, " "), "'none'") +
		"; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
}

// arrange puts small print below the first section that has a heading, so that
// the first screen is what is asked first. It stays on top if there is no lead
// in its place.
func (p *htmlPage) arrange(sections []htmlSection) {
	var small []htmlSection
	for _, s := range sections {
		switch {
		case s.Class == smallPrint && p.Lead != "":
			small = append(small, s)
			continue
		case s.ID != "":
			p.Contents = append(p.Contents, s)
		}
		p.Sections = append(p.Sections, s)
		if s.ID != "" {
			p.Sections = append(p.Sections, small...)
			small = nil
		}
	}
	p.Sections = append(p.Sections, small...)
}

const smallPrint = "small"

func (w *htmlWriter) sections(d *Document) []htmlSection {
	var out []htmlSection
	for _, s := range d.Sections {
		var h htmlSection
		if s.Small {
			h.Class = smallPrint
		}
		if s.Heading != "" {
			h.ID, h.Heading = w.anchors.of(w.plain(s.Heading)), w.inline(s.Heading)
		}
		h.Calculates = d.Calculator != nil && s.Heading == planningHeading
		label := w.plain(s.Heading)
		for _, b := range s.Blocks {
			if b.Text != "" && !isNote(b) {
				label = w.topic(s.Heading, b.Text)
			}
			h.Blocks = append(h.Blocks, w.block(b, label))
		}
		out = append(out, h)
	}
	return out
}

// emphasis is what a paragraph begins with if it introduces a table.
var emphasis = regexp.MustCompile(`^\*\*([^*]+)\*\*`)

// topic is what the tables after a paragraph are of: the section, and what the
// paragraph introduces, if it does.
func (w *htmlWriter) topic(heading, paragraph string) string {
	of := w.plain(heading)
	if m := emphasis.FindStringSubmatch(paragraph); m != nil {
		return of + ": " + w.plain(m[1])
	}
	if said, found := strings.CutSuffix(paragraph, ":"); found && len(said) < 60 {
		return of + ": " + w.plain(said)
	}
	return of
}

// label makes what a region is called its own, since readers go by it.
func (w *htmlWriter) label(s string) string {
	w.labels[s]++
	if n := w.labels[s]; n > 1 {
		return fmt.Sprintf("%s, %d", s, n)
	}
	return s
}

func (w *htmlWriter) block(b Block, label string) htmlBlock {
	switch {
	case b.Table != nil:
		return htmlBlock{Table: w.table(b.Table, w.label(label))}
	case b.Chart != nil:
		return htmlBlock{Chart: w.chart(b.Chart)}
	case len(b.Answers) > 0:
		var h htmlBlock
		for _, a := range b.Answers {
			h.Answers = append(h.Answers, htmlAnswer{w.inline(a.Question), w.inline(a.Figure), w.inline(a.Of)})
		}
		return h
	case b.Code != "":
		return htmlBlock{Code: b.Code}
	case len(b.Items) > 0:
		var h htmlBlock
		for _, item := range b.Items {
			h.Items = append(h.Items, w.inline(item))
		}
		return h
	}
	h := htmlBlock{Text: w.inline(b.Text)}
	if isNote(b) {
		h.Class = "note"
	}
	return h
}

// isNote reports whether a paragraph explains a mark of the table before it.
func isNote(b Block) bool { return strings.HasPrefix(b.Text, "<sup>") }

// chart draws a chart as part of a page.
func (w *htmlWriter) chart(c *chart.Chart) *htmlChart {
	data, err := c.Inline()
	w.failed(err)
	return &htmlChart{Label: w.label("Chart: " + c.Title), Picture: template.HTML(data)}
}

// choices lists what the calculator has figures of, HTTP first.
func choices(c *Calculator) htmlChoices {
	var out htmlChoices
	if c == nil {
		return out
	}
	for _, s := range c.Surfaces {
		out.Surfaces = withNew(out.Surfaces, s.Surface)
		out.Transports = withNew(out.Transports, s.Transport)
	}
	return out
}

// withNew adds a word to those that are not like it.
func withNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}
