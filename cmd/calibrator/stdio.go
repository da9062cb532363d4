package main

import (
	"bufio"
	"context"
	"fmt"
	"sync"
)

// maxMessage is the longest message that is read.
const maxMessage = 16 << 20

// serveStdio answers the messages on standard input, all at the same time, until there are no more, or ctx ends.
// The process has one credential, and is one session.
func (s *server) serveStdio(ctx context.Context, token string) error {
	s.vault.admit(token)
	s.vault.open()
	ended := make(chan error, 1)
	go func() { ended <- s.converse(ctx, token) }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		if s.config.faults.process(deafToSIGTERM) {
			<-ctx.Done() // which it never does
		}
		return err
	}
}

// converse reads to the end, and returns when all is answered.
func (s *server) converse(ctx context.Context, token string) error {
	out := newLines(s.streams.out, s.config.faults, &s.pairing)
	in := bufio.NewScanner(s.streams.in)
	in.Buffer(nil, maxMessage)
	var answering sync.WaitGroup
	defer answering.Wait()
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		r, err := parseRequest(in.Bytes())
		if err != nil {
			out.send(new(request).failure(codeParse, err.Error()))
			continue
		}
		answering.Go(func() { out.send(s.answer(ctx, token, r)) })
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
}
