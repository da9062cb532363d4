package bench_test

import (
	"context"
	"errors"
	"testing"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// sessionMethod says in the record how the figures of sessions came about.
const sessionMethod = "one credential; each session on a connection of its own, begun with initialize and one tools/list, without a stream; " +
	"every state read at rest, collections forced"

// sessions measures so many sessions, open and abandoned.
func (s *suite) sessions(b *testing.B, name string, h scenarios.Holding) {
	b.Helper()
	l := launch{name: name, transport: scenarios.HTTP, surface: h.Surface, clients: 1}
	s.sizing(b, l, sessionMethod, "protocol="+s.subject.Sessions.Protocol, func(t *trial) []phase {
		r := &sessionRun{trial: t, n: h.N, version: mcp.Version(s.subject.Sessions.Protocol)}
		return []phase{
			{"start", t.started}, {"admit", r.admit}, {"open", t.guarded(r.open)}, {"abandon", t.guarded(r.abandon)},
			{"end", t.guarded(r.end)}, {"close", t.left},
		}
	})
}

// sessionRun is a measurement of sessions.
type sessionRun struct {
	*trial
	n       int
	version mcp.Version
	list    *mcp.Request
	conns   []*mcp.HTTPConn
	// bare and abandoned are the states that others grew from.
	bare, abandoned stand
}

// admit has one client list its tools, without a session where the subject has such a revision, and reads the process.
func (r *sessionRun) admit(ctx context.Context) error {
	r.sheet.set("sessions", float64(r.n))
	var err error
	r.list, err = mcp.NewRequest(mcp.Spec{
		Label: string(record.List), Method: "tools/list", Version: r.version, Expect: mcp.Expect{Tools: r.surface.Tools},
	})
	if err != nil {
		return err
	}
	if err := r.connect(ctx, 1); err != nil {
		return err
	}
	r.bare, err = r.stand(ctx, record.Bare)
	return err
}

// open begins the sessions.
func (r *sessionRun) open(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	r.checked()
	now, err := r.stand(ctx, record.SessionsOpened)
	r.each(record.SessionsOpened, r.bare, now, r.n)
	return err
}

// begin begins as many sessions as are measured, and makes a call in each.
func (r *sessionRun) begin(ctx context.Context) error {
	r.conns = make([]*mcp.HTTPConn, r.n)
	return load.Each(ctx, r.n, admitAtOnce, func(ctx context.Context, i int) error {
		in := r.people.instances[0]
		url, err := in.vars.Expand(in.subject.Transports[scenarios.HTTP].URL)
		if err != nil {
			return err
		}
		if r.conns[i], err = in.dialAt(ctx, url, r.people.token(0), r.version); err != nil {
			return err
		}
		_, err = timed(ctx, r.conns[i], r.list)
		return err
	})
}

// abandon closes the connections without taking leave.
func (r *sessionRun) abandon(ctx context.Context) error {
	if err := r.hangUp(); err != nil {
		return err
	}
	var err error
	r.abandoned, err = r.stand(ctx, record.SessionsAbandoned)
	r.each(record.SessionsAbandoned, r.bare, r.abandoned, r.n)
	return err
}

func (r *sessionRun) hangUp() error {
	var errs []error
	for _, conn := range r.conns {
		r.people.reconnects += conn.Reconnects()
		errs = append(errs, conn.Close())
	}
	r.conns = nil
	return errors.Join(errs...)
}

// end begins as many sessions again, ends each as it should be, and holds GitLab to have been asked once about all.
func (r *sessionRun) end(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	for _, conn := range r.conns {
		if err := conn.End(ctx); err != nil {
			return err
		}
	}
	if err := r.hangUp(); err != nil {
		return err
	}
	r.checkAdmission()
	now, err := r.stand(ctx, record.SessionsEnded)
	r.each(record.SessionsEnded, r.abandoned, now, r.n)
	return err
}
