// Package telemetry exports traces and metrics over OTLP/HTTP with the official SDK.
//
// A nil *Telemetry is telemetry that is off: every method of it does nothing, at the cost of a
// comparison. It refuses to record what a caller sent: spans carry the names of methods and tools that
// exist, paths, statuses and times, and neither headers nor queries nor bodies.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope names this program's instrumentation.
const scope = "gitlab-mcp-server"

// Telemetry makes spans and counts; safe for concurrent use.
type Telemetry struct {
	traces  *sdktrace.TracerProvider
	metrics *sdkmetric.MeterProvider
	tracer  trace.Tracer
	meter   metric.Meter

	requests       metric.Int64Counter
	duration       metric.Float64Histogram
	gitlabRequests metric.Int64Counter
	gitlabDuration metric.Float64Histogram
}

// Start begins to export to where the environment says (OTEL_EXPORTER_OTLP_ENDPOINT and its kin,
// http://localhost:4318 if it says nothing). What the SDK has to say, failures to export above all, goes to
// log. The service's name is that of this program unless OTEL_SERVICE_NAME says otherwise.
func Start(ctx context.Context, version string, log *slog.Logger) (*Telemetry, error) {
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry", "error", err) }))
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	points, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return New(ctx, version, sdktrace.NewBatchSpanProcessor(spans), sdkmetric.NewPeriodicReader(points))
}

// New returns Telemetry that gives spans to processor and metrics to reader.
func New(ctx context.Context, version string, processor sdktrace.SpanProcessor, reader sdkmetric.Reader) (*Telemetry, error) {
	about, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", scope), attribute.String("service.version", version)),
		resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &Telemetry{
		traces:  sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithSpanProcessor(processor)),
		metrics: sdkmetric.NewMeterProvider(sdkmetric.WithResource(about), sdkmetric.WithReader(reader)),
	}
	t.tracer = t.traces.Tracer(scope, trace.WithInstrumentationVersion(version))
	t.meter = t.metrics.Meter(scope, metric.WithInstrumentationVersion(version))
	return t, t.instruments()
}

// seconds are the bounds of the duration histograms: half a millisecond to a minute.
var seconds = metric.WithExplicitBucketBoundaries(
	0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

func (t *Telemetry) instruments() error {
	var errs [4]error
	t.requests, errs[0] = t.meter.Int64Counter("mcp.server.requests",
		metric.WithUnit("{request}"), metric.WithDescription("MCP requests answered, by method and outcome."))
	t.duration, errs[1] = t.meter.Float64Histogram("mcp.server.operation.duration", seconds,
		metric.WithUnit("s"), metric.WithDescription("Time from an MCP request to its answer."))
	t.gitlabRequests, errs[2] = t.meter.Int64Counter("gitlab.client.requests",
		metric.WithUnit("{request}"), metric.WithDescription("Requests sent to GitLab, by verb and status."))
	t.gitlabDuration, errs[3] = t.meter.Float64Histogram("http.client.request.duration", seconds,
		metric.WithUnit("s"), metric.WithDescription("Time from a request to GitLab to the header of its answer."))
	return errors.Join(errs[:]...)
}

// ObservePool has the number of credentials, sessions and toolsets that are held exported as gauges.
func (t *Telemetry) ObservePool(stats func() (credentials, sessions, toolsets int)) error {
	if t == nil {
		return nil
	}
	gauge := func(name, what string) (metric.Int64ObservableGauge, error) {
		return t.meter.Int64ObservableGauge(name, metric.WithUnit("{"+what+"}"), metric.WithDescription("Held now: "+what+"s."))
	}
	credentials, err1 := gauge("gitlab_mcp.pool.credentials", "credential")
	sessions, err2 := gauge("gitlab_mcp.pool.sessions", "session")
	toolsets, err3 := gauge("gitlab_mcp.pool.toolsets", "toolset")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	_, err := t.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		c, s, n := stats()
		o.ObserveInt64(credentials, int64(c))
		o.ObserveInt64(sessions, int64(s))
		o.ObserveInt64(toolsets, int64(n))
		return nil
	}, credentials, sessions, toolsets)
	return err
}

// An Outcome is how an MCP request ended.
type Outcome string

// The outcomes.
const (
	OK        Outcome = "ok"
	ToolError Outcome = "tool_error" // the tool ran, and its result says that it failed
	Failed    Outcome = "error"      // a JSON-RPC error
	Refused   Outcome = "refused"    // over a limit
)

// Request begins the span of an MCP request. The tool is "" for every method but tools/call; it must be
// one that exists. End is to be called with the outcome.
func (t *Telemetry) Request(ctx context.Context, header http.Header, method, tool string) (_ context.Context, end func(Outcome)) {
	if t == nil {
		return ctx, func(Outcome) {}
	}
	if header != nil && !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(header))
	}
	name, attrs := method, []attribute.KeyValue{attribute.String("mcp.method.name", method)}
	if tool != "" {
		name += " " + tool
		attrs = append(attrs, attribute.String("gen_ai.tool.name", tool))
	}
	start := time.Now()
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attrs...))
	return ctx, func(outcome Outcome) {
		attrs := append(attrs, attribute.String("outcome", string(outcome)))
		set := metric.WithAttributeSet(attribute.NewSet(attrs...))
		t.requests.Add(ctx, 1, set)
		t.duration.Record(ctx, time.Since(start).Seconds(), set)
		span.SetAttributes(attribute.String("outcome", string(outcome)))
		if outcome != OK {
			span.SetStatus(codes.Error, string(outcome))
		}
		span.End()
	}
}

// Shutdown exports what is left and stops, before ctx ends.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	traces := make(chan error, 1)
	go func() { traces <- t.traces.Shutdown(ctx) }()
	err := t.metrics.Shutdown(ctx)
	return errors.Join(err, <-traces)
}
