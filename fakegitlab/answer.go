package fakegitlab

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	jsonType          = "application/json"
	insufficientScope = `{"error":"insufficient_scope","error_description":"The request requires higher ` +
		`privileges than provided by the access token.","scope":"api"}`
	// gzipFrom is the size from which a body is worth compressing.
	gzipFrom = 1024
)

// answer is one complete answer. It is not changed once it is made, so that it can be sent again.
type answer struct {
	status int
	// mime is the content type: JSON when empty.
	mime string
	body []byte
	// header holds what belongs to this answer alone, in pairs of name and value.
	header []string
	once   sync.Once
	tag    string
}

// message is the body GitLab's API puts an error in.
func message(status int, text string) string {
	if !strings.HasPrefix(text, strconv.Itoa(status)) {
		text = strconv.Itoa(status) + " " + text
	}
	return `{"message":` + string(appendText(nil, text)) + `}`
}

func failure(status int, text string) *answer {
	return &answer{status: status, body: []byte(message(status, text))}
}

func (a *answer) writeHead(w http.ResponseWriter) {
	h := w.Header()
	mime := a.mime
	setDefault(&mime, jsonType)
	for i := 0; i < len(a.header); i += 2 {
		h.Set(a.header[i], a.header[i+1])
	}
	if a.status != http.StatusNoContent {
		h.Set("Content-Type", mime)
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
}

func (a *answer) writeTo(w http.ResponseWriter) {
	a.writeHead(w)
	if a.status != http.StatusNoContent {
		_, _ = w.Write(a.body) // a client that left is no error of the stand-in
	}
}

// etag is a weak entity tag of the body.
func (a *answer) etag() string {
	a.once.Do(func() { a.tag = fmt.Sprintf(`W/"%016x"`, hashText(0, string(a.body))) })
	return a.tag
}

func (a *answer) unchanged(r *http.Request) bool {
	return r.Method == http.MethodGet && a.status == http.StatusOK && r.Header.Get("If-None-Match") == a.etag()
}

// compressed is the answer in gzip, where the client accepts it and it is worth it.
func (a *answer) compressed(w http.ResponseWriter, r *http.Request) *answer {
	if len(a.body) < gzipFrom || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return a
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(a.body) // a buffer takes everything
	_ = z.Close()
	w.Header().Set("Content-Encoding", "gzip")
	return &answer{status: a.status, mime: a.mime, header: a.header, body: b.Bytes()}
}

// commonHeaders are on every answer.
func (s *Server) commonHeaders(h http.Header, number int64) {
	h.Set("X-Request-Id", strconv.FormatInt(number+1<<40, 36))
	h.Set("Vary", "Origin")
	if s.opts.RateLimit > 0 {
		now := time.Now()
		setRateLimit(h, s.opts.RateLimit, 1, now.Truncate(time.Minute).Add(time.Minute))
	}
}

// setRateLimit sets the headers of GitLab's throttle: limit and observed in requests a minute.
func setRateLimit(h http.Header, limit, observed int, resetAt time.Time) {
	h.Set("RateLimit-Name", "throttle_authenticated_api")
	h.Set("RateLimit-Limit", strconv.Itoa(limit))
	h.Set("RateLimit-Observed", strconv.Itoa(observed))
	h.Set("RateLimit-Remaining", strconv.Itoa(max(0, limit-observed)))
	h.Set("RateLimit-Reset", strconv.FormatInt(resetAt.Unix(), 10))
	h.Set("RateLimit-ResetTime", resetAt.UTC().Format(http.TimeFormat))
}
