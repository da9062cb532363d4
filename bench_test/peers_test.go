package bench_test

import (
	"context"
	"flag"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

var peersDir = flag.String("peers", "", "absolute path of the `folder` in which the clients of docs/peers are installed; without it they are not tried")

// peer is a client written by others, with which the subject is tried as its users would try it.
type peer struct {
	node, script string
}

// requirePeer finds an installed client by the path of its script below node_modules.
func requirePeer(t *testing.T, script string) peer {
	t.Helper()
	if *peersDir == "" {
		t.Skip("no -peers folder: `make inspector` and `make conformance` install the clients and run this")
	}
	modules, err := filepath.Abs(filepath.Join(*peersDir, "node_modules"))
	require.NoError(t, err)
	p := peer{node: filepath.Join(modules, ".bin", "node"), script: filepath.Join(modules, filepath.FromSlash(script))}
	require.FileExists(t, p.node, "install with: make peers")
	require.FileExists(t, p.script, "install with: make peers")
	return p
}

// peerTimeout bounds one run of a client; the longest takes a few seconds.
const peerTimeout = time.Minute

// ending is how one run of a client ended.
type ending struct {
	code           int
	stdout, stderr string
}

// run runs the client to its end in a home of its own. Its errors are kept to their last lines.
func (p peer) run(t *testing.T, args ...string) ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peerTimeout)
	defer cancel()
	process, err := spawn.Start(ctx, spawn.Spec{
		Name: t.Name(), Path: p.node, Args: append([]string{p.script}, args...),
		Env: []string{"HOME=" + t.TempDir()}, Stdio: true,
	})
	require.NoError(t, err)
	// An ended context leaves no grace: the client is killed, and the reading below comes to its end.
	release := context.AfterFunc(ctx, func() { _, _ = process.Stop(ctx) })
	defer release()
	require.NoError(t, process.Stdin().Close())
	stdout, readErr := io.ReadAll(process.Stdout())
	<-process.Exited()
	require.NoError(t, ctx.Err(), "%s; its last lines:\n%s", filepath.Base(p.script), process.Tail())
	require.NoError(t, readErr)
	exit, err := process.Stop(ctx)
	require.NoError(t, err)
	require.Zero(t, exit.Strays, "processes that the client left behind")
	return ending{code: exit.Code, stdout: string(stdout), stderr: process.Tail()}
}

// credential is the header by which an HTTP process is told whose call it is.
func (in *instance) credential() (name, value string, err error) {
	how := in.subject.Transports[scenarios.HTTP]
	value, err = in.vars.Expand(how.CredentialValue)
	return how.CredentialHeader, value, err
}
