package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// method is one exported method of one service of the client.
type method struct {
	service, name string
	recv          string // name of the type that declares it
	typ           reflect.Type
	index         [2]int // field of the client, method of its interface
}

// methods lists the methods of the client's services in order of service and name.
func methods() []method {
	client, err := gitlab.NewClient("")
	if err != nil {
		panic(err) // no option was given that could fail
	}
	v := reflect.ValueOf(client).Elem()
	var ms []method
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.IsExported() || f.Type.Kind() != reflect.Interface {
			continue
		}
		recv := v.FieldByIndex(f.Index).Elem().Type().Elem().Name()
		for i := range f.Type.NumMethod() {
			m := f.Type.Method(i)
			ms = append(ms, method{f.Name, m.Name, recv, m.Type, [2]int{f.Index[0], i}})
		}
	}
	slices.SortFunc(ms, func(a, b method) int {
		return cmp.Or(strings.Compare(a.service, b.service), strings.Compare(a.name, b.name))
	})
	return ms
}

// asksGitLab tells an API call from a helper: it takes request options.
func (m method) asksGitLab() bool { return m.typ.IsVariadic() }

// request is what a probed method sent first.
type request struct{ verb, path string }

// recorder answers nothing and keeps the first request.
type recorder struct{ first *request }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.first == nil {
		path := strings.TrimPrefix(req.URL.EscapedPath(), "/")
		r.first = &request{req.Method, strings.TrimPrefix(path, "api/v4/")}
	}
	return nil, errors.New("recorded")
}

// probe calls m with marked arguments: first with empty options, then, should that send nothing, with
// the fields of the options set, level by level.
func probe(m method) (request, error) {
	var failure error
	for depth := range 5 {
		rec := &recorder{}
		if failure = send(m, rec, depth); rec.first != nil {
			return *rec.first, nil
		}
	}
	return request{}, fmt.Errorf("sends no request: %w", failure)
}

func send(m method, rt http.RoundTripper, depth int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	client, err := gitlab.NewClient("", gitlab.WithHTTPClient(&http.Client{Transport: rt}), gitlab.WithoutRetries())
	if err != nil {
		return err
	}
	var in []reflect.Value
	for i := range m.typ.NumIn() - 1 {
		in = append(in, argument(m.typ.In(i), i, depth))
	}
	out := reflect.ValueOf(client).Elem().Field(m.index[0]).Method(m.index[1]).Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return err
}

// mark is the text by which argument i is found again in a path.
func mark(i int) string { return strconv.Itoa(987650 + i) }

func argument(t reflect.Type, i, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString(mark(i))
	case reflect.Int64:
		v.SetInt(int64(987650 + i))
	case reflect.Uint64:
		v.SetUint(uint64(987650 + i))
	case reflect.Interface:
		v.Set(reflect.ValueOf(interfaceArgument(t, i)))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fillValue(v.Elem(), depth)
	case reflect.Struct:
		fillValue(v, depth)
		markFields(v)
	case reflect.Slice:
		fillValue(v, depth)
	}
	return v
}

// fieldMark is mark for field i of a struct that is passed by value: the key of a custom attribute is
// part of its path.
func fieldMark(i int) string { return strconv.Itoa(555550 + i) }

func markFields(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String && f.CanSet() {
			f.SetString(fieldMark(i))
		}
	}
}

func interfaceArgument(t reflect.Type, i int) any {
	switch t {
	case reflect.TypeFor[io.Reader]():
		return strings.NewReader("content")
	case reflect.TypeFor[io.Writer]():
		return io.Discard
	}
	return mark(i)
}

// fillValue sets v, and what it holds down to depth, to something that is not empty.
func fillValue(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		if p := reflect.New(v.Type().Elem()); depth > 1 || p.Elem().Kind() != reflect.Struct {
			v.Set(p)
			fillValue(p.Elem(), depth)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("1")) // also a JSON value
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), depth-1)
		}
	}
}
