package fakegitlab

import "strings"

var nouns = []string{
	"account", "archive", "batch", "billing", "broker", "cache", "catalog", "checkout", "cluster", "console",
	"delivery", "deploy", "digest", "export", "feature", "gateway", "gauge", "import", "index", "invoice",
	"ledger", "login", "mailer", "metric", "order", "parser", "payment", "planner", "portal", "profile",
	"queue", "quota", "report", "router", "runner", "scheduler", "search", "session", "storage", "webhook",
}

var verbs = []string{
	"add", "bound", "check", "close", "document", "drop", "extend", "fix", "harden", "limit",
	"log", "measure", "merge", "migrate", "move", "refresh", "remove", "rename", "retry", "split",
}

var givenNames = []string{
	"Ada", "Amir", "Bela", "Chen", "Dana", "Elif", "Femi", "Gita", "Hugo", "Ines", "Jonas", "Kaja", "Lena",
	"Mina", "Nils", "Olga", "Pavel", "Rosa", "Sven", "Tara",
}

var familyNames = []string{
	"Abel", "Berg", "Costa", "Dahl", "Egger", "Fischer", "Garcia", "Haas", "Ito", "Jansen", "Kaya", "Lopez",
	"Moreau", "Novak", "Okafor", "Petrov", "Rossi", "Silva", "Tanaka", "Weber",
}

func pick(words []string, h uint64) string { return words[h%uint64(len(words))] }

// title is a short line such as "Fix payment when session export stalls".
func title(h uint64) string {
	verb := pick(verbs, h)
	return strings.ToUpper(verb[:1]) + verb[1:] + " " + pick(nouns, mix(h, 1)) + " when " +
		pick(nouns, mix(h, 2)) + " " + pick(nouns, mix(h, 3)) + " stalls"
}

// prose is text of at least size bytes in sentences; it holds only characters JSON need not escape.
func prose(h uint64, size int) string {
	var b strings.Builder
	b.Grow(size + 80)
	for i := uint64(0); b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("We should " + pick(verbs, mix(h, 5*i)) + " the " + pick(nouns, mix(h, 5*i+1)) +
			" before the " + pick(nouns, mix(h, 5*i+2)) + " reaches the " + pick(nouns, mix(h, 5*i+3)) + ".")
	}
	return b.String()
}

// hex is n hexadecimal digits, n at most 64.
func hex(h uint64, n int) string {
	const digits = "0123456789abcdef"
	var b [64]byte
	for i := range n {
		if i%16 == 0 {
			h = mix(h, uint64(i))
		}
		b[i] = digits[h>>(4*(i%16))&15]
	}
	return string(b[:n])
}
