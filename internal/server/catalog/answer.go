package catalog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"unicode/utf8"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// MaxAnswer bounds in bytes what is read of one answer of GitLab; a larger one is an error.
const MaxAnswer = 32 << 20

// errTooLarge is what reading more than MaxAnswer ends with.
var errTooLarge = fmt.Errorf("the answer is larger than %d MiB; ask for less of it", MaxAnswer>>20)

// Pagination says where a list stands. What GitLab did not say is zero and left out.
type Pagination struct {
	Page          int64  `json:"page,omitempty"`
	NextPage      int64  `json:"next_page,omitempty"`
	PerPage       int64  `json:"per_page,omitempty"`
	Total         int64  `json:"total,omitempty"`
	TotalPages    int64  `json:"total_pages,omitempty"`
	NextPageToken string `json:"next_page_token,omitempty"`
	EndCursor     string `json:"end_cursor,omitempty"`
}

// Answer is what GitLab answered.
type Answer struct {
	// JSON is an object that conforms to the operation's OutputSchema.
	JSON json.RawMessage
	// Status is the HTTP status.
	Status int
	// Pagination is part of JSON for lists; here it is for those who need it apart.
	Pagination Pagination
}

// newAnswer makes the answer of what a method returned or, for a writer, of what was written to it.
func newAnswer(op *Operation, result reflect.Value, written *capped, resp *gitlab.Response) (Answer, error) {
	a := Answer{Pagination: pagination(resp)}
	if resp != nil && resp.Response != nil {
		a.Status = resp.StatusCode
	}
	object, err := answerObject(op, result, written, a)
	if err != nil {
		return Answer{}, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return Answer{}, fmt.Errorf("write GitLab's answer as JSON: %w", err)
	}
	a.JSON = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return a, nil
}

// answerObject picks the object to write.
func answerObject(op *Operation, result reflect.Value, written *capped, a Answer) (any, error) {
	t := op.result()
	switch {
	case written != nil:
		return asContent(written.Bytes()), nil
	case t == nil:
		return map[string]int{"status": a.Status}, nil
	case t == reflect.TypeFor[[]byte]():
		return asContent(result.Bytes()), nil
	case streams(t):
		return readContent(result)
	case t.Kind() == reflect.Slice:
		if result.IsNil() {
			result = reflect.MakeSlice(t, 0, 0)
		}
		return list{result.Interface(), a.Pagination}, nil
	case op.wrapped():
		return map[string]any{"value": result.Interface()}, nil
	case result.IsNil(), result.Elem().Kind() == reflect.Map && result.Elem().IsNil():
		return struct{}{}, nil
	}
	return result.Interface(), nil
}

// list is how a list is answered, since structured content must be an object.
type list struct {
	Items      any        `json:"items"`
	Pagination Pagination `json:"pagination"`
}

// contentAnswer is how bytes are answered.
type contentAnswer struct {
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
	Bytes    int    `json:"bytes"`
}

func asContent(data []byte) contentAnswer {
	if utf8.Valid(data) {
		return contentAnswer{string(data), "text", len(data)}
	}
	return contentAnswer{base64.StdEncoding.EncodeToString(data), "base64", len(data)}
}

// readContent reads what a method returned to be read, and closes it if that can be done.
func readContent(result reflect.Value) (any, error) {
	if result.IsNil() {
		return asContent(nil), nil
	}
	if c, ok := result.Interface().(io.Closer); ok {
		defer c.Close() //nolint:errcheck // it was only read
	}
	var w capped
	if _, err := io.Copy(&w, result.Interface().(io.Reader)); err != nil {
		return nil, fmt.Errorf("read GitLab's answer: %w", err)
	}
	return asContent(w.Bytes()), nil
}

// capped is a buffer that takes MaxAnswer bytes.
type capped struct{ bytes.Buffer }

func (w *capped) Write(p []byte) (int, error) {
	if w.Len()+len(p) > MaxAnswer {
		return 0, errTooLarge
	}
	return w.Buffer.Write(p)
}

// ReadFrom hides the buffer's own, which would not stop.
func (w *capped) ReadFrom(r io.Reader) (int64, error) {
	n, err := w.Buffer.ReadFrom(io.LimitReader(r, int64(MaxAnswer-w.Len())+1))
	if err == nil && w.Len() > MaxAnswer {
		err = errTooLarge
	}
	return n, err
}

// pagination collects what the headers, or a GraphQL connection, say.
func pagination(resp *gitlab.Response) Pagination {
	if resp == nil {
		return Pagination{}
	}
	p := Pagination{
		Page: resp.CurrentPage, NextPage: resp.NextPage, PerPage: resp.ItemsPerPage,
		Total: resp.TotalItems, TotalPages: resp.TotalPages,
	}
	if next, err := url.Parse(resp.NextLink); err == nil {
		p.NextPageToken = next.Query().Get("page_token")
	}
	if resp.PageInfo != nil && resp.PageInfo.HasNextPage {
		p.EndCursor = resp.PageInfo.EndCursor
	}
	return p
}
