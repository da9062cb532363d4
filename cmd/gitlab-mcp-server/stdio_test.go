package main_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStdio(t *testing.T) {
	g := newGitLab(t, 0)
	p := start(t, stdioEnv(g), "--tool-surface", "individual")

	p.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	early := p.hear(t)
	require.NotNil(t, early.Error, "no listing before initialize")
	p.hello(t)
	p.say(t, `{"jsonrpc":"2.0","id":"l","method":"tools/list","params":{}}`)
	listing := p.hear(t)
	require.Nil(t, listing.Error)
	assert.Equal(t, "l", listing.ID)
	assert.Greater(t, strings.Count(string(listing.Result), `"inputSchema"`), 1000)

	p.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{%s}}`, modernMeta)
	assert.Contains(t, string(p.hear(t).Result), `"resultType":"complete"`)
	p.say(t, `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`)
	assert.Equal(t, -32602, p.hear(t).Error.Code)
	p.say(t, `{"jsonrpc":"2.0","id":4,"method":"resources/list"}`)
	assert.Contains(t, string(p.hear(t).Result), "gitlab://user")
	assert.Zero(t, g.asked.Load(), "nothing so far needed GitLab")
	p.say(t, readVersion)
	assert.Contains(t, string(p.hear(t).Result), "19.0.0")
	p.say(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope"}}`)
	assert.Equal(t, -32602, p.hear(t).Error.Code)

	require.NoError(t, p.in.Close())
	assert.Zero(t, p.await(t), p.stderr)
	assert.Empty(t, p.rest.String(), "nothing but answers on standard output")
}

// TestStdioSameListing compares the short way with the library's answer, which an odd spelling of the
// method brings about.
func TestStdioSameListing(t *testing.T) {
	p := start(t, stdioEnv(newGitLab(t, 0)), "--tool-surface", "meta")
	p.hello(t)
	for _, params := range []string{`{}`, `{` + modernMeta + `}`} {
		p.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":%s}`, params)
		short := p.hear(t)
		p.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools\/list","params":%s}`, params)
		long := p.hear(t)
		assert.JSONEq(t, string(long.Result), string(short.Result))
	}
}

func TestStdioManyAtOnce(t *testing.T) {
	p := start(t, stdioEnv(newGitLab(t, 0)), "--tool-surface", "meta")
	p.hello(t)
	const calls = 60
	go func() {
		for i := range calls {
			method, params := "tools/list", "{}"
			if i%2 == 1 {
				method, params = "resources/read", `{"uri":"gitlab://version"}`
			}
			_, _ = fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i, method, params)
		}
	}()
	seen := make(map[any]bool)
	for range calls {
		r := p.hear(t)
		assert.Nil(t, r.Error)
		seen[r.ID] = true
	}
	assert.Len(t, seen, calls, "each is answered, and no two are mixed up")
}

