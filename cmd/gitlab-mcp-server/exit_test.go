package main_test

import (
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExit looks at how the program ends when it cannot begin: the code, and one line that says why.
func TestExit(t *testing.T) {
	g := newGitLab(t, 0)
	gone := httptest.NewServer(nil)
	gone.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()

	for _, tt := range []struct {
		name   string
		env    []string
		args   []string
		code   int
		stderr string
		stdout string
	}{
		{"help", nil, []string{"--help"}, 0, "", "Exit codes:"},
		{"version", nil, []string{"--version"}, 0, "", "gitlab-mcp-server v0.0.0-test\ncommit c0ffee\ngo1."},
		{"unknown flag", stdioEnv(g), []string{"--nope"}, 2, "not defined: -nope", ""},
		{"bad value", stdioEnv(g), []string{"--tool-surface=all"}, 2, "unknown tool surface", ""},
		{"no room for a client", stdioEnv(g), []string{"--max-http-clients=0"}, 2, "1 or more", ""},
		{"bad URL", []string{"GITLAB_TOKEN=" + canary}, []string{"--gitlab-url", "gitlab"}, 2, "use one like https://", ""},
		{"no URL", nil, nil, 2, "GITLAB_URL", ""},
		{"no token", []string{"GITLAB_URL=" + g.URL}, nil, 2, "GITLAB_TOKEN", ""},
		{"nowhere to export to", append(stdioEnv(g), "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318"), []string{"--telemetry"}, 2,
			"OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL", ""},
		{"nowhere to export to, and no telemetry", append(stdioEnv(g), "OTEL_EXPORTER_OTLP_ENDPOINT=:"), []string{"--check"}, 0,
			"", "the token belongs to"},
		{"port in use", nil, []string{"--http", "--gitlab-url", g.URL, "--http-addr", taken.Addr().String()}, 3, "address already in use", ""},
		{"profiles on a port in use", stdioEnv(g), []string{"--pprof-addr", taken.Addr().String()}, 3, "cannot serve profiles", ""},
		{"GitLab does not answer", stdioEnv(g), []string{"--check", "--gitlab-url", gone.URL}, 4, "cannot be reached", ""},
		{"GitLab refuses", []string{"GITLAB_URL=" + g.URL, "GITLAB_TOKEN=other"}, []string{"--check"}, 5, "does not know this token", ""},
		{"GitLab answers", stdioEnv(g), []string{"--check"}, 0, "", "the token belongs to @ann"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, tt.env, tt.args...)
			assert.Equal(t, tt.code, p.await(t), p.stderr)
			assert.Contains(t, p.rest.String(), tt.stdout)
			said := slices.Collect(strings.Lines(p.stderr.String()))
			if tt.code == 0 {
				assert.Empty(t, said)
				return
			}
			require.Len(t, said, 1)
			assert.True(t, strings.HasPrefix(said[0], "gitlab-mcp-server: "), said[0])
			assert.Contains(t, said[0], tt.stderr)
			assert.Empty(t, p.rest.String())
		})
	}
}
