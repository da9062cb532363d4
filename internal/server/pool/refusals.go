package pool

import (
	"errors"
	"time"

	"mcpbench/internal/server/upstream"
)

// RefusalTTL is how long GitLab's no to a credential is remembered. A client that keeps trying with a
// wrong token would otherwise have GitLab asked each time, and GitLab counts that against this server.
const RefusalTTL = 5 * time.Second

// maxRefusals bounds what strangers can make the pool remember.
const maxRefusals = 1024

// refusals are credentials that GitLab has refused of late. They are guarded by Pool.mu.
type refusals map[upstream.Key]refusal

type refusal struct {
	err   error
	until time.Time
}

// note remembers err if it is GitLab's refusal and not a failure to ask.
func (rs refusals) note(key upstream.Key, err error, now time.Time) {
	var admission *upstream.AdmissionError
	if !errors.As(err, &admission) || !admission.Refused() {
		return
	}
	if len(rs) >= maxRefusals {
		clear(rs) // to ask once too often is better than to remember without end
	}
	rs[key] = refusal{err, now.Add(RefusalTTL)}
}

// recent is the refusal of a credential that is still remembered, or nil.
func (rs refusals) recent(key upstream.Key, now time.Time) error {
	r, ok := rs[key]
	if !ok || !now.Before(r.until) {
		return nil
	}
	return r.err
}

// sweep forgets what is old.
func (rs refusals) sweep(now time.Time) {
	for key, r := range rs {
		if !now.Before(r.until) {
			delete(rs, key)
		}
	}
}
