package mcp

// maxNesting is the depth at which a message is taken for an attack.
const maxNesting = 10_000

// state is what the scanner may meet next.
type state uint8

const (
	wantValue state = iota
	wantValueOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	afterValue
	inString
	inEscape
	inHex
	inWord
	numMinus
	numZero
	numInt
	numDot
	numFraction
	numE
	numESign
	numExponent
	bad
)

// scanner reads one JSON text, in pieces cut anywhere, and keeps what a
// judgement needs of it. It accepts what encoding/json accepts, and holds none
// of the text but a few short values.
type scanner struct {
	state state
	depth int
	kinds []byte // '{' or '[' for each open level
	path  [pathLevels]field

	off   int64 // bytes before the current one
	total int64 // bytes fed

	isKey   bool
	word    string // what remains of true, false or null
	hex     rune
	hexLeft int
	high    rune // a high surrogate waiting for its other half

	keep  bool // collect the current token in token
	limit int
	token []byte

	hunting bool
	hunt    hunt

	probe
}

// reset makes s ready for another text, of which it is to look for needles in
// the result.
func (s *scanner) reset(needles []needle) {
	kinds, token := s.kinds[:0], s.token[:0]
	h := s.hunt
	h.reset(needles)
	*s = scanner{kinds: kinds, token: token, hunt: h}
}

// feed reads the next piece of the text.
func (s *scanner) feed(p []byte) {
	for i := 0; i < len(p) && s.state != bad; i++ {
		if s.state == inString {
			n := plainRun(p[i:])
			if s.keep || s.hunting {
				s.emit(p[i : i+n])
			}
			if i += n; i == len(p) {
				break
			}
		}
		s.off = s.total + int64(i)
		s.step(p[i])
	}
	s.total += int64(len(p))
}

// whole reports whether the text so far is exactly one JSON value.
func (s *scanner) whole() bool {
	if s.depth == 0 && isNumberEnd(s.state) {
		s.state = afterValue
		s.endScalar()
	}
	return s.depth == 0 && s.state == afterValue
}

// plainRun is the length of the part of p that stands for itself in a string.
func plainRun(p []byte) int {
	for i, c := range p {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(p)
}

// step reads one byte that is not a plain part of a string.
func (s *scanner) step(c byte) {
	switch {
	case s.state == inString:
		s.stepString(c)
	case s.state == inEscape:
		s.stepEscape(c)
	case s.state == inHex:
		s.stepHex(c)
	case s.state == inWord:
		s.stepWord(c)
	case s.state >= numMinus && s.state < bad:
		s.stepNumber(c)
	default:
		s.stepBetween(c)
	}
}

// stepBetween reads a byte between scalars.
func (s *scanner) stepBetween(c byte) {
	if s.hunting {
		s.hunt.see(c)
	}
	if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
		return
	}
	switch s.state {
	case wantValue:
		s.value(c)
	case wantValueOrEnd:
		if c == ']' {
			s.close(c)
			return
		}
		s.value(c)
	case wantKeyOrEnd, wantKey:
		s.key(c)
	case wantColon:
		s.state = bad
		if c == ':' {
			s.state = wantValue
		}
	default:
		s.afterValue(c)
	}
}

// key reads the byte where a key, or the end of an empty object, must be.
func (s *scanner) key(c byte) {
	switch {
	case c == '"':
		s.isKey, s.state = true, inString
		s.collect(s.depth <= pathLevels, maxKey+1)
	case c == '}' && s.state == wantKeyOrEnd:
		s.close(c)
	default:
		s.state = bad
	}
}

// afterValue reads the byte after a value.
func (s *scanner) afterValue(c byte) {
	switch {
	case s.depth == 0:
		s.state = bad
	case c == ',' && s.kinds[s.depth-1] == '{':
		s.state = wantKey
	case c == ',':
		s.state = wantValue
	case c == '}' || c == ']':
		s.close(c)
	default:
		s.state = bad
	}
}

// value reads the first byte of a value.
func (s *scanner) value(c byte) {
	if s.depth <= pathLevels {
		s.begin(c)
	}
	switch {
	case c == '{' || c == '[':
		s.open(c)
	case c == '"':
		s.state = inString
	case c == 't':
		s.state, s.word = inWord, "true"[1:]
	case c == 'f':
		s.state, s.word = inWord, "false"[1:]
	case c == 'n':
		s.state, s.word = inWord, "null"[1:]
	case c == '-':
		s.state = numMinus
	case c == '0':
		s.state = numZero
	case c >= '1' && c <= '9':
		s.state = numInt
	default:
		s.state = bad
	}
	if s.keep && c != '"' {
		s.token = append(s.token, c)
	}
}

// open enters an object or an array.
func (s *scanner) open(c byte) {
	if s.depth == maxNesting {
		s.state = bad
		return
	}
	s.keep = false
	s.kinds = append(s.kinds, c)
	s.depth++
	s.state = wantKeyOrEnd
	if c == '[' {
		s.state = wantValueOrEnd
		s.setPath(fieldElement)
	}
}

// close leaves an object or an array.
func (s *scanner) close(c byte) {
	s.state = bad
	if s.depth > 0 && s.kinds[s.depth-1] == c-2 { // '{'+2 is '}', '['+2 is ']'
		s.depth--
		s.kinds = s.kinds[:s.depth]
		s.state = afterValue
		s.closed()
	}
}
