// Package otlp is a stand-in for a telemetry collector on loopback: it receives traces and metrics over
// OTLP/HTTP in protobuf, decodes them, and counts spans and data points by name.
//
// It keeps counts and no telemetry, so its memory does not grow with what it receives. It does not
// speak OTLP/gRPC or OTLP in JSON, and answers the latter with 415.
package otlp

import (
	"maps"
	"net/http/httptest"
	"sync"
)

// maxNames bounds how many distinct names are counted apart; what has a further name is counted as Other.
const maxNames = 4096

// Other is the name under which is counted what no longer has a count of its own.
const Other = "(other)"

// Options say what a Receiver looks for.
type Options struct {
	// Needles are texts that should not be in any telemetry, such as the tokens in use. Found tells
	// which were seen. AddNeedles adds more while running.
	Needles []string
}

// Receiver is a running stand-in. All its methods may be called from several goroutines.
type Receiver struct {
	http *httptest.Server

	mu       sync.Mutex
	needles  []string
	found    map[string]Place
	spans    map[string]int64
	points   map[string]int64
	requests map[string]int64
	failures int64
	last     error
}

// Place is where a needle was first seen.
type Place struct {
	// In is the span or metric, or "resource" or "scope".
	In string
	// Key is the attribute's key, or "name" or "status" for those texts of a span.
	Key string
}

// New starts a receiver on a free loopback port. Close stops it.
func New(o Options) *Receiver {
	r := &Receiver{
		needles: append([]string(nil), o.Needles...), found: map[string]Place{},
		spans: map[string]int64{}, points: map[string]int64{}, requests: map[string]int64{},
	}
	r.http = httptest.NewServer(r.handler())
	return r
}

// Close closes all connections and stops listening.
func (r *Receiver) Close() {
	r.http.CloseClientConnections()
	r.http.Close()
}

// URL is what OTEL_EXPORTER_OTLP_ENDPOINT is set to; exporters add /v1/traces and /v1/metrics.
func (r *Receiver) URL() string { return r.http.URL }

// AddNeedles adds texts that should not be in what arrives from now on.
func (r *Receiver) AddNeedles(needles ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.needles = append(r.needles, needles...)
}

// Found tells where each needle that was seen was seen first.
func (r *Receiver) Found() map[string]Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.found)
}

// Spans counts the spans received, by name.
func (r *Receiver) Spans() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.spans)
}

// Points counts the metric data points received, by the metric's name.
func (r *Receiver) Points() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.points)
}

// Requests counts the exports received and understood, by path.
func (r *Receiver) Requests() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.requests)
}

// Failures counts the requests that were refused and returns why the last one was.
func (r *Receiver) Failures() (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures, r.last
}

// Reset forgets all that was received; needles stay.
func (r *Receiver) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.found)
	clear(r.spans)
	clear(r.points)
	clear(r.requests)
	r.failures, r.last = 0, nil
}

// add counts under a name, or under Other when there are too many names.
func add(counts map[string]int64, name string, n int64) {
	if _, ok := counts[name]; !ok && len(counts) >= maxNames {
		name = Other
	}
	counts[name] += n
}
