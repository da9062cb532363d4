package otlp

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	tracesPath  = "/v1/traces"
	metricsPath = "/v1/metrics"
	protobuf    = "application/x-protobuf"
	// maxBody bounds one export after decompression.
	maxBody = 64 << 20
)

func (r *Receiver) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+tracesPath, func(w http.ResponseWriter, req *http.Request) {
		var export collectortraces.ExportTraceServiceRequest
		if r.decode(w, req, &export) {
			r.traces(&export)
			r.accept(w, tracesPath, &collectortraces.ExportTraceServiceResponse{})
		}
	})
	mux.HandleFunc("POST "+metricsPath, func(w http.ResponseWriter, req *http.Request) {
		var export collectormetrics.ExportMetricsServiceRequest
		if r.decode(w, req, &export) {
			r.metrics(&export)
			r.accept(w, metricsPath, &collectormetrics.ExportMetricsServiceResponse{})
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		r.refuse(w, http.StatusNotFound, fmt.Errorf("otlp: no route for %s %s", req.Method, req.URL.Path))
	})
	return mux
}

// decode reads one export into a message; it answers itself, and reports false, when it cannot.
func (r *Receiver) decode(w http.ResponseWriter, req *http.Request, into proto.Message) bool {
	if media, _, _ := strings.Cut(req.Header.Get("Content-Type"), ";"); media != protobuf {
		r.refuse(w, http.StatusUnsupportedMediaType, fmt.Errorf("otlp: content type %q is not %s", media, protobuf))
		return false
	}
	raw, err := readBody(req)
	if err == nil {
		err = proto.Unmarshal(raw, into)
	}
	if err != nil {
		r.refuse(w, http.StatusBadRequest, fmt.Errorf("otlp: read export at %s: %w", req.URL.Path, err))
		return false
	}
	return true
}

func readBody(req *http.Request) ([]byte, error) {
	var body io.Reader = req.Body
	switch encoding := req.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(req.Body)
		if err != nil {
			return nil, err
		}
		defer func() { _ = z.Close() }()
		body = z
	default:
		return nil, fmt.Errorf("content encoding %q is not known", encoding)
	}
	raw, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err == nil && len(raw) > maxBody {
		err = fmt.Errorf("body is over %d bytes", maxBody)
	}
	return raw, err
}

func (r *Receiver) accept(w http.ResponseWriter, path string, response proto.Message) {
	r.mu.Lock()
	r.requests[path]++
	r.mu.Unlock()
	raw, err := proto.Marshal(response)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", protobuf)
	_, _ = w.Write(raw) // an exporter that left is no error of the stand-in
}

func (r *Receiver) refuse(w http.ResponseWriter, status int, err error) {
	r.mu.Lock()
	r.failures++
	r.last = err
	r.mu.Unlock()
	http.Error(w, err.Error(), status)
}
