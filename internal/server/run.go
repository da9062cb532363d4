package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/telemetry"
	"mcpbench/internal/server/toolset"
	"mcpbench/internal/server/upstream"
)

// Exit codes; the help text explains them.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitListen
	exitUnreachable
	exitRefused
)

// Time that is left for things to end: calls in progress, then what telemetry has not sent yet. Together
// they stay below a second.
const (
	grace      = 700 * time.Millisecond
	flushGrace = 200 * time.Millisecond
)

// exitError is an error that decides the exit code.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e exitError) Error() string { return e.err.Error() }

// Unwrap gives what went wrong.
func (e exitError) Unwrap() error { return e.err }

// Streams are where a process reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs the program and returns its exit code. What goes wrong is one line on the error stream.
func Main(args []string, getenv func(string) string, streams Streams, build Build) int {
	ctx, stop := untilSignal()
	defer stop()
	err := run(ctx, args, getenv, streams, build)
	if err == nil {
		return exitOK
	}
	_, _ = fmt.Fprintf(streams.Err, "gitlab-mcp-server: %v\n", err)
	var usage usageError
	var exit exitError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &exit):
		return exit.code
	}
	return exitFailed
}

// untilSignal returns a context that ends with the first signal to end. The second has its usual effect,
// which is immediate.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		signal.Stop(signals)
		cancel()
	}()
	return ctx, cancel
}

// run does what args and environment say, until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, streams Streams, build Build) error {
	config, err := parse(args, getenv, streams.Out)
	switch {
	case errors.Is(err, errHelp):
		return nil
	case err != nil:
		return err
	case config.Version:
		_, err := fmt.Fprintln(streams.Out, build)
		return err
	}
	a, err := newApp(ctx, config, build, streams.Err)
	if err != nil {
		return err
	}
	defer a.close()
	context.AfterFunc(ctx, func() { a.log.Debug("told to end") })
	if config.PprofAddr != "" {
		profiles, err := a.servePprof(config.PprofAddr)
		if err != nil {
			return err
		}
		defer func() { _ = profiles.Close() }()
	}
	switch {
	case config.Check:
		return a.check(ctx, streams.Out)
	case config.HTTP:
		return a.serveHTTP(ctx)
	}
	return a.serveStdio(ctx, streams.In, streams.Out)
}

// app is a server that is set up but does not serve yet.
type app struct {
	config     Config
	build      Build
	log        *slog.Logger
	telemetry  *telemetry.Telemetry
	gitlab     *upstream.GitLab
	credential upstream.Credential // stdio only
	tools      func(surface.Kind) (*toolset.Toolset, error)
	protocol   *protocol
}

// newApp sets a server up. It asks nobody anything and builds no catalog.
func newApp(ctx context.Context, c Config, build Build, logTo io.Writer) (*app, error) {
	a := &app{config: c, build: build}
	a.log = slog.New(slog.NewTextHandler(logTo, &slog.HandlerOptions{Level: c.LogLevel}))
	if c.Telemetry {
		var err error
		if a.telemetry, err = telemetry.Start(ctx, build.Version, a.log); err != nil {
			return nil, err
		}
	}
	toGitLab := upstream.Options{
		MaxConns:  c.GitLabMaxConns,
		UserAgent: "gitlab-mcp-server/" + build.Version,
		Wrap:      a.telemetry.Wrap,
	}
	if !c.Check { // a check ends with the one line that says what is wrong
		toGitLab.Log = a.log
	}
	var err error
	if a.gitlab, err = upstream.New(c.GitLabURL, toGitLab); err != nil {
		return nil, err
	}
	a.credential, a.config.Token = upstream.NewCredential(upstream.PrivateToken, c.Token), ""
	impl := &mcp.Implementation{Name: "gitlab-mcp-server", Title: "GitLab", Version: build.Version}
	a.tools = (&toolset.Builder{ReadOnly: c.ReadOnly, Server: impl, Cache: cacheability()}).Build
	a.protocol = &protocol{impl: impl, log: a.log, telemetry: a.telemetry}
	return a, nil
}

// close sends what telemetry still holds and closes connections.
func (a *app) close() {
	ctx, cancel := context.WithTimeout(context.Background(), flushGrace)
	defer cancel()
	if err := a.telemetry.Shutdown(ctx); err != nil {
		a.log.Warn("telemetry was not sent to the end", "error", err)
	}
	a.gitlab.Close()
}

// check asks GitLab who the token belongs to.
func (a *app) check(ctx context.Context, out io.Writer) error {
	client, err := a.gitlab.Admit(ctx, a.credential, nil)
	var admission *upstream.AdmissionError
	if errors.As(err, &admission) {
		code := exitUnreachable
		if admission.Refused() {
			code = exitRefused
		}
		return exitError{code, fmt.Errorf("%s: %w", a.config.GitLabURL, err)}
	}
	if err != nil {
		return err
	}
	user, _, err := client.Users.CurrentUser()
	if err != nil {
		return exitError{exitUnreachable, fmt.Errorf("%s did not say who the token belongs to", a.config.GitLabURL)}
	}
	_, err = fmt.Fprintf(out, "%s answers; the token belongs to @%s\n", a.config.GitLabURL, user.Username)
	return err
}

// cause takes from a network error what a person needs: the address is said already.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
