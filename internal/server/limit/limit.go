// Package limit refuses work that is over a bound, at once. It refuses to queue: a caller who is told to
// come back can decide what to do, one who waits in a line cannot.
package limit

import (
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"
)

// Codes of the JSON-RPC errors for refused work, in the range that JSON-RPC leaves to servers: -32005 is
// what servers widely use for a limit passed, and -32029 ends like the HTTP status 429. They keep clear of
// -32000 and -32001, which protocol libraries have for a connection that closed and an answer that did not
// come. The help text names them.
const (
	CodeBusy = -32005
	CodeRate = -32029
)

// A Gate lets a bounded number of requests through at once. The zero Gate and a nil Gate are open.
type Gate struct {
	max   int64
	count atomic.Int64
}

// NewGate returns a gate for n requests at once; 0 is no bound.
func NewGate(n int) *Gate { return &Gate{max: int64(n)} }

// Enter reports whether there is room for one more. If so, Leave must follow.
func (g *Gate) Enter() bool {
	if g == nil || g.max <= 0 {
		return true
	}
	if g.count.Add(1) > g.max {
		g.count.Add(-1)
		return false
	}
	return true
}

// Leave makes room.
func (g *Gate) Leave() {
	if g != nil && g.max > 0 {
		g.count.Add(-1)
	}
}

// NewLimiter returns a limiter of rps requests a second with bursts of one second's worth, or nil, which
// Allow takes for no limit, if rps is 0.
func NewLimiter(rps float64) *rate.Limiter {
	if rps <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(rps), int(math.Ceil(max(rps, 1))))
}

// Allow reports whether one more request may be made now.
func Allow(l *rate.Limiter) bool { return l == nil || l.Allow() }

// RetryAfterBusy is when to come back to a busy server.
const RetryAfterBusy = time.Second

// RetryAfterRate is when a limit of rps surely lets another request through, in whole seconds.
func RetryAfterRate(rps float64) time.Duration {
	return time.Duration(math.Ceil(1/rps)) * time.Second
}

// ErrBusy is the JSON-RPC error for a request over the bound of a Gate.
func ErrBusy() *jsonrpc.Error {
	return refusal(CodeBusy, "too many requests in progress: try again later", RetryAfterBusy)
}

// ErrSessions is the JSON-RPC error for a session over the bound of open ones.
func ErrSessions() *jsonrpc.Error {
	return refusal(CodeBusy, "too many open sessions: end some, or try again later", RetryAfterBusy)
}

// ErrRate is the JSON-RPC error for a request over a rate of rps.
func ErrRate(rps float64) *jsonrpc.Error {
	return refusal(CodeRate, "too many requests a second: try again later", RetryAfterRate(rps))
}

func refusal(code int64, message string, after time.Duration) *jsonrpc.Error {
	data := []byte(`{"retryAfterSeconds":` + Seconds(after) + `}`)
	return &jsonrpc.Error{Code: code, Message: message, Data: data}
}

// Seconds writes a duration as a Retry-After header does.
func Seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
