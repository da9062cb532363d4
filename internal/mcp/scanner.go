package mcp

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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

// stepString reads a quote, a backslash, or a byte a string must not have.
func (s *scanner) stepString(c byte) {
	switch {
	case c == '\\':
		s.state = inEscape
	case c != '"':
		s.state = bad
	default:
		s.lone()
		if s.hunting {
			s.hunt.see(c)
		}
		if s.isKey {
			s.isKey, s.state = false, wantColon
			s.endKey()
			return
		}
		s.state = afterValue
		s.endScalar()
	}
}

// stepEscape reads the byte after a backslash.
func (s *scanner) stepEscape(c byte) {
	s.state = inString
	switch c {
	case 'u':
		s.state, s.hex, s.hexLeft = inHex, 0, 4
		return
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '"', '\\', '/':
	default:
		s.state = bad
		return
	}
	s.emit([]byte{c})
}

// stepHex reads one of the four digits after \u.
func (s *scanner) stepHex(c byte) {
	d, ok := hexDigit(c)
	if !ok {
		s.state = bad
		return
	}
	s.hex = s.hex<<4 | d
	if s.hexLeft--; s.hexLeft > 0 {
		return
	}
	s.state = inString
	if s.high != 0 {
		if r := utf16.DecodeRune(s.high, s.hex); r != utf8.RuneError {
			s.high = 0
			s.emit(utf8.AppendRune(nil, r))
			return
		}
	}
	if s.hex >= 0xd800 && s.hex < 0xdc00 {
		s.lone()
		s.high = s.hex
		return
	}
	s.emit(utf8.AppendRune(nil, s.hex))
}

// hexDigit is the value of a hexadecimal digit.
func hexDigit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// emit passes decoded string bytes on to whoever wants them.
func (s *scanner) emit(p []byte) {
	if len(p) > 0 {
		s.lone()
	}
	s.pass(p)
}

// lone passes on a surrogate whose other half did not come, as encoding/json
// does.
func (s *scanner) lone() {
	if s.high != 0 {
		s.high = 0
		s.pass([]byte(string(utf8.RuneError)))
	}
}

func (s *scanner) pass(p []byte) {
	if s.keep {
		s.token = append(s.token, p[:min(len(p), s.limit-len(s.token))]...)
	}
	if s.hunting {
		for _, c := range p {
			s.hunt.see(c)
		}
	}
}

// stepWord reads the next letter of true, false or null.
func (s *scanner) stepWord(c byte) {
	if c != s.word[0] {
		s.state = bad
		return
	}
	if s.hunting {
		s.hunt.see(c)
	}
	if s.keep {
		s.token = append(s.token, c)
	}
	if s.word = s.word[1:]; s.word == "" {
		s.state = afterValue
		s.endScalar()
	}
}

// stepNumber reads a byte of a number, or the one that ends it.
func (s *scanner) stepNumber(c byte) {
	next := numberNext(s.state, c)
	if next == afterValue {
		s.state = afterValue
		s.endScalar()
		s.stepBetween(c)
		return
	}
	s.state = next
	if s.hunting {
		s.hunt.see(c)
	}
	if s.keep && len(s.token) < s.limit {
		s.token = append(s.token, c)
	}
}

// numberNext is the state a number goes to with c: afterValue when it ended
// before c, bad when it could not end there.
func numberNext(s state, c byte) state {
	digit := c >= '0' && c <= '9'
	switch {
	case s == numMinus && c == '0':
		return numZero
	case digit && (s == numMinus || s == numInt):
		return numInt
	case digit && (s == numDot || s == numFraction):
		return numFraction
	case digit && (s == numE || s == numESign || s == numExponent):
		return numExponent
	case c == '.' && (s == numZero || s == numInt):
		return numDot
	case c|0x20 == 'e' && (s == numZero || s == numInt || s == numFraction):
		return numE
	case (c == '+' || c == '-') && s == numE:
		return numESign
	case isNumberEnd(s):
		return afterValue
	}
	return bad
}

// isNumberEnd reports whether a number may end in s.
func isNumberEnd(s state) bool {
	return s == numZero || s == numInt || s == numFraction || s == numExponent
}

// collect begins to gather a token of at most limit bytes, if keep.
func (s *scanner) collect(keep bool, limit int) {
	s.keep, s.limit, s.token = keep, limit, s.token[:0]
}

// number is the collected token as an integer, 0 where it is none.
func (s *scanner) number() int64 {
	f, err := strconv.ParseFloat(string(s.token), 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return 0
	}
	return int64(f)
}
