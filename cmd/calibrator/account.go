package main

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// account is what the process has done so far, counted by itself.
type account struct {
	calls    atomic.Int64 // tools/call that were admitted
	asked    atomic.Int64 // tools/call, refused ones included
	listings atomic.Int64
	refused  atomic.Int64
	upstream atomic.Int64
}

// totals is the account as it is told.
type totals struct {
	Calls         int64 `json:"calls"`
	Listings      int64 `json:"listings"`
	Refused       int64 `json:"refused"`
	Upstream      int64 `json:"upstream"`
	BurnedNS      int64 `json:"burned_ns"`
	Credentials   int64 `json:"credentials"`
	Sessions      int64 `json:"sessions"`
	RetainedBytes int64 `json:"retained_bytes"`
}

func (s *server) totals() totals {
	a := &s.account
	t := totals{
		Calls: a.calls.Load(), Listings: a.listings.Load(), Refused: a.refused.Load(),
		Upstream: a.upstream.Load(), BurnedNS: int64(s.burner.total()),
	}
	t.Credentials, t.Sessions, t.RetainedBytes = s.vault.counts()
	return t
}

// tellAccount answers with the account.
func (s *server) tellAccount(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.totals()) // whoever went away does not want it
}
