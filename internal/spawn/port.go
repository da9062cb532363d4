package spawn

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// FreePorts returns n different TCP ports of host that nobody listens on. They are free, not reserved: somebody
// else may take one before the child does, which [Spec.Listen] and the probe will notice. Asked for one at a time
// they could be the same.
func FreePorts(host string, n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }() // once all are found
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
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
