package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/telemetry"
)

func TestCheckEnv(t *testing.T) {
	for _, tt := range []struct {
		name, variable, value string
		ok                    bool
	}{
		{"nothing", "OTHER", "::", true},
		{"http", "OTEL_EXPORTER_OTLP_ENDPOINT", " http://localhost:4318 ", true},
		{"https", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/v1/traces", true},
		{"no URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://" + canary + ":x/", false},
		{"no scheme", "OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", false},
		{"host only", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector", false},
		{"no host", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://", false},
		{"another protocol", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "grpc://u:" + canary + "@collector:4317", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := telemetry.CheckEnv(func(name string) string { return map[string]string{tt.variable: tt.value}[name] })
			if tt.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.variable)
			assert.NotContains(t, err.Error(), canary)
		})
	}
}

// TestWhatTheSDKSaysGoesToTheLog sets a variable that the SDK complains of and goes on.
func TestWhatTheSDKSaysGoesToTheLog(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")
	var log bytes.Buffer
	tel, err := telemetry.Start(t.Context(), "v1", slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // there is nothing to send, and nobody to send it to
		_ = tel.Shutdown(ctx)
	})
	assert.Contains(t, log.String(), "level=ERROR")
	assert.Contains(t, log.String(), "soon")
}
