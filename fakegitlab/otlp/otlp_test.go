package otlp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mcpbench/fakegitlab/otlp"
)

func start(t *testing.T, needles ...string) *otlp.Receiver {
	t.Helper()
	r := otlp.New(otlp.Options{Needles: needles})
	t.Cleanup(r.Close)
	return r
}

func TestCountsWhatTheOfficialExportersSend(t *testing.T) {
	for name, compression := range map[string]otlptracehttp.Compression{
		"plain": otlptracehttp.NoCompression, "gzip": otlptracehttp.GzipCompression,
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			exporter, err := otlptracehttp.New(t.Context(),
				otlptracehttp.WithEndpointURL(r.URL()+"/v1/traces"), otlptracehttp.WithCompression(compression))
			require.NoError(t, err)
			provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
			for i := range 7 {
				_, span := provider.Tracer("test").Start(t.Context(), fmt.Sprintf("call %d", i%2))
				span.End()
			}
			require.NoError(t, provider.Shutdown(t.Context()))

			assert.Equal(t, map[string]int64{"call 0": 4, "call 1": 3}, r.Spans())
			assert.Equal(t, map[string]int64{"/v1/traces": 1}, r.Requests())
			failures, err := r.Failures()
			require.NoError(t, err)
			assert.Zero(t, failures)
		})
	}
}

func TestCountsMetricDataPoints(t *testing.T) {
	r := start(t)
	exporter, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpointURL(r.URL()+"/v1/metrics"))
	require.NoError(t, err)
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	meter := provider.Meter("test")
	calls, err := meter.Int64Counter("calls")
	require.NoError(t, err)
	seconds, err := meter.Float64Histogram("seconds")
	require.NoError(t, err)
	calls.Add(t.Context(), 1, metric.WithAttributes(attribute.String("tool", "a")))
	calls.Add(t.Context(), 1, metric.WithAttributes(attribute.String("tool", "b")))
	seconds.Record(t.Context(), 0.1)
	require.NoError(t, provider.Shutdown(t.Context()))

	points := r.Points()
	assert.EqualValues(t, 2, points["calls"])
	assert.EqualValues(t, 1, points["seconds"])
	r.Reset()
	assert.Empty(t, r.Points())
}

func TestFindsNeedlesWhereverTheyHide(t *testing.T) {
	const secret = "glpat-secret"
	tests := map[string]struct {
		place otlp.Place
		hide  func(span oteltrace.Span)
	}{
		"name":      {otlp.Place{In: "x " + secret, Key: "name"}, func(s oteltrace.Span) { s.SetName("x " + secret) }},
		"attribute": {otlp.Place{In: "x", Key: "k"}, func(s oteltrace.Span) { s.SetAttributes(attribute.String("k", "Bearer "+secret)) }},
		"list":      {otlp.Place{In: "x", Key: "k"}, func(s oteltrace.Span) { s.SetAttributes(attribute.StringSlice("k", []string{"a", secret})) }},
		"key":       {otlp.Place{In: "x", Key: secret}, func(s oteltrace.Span) { s.SetAttributes(attribute.Int(secret, 1)) }},
		"status":    {otlp.Place{In: "x", Key: "status"}, func(s oteltrace.Span) { s.SetStatus(codes.Error, secret) }},
		"event": {otlp.Place{In: "x", Key: "exception.message"}, func(s oteltrace.Span) {
			s.RecordError(fmt.Errorf("refused %s", secret))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := start(t, "absent")
			r.AddNeedles(secret)
			exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(r.URL()+"/v1/traces"))
			require.NoError(t, err)
			provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
			_, span := provider.Tracer("test").Start(t.Context(), "x")
			test.hide(span)
			span.End()
			require.NoError(t, provider.Shutdown(t.Context()))
			assert.Equal(t, map[string]otlp.Place{secret: test.place}, r.Found())
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		path, media, encoding, body string
		status                      int
	}{
		"JSON":             {"/v1/traces", "application/json", "", "{}", http.StatusUnsupportedMediaType},
		"broken protobuf":  {"/v1/traces", "application/x-protobuf", "", "\xff\xff", http.StatusBadRequest},
		"broken gzip":      {"/v1/metrics", "application/x-protobuf", "gzip", "no", http.StatusBadRequest},
		"unknown encoding": {"/v1/metrics", "application/x-protobuf", "zstd", "", http.StatusBadRequest},
		"unknown path":     {"/v1/logs", "application/x-protobuf", "", "", http.StatusNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+test.path, bytes.NewReader([]byte(test.body)))
			require.NoError(t, err)
			req.Header.Set("Content-Type", test.media)
			req.Header.Set("Content-Encoding", test.encoding)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, test.status, resp.StatusCode)
			n, why := r.Failures()
			assert.EqualValues(t, 1, n)
			require.Error(t, why)
			assert.Empty(t, r.Requests())
		})
	}
}

func TestNamesAreBounded(t *testing.T) {
	r := start(t)
	spans := make([]*trace.Span, 5000)
	for i := range spans {
		spans[i] = &trace.Span{Name: fmt.Sprint(i)}
	}
	post(t, r.URL()+"/v1/traces", &collectortraces.ExportTraceServiceRequest{
		ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: spans}}}},
	})
	assert.Len(t, r.Spans(), 4097)
	assert.EqualValues(t, 5000-4096, r.Spans()[otlp.Other])
}

func TestEveryMetricTypeHasPoints(t *testing.T) {
	r := start(t)
	all := []*metrics.Metric{
		{Name: "gauge", Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: make([]*metrics.NumberDataPoint, 1)}}},
		{Name: "exponential", Data: &metrics.Metric_ExponentialHistogram{ExponentialHistogram: &metrics.ExponentialHistogram{
			DataPoints: make([]*metrics.ExponentialHistogramDataPoint, 2)}}},
		{Name: "summary", Data: &metrics.Metric_Summary{Summary: &metrics.Summary{DataPoints: make([]*metrics.SummaryDataPoint, 3)}}},
		{Name: "empty"},
	}
	post(t, r.URL()+"/v1/metrics", &collectormetrics.ExportMetricsServiceRequest{
		ResourceMetrics: []*metrics.ResourceMetrics{{ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: all}}}},
	})
	assert.Equal(t, map[string]int64{"gauge": 1, "exponential": 2, "summary": 3, "empty": 0}, r.Points())
}

func post(t *testing.T, url string, message proto.Message) {
	t.Helper()
	raw, err := proto.Marshal(message)
	require.NoError(t, err)
	resp, err := http.Post(url, "application/x-protobuf", bytes.NewReader(raw)) //nolint:noctx // a test server on loopback
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
}
