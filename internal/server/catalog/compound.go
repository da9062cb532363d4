package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// compound sets lists, objects and what else holds values.
func (d decoder) compound(v reflect.Value, raw json.RawMessage, path string) error {
	switch shapeOf(v.Type()) {
	case shapeList:
		return d.list(v, raw, path)
	case shapeNullable:
		return d.nullable(v, raw, path)
	case shapeStruct:
		return d.object(v, raw, path)
	}
	return d.dictionary(v, raw, path)
}

func (d decoder) list(v reflect.Value, raw json.RawMessage, path string) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return wrong(path, "an array", raw)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := d.value(v.Index(i), item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// nullable sets the client's map[bool]T: false for null, true for a value.
func (d decoder) nullable(v reflect.Value, raw json.RawMessage, path string) error {
	inner := reflect.New(v.Type().Elem()).Elem()
	null := isNull(raw)
	if !null {
		if err := d.value(inner, raw, path); err != nil {
			return err
		}
	}
	v.Set(reflect.MakeMap(v.Type()))
	v.SetMapIndex(reflect.ValueOf(!null), inner)
	return nil
}

func (d decoder) object(v reflect.Value, raw json.RawMessage, path string) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil || given == nil {
		return wrong(path, "an object", raw)
	}
	fs := fields(v.Type())
	for name, inner := range given {
		i := slices.IndexFunc(fs, func(f field) bool { return f.name == name })
		if i < 0 {
			return unknown(name, path, fs, func(f field) string { return f.name })
		}
		if err := d.value(member(v, fs[i].index), inner, path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

// dictionary is for objects with free names: maps, and the inputs of a pipeline.
func (d decoder) dictionary(v reflect.Value, raw json.RawMessage, path string) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil || given == nil {
		return wrong(path, "an object", raw)
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(given)))
	for name, inner := range given {
		item := reflect.New(v.Type().Elem()).Elem()
		set := d.value
		if shapeOf(v.Type()) == shapeParameters {
			set = d.pipelineInput
		}
		if err := set(item, inner, path+"."+name); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), item)
	}
	return nil
}

func (d decoder) pipelineInput(v reflect.Value, raw json.RawMessage, path string) error {
	if n, ok := wholeNumber(raw); ok {
		v.Set(reflect.ValueOf(gitlab.NewPipelineInputValue(n)))
		return nil
	}
	var text string
	var number float64
	var flag bool
	var list []string
	switch {
	case isNull(raw):
		return wrong(path, "a string, a number, a boolean or a list of strings", raw)
	case json.Unmarshal(raw, &text) == nil:
		v.Set(reflect.ValueOf(gitlab.NewPipelineInputValue(text)))
	case json.Unmarshal(raw, &number) == nil:
		v.Set(reflect.ValueOf(gitlab.NewPipelineInputValue(number)))
	case json.Unmarshal(raw, &flag) == nil:
		v.Set(reflect.ValueOf(gitlab.NewPipelineInputValue(flag)))
	case json.Unmarshal(raw, &list) == nil:
		v.Set(reflect.ValueOf(gitlab.NewPipelineInputValue(list)))
	default:
		return wrong(path, "a string, a number, a boolean or a list of strings", raw)
	}
	return nil
}
