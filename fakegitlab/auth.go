package fakegitlab

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	fullPrefix = "glpat-"
	readPrefix = "glpat-ro-"
)

// caller is who asks: the user a token stands for, and whether the token may write.
type caller struct {
	user     int64
	readOnly bool
	token    string
}

// Token returns the i-th token the server accepts, counted from 0: 27 characters of [a-z0-9-], distinct
// for distinct i. Its user has the id i+1.
func (s *Server) Token(i int) string { return s.token(fullPrefix, i) }

// ReadOnlyToken returns a token of the same user as Token(i) that may read only: a write is answered
// with 403 insufficient_scope.
func (s *Server) ReadOnlyToken(i int) string { return s.token(readPrefix, i) }

// Revoke makes a token be refused from now on; Restore accepts it again.
func (s *Server) Revoke(token string) { s.revoked.Store(token, true) }

// Restore accepts a revoked token again.
func (s *Server) Restore(token string) { s.revoked.Delete(token) }

// token carries its number and a proof over it, so that tokens need no table.
func (s *Server) token(prefix string, i int) string {
	proof := hashText(s.opts.Seed, prefix+strconv.Itoa(i))
	return fmt.Sprintf("%s%012x-%08d", prefix, proof&0xffffffffffff, i)
}

// authenticate finds the caller of a request; ok is false when no accepted token came with it.
func (s *Server) authenticate(h http.Header) (caller, bool) {
	token := presentedToken(h)
	if token == "" {
		return caller{}, false
	}
	if known, ok := s.callers.Load(token); ok {
		return known.(caller), !s.isRevoked(token)
	}
	c, ok := s.recognise(token)
	if ok {
		s.callers.Store(token, c)
	}
	return c, ok && !s.isRevoked(token)
}

func (s *Server) isRevoked(token string) bool {
	_, revoked := s.revoked.Load(token)
	return revoked
}

func (s *Server) recognise(token string) (caller, bool) {
	for i, extra := range s.opts.Tokens {
		if token == extra {
			return caller{user: int64(s.opts.Users + i + 1), token: token}, true
		}
	}
	i, err := strconv.Atoi(token[strings.LastIndexByte(token, '-')+1:])
	if err != nil {
		return caller{}, false
	}
	c := caller{user: int64(i) + 1, token: token}
	switch token {
	case s.Token(i):
		return c, true
	case s.ReadOnlyToken(i):
		c.readOnly = true
		return c, true
	}
	return caller{}, false
}

// presentedToken reads the three headers GitLab accepts a token in.
func presentedToken(h http.Header) string {
	if t := h.Get("Private-Token"); t != "" {
		return t
	}
	if t := h.Get("Job-Token"); t != "" {
		return t
	}
	scheme, t, _ := strings.Cut(h.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(t)
	}
	return ""
}
