package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// AdmissionError says why a credential was not admitted.
type AdmissionError struct {
	// Status is the HTTP status to refuse with: 401 or 403 if GitLab refused the credential, 502, 503 or
	// 504 if it could not be asked.
	Status int
	// Reason is for the person who must do something about it.
	Reason string
	// RetryAfter is GitLab's own Retry-After header, if it sent one.
	RetryAfter string
}

// Error implements error.
func (e *AdmissionError) Error() string { return e.Reason }

// Refused says whether GitLab answered and does not want this credential.
func (e *AdmissionError) Refused() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// judge reads GitLab's answer to the question who a credential is. It reads no more than the status: the
// body is GitLab's, and what it may hold is not known.
func judge(resp *http.Response) error {
	switch code := resp.StatusCode; code {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized:
		return &AdmissionError{Status: code, Reason: "GitLab does not know this token: it is wrong, expired or revoked"}
	case http.StatusForbidden:
		return &AdmissionError{Status: code, Reason: "GitLab refuses this token: it needs the scope api, read_api or read_user, and a user that is not blocked"}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &AdmissionError{
			Status:     http.StatusServiceUnavailable,
			Reason:     fmt.Sprintf("GitLab is busy (status %d): try again later", code),
			RetryAfter: resp.Header.Get("Retry-After"),
		}
	default:
		hint := "is the GitLab URL right?"
		if code >= http.StatusInternalServerError {
			hint = "what GitLab logged of it says why"
		}
		return &AdmissionError{
			Status: http.StatusBadGateway,
			Reason: fmt.Sprintf("GitLab answered with status %d when asked who the token belongs to: %s", code, hint),
		}
	}
}

// unreachable says why GitLab could not be asked. Of the error it keeps the cause and drops the request.
func unreachable(err error) error {
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return &AdmissionError{Status: http.StatusGatewayTimeout, Reason: "GitLab did not answer in time"}
	}
	return &AdmissionError{Status: http.StatusBadGateway, Reason: "GitLab cannot be reached: " + cause(err)}
}

// cause is the innermost error that still says something to a person.
func cause(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
