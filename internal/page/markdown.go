package page

import (
	"fmt"
	"html"
	"strings"

	"mcpbench/internal/page/chart"
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
		return "- " + uncited(strings.Join(b.Items, "\n- ")) + "\n"
	case len(b.Answers) > 0:
		return b.answered()
	case b.Code != "":
		return "```sh\n" + b.Code + "\n```\n"
	case b.Chart != nil:
		return picture(b.Chart)
	}
	return uncited(b.Text) + "\n"
}

// picture shows a chart as the reader's system has its colours, from the files
// beside the page.
func picture(c *chart.Chart) string {
	return fmt.Sprintf("<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"%s/%s\">\n<img src=\"%[1]s/%[3]s\" width=\"%[4]d\" alt=\"%[5]s\">\n</picture>\n",
		ChartsFolder, c.File(chart.Dark), c.File(chart.Light), chart.Width, html.EscapeString(c.Alt))
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
