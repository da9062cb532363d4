package server

import (
	"context"
	"net/http"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/pool"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/upstream"
)

// A visit is a request that was let in.
type visit struct {
	lease *pool.Lease
	gate  *limit.Gate // that it has entered
}

// rest gives room for work back before the request ends.
func (v *visit) rest() {
	v.lease.Rest()
	v.gate.Leave()
	v.gate = nil
}

// end is the end of the request.
func (v *visit) end() {
	v.gate.Leave()
	v.lease.Release()
}

// admit lets a request in or says why not, and then holds nothing for it. A request over the bound of its credential
// does not get as far as the bound of all, or a crowd of them would keep others out.
func (e *endpoint) admit(r *http.Request, kind surface.Kind) (visit, error) {
	credential, ok := upstream.FromRequest(r)
	if !ok {
		return visit{}, &upstream.AdmissionError{
			Status: http.StatusUnauthorized,
			Reason: "no GitLab token: send one as PRIVATE-TOKEN or as Authorization: Bearer",
		}
	}
	lease := e.pool.Held(credential, kind)
	if lease == nil {
		return e.admitNew(r.Context(), credential, kind)
	}
	if err := e.begin(lease); err != nil {
		lease.Release()
		return visit{}, err
	}
	if !e.gate.Enter() {
		lease.Release()
		return visit{}, limit.ErrBusy()
	}
	return visit{lease, e.gate}, nil
}

// admitNew is admit for a credential about which GitLab may have to be asked. The room for such requests is less than
// for all, or strangers could keep out those who are known.
func (e *endpoint) admitNew(ctx context.Context, credential upstream.Credential, kind surface.Kind) (visit, error) {
	if !e.newcomers.Enter() {
		return visit{}, limit.ErrBusy()
	}
	defer e.newcomers.Leave()
	if !e.gate.Enter() {
		return visit{}, limit.ErrBusy()
	}
	lease, err := e.pool.Acquire(ctx, credential, kind)
	if err != nil {
		e.gate.Leave()
		return visit{}, err
	}
	v := visit{lease, e.gate}
	if err := e.begin(lease); err != nil {
		v.end()
		return visit{}, err
	}
	return v, nil
}

// begin holds a request to the bounds of its credential.
func (e *endpoint) begin(lease *pool.Lease) error {
	if !lease.Allow() {
		return limit.ErrRate(e.rps)
	}
	if !lease.Work() {
		return limit.ErrBusy()
	}
	return nil
}
