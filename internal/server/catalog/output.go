package catalog

import (
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// outputDepth is how many levels of objects the schema of an answer spells out.
const outputDepth = 2

const (
	contentAnswerSchema = `{"type":"object","properties":{"content":{"type":"string"},` +
		`"encoding":{"enum":["text","base64"]},"bytes":{"type":"integer"}},"required":["content","encoding","bytes"]}`
	emptyAnswerSchema = `{"type":"object","properties":{"status":{"type":"integer"}},"required":["status"]}`
	valueAnswerSchema = `{"type":"object","properties":{"value":{}},"required":["value"]}`
	paginationSchema  = `{"type":"object","properties":{"page":{"type":"integer"},"next_page":{"type":"integer"},` +
		`"per_page":{"type":"integer"},"total":{"type":"integer"},"total_pages":{"type":"integer"},` +
		`"next_page_token":{"type":"string"},"end_cursor":{"type":"string"}}}`
)

// OutputSchema writes the JSON Schema of Answer.JSON, which is always an object. Like InputSchema it is
// made anew by each call.
func (op *Operation) OutputSchema() json.RawMessage {
	t := op.result()
	switch {
	case t != nil && op.wrapped():
		return json.RawMessage(valueAnswerSchema)
	case t == nil && op.writes(), t == reflect.TypeFor[[]byte](), t != nil && streams(t):
		return json.RawMessage(contentAnswerSchema)
	case op.Service == "GraphQL":
		return json.RawMessage(valueAnswerSchema)
	case t == nil:
		return json.RawMessage(emptyAnswerSchema)
	case value(t).Kind() == reflect.Map:
		return json.RawMessage(`{"type":"object"}`)
	}
	w := outputWriter{make([]byte, 0, 2048)}
	if t.Kind() == reflect.Slice {
		w.text(`{"type":"object","properties":{"items":{"type":"array","items":`)
		w.typ(t.Elem(), outputDepth, false)
		w.text(`},"pagination":` + paginationSchema + `},"required":["items"]}`)
		return trim(w.b)
	}
	w.typ(value(t), outputDepth, false)
	return trim(w.b)
}

// result is the type of the answer's value, nil if there is none.
func (op *Operation) result() reflect.Type {
	if t := op.typ.Out(0); t != reflect.TypeFor[*gitlab.Response]() {
		return t
	}
	return nil
}

// wrapped reports whether the answer's value need not be an object, and so is put into one.
func (op *Operation) wrapped() bool {
	t := op.result()
	return !streams(t) && (value(t).Kind() == reflect.String || ownJSON(value(t)) != "")
}

// streams reports whether a result is read rather than looked at.
func streams(t reflect.Type) bool { return t.Implements(reflect.TypeFor[io.Reader]()) }

// writes reports whether the answer goes to a writer.
func (op *Operation) writes() bool {
	for i := range op.args {
		if op.typ.In(i) == reflect.TypeFor[io.Writer]() {
			return true
		}
	}
	return false
}

type outputWriter struct{ b []byte }

func (w *outputWriter) text(s string) { w.b = append(w.b, s...) }

// typ writes what encoding/json makes of a t.
func (w *outputWriter) typ(t reflect.Type, depth int, null bool) {
	if t.Kind() == reflect.Pointer {
		w.typ(t.Elem(), depth, true)
		return
	}
	if name := ownJSON(t); name != "" {
		w.named(name, null || t == reflect.TypeFor[gitlab.ISOTime]())
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		w.list(t, depth, t.Kind() == reflect.Slice)
	case reflect.Struct:
		w.object(t, depth, null)
	default:
		w.named(jsonName(t), null || t.Kind() == reflect.Map)
	}
}

// ownJSON is the JSON type of a Go type that writes itself, "" if it does not, "any" if it is unknown.
func ownJSON(t reflect.Type) string {
	marshals := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[gitlab.ISOTime]():
		return "string"
	case t.Kind() == reflect.Interface, marshals(reflect.TypeFor[json.Marshaler]()):
		return "any"
	case marshals(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	}
	return ""
}

func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Map:
		return "object"
	}
	return "integer"
}

func (w *outputWriter) named(name string, null bool) {
	switch {
	case name == "any":
		w.text("{}")
	case null:
		w.text(`{"type":["` + name + `","null"]}`)
	default:
		w.text(`{"type":"` + name + `"}`)
	}
}

func (w *outputWriter) list(t reflect.Type, depth int, null bool) {
	if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
		w.named("string", true) // base64
		return
	}
	if value(t.Elem()).Kind() == reflect.Struct && depth <= 0 {
		w.named("array", null)
		return
	}
	w.text(`{"type":["array","null"],"items":`)
	w.typ(t.Elem(), depth, false)
	w.text("}")
}

// object writes a struct. Nothing is required of it: GitLab and the client leave fields out as they
// see fit.
func (w *outputWriter) object(t reflect.Type, depth int, null bool) {
	if depth <= 0 {
		w.named("object", null)
		return
	}
	if null {
		w.text(`{"type":["object","null"],"properties":{`)
	} else {
		w.text(`{"type":"object","properties":{`)
	}
	sep := ""
	for _, m := range members(t) {
		w.text(sep + `"` + m.name + `":`)
		sep = ","
		if m.quoted {
			w.named("string", m.typ.Kind() == reflect.Pointer)
		} else {
			w.typ(m.typ, depth-1, false)
		}
	}
	w.text("}}")
}

// jsonMember is a field as encoding/json writes it.
type jsonMember struct {
	name   string
	typ    reflect.Type
	depth  int
	quoted bool
}

// members lists the fields encoding/json writes: of several with one name the outermost. Names that
// two embedded structs share are left out, as it leaves them out.
func members(t reflect.Type) []jsonMember {
	var list []jsonMember
	at := map[string]int{}
	for _, m := range allMembers(t, 0) {
		i, seen := at[m.name]
		switch {
		case !seen:
			at[m.name] = len(list)
			list = append(list, m)
		case m.depth < list[i].depth:
			list[i] = m
		}
	}
	return list
}

func allMembers(t reflect.Type, depth int) []jsonMember {
	var list []jsonMember
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && value(f.Type).Kind() == reflect.Struct:
			list = append(list, allMembers(value(f.Type), depth+1)...)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			list = append(list, jsonMember{name, f.Type, depth, strings.Contains(options, "string")})
		}
	}
	return list
}
