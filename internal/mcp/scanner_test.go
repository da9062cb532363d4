package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scanned scans text in the pieces that cut returns the sizes of.
func scanned(text []byte, needles []needle, cut func() int) (*scanner, bool) {
	s := new(scanner)
	s.reset(needles)
	for len(text) > 0 {
		n := min(len(text), max(1, cut()))
		s.feed(text[:n])
		text = text[n:]
	}
	return s, s.whole()
}

// atOnce is one piece of everything, byByte a piece for each byte.
func atOnce() int { return 1 << 30 }
func byByte() int { return 1 }

func TestScanFinds(t *testing.T) {
	tests := map[string]struct {
		text string
		want probe
	}{
		"result": {
			text: `{"jsonrpc":"2.0","id":123456789,"result":{"tools":[{"name":"a","x":[1,2]},{},3],"nextCursor":"n"}}`,
			want: probe{
				object: true, ids: 1, id: []byte("123456789"), idAt: 22,
				result: true, resultObj: true, tools: 3, toolsArr: true, more: true,
			},
		},
		"tool error, id last": {
			text: `{"result":{"content":[{"type":"text","text":"no \"such\"\nthing \ud83d\ude00"}],"isError":true},"id":7}`,
			want: probe{
				object: true, ids: 1, id: []byte("7"), idAt: 101,
				result: true, resultObj: true, isError: true, text: "no \"such\"\nthing 😀",
			},
		},
		"error": {
			text: `{"id":"s\u0031","error":{"code":-32602,"message":"bad","data":{"code":1}}}`,
			want: probe{object: true, ids: 1, id: []byte("s1"), quote: true, idAt: 6, errored: true, code: -32602, message: "bad"},
		},
		"notification": {
			text: `{"method":"notifications/x","params":{"id":1,"result":{"tools":[1]}}}`,
			want: probe{object: true, method: true},
		},
		"the last of equal keys counts": {
			text: `{"id":1,"id":2,"result":{"tools":[1,2],"tools":[3],"isError":true},"result":{"isError":false}}`,
			want: probe{object: true, ids: 2, id: []byte("2"), idAt: 13, result: true, resultObj: true},
		},
		"keys with escapes": {
			text: `{"\u0069d":1,"resul\u0074":{"\u0074ools":[1]}}`,
			want: probe{object: true, ids: 1, id: []byte("1"), idAt: 11, result: true, resultObj: true, tools: 1, toolsArr: true},
		},
		"look-alikes deeper and elsewhere": {
			text: `{"a":{"result":1},"result":{"a":{"tools":[1],"isError":true},"structuredContent":{"isError":true}}}`,
			want: probe{object: true, result: true, resultObj: true},
		},
		"null result and error": {
			text: `{"id":null,"result":null,"error":null}`,
			want: probe{object: true, ids: 1, id: []byte("null"), idAt: 6},
		},
		"escapes": {
			text: `{"error":{"message":"\b\f\n\r\t\/\\\"\ud83d\ud83d\ude00\ud83dx","code":-3.26e4}}`,
			want: probe{object: true, errored: true, code: -32600, message: "\b\f\n\r\t/\\\"\ufffd😀\ufffdx"},
		},
		"absurd code": {text: `{"error":{"code":1e99}}`, want: probe{object: true, errored: true}},
		"no object":   {text: `[{"id":1}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, cut := range []func() int{atOnce, byByte} {
				s, whole := scanned([]byte(tt.text), nil, cut)
				require.True(t, whole)
				got := s.probe
				if len(got.id) == 0 {
					got.id = nil
				}
				assert.Equal(t, tt.want, got)
			}
		})
	}
}

func TestScanRefuses(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a" 1}`, `[1,]`, `[1 2]`, `[1}`, `{"a":1]`,
		`]`, `tru`, `trux`, `nul`, `01`, `-`, `1.`, `1e`, `1e+`, `+1`, `.5`, `"a`, "\"a\nb\"", `"\x"`, `"\u12g4"`, `"\u12`,
		`1 2`, `-x`, `1.x`, `1ex`, `{} {}`, `{}x`, `'a'`, "\x00",
	} {
		for _, cut := range []func() int{atOnce, byByte} {
			_, whole := scanned([]byte(text), nil, cut)
			assert.False(t, whole, "%q", text)
		}
	}
}

func TestScanNestingIsBounded(t *testing.T) {
	_, whole := scanned([]byte(strings.Repeat("[", maxNesting)+strings.Repeat("]", maxNesting)), nil, atOnce)
	assert.True(t, whole)
	_, whole = scanned([]byte(strings.Repeat("[", maxNesting+1)+strings.Repeat("]", maxNesting+1)), nil, atOnce)
	assert.False(t, whole)
}

func TestScanHunts(t *testing.T) {
	text := `{"method2":"outside","id":1,"result":{"content":[{"text":"{\"iid\":7, caf\u00e9 \u003cb\u003e ababac"}],"n":12},"z":"outside"}`
	tests := map[string]bool{
		`"iid":7`: true, "café": true, "<b>": true, "ababac": true, `"n":12`: true, "": true,
		"outside": false, `"iid":8`: false, `\u003c`: false, `"n":123`: false,
	}
	for text0, want := range tests {
		for _, cut := range []func() int{atOnce, byByte} {
			s, _ := scanned([]byte(text), []needle{newNeedle(text0)}, cut)
			missing, lost := s.hunt.missing()
			assert.Equal(t, !want, lost, text0)
			if lost {
				assert.Equal(t, text0, missing)
			}
		}
	}
}

// reference is what encoding/json finds in a message.
func reference(t *testing.T, data []byte) (probe, bool) {
	t.Helper()
	var message, result, failure map[string]json.RawMessage
	if json.Unmarshal(data, &message) != nil || message == nil {
		return probe{}, false
	}
	p := probe{object: true}
	p.result, p.resultObj = there(message["result"]), json.Unmarshal(message["result"], &result) == nil && result != nil
	p.errored = there(message["error"])
	_ = json.Unmarshal(message["error"], &failure) // left empty where it is no object
	p.method = isString(message["method"])
	var tools []json.RawMessage
	if json.Unmarshal(result["tools"], &tools) == nil {
		p.tools, p.toolsArr = len(tools), tools != nil
	}
	p.isError = string(result["isError"]) == "true"
	var cursor, note string
	p.more = json.Unmarshal(result["nextCursor"], &cursor) == nil && cursor != ""
	_ = json.Unmarshal(failure["message"], &note) // left empty where it is no string
	p.message = note[:min(len(note), maxText)]
	return p, true
}

func there(raw json.RawMessage) bool    { return raw != nil && string(raw) != "null" }
func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// FuzzScan compares the scanner with encoding/json, and a scan in one piece
// with a scan in pieces of sizes drawn from seed.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":100000001,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"}}`,
		`{"result":{"content":[{"type":"text","text":"caf\u00e9 \ud83d\ude00 \ud83d"}],"isError":true},"id":100000001}`,
		`{"id":null,"error":{"code":-3.2602e4,"message":"a\"b\\c\/d"}}`,
		`{"method":"notifications/message","params":{"level":"info"}}`,
		`[1,-0,0.5,1e9,true,false,null,"",{},[]]`, ` {"a" : [ ] } `, `{"id":1,"id":"2"}`, `{"a":tru}`, `1`, `"\u12"`,
	} {
		f.Add([]byte(text), uint64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		needles := []needle{newNeedle("é"), newNeedle(`"name":"b"`)}
		one, whole := scanned(data, needles, atOnce)
		require.Equal(t, json.Valid(data), whole)
		many, again := scanned(data, needles, func() int {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed >> 61)
		})
		require.Equal(t, whole, again)
		if !whole {
			return
		}
		require.Equal(t, one.probe, many.probe)
		require.Equal(t, one.hunt, many.hunt)
		if want, ok := reference(t, data); ok && utf8.Valid(data) {
			got := one.probe
			got.ids, got.id, got.quote, got.idAt, got.code, got.text = 0, nil, false, 0, 0, ""
			require.Equal(t, want, got)
		}
	})
}
