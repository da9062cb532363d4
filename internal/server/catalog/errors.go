package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// ArgumentError says which argument of a call is wrong, and how. GitLab was not asked.
type ArgumentError struct {
	// Field is the argument, with a path into it such as actions[0].file_path; empty for all of them.
	Field string
	// Reason continues the sentence that Field begins.
	Reason string
}

func (e *ArgumentError) Error() string {
	if e.Field == "" {
		return "arguments: " + e.Reason
	}
	return fmt.Sprintf("argument %q %s", e.Field, e.Reason)
}

// StatusError is an answer of GitLab that is not a success.
type StatusError struct {
	// Status is the HTTP status.
	Status int
	// Message is what GitLab said, in one line; the status text when it said nothing.
	Message string
	// RetryAfter is when GitLab wants to be asked again, as in its Retry-After header; empty if unsaid.
	RetryAfter string

	err error
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("GitLab answered %d: %s", e.Status, e.Message)
	if e.RetryAfter != "" {
		text += " (retry after " + e.RetryAfter + " seconds)"
	}
	return text
}

// Unwrap gives the client's *gitlab.ErrorResponse.
func (e *StatusError) Unwrap() error { return e.err }

// readable turns an error of the client into one that can be shown: with GitLab's status and words,
// without query strings, which can hold secrets.
func readable(err error, resp *gitlab.Response) error {
	var status *gitlab.ErrorResponse
	var reach *url.Error
	switch {
	case errors.As(err, &status):
		return statusError(status, resp)
	case errors.As(err, &reach):
		return fmt.Errorf("GitLab did not answer: %s %s: %w", strings.ToUpper(reach.Op), withoutQuery(reach.URL), reach.Err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("GitLab was not asked: %w", err)
	case resp == nil:
		return &ArgumentError{"", "were refused by the GitLab client: " + err.Error()}
	}
	return fmt.Errorf("GitLab's answer could not be read: %w", err)
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// statusError takes the words from the body. The client drops the body of a 404; the transport of
// NewClient keeps it.
func statusError(status *gitlab.ErrorResponse, resp *gitlab.Response) error {
	e := &StatusError{Status: status.StatusCode, err: status}
	body := status.Body
	if resp != nil && resp.Response != nil {
		e.RetryAfter = resp.Header.Get("Retry-After")
		if body == nil {
			body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		}
	}
	e.Message = errorText(body)
	if e.Message == "" {
		e.Message = http.StatusText(status.StatusCode)
	}
	return e
}

// errorText makes a line of an error body: {"message":…}, {"error":…,"error_description":…} or text.
func errorText(body []byte) string {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") {
			return "" // a page of a proxy says nothing to a caller
		}
		return truncate(strings.Join(strings.Fields(text), " "))
	}
	var parts []string
	for _, key := range []string{"message", "error", "error_description"} {
		if v, ok := object[key]; ok {
			parts = append(parts, flatten(v))
		}
	}
	return truncate(strings.Join(parts, ": "))
}

// flatten writes the lists and objects of a validation message as title: can't be blank.
func flatten(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			parts = append(parts, key+": "+flatten(inner))
		}
		slices.Sort(parts)
		return strings.Join(parts, "; ")
	case []any:
		for _, inner := range v {
			parts = append(parts, flatten(inner))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

// truncate keeps an error readable.
func truncate(s string) string {
	const most = 1000
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
