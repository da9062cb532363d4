package page

import (
	"fmt"
	"strings"
)

// Markdown renders the document as a repository browser shows it.
func (d *Document) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", d.Title)
	for _, s := range d.Sections {
		if s.Heading != "" {
			fmt.Fprintf(&b, "\n## %s\n", s.Heading)
		}
		for _, block := range s.Blocks {
			b.WriteString("\n" + block.markdown())
		}
	}
	b.WriteString("\n" + d.Covers.comment())
	return []byte(b.String())
}

func (b Block) markdown() string {
	switch {
	case b.Table != nil:
		return b.Table.markdown()
	case len(b.Items) > 0:
		return "- " + strings.Join(b.Items, "\n- ") + "\n"
	case b.Code != "":
		return "```sh\n" + b.Code + "\n```\n"
	}
	return b.Text + "\n"
}

func (t *Table) markdown() string {
	var b strings.Builder
	rule := make([]string, len(t.Head))
	for i := range rule {
		if rule[i] = "---:"; i < t.Names {
			rule[i] = "---"
		}
	}
	fmt.Fprintf(&b, "| %s |\n| %s |\n", strings.Join(t.Head, " | "), strings.Join(rule, " | "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = c.markdown()
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

func (c Cell) markdown() string {
	if c.Mark == "" {
		return c.Text
	}
	return c.Text + " " + raised(c.Mark)
}

// raised is the mark that ties a cell to a note under its table.
func raised(mark string) string { return "<sup>" + mark + "</sup>" }
