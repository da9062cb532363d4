package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The requests of which something can be kept.
const (
	ofHealth     = "health"     // GET /health
	ofRefused    = "refused"    // one that is answered 401
	ofInitialize = "initialize" // one that opens a session
	ofCut        = "cut"        // one whose client went away before it had all of the answer
)

// keeping is what is kept of each request of one kind. As a flag it is KIND:WHAT.
type keeping struct {
	of    string
	what  string
	leaks leaks
	bytes size
}

// keepings are those of all kinds. As a flag they are separated by commas.
type keepings []*keeping

// String implements flag.Value.
func (k *keepings) String() string {
	var parts []string
	for _, one := range *k {
		parts = append(parts, one.of+":"+one.what)
	}
	return strings.Join(parts, ",")
}

// Set implements flag.Value.
func (k *keepings) Set(text string) error {
	var all keepings
	for part := range strings.SplitSeq(text, ",") {
		of, what, _ := strings.Cut(part, ":")
		if !slices.Contains([]string{ofHealth, ofRefused, ofInitialize, ofCut}, of) {
			return fmt.Errorf("%q: something is kept of %s, %s, %s or %s", part, ofHealth, ofRefused, ofInitialize, ofCut)
		}
		one := &keeping{of: of, what: what}
		switch what {
		case "socket":
			one.leaks.descriptors = 1
		case "goroutine":
			one.leaks.goroutines = 1
		default:
			if err := one.bytes.Set(what); err != nil {
				return fmt.Errorf("%q: socket, goroutine, or: %w", part, err)
			}
		}
		all = append(all, one)
	}
	*k = all
	return nil
}

// keep has something stay of requests, once they are over.
func (s *server) keep(next http.Handler) http.Handler {
	if len(s.config.keepings) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &witness{ResponseWriter: w}
		next.ServeHTTP(seen, r)
		for _, k := range s.config.keepings {
			if seen.saw(k.of, r) {
				s.keepOne(k)
			}
		}
	})
}

func (s *server) keepOne(k *keeping) {
	if err := k.leaks.leak(); err != nil {
		s.say("%v", err)
	}
	s.vault.leak(newMould(s.vault.classes, int64(k.bytes)))
}

// witness sees how a request is answered.
type witness struct {
	http.ResponseWriter
	status int
	failed bool
}

// saw reports whether the request was of a kind.
func (w *witness) saw(of string, r *http.Request) bool {
	switch of {
	case ofHealth:
		return r.URL.Path == "/health"
	case ofRefused:
		return w.status == http.StatusUnauthorized
	case ofInitialize:
		return w.Header().Get(sessionHeader) != ""
	default:
		return w.failed || r.Context().Err() != nil
	}
}

// Unwrap lets http.ResponseController find the connection.
func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *witness) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *witness) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.failed = w.failed || err != nil
	return n, err
}

// stream stays open until its client leaves, or the process ends, and says nothing. There is none outside a session.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(sessionHeader) == "" {
		http.Error(w, "no stream without a session", http.StatusMethodNotAllowed)
		return
	}
	if id, ok := parseSession(r.Header.Get(sessionHeader)); !ok || !s.vault.knows(id) {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kindEvents)
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
}
