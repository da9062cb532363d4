package fakegitlab

import (
	"strings"
	"unicode"
)

// maxQueryDepth is how deep the selections of a query may nest, maxSelections how many there may be once
// fragments are in their places.
const (
	maxQueryDepth = 50
	maxSelections = 10_000
)

// selection is one field of a GraphQL query with what is selected below it.
type selection struct {
	name string // the name the answer uses: the alias if there is one
	of   string // the field's own name
	sub  []selection
}

// queryParser reads the selections of a query and skips all else.
type queryParser struct {
	tokens    []string
	depth     int
	expanded  int
	fragments map[string][]selection
}

// parseQuery returns the selections of the first operation of a document.
func parseQuery(text string) ([]selection, bool) {
	p := queryParser{tokens: tokenize(text), fragments: map[string][]selection{}}
	var first []selection
	for len(p.tokens) > 0 {
		head := p.until("{")
		sel, ok := p.block()
		if !ok {
			return nil, false
		}
		if len(head) > 1 && head[0] == "fragment" {
			p.fragments[head[1]] = sel
		} else if first == nil {
			first = sel
		}
	}
	return p.expand(first, 0), first != nil
}

// tokenize splits a document into names, braces, parentheses, strings and signs.
func tokenize(text string) []string {
	var tokens []string
	for i := 0; i < len(text); {
		c := rune(text[i])
		start := i
		switch {
		case unicode.IsSpace(c) || c == ',':
			i++
			continue
		case c == '#':
			i += len(text[i:]) - len(strings.TrimLeftFunc(text[i:], func(r rune) bool { return r != '\n' }))
			continue
		case c == '"':
			i++
			for i < len(text) && text[i] != '"' {
				if text[i] == '\\' {
					i++
				}
				i++
			}
			i = min(i+1, len(text))
		case strings.HasPrefix(text[i:], "..."):
			i += 3
		case isNameRune(c):
			for i < len(text) && isNameRune(rune(text[i])) {
				i++
			}
		default:
			i++
		}
		tokens = append(tokens, text[start:i])
	}
	return tokens
}

func isNameRune(c rune) bool {
	return c == '_' || c == '$' || c == '@' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

func (p *queryParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *queryParser) next() string {
	t := p.peek()
	if t != "" {
		p.tokens = p.tokens[1:]
	}
	return t
}

// until takes the tokens before an opening brace outside parentheses, where default values have theirs.
func (p *queryParser) until(brace string) []string {
	var head []string
	for depth := 0; p.peek() != ""; head = append(head, p.next()) {
		switch p.peek() {
		case "(":
			depth++
		case ")":
			depth--
		case brace:
			if depth == 0 {
				return head
			}
		}
	}
	return head
}

// block reads a braced selection set.
func (p *queryParser) block() ([]selection, bool) {
	p.depth++
	defer func() { p.depth-- }()
	if p.next() != "{" || p.depth > maxQueryDepth {
		return nil, false
	}
	sel := []selection{}
	for {
		switch t := p.next(); t {
		case "}":
			return sel, true
		case "":
			return nil, false
		case "...":
			more, ok := p.spread()
			if !ok {
				return nil, false
			}
			sel = append(sel, more...)
		default:
			one, ok := p.field(t)
			if !ok {
				return nil, false
			}
			sel = append(sel, one)
		}
	}
}

// spread reads what follows three dots: an inline fragment or the name of one.
func (p *queryParser) spread() ([]selection, bool) {
	if p.peek() == "on" {
		p.next()
		p.next()
		return p.block()
	}
	if p.peek() == "{" {
		return p.block()
	}
	return []selection{{name: "...", of: p.next()}}, true
}

// field reads one field: alias, name, arguments, directives, selections.
func (p *queryParser) field(name string) (selection, bool) {
	f := selection{name: name, of: name}
	if p.peek() == ":" {
		p.next()
		f.of = p.next()
	}
	p.skipArguments()
	for strings.HasPrefix(p.peek(), "@") {
		p.next()
		p.skipArguments()
	}
	if p.peek() != "{" {
		return f, true
	}
	var ok bool
	f.sub, ok = p.block()
	return f, ok
}

func (p *queryParser) skipArguments() {
	if p.peek() != "(" {
		return
	}
	for depth := 0; p.peek() != ""; {
		switch p.next() {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return
			}
		}
	}
}

// expand puts fragments in the place of their names. A fragment that holds itself ends at the depth at
// which any query does.
func (p *queryParser) expand(sel []selection, depth int) []selection {
	if depth > maxQueryDepth {
		return nil
	}
	var out []selection
	for _, f := range sel {
		if p.expanded++; p.expanded > maxSelections {
			break
		}
		if f.name == "..." {
			out = append(out, p.expand(p.fragments[f.of], depth+1)...)
			continue
		}
		f.sub = p.expand(f.sub, depth+1)
		out = append(out, f)
	}
	return out
}
