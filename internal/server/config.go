package server

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/telemetry"
	"mcpbench/internal/server/upstream"
)

// Config is everything that can be set about a server.
type Config struct {
	HTTP           bool   // serve streamable HTTP instead of stdio
	HTTPAddr       string // host:port
	GitLabURL      string // without /api/v4
	Token          string // stdio only
	Surface        surface.Kind
	ReadOnly       bool
	MaxClients     int           // credentials held over HTTP
	PoolIdle       time.Duration // 0 for ever
	SessionTimeout time.Duration // 0 for ever
	ClientTimeout  time.Duration // for a client to send a request, and to take a piece of the answer; above 0
	TLSCert        string        // file of the certificate to serve HTTPS with; "" for plain HTTP
	TLSKey         string        // file of its key
	MaxConcurrent  int           // requests in progress; 0 no bound
	MaxOfOne       int           // requests in progress of one credential over HTTP; 0 no bound
	MaxSessions    int           // sessions open over HTTP; 0 no bound
	SessionsOfOne  int           // sessions open of one credential; 0 no bound
	RateLimit      float64       // requests a second and credential; 0 no bound
	GitLabMaxConns int           // 0 no bound
	PprofAddr      string        // "" off
	Telemetry      bool
	LogLevel       slog.Level
	Check          bool // ask GitLab who the token belongs to, say so and end
	Version        bool // say which build this is and end
}

// usageError is a mistake in how the program was called.
type usageError struct{ err error }

// Error implements error.
func (e usageError) Error() string { return e.err.Error() + " (--help lists all settings)" }

// Unwrap gives the mistake itself.
func (e usageError) Unwrap() error { return e.err }

func badUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// settle checks what single settings cannot know and brings addresses into one form.
func (c *Config) settle(getenv func(string) string, tokenFile string) error {
	share(&c.MaxOfOne, c.MaxConcurrent)
	share(&c.SessionsOfOne, c.MaxSessions)
	var err error
	if c.GitLabURL == "" {
		return badUsage("no GitLab URL: set --gitlab-url or GITLAB_URL")
	}
	if c.GitLabURL, err = upstream.ParseURL(c.GitLabURL); err != nil {
		return badUsage("--gitlab-url: %w", err)
	}
	if err := checkAddr(c.HTTPAddr); err != nil {
		return badUsage("--http-addr: %w", err)
	}
	if c.ClientTimeout <= 0 {
		return badUsage("--client-timeout: use a duration above 0")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return badUsage("--tls-cert and --tls-key go together")
	}
	if c.PprofAddr, err = pprofAddr(c.PprofAddr); err != nil {
		return badUsage("--pprof-addr: %w", err)
	}
	if c.Telemetry {
		if err := telemetry.CheckEnv(getenv); err != nil {
			return badUsage("--telemetry: %w", err)
		}
	}
	if c.HTTP && !c.Check {
		return nil
	}
	if c.Token, err = readToken(getenv, tokenFile); err != nil {
		return usageError{err}
	}
	return nil
}

// unsaid is the value of a bound for each credential about which nothing is said: it follows from the bound for all.
const unsaid = -1

// share gives a bound for each credential its value where it has none. One that is less than the bound for all leaves
// room for others.
func share(ofOne *int, ofAll int) {
	if *ofOne == unsaid {
		*ofOne = halfOf(ofAll)
	}
}

// halfOf is half of a bound, which is no bound for 0 and at least 1 otherwise.
func halfOf(bound int) int {
	if bound == 0 {
		return 0
	}
	return max(1, bound/2)
}

// readToken reads the token from a file, or else from the environment.
func readToken(getenv func(string) string, file string) (string, error) {
	token := getenv("GITLAB_TOKEN")
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("--gitlab-token-file: %w", err)
		}
		token = string(bytes.TrimSpace(content))
	}
	if token == "" {
		return "", errors.New("no GitLab token: set GITLAB_TOKEN or --gitlab-token-file (over HTTP each request brings its own)")
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", errors.New("the GitLab token has a character in it that no token has")
	}
	return token, nil
}

// checkAddr says whether addr is a host (which may be missing) and a port.
func checkAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not an address: use one like 127.0.0.1:8080", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q is not a port", port)
	}
	return nil
}

// pprofAddr puts the loopback address in front of a bare port: profiles are nobody else's business
// unless a host is named.
func pprofAddr(addr string) (string, error) {
	if addr == "" {
		return "", nil
	}
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		addr = ":" + addr
	}
	if err := checkAddr(addr); err != nil {
		return "", err
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	return addr, nil
}
