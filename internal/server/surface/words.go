package surface

import (
	"slices"
	"strings"
	"unicode"
)

// words splits a text into lower-case stems, leaving out those that say nothing.
func words(text string) []string {
	var list []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), isBreak) {
		word = strings.TrimSuffix(word, "'s")
		if word = strings.ReplaceAll(word, "'", ""); word != "" && !slices.Contains(silent, word) {
			list = append(list, stem(word))
		}
	}
	return list
}

func isBreak(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

// silent are words that no operation can be told by.
var silent = strings.Fields(`a an the this that these those of to in on at for from by with into as and or is are was be been it its
	i me my we our you your he she they them their do does did can could would should will please want need how what whats which when where
	there have has had some any all every each one so if then than but not up out about just now here several once together id ids iid via per using`)

// irregular are stems that the rules below would miss.
var irregular = map[string]string{
	"ci": "ci", "access": "access", "status": "status", "statuses": "status", "ssh": "ssh", "alias": "alias",
	"analyses": "analysis", "metrics": "metric", "settings": "setting", "setting": "setting", "news": "new",
	"dns": "dns", "personal": "personal", "tls": "tls", "merging": "merge", "running": "run", "ran": "run", "files": "file", "written": "write", "wrote": "write",
}

// stem takes endings off, so that "branches", "merged" and "approval" meet "branch", "merge" and "approve". It
// need only be the same for both sides of a comparison.
func stem(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	if s, ok := underived(word); ok {
		return s
	}
	switch n := len(word); {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 5 && (strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes") || strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes")):
		return word[:n-2]
	case n > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return stem(word[:n-1])
	case n > 5 && strings.HasSuffix(word, "ing"):
		return undouble(word[:n-3])
	case n > 4 && strings.HasSuffix(word, "ed"):
		return undouble(word[:n-2])
	case n > 3 && strings.HasSuffix(word, "e"):
		return word[:n-1]
	}
	return word
}

// derived are the endings by which nouns are made of verbs, the longest first.
var derived = []string{"ations", "ation", "ments", "ment", "ions", "ion", "als", "al", "ates", "ated", "ating", "ate"}

// underived makes a verb's stem of a noun, where enough is left of it.
func underived(word string) (string, bool) {
	for _, ending := range derived {
		if left, ok := strings.CutSuffix(word, ending); ok && len(left) > 4 {
			return left, true
		}
	}
	return "", false
}

// undouble makes cancel of cancell.
func undouble(s string) string {
	if n := len(s); n > 3 && s[n-1] == s[n-2] && s[n-1] != 's' && s[n-1] != 'l' {
		return s[:n-1]
	}
	return strings.TrimSuffix(s, "e")
}
