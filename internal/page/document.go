package page

import "strings"

// A Document is a page before it takes a form: what it says and shows, in
// order. Text is Markdown within a line: emphasis, code and links.
type Document struct {
	Title    string
	Sections []Section
	Covers   Coverage
}

// A Section is a heading and what stands under it. The first has no heading.
type Section struct {
	Heading string
	Blocks  []Block
}

// A Block is one of a paragraph, a list, a table and a stretch of code.
type Block struct {
	Text  string
	Items []string
	Table *Table
	Code  string
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
