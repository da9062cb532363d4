package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Bounds on what a client may take.
const (
	headerTimeout = 10 * time.Second
	grace         = time.Second // for calls in progress, when the process ends
)

// serveHTTP serves until ctx ends, and then until calls in progress are answered, but not longer than grace.
func (s *server) serveHTTP(ctx context.Context, l net.Listener) error {
	web := &http.Server{Handler: s.routes(), ReadHeaderTimeout: headerTimeout}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// The context that ended is no longer of use.
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := web.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return web.Close()
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", s.post)
	mux.HandleFunc("GET /mcp", s.stream)
	mux.HandleFunc("DELETE /mcp", s.deleteSession)
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("GET /account", s.tellAccount)
	return s.keep(mux)
}

// health answers once the server serves, unless nothing is answered.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	s.pause.hold()
	_, _ = io.WriteString(w, "ok\n")
}

// post answers a message.
func (s *server) post(w http.ResponseWriter, r *http.Request) {
	token := credential(r.Header)
	if token == "" || !strings.HasPrefix(token, s.config.credentialPrefix) {
		http.Error(w, "no credential, or an unknown one: send it as PRIVATE-TOKEN or as a Bearer", http.StatusUnauthorized)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	message, err := parseRequest(data)
	if err != nil {
		bad := new(request).failure(codeParse, err.Error())
		bad.status = http.StatusBadRequest
		s.deliver(w, bad)
		return
	}
	if status, why := s.session(r.Header, message); status != 0 {
		no := message.failure(codeInvalid, why)
		no.status = status
		s.deliver(w, no)
		return
	}
	s.vault.admit(token)
	answer := s.answer(r.Context(), token, message)
	if message.Method == "initialize" {
		answer.session = s.vault.open()
	}
	s.deliver(w, answer)
}

// credential is the token that a request is made with.
func credential(h http.Header) string {
	if token := h.Get("Private-Token"); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return ""
}
