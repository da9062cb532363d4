package fakegitlab

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// shape appends one JSON value of one Go type, drawn from an item.
type shape func(dst []byte, it *item) []byte

// timestamp is how GitLab writes a time.
const timestamp = "2006-01-02T15:04:05.000Z07:00"

// maxDepth is how deep values nest before references are left null.
const maxDepth = 3

// field is one JSON field of a struct type.
type field struct {
	name string
	typ  reflect.Type
	// quoted is set for numbers that the client wants as text.
	quoted bool
}

// jsonFields lists the fields encoding/json would write for a struct type, embedded ones in their place.
func jsonFields(t reflect.Type) []field {
	var fields []field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case name == "-":
		case f.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			fields = append(fields, jsonFields(embedded)...)
		case !f.IsExported():
		default:
			setDefault(&name, f.Name)
			fields = append(fields, field{name, f.Type, strings.Contains(options, "string")})
		}
	}
	return fields
}

// shapes compiles types to shapes, each once, when it is first asked for.
type shapes struct {
	mu      sync.Mutex
	structs map[reflect.Type]*structShape
}

// structShape writes one struct type. Its fields are compiled on first use, so that types may refer to
// each other in circles.
type structShape struct {
	kind   kind
	fields []fieldShape
	// brief is what is written where another thing refers to one of this type.
	brief []fieldShape
}

// manyFields is from how many fields on a type is written briefly where another refers to it: GitLab
// does not repeat a whole project, group or user inside each job.
const manyFields = 30

// briefly are the fields that such a reference has.
var briefly = map[string]bool{
	"id": true, "name": true, "path": true, "path_with_namespace": true, "name_with_namespace": true,
	"full_path": true, "full_name": true, "username": true, "state": true, "avatar_url": true,
	"web_url": true, "iid": true, "project_id": true, "title": true, "created_at": true,
}

type fieldShape struct {
	name   string
	quoted string
	typ    reflect.Type
	write  shape
}

// of returns the shape of a response type.
func (s *shapes) of(t reflect.Type) shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compile(t, kindAny, "")
}

// special types are written as their own decoders expect them.
func special(t reflect.Type, name string) shape {
	switch t {
	case reflect.TypeFor[time.Time]():
		return func(dst []byte, it *item) []byte { return appendTime(dst, it.time(name), timestamp) }
	case reflect.TypeFor[gitlab.ISOTime]():
		return func(dst []byte, it *item) []byte { return appendTime(dst, it.time(name), time.DateOnly) }
	case reflect.TypeFor[gitlab.NotificationLevelValue]():
		return constant(`"participating"`)
	case reflect.TypeFor[json.RawMessage]():
		return constant(`{}`)
	case reflect.TypeFor[big.Int]():
		return constant(`278969561018901340486471282831158785578`)
	}
	return nil
}

func constant(text string) shape {
	return func(dst []byte, _ *item) []byte { return append(dst, text...) }
}

// compile returns the shape of t as the value of a field called name in a struct of kind k.
func (s *shapes) compile(t reflect.Type, k kind, name string) shape {
	if sh := special(t, name); sh != nil {
		return sh
	}
	if t == reflect.TypeFor[gitlab.OrbitTools]() {
		return s.compile(reflect.TypeFor[[]*gitlab.OrbitTool](), k, name)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.pointer(t, k, name)
	case reflect.Struct:
		return s.structure(t, name)
	case reflect.Slice, reflect.Array:
		return s.slice(t, k, name)
	case reflect.Map:
		return s.mapping(t, k, name)
	case reflect.String:
		text := textOf(t, k, name)
		return func(dst []byte, it *item) []byte { return appendText(dst, text(it)) }
	case reflect.Bool:
		flag := flagOf(k, name)
		return func(dst []byte, it *item) []byte { return strconv.AppendBool(dst, flag(it)) }
	case reflect.Float32, reflect.Float64:
		salt := hashText(0, name)
		return func(dst []byte, it *item) []byte {
			return strconv.AppendFloat(dst, float64(mix(it.h, salt)%10000)/100, 'f', -1, 64)
		}
	case reflect.Interface:
		return constant(`null`)
	default:
		number := numberOf(t, k, name)
		return func(dst []byte, it *item) []byte { return strconv.AppendInt(dst, number(it), 10) }
	}
}

