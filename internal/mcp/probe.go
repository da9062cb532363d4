package mcp

// field is a key that a judgement may need.
type field uint8

const (
	fieldOther field = iota
	fieldElement
	fieldID
	fieldMethod
	fieldResult
	fieldError
	fieldTools
	fieldIsError
	fieldCursor
	fieldContent
	fieldText
	fieldCode
	fieldMessage
)

const (
	pathLevels = 4   // result, content, element, text
	maxKey     = 16  // no key of interest is longer
	maxText    = 200 // of an error's text, in a reason
	maxID      = 64  // of an id, quotes excluded
)

// fieldOf tells the keys of interest apart.
func fieldOf(key string) field {
	switch key {
	case "id":
		return fieldID
	case "method":
		return fieldMethod
	case "result":
		return fieldResult
	case "error":
		return fieldError
	case "tools":
		return fieldTools
	case "isError":
		return fieldIsError
	case "nextCursor":
		return fieldCursor
	case "content":
		return fieldContent
	case "text":
		return fieldText
	case "code":
		return fieldCode
	case "message":
		return fieldMessage
	}
	return fieldOther
}

// probe is what a scan has found in a JSON-RPC message.
type probe struct {
	object bool // the message is an object

	ids   int    // keys "id" in it
	id    []byte // the last one's value as it stands, without quotes
	quote bool   // the id is a string
	idAt  int64  // offset of the value

	method bool // it has a method, so it is no reply

	result    bool // it has a result, not null
	resultObj bool
	isError   bool
	tools     int
	toolsArr  bool
	more      bool // nextCursor is not empty

	errored bool // it has an error, not null
	code    int64
	message string

	text string // beginning of the first text of the content
}

// setPath says what the values of the innermost level are.
func (s *scanner) setPath(f field) {
	if s.depth > 0 && s.depth <= pathLevels {
		s.path[s.depth-1] = f
	}
}

// endKey takes a key in.
func (s *scanner) endKey() {
	if s.keep {
		s.setPath(fieldOf(string(s.token)))
		s.keep = false
	}
}

// begin notes the first byte of a value on the levels where that can matter,
// and has the value collected where it is wanted.
func (s *scanner) begin(c byte) {
	s.keep = false
	switch s.depth {
	case 0:
		s.object = c == '{'
	case 1:
		s.beginMember(c)
	case 2:
		s.beginDetail(c)
	case 3:
		if s.in(fieldResult, fieldTools, fieldElement) {
			s.tools++
		}
	case 4:
		if s.in(fieldResult, fieldContent, fieldElement, fieldText) && c == '"' && s.text == "" {
			s.collect(true, maxText)
		}
	}
}

// beginMember notes a value of the message itself. Of keys that come twice the
// last counts, as in encoding/json.
func (s *scanner) beginMember(c byte) {
	switch s.path[0] {
	case fieldID:
		s.ids++
		s.idAt, s.quote = s.off, c == '"'
		s.id = s.id[:0]
		s.collect(c != '{' && c != '[', maxID)
	case fieldMethod:
		s.method = c == '"'
	case fieldResult:
		s.result, s.resultObj = c != 'n', c == '{'
		s.isError, s.tools, s.toolsArr, s.more, s.text = false, 0, false, false, ""
		s.hunt.restart()
		s.hunting = s.hunt.any()
		if s.hunting {
			s.hunt.see(c)
		}
	case fieldError:
		s.errored = c != 'n'
		s.code, s.message = 0, ""
	}
}

// beginDetail notes a value directly inside the result or the error.
func (s *scanner) beginDetail(c byte) {
	switch {
	case s.in(fieldResult, fieldTools):
		s.tools, s.toolsArr = 0, c == '['
	case s.in(fieldResult, fieldIsError):
		s.isError = c == 't'
	case s.in(fieldResult, fieldCursor):
		s.more = false
		s.collect(c == '"', 1)
	case s.in(fieldResult, fieldContent):
		s.text = ""
	case s.in(fieldError, fieldCode):
		s.code = 0
		s.collect(c == '-' || c >= '0' && c <= '9', maxID)
	case s.in(fieldError, fieldMessage):
		s.message = ""
		s.collect(c == '"', maxText)
	}
}

// in reports whether the path to the current value begins with want.
func (s *scanner) in(want ...field) bool {
	for i, f := range want {
		if s.path[i] != f {
			return false
		}
	}
	return true
}

// endScalar takes in a string, number or word that has ended.
func (s *scanner) endScalar() {
	if s.depth == 1 {
		s.hunting = false
	}
	if !s.keep {
		return
	}
	s.keep = false
	switch {
	case s.depth == 1 && s.path[0] == fieldID:
		s.id = append(s.id[:0], s.token...)
	case s.depth == 2 && s.path[1] == fieldCursor:
		s.more = len(s.token) > 0
	case s.depth == 2 && s.path[1] == fieldCode:
		s.code = s.number()
	case s.depth == 2 && s.path[1] == fieldMessage:
		s.message = string(s.token)
	case s.depth == 4:
		s.text = string(s.token)
	}
}

// closed notes the end of an object or array.
func (s *scanner) closed() {
	if s.depth <= 1 {
		s.hunting = false
	}
}
