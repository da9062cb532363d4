package main

import (
	"net/http"
	"slices"
)

// The headers of the protocol.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// session checks that a message is in a revision that is spoken, and in a session if that revision has them. A
// status other than 0 says no, and why.
func (s *server) session(h http.Header, r *request) (status int, why string) {
	version := h.Get(versionHeader)
	switch {
	case version == stateless:
		return 0, ""
	case version != "" && !slices.Contains(handshaking(), version):
		return http.StatusBadRequest, "the protocol's revision " + version + " is not spoken"
	case r.Method == "initialize":
		return 0, ""
	case h.Get(sessionHeader) == "":
		return http.StatusBadRequest, "no session: begin with initialize, or speak " + stateless
	}
	if id, ok := parseSession(h.Get(sessionHeader)); !ok || !s.vault.knows(id) {
		return http.StatusNotFound, "no such session"
	}
	return 0, ""
}

// deleteSession ends a session.
func (s *server) deleteSession(w http.ResponseWriter, r *http.Request) {
	if id, ok := parseSession(r.Header.Get(sessionHeader)); ok && s.vault.end(id) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "no such session", http.StatusNotFound)
}
