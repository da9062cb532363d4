package surface

import (
	"slices"
	"strings"

	"mcpbench/internal/server/catalog"
)

// intent is what a query wants to do, as far as its words tell.
type intent uint8

const (
	unclear intent = iota
	reading
	creating
	changing
	removing
)

// intents are the words that give an intent away, as stems.
var intents = map[intent][]string{
	reading:  words("list show get read see view display find search fetch download count compare check look"),
	creating: words("create add new open make file upload start trigger post write reply invite fork"),
	changing: words("update edit change rename set close reopen assign mark modify move merge approve"),
	removing: words("delete remove revoke destroy erase drop unassign kick"),
}

// intentOf goes by the first word that tells; a question without one asks to read.
func intentOf(said []string) intent {
	for _, word := range said {
		for in, list := range intents {
			if slices.Contains(list, word) {
				return in
			}
		}
	}
	return unclear
}

// fits is the factor by which an operation's score is multiplied.
func (in intent) fits(op *catalog.Operation) float64 {
	factor := 1.0
	switch {
	case in == unclear:
	case in.matches(op):
		factor = rightVerb
	case in == reading != op.ReadOnly:
		factor = wrongVerb
	case in == removing != op.Destructive:
		factor = wrongVerb
	}
	if op.Deprecated {
		factor *= deprecated
	}
	return factor
}

func (in intent) matches(op *catalog.Operation) bool {
	first, _, _ := strings.Cut(op.Action, "_")
	switch in {
	case reading:
		return op.ReadOnly
	case creating:
		return slices.Contains([]string{"create", "add", "upload", "start", "run", "share", "fork"}, first)
	case changing:
		return !op.ReadOnly && !op.Destructive && !slices.Contains([]string{"create", "add"}, first)
	}
	return op.Destructive
}
