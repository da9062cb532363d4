package catalog

import (
	"encoding/json"
	"reflect"
	"strings"
)

// maxInputDepth bounds the schema of options that hold options.
const maxInputDepth = 5

// InputSchema writes the JSON Schema (2020-12) of the arguments. It is made anew by each call; its
// bytes belong to the caller.
func (op *Operation) InputSchema() json.RawMessage {
	w := inputWriter{b: make([]byte, 0, 1024), enums: op.enums}
	ps := op.params()
	w.text(`{"type":"object","properties":{`)
	for i, p := range ps {
		if i > 0 {
			w.text(",")
		}
		w.name(p.name)
		w.schema(p, 0)
	}
	w.text("}")
	w.required(ps)
	w.text(`,"additionalProperties":false}`)
	return trim(w.b)
}

// trim gives back what append kept in reserve.
func trim(b []byte) json.RawMessage { return append(make([]byte, 0, len(b)), b...) }

type inputWriter struct {
	b     []byte
	enums map[string][]string
}

func (w *inputWriter) text(s string) { w.b = append(w.b, s...) }

// name writes a member's name. Names are identifiers and need no escaping.
func (w *inputWriter) name(s string) {
	w.text(`"`)
	w.text(s)
	w.text(`":`)
}

func (w *inputWriter) required(ps []param) {
	sep := `,"required":["`
	for _, p := range ps {
		if p.required {
			w.text(sep)
			w.text(p.name)
			sep = `","`
		}
	}
	if sep == `","` {
		w.text(`"]`)
	}
}

// schema writes a parameter's schema; a positional argument of any type is an identifier.
func (w *inputWriter) schema(p param, depth int) {
	if p.index == nil && p.typ.Kind() == reflect.Interface && p.typ.NumMethod() == 0 {
		w.text(`{"type":["integer","string"],"description":"`)
		w.text(idHint(p.name))
		w.text(`"}`)
		return
	}
	w.typ(value(p.typ), depth)
}

// idHint says what may stand for an identifier.
func idHint(name string) string {
	switch name {
	case "project_id", "group_id":
		return "Number or full path, such as " + strings.TrimSuffix(name, "_id") + " 42 or team/app."
	case "user_id":
		return "Number or user name."
	case "label_id":
		return "Number or title."
	}
	return "Number or name."
}

func (w *inputWriter) typ(t reflect.Type, depth int) {
	switch shapeOf(t) {
	case shapeAny:
		w.text("{}")
	case shapeText:
		w.scalar(`{"type":"string"`, enum(t, w.enums), `"`)
	case shapeInteger:
		w.integer(t)
	case shapeNumber:
		w.text(`{"type":"number"}`)
	case shapeBool:
		w.text(`{"type":"boolean"}`)
	case shapeTime:
		w.text(`{"type":"string","format":"date-time"}`)
	case shapeDate:
		w.text(`{"type":"string","format":"date"}`)
	case shapeLevel:
		w.scalar(`{"type":"string"`, levels(), `"`)
	case shapeContent:
		w.text(contentSchema)
	case shapeUpload:
		w.text(uploadSchema)
	case shapeIDOrWord:
		w.text(`{"anyOf":[{"type":"integer"},{"enum":["Any","None"]}]}`)
	case shapeIDsOrWord:
		w.text(`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"enum":["Any","None"]}]}`)
	default:
		w.compound(t, depth)
	}
}

func (w *inputWriter) compound(t reflect.Type, depth int) {
	switch shapeOf(t) {
	case shapeList:
		w.text(`{"type":"array","items":`)
		w.typ(value(t.Elem()), depth)
		w.text("}")
	case shapeMap:
		w.text(`{"type":"object","additionalProperties":`)
		w.typ(value(t.Elem()), depth)
		w.text("}")
	case shapeParameters:
		w.text(`{"type":"object","additionalProperties":{"type":["string","number","boolean","array"],"items":{"type":"string"}}}`)
	case shapeNullable:
		w.text(`{"anyOf":[`)
		w.typ(value(t.Elem()), depth)
		w.text(`,{"type":"null"}]}`)
	case shapeStruct:
		w.object(t, depth+1)
	}
}

func (w *inputWriter) object(t reflect.Type, depth int) {
	if depth > maxInputDepth {
		w.text(`{"type":"object"}`)
		return
	}
	w.text(`{"type":"object","properties":{`)
	for i, f := range fields(t) {
		if i > 0 {
			w.text(",")
		}
		w.name(f.name)
		w.typ(value(f.typ), depth)
	}
	w.text(`},"additionalProperties":false}`)
}

func (w *inputWriter) integer(t reflect.Type) {
	if t.Kind() == reflect.Uint64 {
		w.text(`{"type":"integer","minimum":0}`)
		return
	}
	w.scalar(`{"type":"integer"`, enum(t, w.enums), "")
}

// scalar writes a type with the values it may have.
func (w *inputWriter) scalar(open string, values []string, quote string) {
	w.text(open)
	for i, v := range values {
		if i == 0 {
			w.text(`,"enum":[`)
		} else {
			w.text(",")
		}
		w.text(quote)
		w.text(v)
		w.text(quote)
	}
	if len(values) > 0 {
		w.text("]")
	}
	w.text("}")
}
