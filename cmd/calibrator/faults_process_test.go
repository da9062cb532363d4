package main

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofTheProcess are the faults of the process, and what shows that they are there.
func ofTheProcess() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		exitAtStart:   checkExitAtStart,
		exitMidLoad:   checkExitMidLoad,
		neverReady:    checkNeverReady,
		deafToSIGTERM: checkDeaf,
	}
}

func TestFaultsOfTheProcess(t *testing.T) {
	for name, check := range ofTheProcess() {
		t.Run(name, check)
	}
}

func checkExitAtStart(t *testing.T) {
	t.Helper()
	for _, transport := range []string{"-http=", "-http=127.0.0.1:0"} {
		p := start(t, transport, "-fault=exit-at-start")
		assert.Equal(t, statusFault, p.await(t))
		assert.True(t, strings.HasPrefix(p.stderr.String(), "calibrator: ends at once, as -fault exit-at-start wants it\n"))
	}
}

func checkExitMidLoad(t *testing.T) {
	t.Helper()
	p, addr := startHTTP(t, "-fault=exit-mid-load:3")
	for range 2 {
		post(t, addr, callMessage(1, ""))
	}
	_, err := tryPost(t, addr, callMessage(1, ""))
	require.Error(t, err)
	assert.Equal(t, statusFault, p.await(t))
	assert.Contains(t, p.stderr.String(), "ends in call 3")

	p = start(t, "-fault=exit-mid-load:2")
	p.say(t, callMessage(1, ""))
	p.hear(t)
	p.say(t, callMessage(2, ""))
	assert.Equal(t, statusFault, p.await(t))
}

// answers reports whether anything listens at an address.
func answers(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// never is how long a test waits for what must not come.
const never = 200 * time.Millisecond

func checkNeverReady(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	p := start(t, "-http="+addr, "-fault=never-ready")
	assert.Never(t, func() bool {
		return answers(addr) || !p.alive()
	}, never, 10*time.Millisecond)
	assert.Zero(t, p.term(t))
	checkNeverReadyOnStdio(t)
}

func checkNeverReadyOnStdio(t *testing.T) {
	t.Helper()
	p := start(t, "-fault=never-ready")
	p.say(t, message(1, "ping", ""))
	answered := make(chan error, 1) // by anything but silence
	go func() {
		_, err := p.out.ReadByte()
		answered <- err
	}()
	select {
	case err := <-answered:
		require.Fail(t, "it said something, or ended", "%v", err)
	case <-time.After(never):
	}
	require.NoError(t, p.in.Close())
	require.Error(t, <-answered, "it ends without an answer")
	assert.Zero(t, p.await(t))
}

func checkDeaf(t *testing.T) {
	t.Helper()
	p, addr := startHTTP(t, "-fault=deaf-to-sigterm")
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		require.NoError(t, p.Process.Signal(signal))
	}
	assert.Never(t, func() bool { return !p.alive() }, never, 10*time.Millisecond)
	assert.Equal(t, "ok\n", get(t, "http://"+addr+"/health"))

	p = start(t, "-fault=deaf-to-sigterm")
	p.say(t, message(1, "ping", ""))
	p.hear(t)
	require.NoError(t, p.in.Close())
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.Never(t, func() bool { return !p.alive() }, never, 10*time.Millisecond)
}

// TestEnds asks processes without faults to end, one of them with a call in progress.
func TestEnds(t *testing.T) {
	p, addr := startHTTP(t, "-latency=const:300ms")
	silent, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	answered := make(chan answer, 1)
	go func() {
		a, _ := tryPost(t, addr, callMessage(1, ""))
		answered <- a
	}()
	require.Eventually(t, func() bool { return accountOf(t, addr).Calls == 1 }, longest, time.Millisecond)
	assert.Zero(t, p.term(t))
	assert.Contains(t, (<-answered).body, `"result"`, "what was in progress is answered")

	p = start(t)
	p.say(t, message(1, "ping", ""))
	p.hear(t)
	assert.Zero(t, p.term(t), "while its input is open")
}
