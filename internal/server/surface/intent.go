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

// plainVerbs say what is wanted and little of what it is wanted of; all are stems.
var plainVerbs = map[intent][]string{
	reading:  words("list show get read see view display find search fetch download look tell detail"),
	creating: words("create add new open make file write start set upload"),
	changing: words("update edit change modify set mark"),
	removing: words("delete remove destroy erase drop"),
}

// otherVerbs give an intent away and also tell operations apart.
var otherVerbs = map[intent][]string{
	reading:  words("count compare check"),
	creating: words("trigger post reply invite fork protect"),
	changing: words("rename close reopen assign move"),
	removing: words("revoke unassign kick"),
}

func isPlainVerb(word string) bool {
	for _, list := range plainVerbs {
		if slices.Contains(list, word) {
			return true
		}
	}
	return false
}

// asking are the words that begin a question. Whoever asks wants to read.
var asking = strings.Fields("what what's which who who's whose why when where how is are")

// intentOf goes by the first word that tells.
func intentOf(query string, said []string) intent {
	if first := strings.Fields(strings.ToLower(query)); len(first) > 0 && slices.Contains(asking, first[0]) {
		return reading
	}
	for _, word := range said {
		for in := reading; in <= removing; in++ {
			if slices.Contains(plainVerbs[in], word) || slices.Contains(otherVerbs[in], word) {
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
	case in == unclear && op.ReadOnly:
		factor = likelyVerb
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
		return slices.Contains([]string{"create", "add", "upload", "start", "run", "share", "fork", "protect"}, first)
	case changing:
		return !op.ReadOnly && !op.Destructive && !slices.Contains([]string{"create", "add"}, first)
	}
	return op.Destructive
}
