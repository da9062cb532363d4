package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/page"
)

// leftOut lists what is in the records and has no part in the figures.
func (c *Comparison) leftOut() string {
	items := slices.Concat(c.doubts(c.Old), c.doubts(c.New), c.only("old", c.OldOnly), c.only("new", c.NewOnly))
	for _, l := range c.Lone {
		item := fmt.Sprintf("`%s` is not in the %s record, in %s", l.Unit, l.Missing, count(l.Scenarios, "scenario"))
		if l.Reason != "" {
			item += ": " + page.Escape(l.Reason)
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return ""
	}
	return folded("Left out: "+c.leftOutCounts(), "- "+strings.Join(items, "\n- "))
}

func (c *Comparison) leftOutCounts() string {
	var parts []string
	for _, part := range []struct {
		n          int
		noun, what string
	}{
		{len(c.Old.Doubts) + len(c.New.Doubts), "result", "with a certificate"},
		{len(c.OldOnly) + len(c.NewOnly), "scenario", "of one record only"},
		{len(c.units()), "metric", "of one record only"},
	} {
		if part.n > 0 {
			parts = append(parts, count(part.n, part.noun)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

// units are the metrics that one record alone has.
func (c *Comparison) units() []string {
	var units []string
	for _, l := range c.Lone {
		if !slices.Contains(units, l.Unit) {
			units = append(units, l.Unit)
		}
	}
	return units
}

// doubts lists a side's results with a certificate, each reason with all the
// rounds that have it.
func (c *Comparison) doubts(s *Side) []string {
	type key struct{ name, reasons string }
	rounds := make(map[key][]string)
	var order []key
	for _, d := range s.Doubts {
		k := key{d.Name, strings.Join(d.Reasons, "; ")}
		if rounds[k] == nil {
			order = append(order, k)
		}
		rounds[k] = append(rounds[k], cmp.Or(d.Round, "unnumbered"))
	}
	var items []string
	for _, k := range order {
		items = append(items, fmt.Sprintf("%s, %s record, round %s: %s",
			page.Escape(c.title(k.name)), s.Name, page.Escape(strings.Join(rounds[k], ", ")), page.Escape(k.reasons)))
	}
	return items
}

func (c *Comparison) only(side string, names []string) []string {
	var items []string
	for _, name := range names {
		items = append(items, fmt.Sprintf("%s is in the %s record only", page.Escape(c.title(name)), side))
	}
	return items
}

// warnings are what benchmath has to say, each with the figures that it is of.
func (c *Comparison) warnings() string {
	of := make(map[string][]string)
	var order []string
	for _, r := range c.rows() {
		for _, w := range r.Warnings {
			if of[w] == nil {
				order = append(order, w)
			}
			of[w] = append(of[w], fmt.Sprintf("`%s` of %s", r.Metric.Unit, page.Escape(c.title(r.scenario))))
		}
	}
	var items []string
	for _, w := range order {
		item := "- " + page.Escape(w) + ": " + of[w][0]
		if more := len(of[w]) - 1; more > 0 {
			item += fmt.Sprintf(" and %s more", count(more, "figure"))
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return ""
	}
	return "Notes of the statistics:\n\n" + strings.Join(items, "\n")
}
