package bench_test

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// silence is connections that ask nothing: some send nothing at all, others a head that never ends. One that the
// server ends is opened again.
type silence struct {
	address string

	mu                    sync.Mutex
	opened, ended, failed int
	longest               time.Duration

	cancel context.CancelFunc
	left   sync.WaitGroup
}

// keepSilent opens connections over a time, and keeps as many until it is stopped.
func keepSilent(address string, idle, trickling int, over time.Duration) *silence {
	ctx, cancel := context.WithCancel(context.Background())
	s := &silence{address: address, cancel: cancel}
	n := idle + trickling
	for i := range n {
		s.left.Go(func() {
			if wait(ctx, over*time.Duration(i)/time.Duration(n)) {
				s.keep(ctx, i < trickling)
			}
		})
	}
	return s
}

// stop closes all connections.
func (s *silence) stop() {
	s.cancel()
	s.left.Wait()
}

// wait reports whether a time passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *silence) keep(ctx context.Context, trickles bool) {
	for ctx.Err() == nil {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", s.address)
		if err != nil {
			s.note(ctx, func() { s.failed++ })
			wait(ctx, tricklePause)
			continue
		}
		s.note(ctx, func() { s.opened++ })
		opened := time.Now()
		ended := outlast(ctx, conn, trickles)
		_ = conn.Close() // either side has given it up
		s.mu.Lock()
		s.longest = max(s.longest, time.Since(opened))
		if ended {
			s.ended++
		}
		s.mu.Unlock()
	}
}

// note counts what did not come of the end.
func (s *silence) note(ctx context.Context, count func()) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	count()
}

const (
	// tricklePause is the time between two bytes of a head that never ends.
	tricklePause = time.Second
	trickleHead  = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Endless: "
)

// outlast stays on a connection, and reports whether it was the server that ended it.
func outlast(ctx context.Context, conn net.Conn, trickles bool) bool {
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	next := []byte(trickleHead)
	one := make([]byte, 256)
	for {
		if trickles {
			if _, err := conn.Write(next); err != nil {
				return ctx.Err() == nil
			}
			next = []byte("x")
		}
		until := time.Now().Add(tricklePause)
		for {
			if err := conn.SetReadDeadline(until); err != nil || ctx.Err() != nil {
				return false
			}
			_, err := conn.Read(one)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				return ctx.Err() == nil
			}
		}
	}
}

// TestSilence has a listener end some connections at once and keep others.
func TestSilence(t *testing.T) {
	l, err := net.Listen("tcp", loopback+":0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.Close()) }()
	heads := make(chan string, 1)
	go func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if n == 0 {
				_ = conn.Close()
				continue
			}
			go func() {
				defer func() { _ = conn.Close() }()
				got := make([]byte, len(trickleHead))
				for {
					n, err := conn.Read(got)
					if err != nil {
						return
					}
					select {
					case heads <- string(got[:n]):
					default:
					}
				}
			}()
		}
	}()
	s := keepSilent(l.Addr().String(), 1, 1, 0)
	assert.Equal(t, trickleHead, <-heads)
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.opened == 3 && s.ended == 1
	}, 10*time.Second, time.Millisecond, "one that the server ended is opened again")
	s.stop()
	assert.Equal(t, 3, s.opened)
	assert.Equal(t, 1, s.ended, "what is closed from here was not ended by the server")
	assert.Zero(t, s.failed)
	assert.Positive(t, s.longest)
}
