package fakegitlab_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/fakegitlab"
	"mcpbench/internal/gitlabapi"
)

// newClient is a real client of the i-th user that gives up at the first error.
func newClient(t *testing.T, s *fakegitlab.Server, token string) *gitlab.Client {
	t.Helper()
	c, err := gitlab.NewClient(token, gitlab.WithBaseURL(s.URL()), gitlab.WithoutRetries())
	require.NoError(t, err)
	return c
}

func start(t *testing.T, o fakegitlab.Options) *fakegitlab.Server {
	t.Helper()
	s := fakegitlab.New(o)
	t.Cleanup(s.Close)
	return s
}

// call calls an operation with references to things that are there.
func call(c *gitlab.Client, op gitlabapi.Operation) (out reflect.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panicked: %v", p)
		}
	}()
	m := reflect.ValueOf(c).Elem().FieldByName(op.Service).MethodByName(op.Method)
	in := make([]reflect.Value, 0, m.Type().NumIn())
	for i := range m.Type().NumIn() - 1 {
		arg := argument(op.Args[i], m.Type().In(i))
		if arg.Kind() == reflect.Pointer && arg.Elem().Kind() == reflect.Struct && insists(op) {
			fill(arg.Elem())
		}
		in = append(in, arg)
	}
	results := m.Call(in)
	if last, failed := results[len(results)-1].Interface().(error); failed {
		return reflect.Value{}, last
	}
	if r, ok := results[0].Interface().(io.ReadCloser); ok {
		_, err = io.Copy(io.Discard, r)
		_ = r.Close()
	}
	return results[0], err
}

// insists tells the operations that fail, or panic, without options before they ask GitLab.
func insists(op gitlabapi.Operation) bool { return op.GraphQL || op.Method == "CreateSecureFile" }

// argument is a value for one argument: the first of its kind.
func argument(name string, t reflect.Type) reflect.Value {
	switch {
	case t == reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case t == reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader("content"))
	case name == "response":
		return reflect.ValueOf(&map[string]any{})
	case t.Kind() == reflect.Interface:
		return reflect.ValueOf(1)
	case t.Kind() == reflect.String:
		return reflect.ValueOf(text(name)).Convert(t)
	case t.Kind() == reflect.Int64:
		return reflect.ValueOf(int64(1)).Convert(t)
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return reflect.New(t.Elem())
	case t == reflect.TypeFor[gitlab.GraphQLQuery]():
		return reflect.ValueOf(gitlab.GraphQLQuery{Query: `{ currentUser { id username } }`})
	}
	switch reflect.Zero(t).Interface().(type) {
	case gitlab.CustomAttribute:
		return reflect.ValueOf(gitlab.CustomAttribute{Key: "name-1"})
	case []int64:
		return reflect.ValueOf([]int64{1})
	}
	return reflect.Zero(t)
}

// fill sets the texts and lists of options, for methods that insist on some.
func fill(options reflect.Value) {
	for i := range options.NumField() {
		switch f := options.Field(i); {
		case !f.CanSet():
		case f.Type() == reflect.TypeFor[json.RawMessage]():
			f.SetBytes([]byte(`{"a":1}`))
		case f.Kind() == reflect.String:
			f.SetString("name")
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Int64:
			f.Set(reflect.ValueOf([]int64{1}))
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() != reflect.Struct:
			f.Set(reflect.New(f.Type().Elem()))
			if f.Elem().Kind() == reflect.String {
				f.Elem().SetString("name")
			}
		}
	}
}

func text(name string) string {
	switch {
	case strings.Contains(name, "sha"):
		return strings.Repeat("a1", 20)
	case strings.Contains(name, "branch"):
		return "main"
	case strings.Contains(name, "tag"):
		return "v1.0.0"
	}
	return "name-1"
}

func isRead(op gitlabapi.Operation) bool {
	return !op.GraphQL && (op.Verb == http.MethodGet || op.Verb == http.MethodHead)
}

func TestEveryReadIsAnsweredAndDecodes(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	failures := map[string]string{}
	reads := 0
	for _, op := range gitlabapi.Operations() {
		if !isRead(op) {
			continue
		}
		reads++
		out, err := call(c, op)
		switch {
		case err != nil:
			failures[op.Service+"."+op.Method] = err.Error()
		case (out.Kind() == reflect.Slice || out.Kind() == reflect.Pointer) && out.IsZero():
			failures[op.Service+"."+op.Method] = "answered with nothing"
		}
	}
	assert.Empty(t, failures)
	assert.Empty(t, s.Unknown())
	assert.Greater(t, reads, 550)
	assert.EqualValues(t, reads, s.Total())
}

func TestEveryGraphQLOperationIsAnswered(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(0))
	failures := map[string]string{}
	for _, op := range gitlabapi.Operations() {
		if !op.GraphQL {
			continue
		}
		if _, err := call(c, op); err != nil {
			failures[op.Service+"."+op.Method] = err.Error()
		}
	}
	assert.Empty(t, failures)
	assert.Empty(t, s.Unknown())
	assert.Equal(t, s.Total(), s.Count(fakegitlab.GraphQLRoute))
}

func TestEveryWriteIsAnswered(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	c := newClient(t, s, s.Token(4)) // whose things are not those deleted by user id
	failures, seen := map[string]string{}, map[string]bool{}
	ops := gitlabapi.Operations()
	slices.SortStableFunc(ops, func(a, b gitlabapi.Operation) int { return rank(a) - rank(b) })
	for _, op := range ops {
		if op.GraphQL || op.OpensFile || isRead(op) || seen[op.Verb+op.Path] {
			continue // twice on one path would delete a second time what is gone
		}
		seen[op.Verb+op.Path] = true
		if _, err := call(c, op); err != nil {
			failures[op.Service+"."+op.Method] = err.Error()
		}
	}
	assert.Empty(t, failures)
	assert.Empty(t, s.Unknown())
	assert.Greater(t, len(seen), 550)
}

// rank puts deletions last, the deepest path first, so that each finds what it deletes.
func rank(op gitlabapi.Operation) int {
	if op.Verb != http.MethodDelete {
		return -1000
	}
	return -strings.Count(op.Path, "/")
}
