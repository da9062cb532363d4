package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"

	"mcpbench/internal/mcp"
)

// counts is what became of the calls of one run.
type counts struct {
	OK      int64
	Failed  int64  // those that were held included
	Reasons string // why calls failed, where the tool tells
}

// check refuses counts that are not those of a run in which every call but the held ones was answered.
func (c counts) check(job stubJob) error {
	if c.OK == job.Calls && c.Failed <= job.Clients {
		return nil
	}
	return fmt.Errorf("%d calls succeeded of %d, and %d failed where %d were held: %s", c.OK, job.Calls, c.Failed, job.Clients, c.Reasons)
}

// message is what every tool sends.
type message struct {
	header http.Header
	body   []byte
}

// asSent returns what the driver sends for a method, so that the others can be made to send the same.
func asSent(ctx context.Context, method string) (message, error) {
	var m message
	s, err := newStub(stubJob{Calls: 1})
	if err != nil {
		return m, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.header = r.Header.Clone()
		m.header.Del("Content-Length")
		m.body, _ = io.ReadAll(r.Body) // a body cut short fails the call
		r.Body = io.NopCloser(bytes.NewReader(m.body))
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	conn, err := mcp.DialHTTP(ctx, mcp.HTTPConfig{URL: server.URL, Version: mcp.V20260728, Header: stubCredential(0)})
	if err != nil {
		return m, err
	}
	request, err := stubRequest(method)
	if err != nil {
		return m, err
	}
	_, err = timed(ctx, conn, request)
	return m, errors.Join(err, conn.Close())
}

// lines writes each header in a tool's own form, in the order of their names.
func (m message) lines(format string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(m.header)) {
		lines = append(lines, fmt.Sprintf(format, name, m.header.Get(name)))
	}
	return lines
}
