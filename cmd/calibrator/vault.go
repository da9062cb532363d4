package main

import (
	"crypto/rand"
	"encoding/hex"
	"hash/maphash"
	"sync"
	"time"
)

// expected is how many credentials and how many sessions there is room for from the start. Up to that many,
// remembering one costs nothing but what it retains: no table grows, and neither token nor id is kept.
const expected = 16384

// vault holds what is retained.
type vault struct {
	perCredential, perSession, perCall mould

	classes classes
	seed    maphash.Seed

	mu          sync.Mutex
	credentials map[uint64]*holding
	sessions    map[sessionID]*holding
	leaked      *holding
	bytes       int64
}

// sessionID is the id of a session of the protocol's revisions that have them.
type sessionID [16]byte

func newVault(c classes, perCredential, perSession, perCall size) *vault {
	return &vault{
		perCredential: newMould(c, int64(perCredential)),
		perSession:    newMould(c, int64(perSession)),
		perCall:       newMould(c, int64(perCall)),
		classes:       c,
		seed:          maphash.MakeSeed(),
		credentials:   make(map[uint64]*holding, expected),
		sessions:      make(map[sessionID]*holding, expected),
	}
}

// admit retains what is retained of a credential, if this is the first time that it is seen.
func (v *vault) admit(token string) {
	key := maphash.String(v.seed, token)
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, known := v.credentials[key]; known {
		return
	}
	v.credentials[key] = v.perCredential.make()
	v.bytes += v.perCredential.size
}

// open begins a session.
func (v *vault) open() string {
	var id sessionID
	_, _ = rand.Read(id[:]) // never fails
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sessions[id] = v.perSession.make()
	v.bytes += v.perSession.size
	return hex.EncodeToString(id[:])
}

// parseSession reads the id of a session, as open wrote it.
func parseSession(text string) (id sessionID, ok bool) {
	if hex.DecodedLen(len(text)) != len(id) || len(text)%2 != 0 {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(text))
	return id, err == nil
}

// knows reports whether a session is open.
func (v *vault) knows(id sessionID) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.sessions[id]
	return ok
}

// end ends a session, gives back what was retained of it, and reports whether it was open.
func (v *vault) end(id sessionID) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.sessions[id]; !ok {
		return false
	}
	delete(v.sessions, id)
	v.bytes -= v.perSession.size
	return true
}

// leakCall leaks what a call leaks.
func (v *vault) leakCall() { v.leak(v.perCall) }

func (v *vault) leak(m mould) {
	h := m.make()
	if h == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	h.next, v.leaked = v.leaked, h
	v.bytes += m.size
}

// counts returns how many credentials and sessions are held, and the bytes retained of all and for ever.
func (v *vault) counts() (credentials, sessions, bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int64(len(v.credentials)), int64(len(v.sessions)), v.bytes
}

// leakEvery is the time between two portions of a leak at a rate.
const leakEvery = 100 * time.Millisecond

// leakAt leaks perMinute bytes a minute until done is closed.
func (v *vault) leakAt(perMinute size, done <-chan struct{}) {
	if perMinute == 0 {
		return
	}
	tick := time.NewTicker(leakEvery)
	defer tick.Stop()
	begun, leaked := time.Now(), int64(0)
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		portion := portionDue(perMinute, time.Since(begun), leaked)
		v.leak(newMould(v.classes, portion))
		leaked += portion
	}
}

// portionDue is how much is to be leaked after the given time, when so much has been: what is due, rounded
// down to what can be held exactly, or nothing yet.
func portionDue(perMinute size, after time.Duration, leaked int64) int64 {
	due := int64(float64(perMinute)*after.Minutes()) - leaked
	if due < smallestHolding {
		return 0
	}
	return due / grain * grain
}