// TestStdioLongLines has lines over every buffer, with a tools/list right behind.
func TestStdioLongLines(t *testing.T) {
	p := start(t, stdioEnv(newGitLab(t, 0)))
	p.hello(t)
	p.say(t, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"tools/list %s"}}`, strings.Repeat("a", 300_000))
	p.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	got := map[any]bool{p.hear(t).ID: true, p.hear(t).ID: true}
	assert.Equal(t, map[any]bool{1.0: true, 2.0: true}, got)
}

func TestStdioRefusesBeyondItsLimits(t *testing.T) {
	g := newGitLab(t, 300*time.Millisecond)
	p := start(t, stdioEnv(g), "--max-concurrent-requests", "1")
	p.hello(t)
	p.say(t, readVersion)
	require.Eventually(t, func() bool { return g.asked.Load() == 1 }, patience, time.Millisecond)
	for _, method := range []string{"tools/list", "resources/list"} {
		p.say(t, `{"jsonrpc":"2.0","id":1,"method":%q}`, method)
		r := p.hear(t)
		require.NotNil(t, r.Error)
		assert.Equal(t, -32005, r.Error.Code)
	}
	p.say(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	assert.Nil(t, p.hear(t).Error)
	assert.Contains(t, string(p.hear(t).Result), "19.0.0")

	q := start(t, stdioEnv(g), "--rate-limit-rps", "0.01")
	q.hello(t)
	q.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	assert.Nil(t, q.hear(t).Error)
	q.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.Equal(t, -32029, q.hear(t).Error.Code)
}

// TestStdioEnds looks for the answer to the call in progress, for the exit code, and for an end in time:
// a second is what the program promises.
func TestStdioEnds(t *testing.T) {
	for name, end := range map[string]func(*process) error{
		"input closed": func(p *process) error { return p.in.Close() },
		"SIGTERM":      func(p *process) error { return p.Process.Signal(syscall.SIGTERM) },
		"SIGINT":       func(p *process) error { return p.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitLab(t, 300*time.Millisecond)
			p := start(t, stdioEnv(g))
			p.hello(t)
			p.say(t, readVersion)
			require.Eventually(t, func() bool { return g.asked.Load() == 1 }, patience, time.Millisecond)
			begin := time.Now()
			require.NoError(t, end(p))
			assert.Contains(t, string(p.hear(t).Result), "19.0.0")
			assert.Zero(t, p.await(t), p.stderr)
			assert.Less(t, time.Since(begin), time.Second)
			assert.NotContains(t, p.stderr.String(), "cut off")
		})
	}
	t.Run("idle", func(t *testing.T) {
		p := start(t, stdioEnv(newGitLab(t, 0)))
		p.hello(t)
		require.NoError(t, p.in.Close())
		assert.Zero(t, p.await(t))
	})
	t.Run("a call that takes too long", func(t *testing.T) {
		g := newGitLab(t, 3*time.Second)
		p := start(t, stdioEnv(g))
		p.hello(t)
		p.say(t, readVersion)
		require.Eventually(t, func() bool { return g.asked.Load() == 1 }, patience, time.Millisecond)
		begin := time.Now()
		require.NoError(t, p.in.Close())
		assert.Zero(t, p.await(t), p.stderr)
		assert.Less(t, time.Since(begin), 1500*time.Millisecond, "a second, with head-room for a loaded machine")
	})
	t.Run("a second signal", func(t *testing.T) {
		g := newGitLab(t, 3*time.Second)
		p := start(t, stdioEnv(g), "--log-level", "debug")
		p.hello(t)
		p.say(t, readVersion)
		require.Eventually(t, func() bool { return g.asked.Load() == 1 }, patience, time.Millisecond)
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		p.logged(t, "told to end")
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		p.await(t)
		status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, ok)
		assert.True(t, status.Signaled(), "it did not wait")
	})
}

// TestStdioGarbage has a client that does not speak the protocol, and one that says nothing.
func TestStdioGarbage(t *testing.T) {
	p := start(t, stdioEnv(newGitLab(t, 0)))
	p.say(t, "hello? %s", canary)
	assert.Equal(t, 1, p.await(t))
	assert.Contains(t, p.stderr.String(), "gitlab-mcp-server: ")

	q := start(t, stdioEnv(newGitLab(t, 0)))
	require.NoError(t, q.in.Close())
	assert.Zero(t, q.await(t), q.stderr)
	assert.Empty(t, q.rest.String()+q.stderr.String())
}

func TestTokenIsNotInTheProcessTable(t *testing.T) {
	file := t.TempDir() + "/token"
	require.NoError(t, os.WriteFile(file, []byte(canary), 0o600))
	g := newGitLab(t, 0)
	p := start(t, []string{"GITLAB_URL=" + g.URL}, "--gitlab-token-file", file)
	p.hello(t)
	p.say(t, readVersion)
	assert.Contains(t, string(p.hear(t).Result), "19.0.0")
	for _, name := range []string{"cmdline", "environ"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.Process.Pid, name))
		require.NoError(t, err)
		assert.NotContains(t, string(content), canary)
	}
}
