package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire is what came over one connection, on which one call was made.
type wire struct {
	conn       net.Conn
	head, body string
	err        error // that ended it, nil at its end
}

// rawCall makes a call on a connection of its own, and reads until there is no more.
func rawCall(t *testing.T, addr, text string) wire {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(longest)))
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nPrivate-Token: %s\r\n"+
		"Mcp-Protocol-Version: %s\r\nContent-Length: %d\r\n\r\n%s", addr, token, stateless, len(text), text)
	require.NoError(t, err)
	all, err := io.ReadAll(conn)
	head, body, _ := strings.Cut(string(all), "\r\n\r\n")
	return wire{conn, head, body, err}
}

// right is the reply to a call without faults.
func right(t *testing.T, text string) string {
	t.Helper()
	_, addr := newTestHTTP(t)
	return post(t, addr, text).body
}

// onTheWire are the faults over HTTP, and what shows that they are there.
func onTheWire() map[string]func(t *testing.T, addr, text, right string) {
	return map[string]func(t *testing.T, addr, text, right string){
		asJSON: func(t *testing.T, addr, text, right string) {
			t.Helper()
			a := post(t, addr, text)
			assert.Equal(t, []string{kindJSON}, a.header["Content-Type"])
			assert.Equal(t, right, a.body)
		},
		asEvents: func(t *testing.T, addr, text, right string) {
			t.Helper()
			a := post(t, addr, text)
			assert.Equal(t, kindEvents, a.header.Get("Content-Type"))
			assert.Equal(t, "event: message\ndata: "+right+"\n\n", a.body)
		},
		error200: func(t *testing.T, addr, text, _ string) {
			t.Helper()
			a := post(t, addr, text)
			assert.Equal(t, http.StatusOK, a.status)
			assert.Contains(t, a.body, `"error":{"code":-32603`)
			assert.NotContains(t, a.body, `"result"`)
		},
		isError: func(t *testing.T, addr, text, right string) {
			t.Helper()
			a := post(t, addr, text)
			assert.Equal(t, strings.Replace(right, "}]}", `}],"isError":true}`, 1), a.body)
		},
		longLine: func(t *testing.T, addr, text, right string) {
			t.Helper()
			a := post(t, addr, text)
			assert.Len(t, a.body, longTest)
			assert.JSONEq(t, right, a.body)
		},
		duplicated: func(t *testing.T, addr, text, right string) {
			t.Helper()
			assert.Equal(t, right+right, post(t, addr, text).body)
		},
		truncated: func(t *testing.T, addr, text, right string) {
			t.Helper()
			w := rawCall(t, addr, text)
			require.NoError(t, w.err)
			assert.Contains(t, w.head, fmt.Sprintf("Content-Length: %d", len(right)))
			assert.Equal(t, right[:len(right)/2], w.body)
		},
		halfClosed: checkHalfClosed,
		reset: func(t *testing.T, addr, text, right string) {
			t.Helper()
			w := rawCall(t, addr, text)
			require.ErrorIs(t, w.err, syscall.ECONNRESET)
			assert.True(t, strings.HasPrefix(right, w.body), "at most half of it came")
			assert.Less(t, len(w.body), len(right))
		},
		byteAtATime: func(t *testing.T, addr, text, right string) {
			t.Helper()
			w := rawCall(t, addr, text)
			require.NoError(t, w.err)
			assert.Contains(t, w.head, "Transfer-Encoding: chunked")
			var chunks bytes.Buffer
			for i := range right {
				fmt.Fprintf(&chunks, "1\r\n%s\r\n", right[i:i+1])
			}
			assert.Equal(t, chunks.String()+"0\r\n\r\n", w.body)
		},
		outOfOrder: checkSwapped,
	}
}

// longTest is what -long-line is set to where it is tried.
const longTest = 100_000

// checkHalfClosed reads half a reply and the end, and writes on without being reset.
func checkHalfClosed(t *testing.T, addr, text, right string) {
	t.Helper()
	w := rawCall(t, addr, text)
	require.NoError(t, w.err, "the end, and no reset")
	assert.Contains(t, w.head, fmt.Sprintf("Content-Length: %d", len(right)))
	assert.Equal(t, right[:len(right)/2], w.body)
	for range 5 {
		_, err := io.WriteString(w.conn, "more")
		require.NoError(t, err, "it is read on")
		time.Sleep(time.Millisecond) // for a reset, which must not come
	}
}

// checkSwapped makes two calls at once, until they have met: each gets the other's reply.
func checkSwapped(t *testing.T, addr, _, _ string) {
	t.Helper()
	id := func(n int) int {
		a, err := tryPost(t, addr, callMessage(n, ""))
		if err != nil {
			return 0
		}
		var r struct{ ID int }
		_ = json.Unmarshal([]byte(a.body), &r)
		return r.ID
	}
	require.Eventually(t, func() bool {
		first := make(chan int)
		go func() { first <- id(1) }()
		second := id(2)
		return <-first == 2 && second == 1
	}, longest, time.Millisecond)
	assert.Equal(t, 3, id(3), "one alone gets its own")
}

func TestFaultsOnTheWire(t *testing.T) {
	for name, check := range onTheWire() {
		t.Run(name, func(t *testing.T) {
			text := callMessage(1, `"echo":"measured"`)
			good := right(t, text)
			from := name
			fault, err := findFault(name)
			require.NoError(t, err)
			if fault.counted && name != outOfOrder {
				from += ":2"
			}
			_, addr := newTestHTTP(t, "-fault="+from, fmt.Sprint("-long-line=", longTest))
			if fault.counted && name != outOfOrder {
				assert.Equal(t, good, post(t, addr, text).body, "the first call is before it")
				assert.Contains(t, post(t, addr, message(1, "tools/list", "")).body, toolName, "what is no call has none")
			}
			check(t, addr, text, good)
			check(t, addr, text, good)
		})
	}
}

func TestEventsTwice(t *testing.T) {
	text := callMessage(1, "")
	event := "event: message\ndata: " + right(t, text) + "\n\n"
	_, addr := newTestHTTP(t, "-fault=sse,duplicated")
	assert.Equal(t, event+event, post(t, addr, text).body)
	_, addr = newTestHTTP(t, "-fault=sse,truncated")
	assert.Equal(t, event[:len(event)/2], rawCall(t, addr, text).body)
}

// TestCannotBeCut has the reply written to what is no connection.
func TestCannotBeCut(t *testing.T) {
	w := httptest.NewRecorder()
	(&body{kind: kindJSON, status: http.StatusOK, parts: [][]byte{[]byte("{}")}}).send(w, reset)
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}
