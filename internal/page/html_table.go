package page

import (
	"html/template"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An htmlTable is a table as the template shows it.
type htmlTable struct {
	Label string // what the table is of; no two of a page have the same
	Head  []htmlHead
	Rows  [][]htmlCell
	Sorts bool // whether there is anything to sort
}

// An htmlHead is what stands above a column.
type htmlHead struct {
	Text  template.HTML
	Class string
}

// An htmlCell is a cell with what a reader may do with it.
type htmlCell struct {
	Text    template.HTML
	Mark    string
	Class   string
	Names   bool   // whether it names its row
	Value   string // what to sort by; "" if the cell is no figure
	Href    string // the first line of the record that it comes from; "" if there is none
	Sources string // all of them
}

// Classes of columns: those that are read downwards and those that are read.
const (
	figuresClass = "figures"
	wordsClass   = "words"
	longClass    = "words long"
)

func (w *htmlWriter) table(t *Table, label string) *htmlTable {
	out := &htmlTable{Label: label, Sorts: len(t.Rows) > 1}
	for i, head := range t.Head {
		out.Head = append(out.Head, htmlHead{w.inline(head), t.class(i)})
	}
	for _, row := range t.Rows {
		cells := make([]htmlCell, len(row))
		for i, c := range row {
			cells[i] = w.cell(c)
			cells[i].Names, cells[i].Class = i < t.Names, t.class(i)
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// longWords is from how many bytes on a text is broken into lines.
const longWords = 80

// class tells a column of figures from one of words, and of many words. A figure
// that is wanting does not make it one of words.
func (t *Table) class(column int) string {
	if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return len(row[column].Text) >= longWords }) {
		return longClass
	}
	for _, row := range t.Rows {
		if c := row[column]; !c.Known && (column < t.Names || strings.Contains(c.Text, " ")) {
			return wordsClass
		}
	}
	return figuresClass
}

// interval is what stands in brackets behind a figure.
var interval = regexp.MustCompile(` (\([^()]*\))$`)

func (w *htmlWriter) cell(c Cell) htmlCell {
	out := htmlCell{Text: w.inline(c.Text), Mark: c.Mark}
	out.Href, out.Sources = w.sources(c.Refs)
	if !c.Known {
		return out
	}
	out.Text = template.HTML(interval.ReplaceAllString(string(out.Text), ` <span class="range">$1</span>`))
	out.Value = strconv.FormatFloat(c.Value, 'f', -1, 64)
	return out
}

// manyLines is how many lines of a file are listed one by one.
const manyLines = 30

// someOf is the first of many lines, and how many more there are.
func someOf(lines []string) []string {
	if len(lines) <= manyLines {
		return lines
	}
	return append(slices.Clone(lines[:manyLines]), strconv.Itoa(len(lines)-manyLines)+" more")
}

// sources links to the first of the lines that a figure comes from, and lists
// them all: "points.txt, lines 12 and 80; series.txt, line 4". Results that were
// read from no file have no line.
func (w *htmlWriter) sources(refs []string) (href, all string) {
	lines := make(map[string][]string)
	var files []string
	for _, ref := range refs {
		at := strings.LastIndex(ref, ":")
		if at < 1 {
			continue
		}
		file, line := path.Base(ref[:at]), ref[at+1:]
		if lines[file] == nil {
			files = append(files, file)
		}
		if !slices.Contains(lines[file], line) {
			lines[file] = append(lines[file], line)
		}
	}
	if len(files) == 0 {
		return "", ""
	}
	var said []string
	for _, file := range files {
		said = append(said, file+", "+plural(len(lines[file]), "line")+" "+enumerate(someOf(lines[file])))
	}
	return w.folder + "/" + files[0] + "#L" + lines[files[0]][0], strings.Join(said, "; ")
}
