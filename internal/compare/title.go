package compare

import (
	"cmp"
	"slices"
	"strings"

	"mcpbench/internal/record"
)

// title is what people call a scenario: its name without what goes without
// saying.
func (c *Comparison) title(name string) string {
	var parts []string
	_, rest, _ := strings.Cut(name, "/")
	for pair := range strings.SplitSeq(rest, "/") {
		if part := c.part(pair); part != "" {
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), name)
}

// part is one element of a name in words.
func (c *Comparison) part(pair string) string {
	key, value, _ := strings.Cut(pair, "=")
	percent, isPercent := strings.CutSuffix(value, "pct")
	switch {
	case key == "subject" && c.oneSubject():
		return ""
	case key == "subject", key == "transport", key == "surface":
		return value
	case key == "telemetry" && value == "off":
		return ""
	case key == "telemetry" && value == "on":
		return "telemetry"
	case key == "creds" && value == "1":
		return "1 credential"
	case key == "creds":
		return value + " credentials"
	case key == "load" && isPercent:
		return "open loop at " + percent + "%"
	}
	return pair
}

// oneSubject reports whether there is only one that could be meant.
func (c *Comparison) oneSubject() bool {
	first := record.Result{Name: c.Old.names[0]}.Part("subject")
	return !slices.ContainsFunc(slices.Concat(c.Old.names, c.New.names), func(name string) bool {
		return record.Result{Name: name}.Part("subject") != first
	})
}
