package bench_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpbench/internal/cgroup"
	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// loopback is the only address anything listens on.
const loopback = "127.0.0.1"

// launch says how one process of the subject is to be started.
type launch struct {
	name      string
	transport scenarios.Transport
	surface   scenarios.Surface
	telemetry bool
	// limited makes it refuse more than a call a second.
	limited bool
	// bounded makes it refuse more than {bound} requests of a credential at once.
	bounded bool
	// tls has it serve HTTPS with a certificate of the suite's.
	tls *certificate
	// clients is how many credentials will be used.
	clients int
	// many lets it hold more credentials than it ships with.
	many bool
	// latency is how long GitLab takes to answer where that is not what the suite was told, and download how many
	// bytes its downloads have where that is not the stand-in's own number.
	latency  *time.Duration
	download int
	// cpus the process is confined to; none leaves it where the suite is.
	cpus []int
	// more are options beyond what the subject file gives this kind of launch; they come last.
	more []scenarios.Option
	// memory is the cgroup whose limit holds the process; nil leaves it where the suite is.
	memory *cgroup.Limited
	// vars are the placeholders known before the start: gitlab, gitlab_api, token, otlp, project….
	vars scenarios.Vars
}

// instance is one running process of the subject and what is known about reaching it.
type instance struct {
	subject *scenarios.Subject
	launch  launch
	vars    scenarios.Vars
	process *spawn.Process
	tree    *meter.Tree
	heap    meter.Heap
	// stdio is the conversation over the process's own pipes; nil on HTTP.
	stdio *mcp.StdioConn
}

// start starts a process of the subject and waits until it answers. It is stopped when tb ends, unless
// it was stopped before.
func (s *suite) start(tb testing.TB, l launch) (*instance, error) {
	tb.Helper()
	in := &instance{subject: s.subject, launch: l}
	if err := in.startOnFreePorts(tb.Context(), s); err != nil {
		return nil, err
	}
	// The test's own context has ended by the time this runs.
	tb.Cleanup(func() {
		_, _ = in.process.Stop(context.Background())
		s.doing.gone(in.process)
	})
	var err error
	if in.tree, err = meter.NewTree(in.process.PID()); err != nil {
		return nil, err
	}
	tb.Cleanup(func() { _ = in.tree.Close() })
	if in.subject.Heap.Reader == "go-pprof" {
		address, err := in.vars.Expand(in.subject.Heap.Address)
		if err != nil {
			return nil, err
		}
		in.heap = meter.GoPprof(address)
	}
	return in, nil
}

// portTries is how often a process is started on ports that were free when they were drawn. Until it listens, any
// connection that is opened on the host may be given one of them.
const portTries = 3

func (in *instance) startOnFreePorts(ctx context.Context, s *suite) error {
	var err error
	for range portTries {
		var spec spawn.Spec
		if spec, err = in.spec(s.build.path); err != nil {
			return err
		}
		spec.Ready = s.doing.watching(spec.Ready)
		if in.process, err = spawn.Start(ctx, spec); !errors.Is(err, spawn.ErrPortUsed) {
			break
		}
	}
	return err
}

// spec translates the subject file's description into what is spawned.
func (in *instance) spec(binary string) (spawn.Spec, error) {
	how := in.subject.Transports[in.launch.transport]
	if err := in.placeholders(binary); err != nil {
		return spawn.Spec{}, err
	}
	args, env, err := in.argsAndEnv(how)
	if err != nil {
		return spawn.Spec{}, err
	}
	spec := spawn.Spec{
		Name: in.launch.name, Path: binary, Args: args, Env: env, CPUs: in.launch.cpus,
		Grace: how.Grace.Std(), ReadyTimeout: opts.readyTimeout, Memory: in.launch.memory,
	}
	if in.launch.transport == scenarios.Stdio {
		spec.Stdio, spec.Ready = true, in.answers
		return spec, nil
	}
	if in.launch.tls != nil {
		return in.overTLS(spec)
	}
	ready, err := in.vars.Expand(how.Ready)
	if err != nil {
		return spec, err
	}
	spec.Ready = spawn.HTTPReady(ready)
	spec.Listen, err = in.listens(how)
	return spec, err
}

