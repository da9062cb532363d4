package telemetry

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Wrap returns a RoundTripper that makes a span of every request to GitLab. Of the URL it notes host and
// path: a query may hold what somebody typed, a token included.
func (t *Telemetry) Wrap(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &roundTripper{t, next}
}

type roundTripper struct {
	t    *Telemetry
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (rt *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	ctx, span := rt.t.tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", r.Method),
		attribute.String("server.address", r.URL.Hostname()),
		attribute.String("url.path", r.URL.Path)))
	defer span.End()
	r = r.Clone(ctx)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))

	resp, err := rt.next.RoundTrip(r)
	attrs := []attribute.KeyValue{attribute.String("http.request.method", r.Method)}
	switch {
	case err != nil:
		kind := errorType(err)
		attrs = append(attrs, attribute.String("error.type", kind))
		span.SetAttributes(attribute.String("error.type", kind))
		span.SetStatus(codes.Error, kind)
	default:
		attrs = append(attrs, attribute.Int("http.response.status_code", resp.StatusCode))
		span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
		if resp.StatusCode >= http.StatusBadRequest {
			span.SetStatus(codes.Error, "")
		}
	}
	set := metric.WithAttributeSet(attribute.NewSet(attrs...))
	rt.t.gitlabRequests.Add(ctx, 1, set)
	rt.t.gitlabDuration.Record(ctx, time.Since(start).Seconds(), set)
	return resp, err
}

// errorType puts an error into one of few words: its text may hold the URL.
func errorType(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	default:
		return "unreachable"
	}
}
