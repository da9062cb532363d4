package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpbench/internal/page"
	"mcpbench/internal/record"
)

// builds is the table of what was compared.
func (c *Comparison) builds() string {
	t := &page.Table{Head: []string{"record", "build", "commit", "SHA-256", "measured", "rounds"}, Names: 5}
	for _, s := range []*Side{c.Old, c.New} {
		var cells []page.Cell
		for _, text := range []string{s.Name, s.Build, s.Commit, short(s.SHA256), s.period(), s.counted(c.Scenarios)} {
			cells = append(cells, page.Cell{Text: page.Escape(cmp.Or(text, "not said"))})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t.Markdown()
}

// short is as much of a hash as people compare by eye.
func short(hash string) string { return hash[:min(len(hash), 12)] }

// period is from when to when a side was measured.
func (s *Side) period() string {
	if len(s.Dates) == 0 {
		return ""
	}
	first, last := s.Dates[0], s.Dates[len(s.Dates)-1]
	if first == last {
		return first
	}
	return first + " to " + last
}

// context says where both were measured, as far as they agree, and whether
// there is a difference to be found at all.
func (c *Comparison) context() string {
	var said []string
	for _, at := range []struct{ key, form string }{
		{record.KeyHost, "%s"}, {record.KeyCPU, "%s"}, {record.KeyKernel, "kernel %s"},
		{record.KeySubjectCPUs, "server on CPU %s"}, {record.KeySuiteCPUs, "suite on CPU %s"},
	} {
		differs := slices.ContainsFunc(c.Differences, func(d Difference) bool { return d.Key == at.key })
		if value := c.Old.anyConfig()[at.key]; value != "" && !differs {
			said = append(said, fmt.Sprintf(at.form, page.Escape(value)))
		}
	}
	var sentences []string
	if len(said) > 0 {
		sentences = append(sentences, "Both on "+strings.Join(said, ", ")+".")
	}
	if c.Old.SHA256 != "" && c.Old.SHA256 == c.New.SHA256 {
		sentences = append(sentences, "**Both are the same binary**, so whatever differs is noise.")
	}
	return strings.Join(sentences, " ")
}

func (s *Side) anyConfig() map[string]string { return s.config[s.names[0]] }

// differences are the conditions that force made light of.
func (c *Comparison) differences() string {
	if len(c.Differences) == 0 {
		return ""
	}
	items := []string{"Not measured alike:\n"}
	for _, d := range c.Differences {
		items = append(items, "- "+page.Escape(d.String()))
	}
	return strings.Join(items, "\n")
}

// counted is how many rounds the scenarios rest on.
func (s *Side) counted(scenarios []Scenario) string {
	least, most := s.rounds(scenarios)
	if least < most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprint(most)
}

// fewRounds says once why figures have no verdict, if there are any such, of
// what they are, and what it would take.
func (c *Comparison) fewRounds() string {
	figures := 0
	var short []Scenario
	for _, s := range c.Scenarios {
		untold := 0
		for _, f := range s.Figures {
			untold += one(f.Verdict == Untold && !f.Metric.Exact)
		}
		if figures += untold; untold > 0 {
			short = append(short, s)
		}
	}
	if figures == 0 {
		return ""
	}
	return fmt.Sprintf("**No verdict without rounds:** %d of %s have none, in %s. There the old record has %s believed, the new one %s, and "+
		"with fewer than %d of each no test can tell a change from noise. They are shown as they were measured, and nothing is claimed of them. "+
		"To have a verdict on them, measure both builds with `-rounds=%[6]d` or more, and one round more for each that a certificate leaves out.",
		figures, count(len(c.Figures()), "figure"), c.kindsOf(short), roundsBelieved(c.Old, short), roundsBelieved(c.New, short), MinRounds)
}

// roundsBelieved is how many rounds of a side the scenarios rest on.
func roundsBelieved(s *Side, scenarios []Scenario) string {
	rounds := s.counted(scenarios)
	if rounds == "1" {
		return "1 round"
	}
	return rounds + " rounds"
}

// kindsOf counts scenarios by their kind: "3 of 8 Point scenarios and all 36
// Series scenarios".
func (c *Comparison) kindsOf(scenarios []Scenario) string {
	var parts []string
	for _, kind := range c.kinds() {
		n, all := 0, 0
		for _, s := range c.Scenarios {
			all += one(s.kind() == kind)
		}
		for _, s := range scenarios {
			n += one(s.kind() == kind)
		}
		switch of := count(all, string(kind)+" scenario"); {
		case n == all && n > 1:
			parts = append(parts, "all "+of)
		case n == all:
			parts = append(parts, of)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d of %s", n, of))
		}
	}
	return strings.Join(parts, ", ")
}
