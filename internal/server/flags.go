package server

import (
	"encoding"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"mcpbench/internal/server/surface"
)

// setting is one thing that can be set, as a flag or in the environment. The flag wins.
type setting struct {
	group, name, env, arg, help string
	value                       flag.Value
}

// leftOut continues the help about surfaces. The numbers are those of the client library.
const leftOut = `
      Each offers 1229 of the 1230 operations that the official client has. GroupImportExport.ImportFile is
      left out: it opens a file on this machine whose path the caller names, and no tool does that.`

// settings lists what can be set about c, in the order of the help text.
func settings(c *Config, tokenFile *string) []setting {
	const (
		transport = "Transport"
		gitlab    = "GitLab"
		tools     = "Tools"
		limits    = "Limits"
		watching  = "Watching"
	)
	return []setting{
		{transport, "http", "GITLAB_MCP_HTTP", "", "serve streamable HTTP on /mcp and /mcp/{surface}; without it, stdio", (*boolValue)(&c.HTTP)},
		{transport, "http-addr", "GITLAB_MCP_HTTP_ADDR", "host:port", "address to serve HTTP on", (*stringValue)(&c.HTTPAddr)},
		{transport, "tls-cert", "GITLAB_MCP_TLS_CERT", "path", "serve HTTPS, with HTTP/2, with the certificate in this file", (*stringValue)(&c.TLSCert)},
		{transport, "tls-key", "GITLAB_MCP_TLS_KEY", "path", "file of the certificate's key", (*stringValue)(&c.TLSKey)},
		{transport, "session-timeout", "GITLAB_MCP_SESSION_TIMEOUT", "duration", "end a session after so long without a request; 0 for never", (*durationValue)(&c.SessionTimeout)},
		{transport, "client-timeout", "GITLAB_MCP_CLIENT_TIMEOUT", "duration", "cut off a client that takes longer to send a request, or to take a piece of the answer", (*durationValue)(&c.ClientTimeout)},

		{gitlab, "gitlab-url", "GITLAB_URL", "url", "address of your GitLab", (*stringValue)(&c.GitLabURL)},
		{gitlab, "gitlab-token-file", "GITLAB_TOKEN_FILE", "path", "file that holds the token for stdio, instead of GITLAB_TOKEN", (*stringValue)(tokenFile)},
		{gitlab, "gitlab-max-conns", "GITLAB_MCP_GITLAB_MAX_CONNS", "n", "connections to GitLab at most; 0 for no bound", (*countValue)(&c.GitLabMaxConns)},

		{tools, "tool-surface", "GITLAB_MCP_TOOL_SURFACE", "surface", "dynamic (find an action, execute it), meta (a tool a service) or individual (a tool an operation)" + leftOut, (*surfaceValue)(&c.Surface)},
		{tools, "read-only", "GITLAB_MCP_READ_ONLY", "", "leave out every operation that changes something", (*boolValue)(&c.ReadOnly)},

		{limits, "max-http-clients", "GITLAB_MCP_MAX_HTTP_CLIENTS", "n", "credentials held at once, 1 or more; the least recently used one makes room", (*atLeastOne)(&c.MaxClients)},
		{limits, "pool-idle-timeout", "GITLAB_MCP_POOL_IDLE_TIMEOUT", "duration", "let go of a credential after so long without a request; 0 for never", (*durationValue)(&c.PoolIdle)},
		{limits, "max-concurrent-requests", "GITLAB_MCP_MAX_CONCURRENT_REQUESTS", "n", "requests in progress at once; more are refused; 0 for no bound", (*countValue)(&c.MaxConcurrent)},
		{limits, "max-concurrent-per-credential", "GITLAB_MCP_MAX_CONCURRENT_PER_CREDENTIAL", "n", "requests in progress at once of one credential, over HTTP; more are refused; 0 for no bound", halfValue{&c.MaxOfOne, "--max-concurrent-requests"}},
		{limits, "max-sessions", "GITLAB_MCP_MAX_SESSIONS", "n", "sessions open at once, over HTTP, each with a stream at most; more are refused; 0 for no bound", (*countValue)(&c.MaxSessions)},
		{limits, "max-sessions-per-credential", "GITLAB_MCP_MAX_SESSIONS_PER_CREDENTIAL", "n", "sessions open at once of one credential; more are refused; 0 for no bound", halfValue{&c.SessionsOfOne, "--max-sessions"}},
		{limits, "rate-limit-rps", "GITLAB_MCP_RATE_LIMIT_RPS", "n", "requests a second of one credential; more are refused; 0 for no bound", (*rateValue)(&c.RateLimit)},

		{watching, "log-level", "GITLAB_MCP_LOG_LEVEL", "level", "debug, info, warn or error; the log goes to standard error", textValue{&c.LogLevel, c.LogLevel.String}},
		{watching, "pprof-addr", "GITLAB_MCP_PPROF_ADDR", "[host]:port", "serve profiles on /debug/pprof/, on loopback unless a host is named", (*stringValue)(&c.PprofAddr)},
		{watching, "telemetry", "GITLAB_MCP_TELEMETRY", "", "export traces and metrics over OTLP/HTTP to where OTEL_EXPORTER_OTLP_* say", (*boolValue)(&c.Telemetry)},
		{watching, "check", "", "", "ask GitLab who the token belongs to, say so, and end", (*boolValue)(&c.Check)},
		{watching, "version", "", "", "print version, commit and Go version, and end", (*boolValue)(&c.Version)},
	}
}

