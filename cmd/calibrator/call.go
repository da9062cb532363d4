package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// parameters are those of a tools/call.
type parameters struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// arguments are those of the tool.
type arguments struct {
	Path string `json:"path"`
	Echo string `json:"echo"`
}

// call answers a tools/call, or refuses to.
func (s *server) call(ctx context.Context, a asking) reply {
	var p parameters
	if err := json.Unmarshal(a.Params, &p); err != nil {
		return a.failure(codeParams, "tools/call: "+err.Error())
	}
	if p.Name != toolName {
		return a.failure(codeParams, fmt.Sprintf("no tool %q: the one that can be called is %s", p.Name, toolName))
	}
	asked := s.account.asked.Add(1)
	if !s.crowd.enter(a.token) {
		return s.refuse(a)
	}
	defer s.crowd.leave(a.token)
	if !s.gate.enter(asked) {
		return s.refuse(a)
	}
	defer s.gate.leave()
	number := s.account.calls.Add(1)
	s.pause.begin()
	if s.gate.turns != nil {
		defer s.gate.turn()()
		a.arrived = time.Now()
	}
	r := s.perform(ctx, a, p.Arguments, number)
	r.call = number
	s.alarm.until(a.arrived.Add(s.draws.of(number)))
	// A stall belongs to the call, so that calls are refused while it fills the gate.
	s.pause.hold()
	return r
}

// perform does what a call costs, except for waiting.
func (s *server) perform(ctx context.Context, a asking, args arguments, number int64) reply {
	s.spoil(number)
	if err := s.firstCall(); err != nil {
		return a.failure(codeInternal, err.Error())
	}
	if err := s.leaks.leak(); err != nil {
		return a.failure(codeInternal, err.Error())
	}
	s.vault.leakCall()
	runtime.KeepAlive(s.garbage.make())
	s.burner.burn(s.config.cpuCall)
	if err := s.family.work(); err != nil {
		return a.failure(codeInternal, err.Error())
	}
	body, err := s.gitlab.get(ctx, a.token, args.Path, &s.account.upstream)
	if err != nil {
		return a.result(toolResult(err.Error(), true))
	}
	return s.distort(a.request, args.Echo+"\n"+body, number)
}

// firstCall has the spike happen, if it belongs to the first call; others wait until it is over.
func (s *server) firstCall() (err error) {
	if s.config.spikeAt == spikeAtCall {
		s.spikeOnce.Do(func() { err = s.config.spike.strike(s.alarm) })
	}
	return err
}

// spoil does what faults do before a call is answered.
func (s *server) spoil(number int64) {
	if s.config.faults.call(exitMidLoad, number) {
		s.say("ends in call %d, as -fault %s wants it", number, exitMidLoad)
		os.Exit(statusFault)
	}
	if s.config.faults.call(floodStderr, number) {
		flood(s.streams.err, int64(s.config.flood))
	}
}

// distort makes the reply to a call, right or as a fault wants it.
func (s *server) distort(r *request, text string, number int64) reply {
	f := s.config.faults
	if f.call(error200, number) {
		return r.failure(codeInternal, "an error, as -fault "+error200+" wants it")
	}
	answer := r.result(toolResult(text, f.call(isError, number)))
	if f.call(longLine, number) {
		answer.head = stretch(answer.head, int(s.config.longLine))
	}
	return answer
}

// toolResult is the result of a tools/call.
func toolResult(text string, failed bool) []byte {
	object := append([]byte(`{"resultType":"complete","content":[{"type":"text","text":`), quote(text)...)
	if failed {
		return append(object, `}],"isError":true}`...)
	}
	return append(object, `}]}`...)
}

// stretch puts spaces after the first byte of a message until it has n bytes.
func stretch(message []byte, n int) []byte {
	if n <= len(message) {
		return message
	}
	return slices.Insert(message, 1, bytes.Repeat([]byte{' '}, n-len(message))...)
}
