package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
)

// What the program's exit code says, besides 0.
const (
	statusFailed = 1
	statusUsage  = 2
	statusFault  = 3 // a fault wanted it to end
)

// run is the program.
func run(args []string, s streams) int {
	c, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		writeHelp(s.out)
		return 0
	case err != nil:
		return fail(s, statusUsage, err)
	case c.version:
		_, _ = fmt.Fprintln(s.out, version)
		return 0
	case c.asChild:
		err = beChild(c, s)
	case c.faults.process(exitAtStart):
		return fail(s, statusFault, errors.New("ends at once, as -fault "+exitAtStart+" wants it"))
	default:
		err = serve(c, s)
	}
	if err != nil {
		return fail(s, statusFailed, err)
	}
	return 0
}

func fail(s streams, status int, err error) int {
	_, _ = fmt.Fprintf(s.err, "calibrator: %v\n", err)
	return status
}

// serve serves until the process is asked to end.
func serve(c *config, s streams) error {
	ctx, stop := ending(c)
	defer stop()
	if c.faults.process(neverReady) {
		_, _ = fmt.Fprintln(s.err, "calibrator: will not be ready, as -fault "+neverReady+" wants it")
		return idle(ctx, c, s.in)
	}
	a, err := newAlarm()
	if err != nil {
		return err
	}
	if c.spikeAt == spikeAtStart {
		if err := c.spike.strike(a); err != nil {
			return err
		}
	}
	readyGoroutines(c.goroutines)
	srv, err := newServer(c, s, a)
	if err != nil {
		return err
	}
	if c.pprof != "" {
		profiles, err := srv.serveProfiles(c.pprof)
		if err != nil {
			return errors.Join(err, srv.close())
		}
		defer func() { _ = profiles.Close() }()
	}
	a.wait(c.startDelay)
	go srv.vault.leakAt(c.leakRate, ctx.Done())
	return errors.Join(srv.serve(ctx), srv.close())
}

// serve serves the transport.
func (s *server) serve(ctx context.Context) error {
	if s.config.http == "" {
		return s.serveStdio(ctx, os.Getenv("GITLAB_TOKEN"))
	}
	l, err := net.Listen("tcp", s.config.http)
	if err != nil {
		return err
	}
	s.say("serves at %s", l.Addr())
	return s.serveHTTP(ctx, l)
}

// ending is done when the process is asked to end, which one that is deaf never is.
func ending(c *config) (context.Context, context.CancelFunc) {
	signals := []os.Signal{syscall.SIGTERM, os.Interrupt}
	if c.faults.process(deafToSIGTERM) {
		signal.Ignore(signals...)
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), signals...)
}

// idle does nothing until the process is asked to end, or on stdio has no input any more.
func idle(ctx context.Context, c *config, in io.Reader) error {
	over := make(chan error, 1)
	if c.http == "" {
		go func() {
			_, err := io.Copy(io.Discard, in)
			over <- err
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-over:
		return err
	}
}
