package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/gitlabapi"
	"mcpbench/internal/server/catalog"
	"mcpbench/internal/server/surface"
)

// env is an environment with a GitLab and a token.
func env(pairs ...string) func(string) string {
	vars := map[string]string{"GITLAB_URL": "https://gitlab.local/api/v4", "GITLAB_TOKEN": canary}
	for i := 0; i < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return vars[name] }
}

func TestParse(t *testing.T) {
	standard := defaults()
	standard.GitLabURL, standard.Token = "https://gitlab.local", canary
	standard.MaxOfOne, standard.SessionsOfOne = 0, 5000
	with := func(change func(*Config)) Config {
		c := standard
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name string
		args string
		env  func(string) string
		want Config
	}{
		{"nothing said", "", env(), standard},
		{"http needs no token", "--http", env("GITLAB_TOKEN", ""), with(func(c *Config) { c.HTTP, c.Token = true, "" })},
		{"flag over variable", "--tool-surface meta --gitlab-url=http://other/", env("GITLAB_MCP_TOOL_SURFACE", "individual"),
			with(func(c *Config) { c.Surface, c.GitLabURL = surface.Meta, "http://other" })},
		{"variables", "", env(
			"GITLAB_MCP_READ_ONLY", "true", "GITLAB_MCP_MAX_HTTP_CLIENTS", "5", "GITLAB_MCP_POOL_IDLE_TIMEOUT", "90s",
			"GITLAB_MCP_SESSION_TIMEOUT", "0", "GITLAB_MCP_MAX_CONCURRENT_REQUESTS", "7", "GITLAB_MCP_RATE_LIMIT_RPS", "2.5",
			"GITLAB_MCP_MAX_CONCURRENT_PER_CREDENTIAL", "6", "GITLAB_MCP_TLS_CERT", "c", "GITLAB_MCP_TLS_KEY", "k",
			"GITLAB_MCP_GITLAB_MAX_CONNS", "3", "GITLAB_MCP_TELEMETRY", "1", "GITLAB_MCP_LOG_LEVEL", "DEBUG", "GITLAB_MCP_HTTP", "false",
			"GITLAB_MCP_HTTP_ADDR", ":0", "GITLAB_MCP_PPROF_ADDR", "6060"),
			with(func(c *Config) {
				c.ReadOnly, c.MaxClients, c.PoolIdle, c.SessionTimeout = true, 5, 90*time.Second, 0
				c.MaxOfOne, c.TLSCert, c.TLSKey = 6, "c", "k"
				c.MaxConcurrent, c.RateLimit, c.GitLabMaxConns, c.Telemetry = 7, 2.5, 3, true
				c.LogLevel, c.HTTPAddr, c.PprofAddr = slog.LevelDebug, ":0", "127.0.0.1:6060"
			})},
		{"half of the requests", "--max-concurrent-requests 9", env(), with(func(c *Config) { c.MaxConcurrent, c.MaxOfOne = 9, 4 })},
		{"half of one request", "--max-concurrent-requests 1", env(), with(func(c *Config) { c.MaxConcurrent, c.MaxOfOne = 1, 1 })},
		{"no bound but for all", "--max-concurrent-requests 9 --max-concurrent-per-credential 0", env(), with(func(c *Config) { c.MaxConcurrent = 9 })},
		{"sessions", "--max-sessions 7", env("GITLAB_MCP_MAX_SESSIONS_PER_CREDENTIAL", "6"), with(func(c *Config) { c.MaxSessions, c.SessionsOfOne = 7, 6 })},
		{"half of the sessions", "--max-sessions 7", env(), with(func(c *Config) { c.MaxSessions, c.SessionsOfOne = 7, 3 })},
		{"sessions without a bound", "--max-sessions 0", env(), with(func(c *Config) { c.MaxSessions, c.SessionsOfOne = 0, 0 })},
		{"profiles on loopback", "--pprof-addr :6060", env(), with(func(c *Config) { c.PprofAddr = "127.0.0.1:6060" })},
		{"profiles elsewhere", "--pprof-addr 0.0.0.0:6060", env(), with(func(c *Config) { c.PprofAddr = "0.0.0.0:6060" })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(strings.Fields(tt.args), tt.env, &bytes.Buffer{})
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		env        func(string) string
		want       string
	}{
		{"unknown flag", "--nope", env(), "not defined: -nope"},
		{"token as a flag", "--gitlab-token " + canary, env(), "not defined: -gitlab-token"},
		{"argument", "serve", env(), `unexpected argument "serve"`},
		{"surface", "--tool-surface all", env(), "use dynamic, meta or individual"},
		{"number", "--gitlab-max-conns -1", env(), "whole number, 0 or more"},
		{"no room for a client", "--max-http-clients 0", env(), "whole number, 1 or more"},
		{"no room for a client, as a variable", "", env("GITLAB_MCP_MAX_HTTP_CLIENTS", "0"), "whole number, 1 or more"},
		{"negative time", "--session-timeout -1s", env(), "use a duration like"},
		{"no patience", "--client-timeout 0", env(), "--client-timeout"},
		{"negative rate", "--rate-limit-rps -1", env(), "use a number, 0 or more"},
		{"rate", "--rate-limit-rps NaN", env(), "use a number"},
		{"duration", "--pool-idle-timeout 5", env(), "use a duration like"},
		{"switch", "--http=maybe", env(), "use true or false"},
		{"level", "--log-level loud", env(), "not a level"},
		{"variable", "", env("GITLAB_MCP_MAX_HTTP_CLIENTS", "many"), "GITLAB_MCP_MAX_HTTP_CLIENTS"},
		{"no GitLab", "", env("GITLAB_URL", ""), "set --gitlab-url or GITLAB_URL"},
		{"bad GitLab", "--gitlab-url gitlab.local", env(), "use one like https://"},
		{"a certificate without a key", "--tls-cert c", env(), "go together"},
		{"address", "--http-addr 8080", env(), "not an address"},
		{"port", "--http-addr :99999", env(), "not a port"},
		{"named port", "--http-addr :http", env(), "not a port"},
		{"profiles", "--pprof-addr nowhere", env(), "--pprof-addr"},
		{"no token", "", env("GITLAB_TOKEN", ""), "set GITLAB_TOKEN or --gitlab-token-file"},
		{"broken token", "", env("GITLAB_TOKEN", canary+"\x00"), "no token has"},
		{"no token file", "--gitlab-token-file /nonexistent", env(), "--gitlab-token-file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(strings.Fields(tt.args), tt.env, &bytes.Buffer{})
			require.ErrorContains(t, err, tt.want)
			var usage usageError
			require.ErrorAs(t, err, &usage)
			assert.NotContains(t, err.Error(), "\n")
			if tt.name != "token as a flag" {
				assert.NotContains(t, err.Error(), canary)
			}
		})
	}
}

