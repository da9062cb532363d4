package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The faults by name.
const (
	exitAtStart   = "exit-at-start"
	neverReady    = "never-ready"
	deafToSIGTERM = "deaf-to-sigterm"
	asEvents      = "sse"
	asJSON        = "json"
	exitMidLoad   = "exit-mid-load"
	garbageStdout = "garbage-stdout"
	longLine      = "long-line"
	floodStderr   = "flood-stderr"
	error200      = "error-200"
	isError       = "is-error"
	outOfOrder    = "out-of-order"
	duplicated    = "duplicated"
	truncated     = "truncated"
	halfClosed    = "half-closed"
	reset         = "reset"
	byteAtATime   = "byte-at-a-time"
)

// fault is one way to fail.
type fault struct {
	name string
	// on is the transport that has it; empty for both.
	on string
	// counted faults begin with a tools/call, and the others with the process.
	counted bool
	// wire faults are in how a reply is sent, so that there can be only one.
	wire    bool
	promise string
}

// Transports.
const (
	onStdio = "stdio"
	onHTTP  = "http"
)

// knownFaults lists all there are.
func knownFaults() []fault {
	return []fault{
		{name: exitAtStart, promise: "says so on stderr and ends with exit code 3, before it listens or reads"},
		{name: neverReady, promise: "never listens, and answers nothing it is sent on stdin; ends when asked to"},
		{name: deafToSIGTERM, promise: "passes over SIGTERM, SIGINT and the end of stdin: it has to be killed"},
		{name: asEvents, on: onHTTP, promise: "every reply is an event of text/event-stream"},
		{name: asJSON, on: onHTTP, promise: "every reply is application/json, as without it"},
		{name: exitMidLoad, counted: true, promise: "says so on stderr and ends with exit code 3, in place of an answer"},
		{name: garbageStdout, on: onStdio, counted: true, promise: "a line that is not JSON comes before the reply"},
		{name: longLine, counted: true, promise: "the reply is stretched by spaces to -long-line bytes, and still valid"},
		{name: floodStderr, counted: true, promise: "lines of -flood bytes go to stderr before the reply"},
		{name: error200, counted: true, promise: "a JSON-RPC error in place of the result, on HTTP with status 200"},
		{name: isError, counted: true, promise: "a result with isError"},
		{name: outOfOrder, counted: true, wire: true, promise: "two replies change places, if the second is ready within 100ms:\n" +
			"on stdio the order of their lines, on HTTP the responses they are in"},
		{name: duplicated, counted: true, wire: true, promise: "the reply is sent twice: two lines, two events, or twice in one body"},
		{name: truncated, counted: true, wire: true, promise: "the first half of the reply, then on stdio the line's end,\n" +
			"on HTTP the end of the connection, although all of it was announced"},
		{name: halfClosed, counted: true, wire: true, promise: "on HTTP the first half of the reply, then the end of what is sent on the\n" +
			"connection, which is read on; on stdio nothing, for stdout is closed, while stdin is read on"},
		{name: reset, on: onHTTP, counted: true, wire: true, promise: "the first half of the reply, then the connection is reset (RST)"},
		{name: byteAtATime, counted: true, wire: true, promise: "each byte is written by itself, on HTTP as a chunk of its own"},
	}
}

// faults are those in force, each with the number of the tools/call from which on it is. As a flag they are
// NAME[:FROM], with commas between several; the flag may also be repeated.
type faults map[string]int64

// String implements flag.Value.
func (f *faults) String() string {
	var parts []string
	for name, from := range *f {
		parts = append(parts, name+":"+strconv.FormatInt(from, 10))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// Set implements flag.Value.
func (f *faults) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, from, given := strings.Cut(part, ":")
		known, err := findFault(name)
		if err != nil {
			return err
		}
		n := int64(1)
		if given {
			if n, err = strconv.ParseInt(from, 10, 64); err != nil || n < 1 || !known.counted {
				return fmt.Errorf("%q: only faults of calls take a number, which is that of the first call, from 1", part)
			}
		}
		if *f == nil {
			*f = make(faults)
		}
		(*f)[name] = n
	}
	return nil
}

func findFault(name string) (fault, error) {
	var names []string
	for _, known := range knownFaults() {
		if known.name == name {
			return known, nil
		}
		names = append(names, known.name)
	}
	return fault{}, fmt.Errorf("unknown fault %q: the known ones are %s", name, strings.Join(names, ", "))
}

// validate checks that the faults exist on the transport and do not exclude one another.
func (f faults) validate(transport string) error {
	var wire []string
	for _, known := range knownFaults() {
		if f[known.name] == 0 {
			continue
		}
		if known.on != "" && known.on != transport {
			return fmt.Errorf("-fault %s: there is none on %s, only on %s", known.name, transport, known.on)
		}
		if known.wire {
			wire = append(wire, known.name)
		}
	}
	if len(wire) > 1 {
		return fmt.Errorf("-fault: a reply is sent in one way, choose one of %s", strings.Join(wire, ", "))
	}
	if f[asEvents] > 0 && f[asJSON] > 0 {
		return fmt.Errorf("-fault: choose one of %s and %s", asEvents, asJSON)
	}
	return nil
}

// process reports whether a fault of the process is in force.
func (f faults) process(name string) bool { return f[name] > 0 }

// call reports whether a fault is in force for the reply to a call; 0 is the number of what is no call.
func (f faults) call(name string, call int64) bool {
	from := f[name]
	return from > 0 && call >= from
}

// wire returns the fault in how the reply to a call is sent, or "".
func (f faults) wire(call int64) string {
	if len(f) == 0 {
		return ""
	}
	for _, known := range knownFaults() {
		if known.wire && f.call(known.name, call) {
			return known.name
		}
	}
	return ""
}
