package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
)

// serveProfiles serves net/http/pprof and the account at addr until it is closed.
func (s *server) serveProfiles(addr string) (*http.Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve profiles: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /account", s.tellAccount)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	go func() { _ = web.Serve(l) }()
	s.say("profiles at %s", l.Addr())
	return web, nil
}

// say writes a line to stderr.
func (s *server) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.streams.err, "calibrator: "+format+"\n", args...)
}
