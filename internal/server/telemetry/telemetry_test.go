package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"mcpbench/internal/server/telemetry"
)

const canary = "glpat-canary-0123456789"

// watched is telemetry whose spans and metrics can be looked at.
func watched(t *testing.T) (*telemetry.Telemetry, *tracetest.SpanRecorder, *sdkmetric.ManualReader) {
	t.Helper()
	spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	tel, err := telemetry.New(t.Context(), "v1", spans, reader)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	return tel, spans, reader
}

func metrics(t *testing.T, reader *sdkmetric.ManualReader) map[string]metricdata.Metrics {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	byName := make(map[string]metricdata.Metrics)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			byName[m.Name] = m
		}
	}
	return byName
}

func show(spans []sdktrace.ReadOnlySpan, byName map[string]metricdata.Metrics) string {
	text := fmt.Sprintf("%+v", byName)
	for _, s := range spans {
		text += fmt.Sprintf("%s %v %v %v\n", s.Name(), s.Attributes(), s.Events(), s.Status())
	}
	return text
}

func TestOffDoesNothing(t *testing.T) {
	var off *telemetry.Telemetry
	ctx, end := off.Request(t.Context(), http.Header{}, "tools/call", "x")
	assert.Equal(t, t.Context(), ctx)
	end(telemetry.OK)
	assert.Equal(t, http.DefaultTransport, off.Wrap(http.DefaultTransport))
	require.NoError(t, off.ObservePool(nil))
	require.NoError(t, off.Shutdown(t.Context()))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, end := off.Request(t.Context(), nil, "tools/list", "")
		end(telemetry.OK)
	}))
}

func TestSpansOfARequestAndOfWhatItAskedGitLab(t *testing.T) {
	tel, spans, reader := watched(t)
	gitlab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NotEmpty(t, r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, canary)
	}))
	t.Cleanup(gitlab.Close)

	header := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "Private-Token": {canary}}
	ctx, end := tel.Request(t.Context(), header, "tools/call", "gitlab_find_action")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, gitlab.URL+"/api/v4/projects/1?private_token="+canary, nil)
	require.NoError(t, err)
	req.Header.Set("Private-Token", canary)
	resp, err := tel.Wrap(http.DefaultTransport).RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Empty(t, req.Header.Get("Traceparent"), "a RoundTripper leaves its request alone")
	end(telemetry.ToolError)

	ended := spans.Ended()
	require.Len(t, ended, 2)
	child, parent := ended[0], ended[1]
	assert.Equal(t, "tools/call gitlab_find_action", parent.Name())
	assert.Equal(t, "b7ad6b7169203331", parent.Parent().SpanID().String(), "the caller's trace goes on")
	assert.Equal(t, parent.SpanContext().SpanID(), child.Parent().SpanID())
	byName := metrics(t, reader)
	for _, name := range []string{"mcp.server.requests", "mcp.server.operation.duration", "gitlab.client.requests", "http.client.request.duration"} {
		assert.Contains(t, byName, name)
	}
	text := show(ended, byName)
	assert.NotContains(t, text, canary)
	assert.Contains(t, text, "tool_error")
	assert.Contains(t, text, "/api/v4/projects/1")
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestFailuresHaveFewNames(t *testing.T) {
	for err, want := range map[error]string{
		fmt.Errorf("%s: %w", canary, context.DeadlineExceeded): "timeout",
		fmt.Errorf("%s: %w", canary, context.Canceled):         "canceled",
		errors.New(canary): "unreachable",
	} {
		t.Run(want, func(t *testing.T) {
			tel, spans, reader := watched(t)
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://gitlab/api/v4/user", nil)
			_, got := tel.Wrap(failing{err}).RoundTrip(req) //nolint:bodyclose // there is none
			require.ErrorIs(t, got, err)
			text := show(spans.Ended(), metrics(t, reader))
			assert.Contains(t, text, want)
			assert.NotContains(t, text, canary)
		})
	}
}

func TestPoolIsObserved(t *testing.T) {
	tel, _, reader := watched(t)
	require.NoError(t, tel.ObservePool(func() (int, int, int) { return 3, 2, 1 }))
	byName := metrics(t, reader)
	for name, want := range map[string]int64{"credentials": 3, "sessions": 2, "toolsets": 1} {
		gauge, ok := byName["gitlab_mcp.pool."+name].Data.(metricdata.Gauge[int64])
		require.True(t, ok, name)
		require.Len(t, gauge.DataPoints, 1)
		assert.Equal(t, want, gauge.DataPoints[0].Value)
	}
}
