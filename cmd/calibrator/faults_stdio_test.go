package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onTheLine are the faults over stdio, and what shows that they are there. The call has the id 1.
func onTheLine() map[string]func(t *testing.T, p *process, right string) {
	ask := func(t *testing.T, p *process) string {
		t.Helper()
		p.say(t, callMessage(1, `"echo":"measured"`))
		return p.hear(t)
	}
	return map[string]func(t *testing.T, p *process, right string){
		garbageStdout: func(t *testing.T, p *process, right string) {
			t.Helper()
			assert.Contains(t, ask(t, p), "a line of a log")
			assert.Equal(t, right, p.hear(t))
		},
		longLine: func(t *testing.T, p *process, right string) {
			t.Helper()
			line := ask(t, p)
			assert.Len(t, line, longTest)
			assert.JSONEq(t, right, line)
		},
		error200: func(t *testing.T, p *process, _ string) {
			t.Helper()
			assert.Contains(t, ask(t, p), `"error":{"code":-32603`)
		},
		isError: func(t *testing.T, p *process, _ string) {
			t.Helper()
			assert.Contains(t, ask(t, p), `"isError":true`)
		},
		duplicated: func(t *testing.T, p *process, right string) {
			t.Helper()
			assert.Equal(t, right, ask(t, p))
			assert.Equal(t, right, p.hear(t))
		},
		truncated: func(t *testing.T, p *process, right string) {
			t.Helper()
			assert.Equal(t, right[:len(right)/2], ask(t, p))
		},
		byteAtATime: func(t *testing.T, p *process, right string) {
			t.Helper()
			assert.Equal(t, right, ask(t, p), "TestByteAtATime counts the writes")
		},
		floodStderr: func(t *testing.T, p *process, right string) {
			t.Helper()
			before := len(p.stderr.String())
			assert.Equal(t, right, ask(t, p))
			require.Eventually(t, func() bool { return len(p.stderr.String()) == before+50_000 }, longest, time.Millisecond)
		},
		outOfOrder: func(t *testing.T, p *process, _ string) {
			t.Helper()
			require.Eventually(t, func() bool {
				p.say(t, callMessage(1, "")+"\n"+callMessage(2, ""))
				return strings.Contains(p.hear(t), `"id":2`) && strings.Contains(p.hear(t), `"id":1`)
			}, longest, time.Millisecond)
		},
		halfClosed: func(t *testing.T, p *process, _ string) {
			t.Helper()
			p.say(t, callMessage(1, ""))
			_, err := p.out.ReadByte()
			require.ErrorIs(t, err, io.EOF)
			for range 3 {
				p.say(t, message(2, "ping", ""))
			}
			assert.True(t, p.alive())
			require.NoError(t, p.in.Close())
			assert.Zero(t, p.await(t))
		},
	}
}

func TestFaultsOnTheLine(t *testing.T) {
	good := right(t, callMessage(1, `"echo":"measured"`))
	for name, check := range onTheLine() {
		t.Run(name, func(t *testing.T) {
			p := start(t, "-fault="+name, fmt.Sprint("-long-line=", longTest), "-flood=50000")
			p.say(t, message(9, "tools/list", ""))
			assert.Contains(t, p.hear(t), `"id":9`, "what is no call has none")
			check(t, p, good)
			if name != halfClosed {
				assert.Zero(t, p.term(t))
			}
		})
	}
}

// strokes keeps each write by itself.
type strokes struct {
	mu  sync.Mutex
	all []string
}

func (s *strokes) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, string(p))
	return len(p), nil
}

// converseWith has a server of the test's own process answer a text, and returns its writes.
func converseWith(t *testing.T, text string, args ...string) []string {
	t.Helper()
	s := newTestServer(t, args...)
	var out strokes
	s.streams.in, s.streams.out = strings.NewReader(text), &out
	require.NoError(t, s.serveStdio(t.Context(), token))
	return out.all
}

func TestByteAtATime(t *testing.T) {
	text := callMessage(1, "") + "\n"
	whole := converseWith(t, text)
	require.Len(t, whole, 1, "a reply is otherwise one write")
	assert.Equal(t, strings.Split(whole[0], ""), converseWith(t, text, "-fault=byte-at-a-time"))
}

func TestOneAloneIsInOrder(t *testing.T) {
	whole := converseWith(t, callMessage(1, "")+"\n", "-fault=out-of-order")
	assert.Contains(t, strings.Join(whole, ""), `"id":1`)
}

func TestClosesWhatCannotBeClosed(t *testing.T) {
	assert.Empty(t, strings.Join(converseWith(t, callMessage(1, "")+"\n", "-fault=half-closed"), ""))
}