// listens is where the process is to listen: what its URL says, which a subject file may have set to a port of its
// own choice.
func (in *instance) listens(how *scenarios.Launch) (string, error) {
	address, err := in.vars.Expand(how.URL)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("url of the subject: %w", err)
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")), nil
}

// placeholders completes the launch's variables with those of this process.
func (in *instance) placeholders(binary string) error {
	in.vars = scenarios.Vars{"binary": binary}
	for name, value := range in.launch.vars {
		in.vars[name] = value
	}
	names := []string{"port", "debug_port"}
	ports, err := spawn.FreePorts(loopback, len(names))
	if err != nil {
		return err
	}
	for i, name := range names {
		in.vars[name] = strconv.Itoa(ports[i])
	}
	return nil
}

func (in *instance) argsAndEnv(how *scenarios.Launch) (args, env []string, err error) {
	options := []scenarios.Option{{Args: how.Args, Env: how.Env}}
	if in.launch.bounded {
		options = append(options, *in.subject.Bounded)
	}
	options = append(options, in.subject.Surfaces[in.launch.surface].Option)
	if in.launch.telemetry {
		options = append(options, *in.subject.Telemetry)
	}
	if in.launch.many {
		options = append(options, in.subject.Many.Option)
	}
	if in.launch.limited {
		options = append(options, *in.subject.Limited)
	}
	options = append(options, in.launch.more...)
	if in.launch.tls != nil {
		options = append(options, in.subject.TLS.Option)
	}
	env = spawn.Inherit(in.subject.Inherit...)
	for _, o := range options {
		more, err := in.vars.ExpandAll(o.Args)
		if err != nil {
			return nil, nil, err
		}
		variables, err := in.vars.ExpandEnv(o.Env)
		if err != nil {
			return nil, nil, err
		}
		args, env = append(args, more...), append(env, variables...)
	}
	return args, env, nil
}

// answers is the ready probe on stdio: the process is ready when it has answered the first message of
// a conversation.
func (in *instance) answers(ctx context.Context, p *spawn.Process) error {
	in.stdio = mcp.NewStdio(p.Stdout(), p.Stdin(), in.version())
	if in.version().Initializes() {
		return in.stdio.Handshake(ctx)
	}
	discover, err := mcp.NewRequest(mcp.Spec{Label: "discover", Method: "server/discover", Version: in.version()})
	if err != nil {
		return err
	}
	var reply mcp.Reply
	in.stdio.Do(ctx, discover, &reply)
	return failure(discover, &reply)
}

// ended reports whether the process has ended, asked or not.
func (in *instance) ended() bool {
	return !alive(in.process)
}

func (in *instance) version() mcp.Version { return mcp.Version(in.subject.Protocol) }

// dial opens a connection of the given credential to an HTTP process.
func (in *instance) dial(ctx context.Context, token string) (*mcp.HTTPConn, error) {
	url, err := in.vars.Expand(in.subject.Transports[scenarios.HTTP].URL)
	if err != nil {
		return nil, err
	}
	return in.dialAt(ctx, url, token, in.version())
}

// dialAt opens a connection to a given endpoint of the process, in a given revision of the protocol.
func (in *instance) dialAt(ctx context.Context, url, token string, version mcp.Version) (*mcp.HTTPConn, error) {
	header, err := in.authorised(token)
	if err != nil {
		return nil, err
	}
	conn, err := mcp.DialHTTP(ctx, mcp.HTTPConfig{URL: url, Header: header, Version: version})
	if err != nil {
		return nil, err
	}
	if version.Initializes() {
		return conn, conn.Handshake(ctx)
	}
	return conn, nil
}

// authorised is a header that carries a token.
func (in *instance) authorised(token string) (http.Header, error) {
	how := in.subject.Transports[scenarios.HTTP]
	value, err := scenarios.Vars{"token": token}.Expand(how.CredentialValue)
	header := http.Header{}
	header.Set(how.CredentialHeader, value)
	return header, err
}

// failure turns a reply that is not OK into an error.
func failure(request *mcp.Request, reply *mcp.Reply) error {
	if reply.Outcome == mcp.OK {
		return nil
	}
	return fmt.Errorf("%s (%s): %s: %s", request.Label(), request.Method(), reply.Outcome, strings.TrimPrefix(reply.Reason, "cut: "))
}
