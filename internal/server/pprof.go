package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
)

// servePprof serves profiles on addr until it is closed.
func (a *app) servePprof(addr string) (*http.Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, exitError{exitListen, fmt.Errorf("cannot serve profiles on %s: %w", addr, cause(err))}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: localNamesOnly(mux), ReadHeaderTimeout: headerReadTimeout}
	go func() { _ = server.Serve(listener) }()
	a.log.Info("serving profiles", "address", listener.Addr().String())
	return server, nil
}
