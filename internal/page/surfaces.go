package page

import (
	"fmt"
	"slices"
	"strings"
)

// surfaceWords say what the usual surfaces are.
var surfaceWords = map[string]string{
	"dynamic":    "one tool that finds an operation and one that runs it",
	"meta":       "a tool for a group of operations",
	"individual": "a tool for each operation",
}

// surfaceLine says what the surfaces of scenarios are, in short, with the number
// of tools that each was seen to list.
func surfaceLine(scenarios []*Scenario) string {
	var said, seen []string
	for _, s := range scenarios {
		if s.Surface == "" || slices.Contains(seen, s.Surface) {
			continue
		}
		seen = append(seen, s.Surface)
		words := surfaceWords[s.Surface]
		if tools := s.Figure("tools"); tools.Known() {
			words = strings.TrimPrefix(fmt.Sprintf("%s (%s)", words, cite(significant(tools.Median)+plural(int(tools.Median), " tool"), tools.Refs)), " ")
		}
		if words != "" {
			said = append(said, surface(s)+", "+words)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "A surface is the set of tools on offer: " + strings.Join(said, "; ") + "."
}
