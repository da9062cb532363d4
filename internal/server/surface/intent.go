package surface

import (
	"slices"
	"strings"

	"mcpbench/internal/server/catalog"
)

// intent is what a query may want to do, as far as its words tell: a set, since one verb can mean several.
type intent uint8

const (
	reading intent = 1 << iota
	creating
	changing
	removing

	unclear intent = 0
)

// plainVerbs say what is wanted and little of what it is wanted of; all are stems.
var plainVerbs = map[intent][]string{
	reading:  words("list show get read see view display find search fetch download look tell detail give"),
	creating: words("create add new open make file write start set upload put attach"),
	changing: words("update edit change modify set mark make put turn add adjust alter"),
	removing: words("delete remove destroy erase drop take clear"),
}

// otherVerbs give an intent away and also tell operations apart.
var otherVerbs = map[intent][]string{
	reading:  words("count compare check"),
	creating: words("trigger post reply invite fork protect run"),
	changing: words("rename close reopen assign move archive pause"),
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

// objects are words that follow a verb, and of those that follow a noun none: "comment on a file", "commit all
// files", as against "comments of an issue".
var objects = strings.Fields("a an the this that these those my our all some several every each on me it two three")

// eitherWay are stems of words that are verbs only where a query begins with them.
var eitherWay = words("file open post set start view mark")

// intentOf goes by the first word that tells. What is only named, with nothing to do, is to be read.
func (x *index) intentOf(query string, said []string) intent {
	plain := strings.Fields(strings.ToLower(query))
	if len(plain) == 0 || len(said) == 0 || slices.Contains(asking, plain[0]) {
		return reading
	}
	for i, word := range said {
		if may := intentOfVerb(word); may != unclear && (i == 0 && stem(plain[0]) == word || !slices.Contains(eitherWay, word)) {
			return may
		}
	}
	if len(plain) > 1 && slices.Contains(objects, plain[1]) || slices.ContainsFunc(concepts(said)[0], x.beginsWithVerb) {
		return unclear
	}
	return reading
}

// intentOfVerb is all that a word may want if it is a verb.
func intentOfVerb(word string) (may intent) {
	for _, verbs := range []map[intent][]string{plainVerbs, otherVerbs} {
		for in, list := range verbs {
			if slices.Contains(list, word) {
				may |= in
			}
		}
	}
	return may
}

// beginsWithVerb says whether there is something to do that begins as a meaning does.
func (x *index) beginsWithVerb(m meaning) bool { return x.does[m.words[0]] }

// fits is the factor by which an operation's score is multiplied.
func (in intent) fits(op *catalog.Operation) float64 {
	factor := 1.0
	switch {
	case in == unclear:
	case in.matches(op):
		factor = rightVerb
	case in == reading != op.ReadOnly, in == removing != op.Destructive:
		factor = wrongVerb
	}
	if op.Deprecated {
		factor *= deprecated
	}
	return factor
}

// matches says whether an operation does one of the things that may be wanted.
func (in intent) matches(op *catalog.Operation) bool {
	first, _, _ := strings.Cut(op.Action, "_")
	makes := slices.Contains([]string{"create", "add", "upload", "start", "run", "share", "fork", "protect"}, first)
	return in&reading != 0 && op.ReadOnly ||
		in&creating != 0 && makes ||
		in&changing != 0 && !op.ReadOnly && !op.Destructive && !slices.Contains([]string{"create", "add"}, first) ||
		in&removing != 0 && op.Destructive
}
