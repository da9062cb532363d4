package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMethods(t *testing.T) {
	_, addr := newTestHTTP(t)
	p := start(t)
	for _, tt := range []struct{ text, want string }{
		{message(1, "ping", ""), `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{message(2, "server/discover", ""), `"supportedVersions":["2026-07-28","2025-11-25",`},
		{message(3, "resources/list", ""), `"resources":[]`},
		{message(4, "resources/templates/list", ""), `"resourceTemplates":[]`},
		{message(5, "prompts/list", ""), `"prompts":[]`},
		{message(6, "initialize", `"protocolVersion":"2025-03-26"`), `"protocolVersion":"2025-03-26"`},
		{message(7, "initialize", `"protocolVersion":"2026-07-28"`), `"protocolVersion":"2025-11-25"`},
		{message(8, "resources/read", ""), `"code":-32601`},
		{message(9, "tools/call", `"name":"other"`), `"code":-32602`},
		{message(10, "tools/call", `"name":1`), `"code":-32602`},
		{`{"jsonrpc":"2.0","id":"text","method":"ping"}`, `"id":"text"`},
		{callMessage(11, `"echo":"<a>\"b\""`), `\u003ca\u003e\"b\"`},
	} {
		a := post(t, addr, tt.text)
		assert.Equal(t, http.StatusOK, a.status, tt.text)
		assert.Contains(t, a.header.Get("Content-Type"), "json")
		assert.Contains(t, a.body, tt.want)
		assert.True(t, json.Valid([]byte(a.body)), a.body)
		p.say(t, tt.text)
		assert.Equal(t, a.body, p.hear(t), "both transports say the same")
	}
}

func TestMalformed(t *testing.T) {
	_, addr := newTestHTTP(t)
	p := start(t)
	for _, text := range []string{`{"jsonrpc":`, `[]`, `{"id":1}`} {
		a := post(t, addr, text)
		assert.Equal(t, http.StatusBadRequest, a.status)
		assert.Contains(t, a.body, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`)
		p.say(t, "")
		p.say(t, text)
		assert.Equal(t, a.body, p.hear(t))
	}
	assert.Equal(t, http.StatusRequestEntityTooLarge, post(t, addr, strings.Repeat(" ", maxMessage+1)).status)
}

func TestNotifications(t *testing.T) {
	_, addr := newTestHTTP(t)
	note := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	a := post(t, addr, note)
	assert.Equal(t, http.StatusAccepted, a.status)
	assert.Empty(t, a.body)
	p := start(t)
	p.say(t, note)
	p.say(t, message(1, "ping", ""))
	assert.Contains(t, p.hear(t), `"id":1`, "a notification has no reply")
}

func TestCredential(t *testing.T) {
	s, addr := newTestHTTP(t, "-credential-prefix=glpat-")
	for _, tt := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"none", []string{"Private-Token", ""}, http.StatusUnauthorized},
		{"of another kind", []string{"Private-Token", "other"}, http.StatusUnauthorized},
		{"one", nil, http.StatusOK},
		{"the same as a bearer", []string{"Private-Token", "", "Authorization", "bearer " + token}, http.StatusOK},
		{"a bearer", []string{"Private-Token", "", "Authorization", "Bearer glpat-1"}, http.StatusOK},
		{"no bearer", []string{"Private-Token", "", "Authorization", "Basic glpat-2"}, http.StatusUnauthorized},
	} {
		assert.Equal(t, tt.want, post(t, addr, message(1, "ping", ""), tt.headers...).status, tt.name)
	}
	assert.EqualValues(t, 2, s.totals().Credentials)
}

func TestOtherPages(t *testing.T) {
	_, addr := newTestHTTP(t)
	assert.Equal(t, "ok\n", get(t, "http://"+addr+"/health"))
	resp, err := http.Get("http://" + addr + "/mcp")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
}

// TestStdioAnswersAtOnce sends a slow call and a fast listing: the listing does not wait.
func TestStdioAnswersAtOnce(t *testing.T) {
	p := start(t, "-latency=const:300ms", "-retain-credential=64", "-retain-session=80")
	p.say(t, callMessage(1, ""))
	p.say(t, message(2, "tools/list", ""))
	require.NoError(t, p.in.Close())
	assert.Contains(t, p.hear(t), `"id":2`)
	assert.Contains(t, p.hear(t), `"id":1`, "what was asked is answered, after the end of the input too")
	assert.Zero(t, p.await(t))
}

// TestStdioIsOneSession reads the account over the profiles, since stdio has none.
func TestStdioIsOneSession(t *testing.T) {
	p := start(t, "-retain-credential=64", "-retain-session=80", "-pprof=127.0.0.1:0")
	addr := p.said(t, `profiles at (\S+)\n`)
	p.say(t, message(1, "ping", ""))
	p.hear(t)
	assert.Equal(t, totals{Credentials: 1, Sessions: 1, RetainedBytes: 144}, accountOf(t, addr))
	assert.Zero(t, p.term(t))
}

func TestStdioLineTooLong(t *testing.T) {
	p := start(t)
	go func() { _, _ = p.in.Write([]byte(strings.Repeat(" ", maxMessage+2))) }()
	assert.Equal(t, statusFailed, p.await(t))
	assert.Contains(t, p.stderr.String(), "too long")
}
