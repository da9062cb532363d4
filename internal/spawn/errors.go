package spawn

import (
	"errors"
	"strings"
)

// Reasons a start can fail for, to be told apart with [errors.Is].
var (
	ErrExited   = errors.New("the process ended before it was ready")
	ErrNotReady = errors.New("the process was not ready")
	ErrPortUsed = errors.New("the port is in use")
)

// Phase is the part of a process's life in which something failed.
type Phase string

// The phases an [Error] can name.
const (
	PhaseStart Phase = "start"
	PhaseReady Phase = "await ready"
	PhaseStop  Phase = "stop"
)

// Error is a failure with its context: whose process, doing what, and what the process last said.
type Error struct {
	Name  string
	Phase Phase
	Err   error
	Tail  string // the last lines of the child's standard error, without a final newline
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		b.WriteString(e.Name + ": ")
	}
	b.WriteString(string(e.Phase) + ": " + e.Err.Error())
	if e.Tail != "" {
		b.WriteString("\nlast lines of the process:\n    " + strings.ReplaceAll(e.Tail, "\n", "\n    "))
	}
	return b.String()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
