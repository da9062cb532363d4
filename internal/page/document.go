package page

import (
	"strings"

	"mcpbench/internal/page/chart"
)

// A Document is a page before it takes a form: what it says and shows, in
// order. Text is Markdown within a line: emphasis, code and links.
type Document struct {
	Title      string
	Lead       string // one paragraph above everything, where small print stands further down
	Sections   []Section
	Calculator *Calculator // nil where the record carries no model
	Record     string      // folder of the record as seen from the page's; ".." if it is not said
	Covers     Coverage
}

// A Section is a heading and what stands under it. Those before the first
// heading have none.
type Section struct {
	Heading string
	Blocks  []Block
	Small   bool // small print, which a page for browsers has below its first section
}

// A Block is one of a paragraph, a list, answers, a table, a stretch of code
// and a chart.
type Block struct {
	Text    string
	Items   []string
	Answers []Answer
	Table   *Table
	Code    string
	Chart   *chart.Chart
}

// A Table has a head and rows of as many cells as the head has columns.
type Table struct {
	Head  []string
	Names int // how many of the first columns name the row rather than measure it
	Rows  [][]Cell
	Notes []string // what stands under it, in order
}

// A Cell is what a table shows in one place.
type Cell struct {
	Text  string
	Mark  string   // of the note that belongs to it, if any
	Value float64  // what to sort by, if Known
	Known bool     // whether Value is a figure of the record
	Refs  []string // file:line of the results it comes from
}

// Charts returns the charts of the document in order.
func (d *Document) Charts() []*chart.Chart {
	var charts []*chart.Chart
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if b.Chart != nil {
				charts = append(charts, b.Chart)
			}
		}
	}
	return charts
}

func text(s string) Block        { return Block{Text: s} }
func list(items ...string) Block { return Block{Items: items} }
func code(lines ...string) Block { return Block{Code: strings.Join(lines, "\n")} }
func section(heading string, blocks ...Block) Section {
	return Section{Heading: heading, Blocks: blocks}
}

// tables returns a block for the table and one for each note under it.
func tables(t *Table) []Block {
	blocks := []Block{{Table: t}}
	for _, note := range t.Notes {
		blocks = append(blocks, text(note))
	}
	return blocks
}

// escape keeps text of the record from being read as Markdown or HTML.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "|", `\|`, "[", `\[`, "]", `\]`).Replace(s)
}
