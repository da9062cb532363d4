package catalog

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// decode checks args against the operation's parameters and builds the values of its call. Its errors
// are *ArgumentError.
func (op *Operation) decode(args json.RawMessage) ([]reflect.Value, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(args)) > 0 && json.Unmarshal(args, &given) != nil {
		return nil, &ArgumentError{"", "must be a JSON object"}
	}
	in := op.blank()
	ps := op.params()
	for _, p := range ps {
		raw, ok := given[p.name]
		delete(given, p.name)
		if err := op.set(in[p.arg], p, raw, ok); err != nil {
			return nil, err
		}
	}
	for name := range given {
		return nil, unknown(name, "", ps, func(p param) string { return p.name })
	}
	return in, nil
}

// blank makes the arguments with nothing in them. Options are never nil: the client reads some of
// them without looking.
func (op *Operation) blank() []reflect.Value {
	in := make([]reflect.Value, len(op.args))
	for i := range in {
		t := op.typ.In(i)
		in[i] = reflect.New(t).Elem()
		if t.Kind() == reflect.Pointer {
			in[i].Set(reflect.New(t.Elem()))
		}
	}
	return in
}

// set puts one parameter in its place. A null where null has no meaning counts as absent, since many
// clients send it for an argument they leave out.
func (op *Operation) set(arg reflect.Value, p param, raw json.RawMessage, given bool) error {
	if !given || isNull(raw) && shapeOf(value(p.typ)) != shapeNullable && shapeOf(value(p.typ)) != shapeAny {
		if p.required {
			return &ArgumentError{p.name, "is required"}
		}
		return nil
	}
	d := decoder{op.enums}
	switch {
	case p.index != nil:
		return d.value(member(reflect.Indirect(arg), p.index), raw, p.name)
	case arg.Kind() == reflect.Interface && arg.NumMethod() == 0:
		return d.id(arg, raw, p.name)
	}
	return d.value(arg, raw, p.name)
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// member is FieldByIndex that makes embedded pointers on its way.
func member(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// unknown is the error for a name that is not among those there are.
func unknown[T any](name, path string, known []T, nameOf func(T) string) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = nameOf(k)
	}
	reason := "is not known here: this takes no arguments"
	if len(names) > 0 {
		reason = "is not known here: use " + strings.Join(names, ", ")
	}
	return &ArgumentError{strings.TrimPrefix(path+"."+name, "."), truncate(reason)}
}

// decoder sets Go values from JSON, strictly.
type decoder struct{ enums map[string][]string }

func wrong(path, want string, raw json.RawMessage) error {
	return &ArgumentError{path, "must be " + want + ", not " + describe(raw)}
}

// describe names a JSON value without repeating what may be a secret.
func describe(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "the number " + truncate(string(raw))
}

// id sets an identifier: a whole number or text.
func (d decoder) id(v reflect.Value, raw json.RawMessage, path string) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return &ArgumentError{path, "must not be empty"}
		}
		v.Set(reflect.ValueOf(text))
		return nil
	}
	n, ok := wholeNumber(raw)
	if !ok {
		return wrong(path, "an integer or a string", raw)
	}
	v.Set(reflect.ValueOf(n))
	return nil
}

// wholeNumber reads an integer, also one written 1.0 or 1e3, as JSON Schema has it.
func wholeNumber(raw json.RawMessage) (int64, bool) {
	text := string(bytes.TrimSpace(raw))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// value sets v, making the pointers that lead to it.
func (d decoder) value(v reflect.Value, raw json.RawMessage, path string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem(), raw, path)
	}
	switch shapeOf(v.Type()) {
	case shapeText:
		return d.text(v, raw, path)
	case shapeInteger:
		return d.integer(v, raw, path)
	case shapeNumber, shapeBool:
		return d.plain(v, raw, path)
	case shapeTime, shapeDate:
		return d.time(v, raw, path)
	case shapeContent:
		r, err := decodeContent(raw, path)
		if err == nil {
			v.Set(reflect.ValueOf(r))
		}
		return err
	case shapeUpload:
		return decodeUpload(v, raw, path)
	case shapeLevel:
		return d.level(v, raw, path)
	case shapeIDOrWord, shapeIDsOrWord:
		return d.choice(v, raw, path)
	case shapeAny:
		return d.any(v, raw)
	}
	return d.compound(v, raw, path)
}

