package mcp

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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