func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("glpat-from-file\n"), 0o600))
	got, err := parse([]string{"--gitlab-token-file", file}, env(), &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, "glpat-from-file", got.Token)
}

func TestHelp(t *testing.T) {
	var help bytes.Buffer
	_, err := parse([]string{"--help"}, env("GITLAB_MCP_MAX_HTTP_CLIENTS", "5"), &help)
	require.ErrorIs(t, err, errHelp)
	text := help.String()
	c, file := defaults(), ""
	for _, s := range settings(&c, &file) {
		assert.Contains(t, text, "--"+s.name)
		assert.Contains(t, text, s.env)
	}
	for _, want := range []string{"default 100", "default 30m]", "default dynamic", "Exit codes:", "default info", "-32005 (HTTP 503)", "-32029 (HTTP 429)"} {
		assert.Contains(t, text, want)
	}
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(line), 110, line)
	}
}

func TestVersion(t *testing.T) {
	got := ReadBuild("v1.2.3", "abc")
	assert.Equal(t, "v1.2.3", got.Version)
	assert.Equal(t, "abc", got.Commit)
	assert.Contains(t, got.String(), "gitlab-mcp-server v1.2.3\ncommit abc\ngo1.")
	assert.NotEmpty(t, ReadBuild("", "").Version)
}

// TestHelpSaysWhatIsLeftOut compares what the help says with the catalog.
func TestHelpSaysWhatIsLeftOut(t *testing.T) {
	cat, err := catalog.New()
	require.NoError(t, err)
	facts := gitlabapi.Operations()
	assert.Contains(t, leftOut, fmt.Sprintf("%d of the %d operations", cat.Len(), len(facts)))
	for _, op := range facts {
		assert.Equal(t, op.OpensFile, strings.Contains(leftOut, op.Service+"."+op.Method))
	}
	var help bytes.Buffer
	_, err = parse([]string{"--help"}, env(), &help)
	require.ErrorIs(t, err, errHelp)
	_, tools, _ := strings.Cut(help.String(), "\nTools:\n")
	tools, _, _ = strings.Cut(tools, "\nLimits:\n")
	assert.Contains(t, tools, leftOut)
}

func TestRevision(t *testing.T) {
	of := func(pairs ...string) string {
		var settings []debug.BuildSetting
		for i := 0; i < len(pairs); i += 2 {
			settings = append(settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return revision(settings)
	}
	assert.Empty(t, of("vcs.modified", "true"), "changes to nothing known")
	assert.Equal(t, "abc", of("vcs.revision", "abc", "vcs.modified", "false"))
	assert.Equal(t, "abc+changes", of("vcs.modified", "true", "vcs.revision", "abc"), "as the record writes it")
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Minute: "30m", 2 * time.Hour: "2h", 90 * time.Second: "1m30s", 90 * time.Minute: "1h30m", 0: "0s", time.Second: "1s",
	} {
		assert.Equal(t, want, shortDuration(d))
	}
}

func TestSweepEvery(t *testing.T) {
	assert.Equal(t, 15*time.Second, sweepEvery(0, time.Hour))
	assert.Equal(t, 5*time.Second, sweepEvery(20*time.Second, 0))
	assert.Equal(t, 100*time.Millisecond, sweepEvery(time.Hour, time.Millisecond))
}