// pointer writes null where the item has no such value or values nest too deep.
func (s *shapes) pointer(t reflect.Type, k kind, name string) shape {
	inner := s.compile(t.Elem(), k, name)
	deep := t.Elem().Kind() == reflect.Struct && special(t.Elem(), name) == nil
	return func(dst []byte, it *item) []byte {
		if it.lacks(name) || deep && it.depth >= maxDepth {
			return append(dst, "null"...)
		}
		return inner(dst, it)
	}
}

func (s *shapes) structure(t reflect.Type, name string) shape {
	st, ok := s.structs[t]
	if !ok {
		st = &structShape{kind: kindOf(t)}
		s.structs[t] = st
		for _, f := range jsonFields(t) {
			st.fields = append(st.fields, fieldShape{
				name: f.name, quoted: strconv.Quote(f.name) + ":", typ: f.typ,
				write: s.compileField(f, st.kind),
			})
		}
		st.brief = st.fields
		if len(st.fields) > manyFields {
			st.brief = slices.DeleteFunc(slices.Clone(st.fields), func(f fieldShape) bool { return !briefly[f.name] })
		}
	}
	if name == "" {
		return st.write
	}
	salt := hashText(0, name)
	return func(dst []byte, it *item) []byte {
		child := it.child(st.kind, salt)
		return st.write(dst, &child)
	}
}

// compileField is the shape of a field, in quotes where its tag wants them.
func (s *shapes) compileField(f field, k kind) shape {
	inner := s.compile(f.typ, k, f.name)
	if !f.quoted {
		return inner
	}
	return func(dst []byte, it *item) []byte {
		return append(inner(append(dst, '"'), it), '"')
	}
}

func (st *structShape) write(dst []byte, it *item) []byte {
	dst = append(dst, '{')
	fields := st.fields
	if it.depth > 0 {
		fields = st.brief
	}
	for i := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		f := &fields[i]
		dst = append(dst, f.quoted...)
		if raw, ok := it.written(f); ok {
			dst = append(dst, raw...)
			continue
		}
		dst = f.write(dst, it)
	}
	return append(dst, '}')
}

// slice writes one or two elements; []byte is text to encoding/json, in base64.
func (s *shapes) slice(t reflect.Type, k kind, name string) shape {
	switch t.Elem().Kind() {
	case reflect.Uint8:
		if name == "" || strings.Contains(name, "ip") || t.Name() == "IP" {
			return constant(`"192.0.2.1"`)
		}
		return constant(`"Z2l0bGFi"`)
	case reflect.String:
		return s.texts(t, k, name)
	}
	inner := s.compile(t.Elem(), k, singular(name))
	two := name == "identities" || name == "releases"
	return func(dst []byte, it *item) []byte {
		if it.depth >= maxDepth || it.lacks(name) {
			return append(dst, "[]"...)
		}
		dst = inner(append(dst, '['), it)
		if two {
			other := *it
			other.h = mix(it.h, 2)
			other.patch = nil
			dst = inner(append(dst, ','), &other)
		}
		return append(dst, ']')
	}
}

func (s *shapes) texts(t reflect.Type, k kind, name string) shape {
	text := textOf(t.Elem(), k, singular(name))
	if name == "labels" || name == "label_names" {
		text = func(it *item) string { return it.w.labelName(int(it.h % labelsPerProject)) }
	}
	return func(dst []byte, it *item) []byte {
		dst = appendText(append(dst, '['), text(it))
		if name == "labels" {
			dst = appendText(append(dst, ','), it.w.labelName(int((it.h+1)%labelsPerProject)))
		}
		return append(dst, ']')
	}
}

func (s *shapes) mapping(t reflect.Type, k kind, name string) shape {
	if t.Key().Kind() == reflect.Bool {
		return s.compile(t.Elem(), k, name) // the client's Nullable, which is its value on the wire
	}
	inner := s.compile(t.Elem(), k, singular(name))
	key := `{"main":`
	if t.Key().Kind() != reflect.String {
		key = `{"1":`
	}
	return func(dst []byte, it *item) []byte {
		return append(inner(append(dst, key...), it), '}')
	}
}

func singular(name string) string {
	if strings.HasSuffix(name, "ies") {
		return strings.TrimSuffix(name, "ies") + "y"
	}
	return strings.TrimSuffix(name, "s")
}

func appendTime(dst []byte, t time.Time, layout string) []byte {
	dst = append(dst, '"')
	return append(t.AppendFormat(dst, layout), '"')
}

// appendText quotes a text; what needs escaping, which is rare, is left to encoding/json.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) // a string always marshals
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

func newShapes() shapes { return shapes{structs: map[reflect.Type]*structShape{}} }
