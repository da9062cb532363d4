package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxHead is the size at which a response's head is given up.
const maxHead = 32 << 10

// maxRetryAfter is a number of seconds, a year, beyond which nobody comes back.
const maxRetryAfter = 365 * 24 * 60 * 60

// requestHead returns the header lines that depend on the request alone, the
// blank line after the head included. It refuses a name that no header line
// can carry as it is.
func requestHead(spec Spec, length int) ([]byte, error) {
	var b []byte
	if !spec.Version.Initializes() {
		b = append(b, "Mcp-Method: "+spec.Method+"\r\n"...)
		if spec.Name != "" {
			if !plainHeader(spec.Name) {
				return nil, fmt.Errorf("name %q: printable ASCII only, since it travels as a header", spec.Name)
			}
			b = append(b, "Mcp-Name: "+spec.Name+"\r\n"...)
		}
	}
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(length), 10)
	return append(b, "\r\n\r\n"...), nil
}

// plainHeader reports whether s can be the value of a header line.
func plainHeader(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s == strings.TrimSpace(s)
}

// connHead returns the beginning of every request's head on a connection.
func connHead(host, target string, header http.Header, version Version, session string) ([]byte, error) {
	b := []byte("POST " + target + " HTTP/1.1\r\nHost: " + host +
		"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n")
	if version != "" {
		b = append(b, "Mcp-Protocol-Version: "+string(version)+"\r\n"...)
	}
	if !plainHeader(session) {
		return nil, fmt.Errorf("session id %q: it cannot be sent back", session)
	}
	if session != "" {
		b = append(b, "Mcp-Session-Id: "+session+"\r\n"...)
	}
	for _, key := range sortedKeys(header) {
		for _, value := range header[key] {
			if !plainHeader(key) || strings.ContainsAny(key, ": ") || !plainHeader(value) {
				return nil, fmt.Errorf("header %q: its name or value cannot be sent", key)
			}
			b = append(b, key+": "+value+"\r\n"...)
		}
	}
	return b, nil
}

func sortedKeys(header http.Header) []string {
	keys := make([]string, 0, len(header))
	for key := range header {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// media is the kind of body a response has.
type media uint8

const (
	mediaOther media = iota
	mediaJSON
	mediaSSE
)

// head is what matters of a response's head.
type head struct {
	status  int
	length  int64 // -1 where it was not given
	chunked bool
	closing bool // the server will close the connection after the body
	media   media
	session string

	told       bool // when to come back
	retryAfter time.Duration
}

var (
	errHead   = errors.New("malformed response head")
	errLength = errors.New("contradictory body length")
	errCoding = errors.New("a content or transfer coding that was not asked for")
)

// parseHead reads a response's head, the blank line excluded. The session known
// already is kept where the head does not name another.
func parseHead(b []byte, session string) (head, error) {
	line, rest, _ := bytes.Cut(b, []byte("\r\n"))
	h, err := parseStatus(line)
	h.session = session
	for err == nil && len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		err = h.parseField(line)
	}
	if err == nil && h.chunked && h.length >= 0 {
		err = errLength
	}
	return h, err
}

// parseStatus reads a status line.
func parseStatus(line []byte) (head, error) {
	h := head{length: -1}
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return h, errHead
	}
	h.closing = line[7] == '0'
	status, ok := parseDecimal(line[9:12])
	if !ok || status < 100 || line[7] > '1' || line[7] < '0' {
		return h, errHead
	}
	h.status = int(status)
	return h, nil
}

// parseField reads one header line.
func (h *head) parseField(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || line[0] == ' ' || line[0] == '\t' || line[colon-1] == ' ' {
		return errHead
	}
	name, value := line[:colon], bytes.TrimSpace(line[colon+1:])
	switch {
	case is(name, "Content-Length"):
		return h.setLength(value)
	case is(name, "Transfer-Encoding"):
		if !is(value, "chunked") || h.chunked {
			return errCoding
		}
		h.chunked = true
	case is(name, "Content-Encoding"):
		if !is(value, "identity") {
			return errCoding
		}
	case is(name, "Content-Type"):
		h.media = mediaOf(value)
	case is(name, "Connection"):
		h.closing = is(value, "close") || h.closing && !is(value, "keep-alive")
	case is(name, "Retry-After"):
		h.setRetryAfter(value, time.Now())
	case is(name, "Mcp-Session-Id"):
		if h.session != string(value) {
			h.session = string(value)
		}
	}
	return nil
}

// setLength takes a Content-Length in; a second one must be the same.
func (h *head) setLength(value []byte) error {
	n, ok := parseDecimal(value)
	if !ok {
		return errHead
	}
	if h.length >= 0 && h.length != n {
		return errLength
	}
	h.length = n
	return nil
}

// setRetryAfter takes in when to come back, which is a number of seconds or a
// date. What is neither tells a client nothing.
func (h *head) setRetryAfter(value []byte, now time.Time) {
	if n, ok := parseDecimal(value); ok && n <= maxRetryAfter {
		h.told, h.retryAfter = true, time.Duration(n)*time.Second
		return
	}
	if date, err := http.ParseTime(string(value)); err == nil {
		h.told, h.retryAfter = true, max(0, date.Sub(now))
	}
}

// is compares a name of the head with one in canonical form, whatever its case.
func is(b []byte, name string) bool {
	return len(b) == len(name) && (string(b) == name || strings.EqualFold(string(b), name))
}

// mediaOf tells the bodies apart that a reply may have.
func mediaOf(value []byte) media {
	if semi := bytes.IndexByte(value, ';'); semi >= 0 {
		value = bytes.TrimSpace(value[:semi])
	}
	switch {
	case is(value, "application/json"):
		return mediaJSON
	case is(value, "text/event-stream"):
		return mediaSSE
	}
	return mediaOther
}

// parseDecimal reads up to 18 digits and nothing else.
func parseDecimal(b []byte) (int64, bool) {
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0 && len(b) <= 18
}
