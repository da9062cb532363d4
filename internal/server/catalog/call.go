package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Call checks args against the operation's InputSchema, asks GitLab with client, and returns its answer.
// args may be empty when nothing is required.
//
// The error is an *ArgumentError if GitLab was not asked, a *StatusError if it answered with one, and
// otherwise a plain one, when it did not answer or its answer could not be read. None holds a token.
func (c *Catalog) Call(ctx context.Context, client *gitlab.Client, op *Operation, args json.RawMessage) (Answer, error) {
	in, err := op.decode(args)
	if err != nil {
		return Answer{}, err
	}
	written, graph := op.receivers(in)
	in = append(in, reflect.ValueOf(gitlab.WithContext(ctx)))
	out, err := op.invoke(client, in)
	if err != nil {
		return Answer{}, err
	}
	result, resp, err := results(out)
	if err != nil && !emptySuccess(resp, err) {
		return Answer{}, readable(err, resp)
	}
	if graph != nil {
		return Answer{JSON: graphAnswer(*graph), Status: resp.StatusCode}, nil
	}
	return newAnswer(op, result, written, resp)
}

// emptySuccess reports whether the error is only that a successful answer has no body.
func emptySuccess(resp *gitlab.Response, err error) bool {
	return resp != nil && resp.StatusCode < 300 && errors.Is(err, io.EOF)
}

// receivers puts in what takes the answer, where the method wants to be given that.
func (op *Operation) receivers(in []reflect.Value) (written *capped, graph *json.RawMessage) {
	for i := range in {
		switch {
		case !op.supplied(i):
		case op.typ.In(i) == reflect.TypeFor[io.Writer]():
			written = new(capped)
			in[i].Set(reflect.ValueOf(written))
		default:
			graph = new(json.RawMessage)
			in[i].Set(reflect.ValueOf(graph))
		}
	}
	return written, graph
}

func graphAnswer(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	return append(append([]byte(`{"value":`), raw...), '}')
}

// invoke calls the method. The client panics when it misses an option that it cannot do without.
func (op *Operation) invoke(client *gitlab.Client, in []reflect.Value) (out []reflect.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &ArgumentError{"", fmt.Sprintf("are not enough for the client to build the request (%v)", p)}
		}
	}()
	service := reflect.ValueOf(client).Elem().Field(op.service)
	return service.Method(op.method).Call(in), nil
}

// results sorts what a method returned: an optional value, the response, the error.
func results(out []reflect.Value) (result reflect.Value, resp *gitlab.Response, err error) {
	n := len(out)
	err, _ = out[n-1].Interface().(error)
	resp, _ = out[n-2].Interface().(*gitlab.Response)
	if n == 3 {
		result = out[0]
	}
	return result, resp, err
}