func (d decoder) text(v reflect.Value, raw json.RawMessage, path string) error {
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) != nil {
		return wrong(path, "a string", raw)
	}
	if values := enum(v.Type(), d.enums); values != nil && !slices.Contains(values, s) {
		return oneOf(path, values)
	}
	v.SetString(s)
	return nil
}

func oneOf(path string, values []string) error {
	return &ArgumentError{path, "must be one of " + strings.Join(values, ", ")}
}

func (d decoder) integer(v reflect.Value, raw json.RawMessage, path string) error {
	n, ok := wholeNumber(raw)
	switch {
	case !ok:
		return wrong(path, "an integer", raw)
	case v.Kind() == reflect.Uint64 && n < 0:
		return &ArgumentError{path, "must not be negative"}
	case v.Kind() == reflect.Uint64:
		v.SetUint(uint64(n))
		return nil
	}
	if values := enum(v.Type(), d.enums); values != nil && !slices.Contains(values, strconv.FormatInt(n, 10)) {
		return oneOf(path, values)
	}
	v.SetInt(n)
	return nil
}

// plain is for numbers and booleans.
func (d decoder) plain(v reflect.Value, raw json.RawMessage, path string) error {
	if isNull(raw) || json.Unmarshal(raw, v.Addr().Interface()) != nil {
		want := "a number"
		if v.Kind() == reflect.Bool {
			want = "true or false"
		}
		return wrong(path, want, raw)
	}
	return nil
}

// time reads RFC 3339, and for dates also YYYY-MM-DD.
func (d decoder) time(v reflect.Value, raw json.RawMessage, path string) error {
	date := shapeOf(v.Type()) == shapeDate
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) != nil {
		return wrong(path, "a string", raw)
	}
	layout, want := time.RFC3339, "a time such as 2006-01-02T15:04:05Z"
	if date {
		layout, want = time.DateOnly, "a date such as 2006-01-02"
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		return &ArgumentError{path, "must be " + want}
	}
	v.Set(reflect.ValueOf(t).Convert(v.Type()))
	return nil
}

func (d decoder) level(v reflect.Value, raw json.RawMessage, path string) error {
	var s string
	if json.Unmarshal(raw, &s) != nil || !slices.Contains(levels(), s) {
		return oneOf(path, levels())
	}
	v.SetInt(int64(slices.Index(levels(), s)))
	return nil
}

// choice is for filters that take identifiers or one of two words. The client's types keep the value
// private and offer a constructor each.
func (d decoder) choice(v reflect.Value, raw json.RawMessage, path string) error {
	var given any
	var word string
	var ids []int64
	if n, ok := wholeNumber(raw); ok && shapeOf(v.Type()) == shapeIDOrWord {
		given = n
	} else if json.Unmarshal(raw, &word) == nil && (word == string(gitlab.UserIDAny) || word == string(gitlab.UserIDNone)) {
		given = gitlab.UserIDValue(word)
	} else if shapeOf(v.Type()) == shapeIDsOrWord && json.Unmarshal(raw, &ids) == nil && ids != nil {
		given = ids
	} else {
		return &ArgumentError{path, "must be an identifier (for approvers a list of them), Any or None"}
	}
	var made any
	switch v.Interface().(type) {
	case gitlab.AssigneeIDValue:
		made = *gitlab.AssigneeID(given)
	case gitlab.ReviewerIDValue:
		made = *gitlab.ReviewerID(given)
	default:
		made = *gitlab.ApproverIDs(given)
	}
	v.Set(reflect.ValueOf(made))
	return nil
}

// any keeps JSON as it is, whole numbers exactly.
func (d decoder) any(v reflect.Value, raw json.RawMessage) error {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes(slices.Clone(raw))
		return nil
	}
	if n, ok := wholeNumber(raw); ok {
		v.Set(reflect.ValueOf(n))
		return nil
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}
