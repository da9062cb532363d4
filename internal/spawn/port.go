package spawn

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// FreePort returns a TCP port of host that nobody listens on. It is free, not reserved: somebody else may
// take it before the child does, which [Spec.Listen] and the probe will notice.
func FreePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// checkFree fails if addr cannot be listened on. An empty addr asks for nothing.
func checkFree(addr string) error {
	if addr == "" {
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: something else listens on %s; stop it or choose another port", ErrPortUsed, addr)
	}
	if err != nil {
		return fmt.Errorf("the process cannot listen on %s: %w", addr, err)
	}
	return l.Close()
}
