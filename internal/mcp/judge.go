package mcp

import "fmt"

// refusals are the JSON-RPC error codes that say no for want of capacity: the
// HTTP statuses carried over, and two that servers use for a limit passed.
// The specification reserves none.
var refusals = map[int64]bool{429: true, 503: true, -32005: true, -32029: true}

// judge says whether a reply is the right one. Its size is less the digits of
// its id.
func judge(s *scanner, want Expect, size int64) (Outcome, string) {
	switch {
	case s.errored && s.result:
		return Failed, "shape: both a result and an error"
	case s.errored && refusals[s.code]:
		return Refused, fmt.Sprintf("json-rpc %d: %s", s.code, excerpt([]byte(s.message)))
	case s.errored && want.Error:
		return OK, ""
	case s.errored:
		return Failed, fmt.Sprintf("json-rpc %d: %s", s.code, excerpt([]byte(s.message)))
	case !s.resultObj:
		return Failed, "shape: no result that is an object"
	case s.isError && !want.Error:
		return Failed, "isError: " + excerpt([]byte(s.text))
	case want.Error && !s.isError:
		return Failed, "shape: no error, expected one"
	}
	return judgeShape(s, want, size)
}

// judgeShape says whether a result looks as it should.
func judgeShape(s *scanner, want Expect, size int64) (Outcome, string) {
	switch {
	case want.Tools > 0 && s.tools != want.Tools:
		return Failed, fmt.Sprintf("shape: %d tools, expected %d", s.tools, want.Tools)
	case want.Tools > 0 && s.more:
		return Failed, fmt.Sprintf("shape: more pages after %d tools, expected none", s.tools)
	case want.Bytes > 0 && size != want.Bytes:
		return Failed, fmt.Sprintf("shape: %d bytes without the id, expected %d", size, want.Bytes)
	}
	if text, missing := s.hunt.missing(); missing {
		return Failed, fmt.Sprintf("shape: no %q in the result", text)
	}
	return OK, ""
}