// defaults is the configuration of a server about which nothing is said.
func defaults() Config {
	return Config{
		HTTPAddr:       "127.0.0.1:8080",
		Surface:        surface.Dynamic,
		MaxClients:     100,
		PoolIdle:       30 * time.Minute,
		SessionTimeout: 30 * time.Minute,
		ClientTimeout:  30 * time.Second,
		MaxOfOne:       unsaid,
		MaxSessions:    10_000,
		SessionsOfOne:  unsaid,
		LogLevel:       slog.LevelInfo,
	}
}

// errHelp says that help was asked for and given.
var errHelp = errors.New("help was asked for")

// parse reads the configuration from arguments and environment. Help goes to out.
func parse(args []string, getenv func(string) string, out io.Writer) (Config, error) {
	c, tokenFile := defaults(), ""
	all := settings(&c, &tokenFile)

	fs := flag.NewFlagSet("gitlab-mcp-server", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, s := range all {
		fs.Var(s.value, s.name, s.help)
		if err := fromEnv(s, getenv); err != nil {
			return Config{}, err
		}
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		// The help shows what a setting is by itself, not what the environment made of it.
		c, tokenFile = defaults(), ""
		writeHelp(out, all)
		return Config{}, errHelp
	case err != nil:
		return Config{}, usageError{err}
	case fs.NArg() > 0:
		return Config{}, badUsage("unexpected argument %q: settings are flags", fs.Arg(0))
	case c.Version:
		return c, nil
	}
	return c, c.settle(getenv, tokenFile)
}

// fromEnv takes a setting from the environment. A variable that is empty is as good as none.
func fromEnv(s setting, getenv func(string) string) error {
	if s.env == "" {
		return nil
	}
	v := getenv(s.env)
	if v == "" {
		return nil
	}
	if err := s.value.Set(v); err != nil {
		return badUsage("invalid value %q for %s: %w", v, s.env, err)
	}
	return nil
}

type (
	boolValue     bool
	stringValue   string
	countValue    int
	atLeastOne    int
	rateValue     float64
	durationValue time.Duration
	surfaceValue  surface.Kind
)

func (v *boolValue) String() string     { return strconv.FormatBool(bool(*v)) }
func (v *stringValue) String() string   { return string(*v) }
func (v *countValue) String() string    { return strconv.Itoa(int(*v)) }
func (v *atLeastOne) String() string    { return strconv.Itoa(int(*v)) }
func (v *rateValue) String() string     { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }
func (v *durationValue) String() string { return shortDuration(time.Duration(*v)) }
func (v *surfaceValue) String() string  { return string(*v) }

// IsBoolFlag lets the flag stand without a value.
func (v *boolValue) IsBoolFlag() bool { return true }

// Set implements flag.Value.
func (v *boolValue) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("use true or false")
	}
	*v = boolValue(b)
	return nil
}

// Set implements flag.Value.
func (v *stringValue) Set(s string) error { *v = stringValue(s); return nil }

// Set implements flag.Value.
func (v *countValue) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return errors.New("use a whole number, 0 or more")
	}
	*v = countValue(n)
	return nil
}

// Set implements flag.Value.
func (v *atLeastOne) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return errors.New("use a whole number, 1 or more")
	}
	*v = atLeastOne(n)
	return nil
}

// Set implements flag.Value.
func (v *rateValue) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0) || f > 1e9 {
		return errors.New("use a number, 0 or more")
	}
	*v = rateValue(f)
	return nil
}

// Set implements flag.Value.
func (v *durationValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("use a duration like 90s, 30m or 2h")
	}
	*v = durationValue(d)
	return nil
}

// Set implements flag.Value.
func (v *surfaceValue) Set(s string) error {
	k, err := surface.ParseKind(s)
	if err != nil {
		return err
	}
	*v = surfaceValue(k)
	return nil
}

// halfValue is a countValue that is half of another setting if nothing is said about it.
type halfValue struct {
	n  *int
	of string
}

// Set implements flag.Value.
func (v halfValue) Set(s string) error { return (*countValue)(v.n).Set(s) }

// String implements flag.Value.
func (v halfValue) String() string {
	switch {
	case v.n == nil:
		return ""
	case *v.n == unsaid:
		return "half of " + v.of
	}
	return (*countValue)(v.n).String()
}

// textValue is a flag.Value of anything that reads itself from text.
type textValue struct {
	target encoding.TextUnmarshaler
	show   func() string
}

// String implements flag.Value.
func (v textValue) String() string {
	if v.show == nil {
		return ""
	}
	return strings.ToLower(v.show())
}

// Set implements flag.Value.
func (v textValue) Set(s string) error {
	if err := v.target.UnmarshalText([]byte(s)); err != nil {
		return fmt.Errorf("%q is not a level", s)
	}
	return nil
}

// shortDuration writes 30m where time.Duration writes 30m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
