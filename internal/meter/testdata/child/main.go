// Child is a process whose consumption is known: it does what its input tells it, a command a line, and
// answers each with one line. It ends with its input.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	c := &child{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		answer, err := c.obey(in.Text())
		if err != nil {
			answer = "error: " + err.Error()
		}
		fmt.Println(answer) //nolint:forbidigo // a command
	}
}

type child struct {
	mapped   [][]byte
	retained [][]byte
	open     []*os.File

	cmd *exec.Cmd // its own child, if it has one
	in  io.WriteCloser
	out *bufio.Reader
}

func (c *child) obey(line string) (string, error) {
	command, argument, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(argument)
	switch command {
	case "cpu": // its own clock, in nanoseconds
		return strconv.FormatInt(int64(cpu()), 10), nil
	case "burn": // nanoseconds of CPU
		for end := cpu() + time.Duration(n); cpu() < end; {
		}
		return "burnt", nil
	case "hold": // bytes, resident and not of the heap
		m, err := mmap(n)
		c.mapped = append(c.mapped, m)
		return "held", err
	case "spike": // bytes for 20 ms
		m, err := mmap(n)
		time.Sleep(20 * time.Millisecond)
		if err == nil {
			err = syscall.Munmap(m)
		}
		return "over", err
	case "retain": // bytes of the heap, in objects of 64 KiB
		c.retained = append(c.retained, allocate(n)...)
		return "retained", nil
	case "waste": // bytes of garbage, all of it resident at once
		return strconv.Itoa(len(allocate(n))), nil
	case "goroutines":
		for range n {
			go func() { select {} }()
		}
		return strconv.Itoa(runtime.NumGoroutine()), nil
	case "open": // descriptors
		for range n {
			f, err := os.Open("/dev/null")
			if err != nil {
				return "", err
			}
			c.open = append(c.open, f)
		}
		return "open", nil
	case "pprof":
		return serve()
	default:
		return c.pass(command, argument)
	}
}

// pass obeys the commands about a child of its own.
func (c *child) pass(command, argument string) (string, error) {
	switch command {
	case "child":
		return c.start()
	case "tell":
		if _, err := fmt.Fprintln(c.in, argument); err != nil {
			return "", err
		}
		answer, err := c.out.ReadString('\n')
		return strings.TrimSpace(answer), err
	case "end":
		if err := c.in.Close(); err != nil {
			return "", err
		}
		err := c.cmd.Wait()
		all := c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime() // its end included
		return strconv.FormatInt(int64(all), 10), err
	}
	return "", fmt.Errorf("unknown command %q", command)
}

func (c *child) start() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	c.cmd = exec.Command(self)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return "", err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return "", err
	}
	return strconv.Itoa(c.cmd.Process.Pid), nil
}

func cpu() time.Duration {
	const processCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
	var ts syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, processCPU, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}

func mmap(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
}

func allocate(n int) [][]byte {
	const size = 64 << 10
	var objects [][]byte
	for ; n > 0; n -= size {
		object := make([]byte, size)
		for i := 0; i < size; i += 4096 {
			object[i] = 1 // resident
		}
		objects = append(objects, object)
	}
	return objects
}

func serve() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(l, nil) }() //nolint:gosec // loopback
	return l.Addr().String(), nil
}
