// Package shared holds values that are costly to build and used by many at once: the first to ask
// builds, the others wait for it, all get the same value, and the last to give it back drops it.
//
// It refuses to remember a failure: a build that failed is tried again by the next to ask.
package shared

import (
	"context"
	"sync"
)

// Values are shared values by key.
type Values[K comparable, V any] struct {
	build func(K) (V, error)

	mu    sync.Mutex
	slots map[K]*slot[V]
}

// slot is one value, being built until ready is closed.
type slot[V any] struct {
	users int
	ready chan struct{}
	value V
	err   error
}

// New returns Values that are built by build, which runs once at a time for a key.
func New[K comparable, V any](build func(K) (V, error)) *Values[K, V] {
	return &Values[K, V]{build: build, slots: make(map[K]*slot[V])}
}

// Acquire returns the value of k, building it if nobody holds it. Each success must be matched by one
// Release. A caller whose ctx ends while another builds gets the cause of that; the build goes on.
func (vs *Values[K, V]) Acquire(ctx context.Context, k K) (V, error) {
	s := vs.join(k)
	select {
	case <-s.ready:
	case <-ctx.Done():
		vs.leave(k, s)
		var none V
		return none, context.Cause(ctx)
	}
	if s.err != nil {
		vs.leave(k, s)
	}
	return s.value, s.err
}

// Release gives back what Acquire returned for k.
func (vs *Values[K, V]) Release(k K) {
	vs.mu.Lock()
	s := vs.slots[k]
	vs.mu.Unlock()
	if s == nil {
		panic("shared: Release without Acquire")
	}
	vs.leave(k, s)
}

// Len is the number of values that are held or being built.
func (vs *Values[K, V]) Len() int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return len(vs.slots)
}

// join counts the caller in, and starts the build if there is none. The build has a goroutine of its own
// so that a caller who gives up does not take it from those who wait.
func (vs *Values[K, V]) join(k K) *slot[V] {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	s := vs.slots[k]
	if s == nil {
		s = &slot[V]{ready: make(chan struct{})}
		vs.slots[k] = s
		go func() {
			defer close(s.ready)
			s.value, s.err = vs.build(k)
			if s.err != nil {
				vs.forget(k, s)
			}
		}()
	}
	s.users++
	return s
}

// leave counts a user out and drops the value with the last one.
func (vs *Values[K, V]) leave(k K, s *slot[V]) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	s.users--
	if s.users == 0 && vs.slots[k] == s {
		delete(vs.slots, k)
	}
}

// forget drops a failed build, so that the next to ask tries again.
func (vs *Values[K, V]) forget(k K, s *slot[V]) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.slots[k] == s {
		delete(vs.slots, k)
	}
}
