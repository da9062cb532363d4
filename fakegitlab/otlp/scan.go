package otlp

import (
	"strings"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// traces counts the spans of one export and looks for needles in every text that is not an identifier.
func (r *Receiver) traces(export *collectortraces.ExportTraceServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range export.GetResourceSpans() {
		r.scan("resource", rs.GetResource().GetAttributes())
		for _, ss := range rs.GetScopeSpans() {
			r.scan("scope", ss.GetScope().GetAttributes())
			for _, span := range ss.GetSpans() {
				add(r.spans, span.GetName(), 1)
				r.scanSpan(span)
			}
		}
	}
}

func (r *Receiver) scanSpan(span *trace.Span) {
	name := span.GetName()
	r.look(name, "name", name)
	r.look(name, "status", span.GetStatus().GetMessage())
	r.look(name, "tracestate", span.GetTraceState())
	r.scan(name, span.GetAttributes())
	for _, e := range span.GetEvents() {
		r.look(name, "event", e.GetName())
		r.scan(name, e.GetAttributes())
	}
	for _, l := range span.GetLinks() {
		r.scan(name, l.GetAttributes())
	}
}

// metrics counts the data points of one export.
func (r *Receiver) metrics(export *collectormetrics.ExportMetricsServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rm := range export.GetResourceMetrics() {
		r.scan("resource", rm.GetResource().GetAttributes())
		for _, sm := range rm.GetScopeMetrics() {
			r.scan("scope", sm.GetScope().GetAttributes())
			for _, m := range sm.GetMetrics() {
				attributes := pointAttributes(m)
				add(r.points, m.GetName(), int64(len(attributes)))
				for _, a := range attributes {
					r.scan(m.GetName(), a)
				}
			}
		}
	}
}

// pointAttributes are the attributes of each data point of a metric, whatever its type.
func pointAttributes(m *metrics.Metric) [][]*common.KeyValue {
	switch {
	case m.GetSum() != nil:
		return attributesOf(m.GetSum().GetDataPoints())
	case m.GetGauge() != nil:
		return attributesOf(m.GetGauge().GetDataPoints())
	case m.GetHistogram() != nil:
		return attributesOf(m.GetHistogram().GetDataPoints())
	case m.GetExponentialHistogram() != nil:
		return attributesOf(m.GetExponentialHistogram().GetDataPoints())
	case m.GetSummary() != nil:
		return attributesOf(m.GetSummary().GetDataPoints())
	}
	return nil
}

func attributesOf[P interface{ GetAttributes() []*common.KeyValue }](points []P) [][]*common.KeyValue {
	all := make([][]*common.KeyValue, 0, len(points))
	for _, p := range points {
		all = append(all, p.GetAttributes())
	}
	return all
}

// scan looks for needles in attributes, keys and nested values included.
func (r *Receiver) scan(in string, attributes []*common.KeyValue) {
	for _, a := range attributes {
		r.look(in, a.GetKey(), a.GetKey())
		r.scanValue(in, a.GetKey(), a.GetValue())
	}
}

func (r *Receiver) scanValue(in, key string, v *common.AnyValue) {
	r.look(in, key, v.GetStringValue())
	r.look(in, key, string(v.GetBytesValue()))
	for _, e := range v.GetArrayValue().GetValues() {
		r.scanValue(in, key, e)
	}
	r.scan(in, v.GetKvlistValue().GetValues())
}

// look remembers the first place each needle is seen in.
func (r *Receiver) look(in, key, text string) {
	if text == "" {
		return
	}
	for _, needle := range r.needles {
		if _, seen := r.found[needle]; !seen && strings.Contains(text, needle) {
			r.found[needle] = Place{In: in, Key: key}
		}
	}
}
