package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"golang.org/x/time/rate"

	"mcpbench/internal/server/pool"
	"mcpbench/internal/server/surface"
	"mcpbench/internal/server/toolset"
	"mcpbench/internal/server/upstream"
)

// bench is a pool over a GitLab that admits everybody and a clock that stands still.
type bench struct {
	*pool.Pool
	admits, builds atomic.Int32
	mu             sync.Mutex
	now            time.Time
	admitErr       error
	revoke         func(error) // of the credential that was admitted last
}

func (b *bench) tick(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func newBench(t *testing.T, opts pool.Options) *bench {
	t.Helper()
	b := &bench{now: time.Unix(1e9, 0)}
	if opts.Max == 0 {
		opts.Max = 10
	}
	opts.Now = func() time.Time { b.mu.Lock(); defer b.mu.Unlock(); return b.now }
	opts.Admit = func(_ context.Context, _ upstream.Credential, revoked func(error)) (*gitlab.Client, error) {
		b.admits.Add(1)
		b.mu.Lock()
		b.revoke = revoked
		b.mu.Unlock()
		return &gitlab.Client{}, b.admitErr
	}
	if opts.Build == nil {
		opts.Build = func(surface.Kind) (*toolset.Toolset, error) {
			b.builds.Add(1)
			return &toolset.Toolset{}, nil
		}
	}
	b.Pool = pool.New(opts)
	t.Cleanup(b.Close)
	return b
}

func person(n int) upstream.Credential {
	return upstream.NewCredential(upstream.PrivateToken, fmt.Sprintf("token-%d", n))
}

func (b *bench) acquire(t *testing.T, n int, kind surface.Kind) *pool.Lease {
	t.Helper()
	lease, err := b.Acquire(t.Context(), person(n), kind)
	require.NoError(t, err)
	return lease
}

// visit makes one short request.
func (b *bench) visit(t *testing.T, n int) {
	t.Helper()
	b.acquire(t, n, surface.Dynamic).Release()
}

func TestOneQuestionAndOneBuildForAll(t *testing.T) {
	b := newBench(t, pool.Options{})
	leases := make([]*pool.Lease, 40)
	var wg sync.WaitGroup
	for i := range leases {
		wg.Go(func() {
			lease, err := b.Acquire(t.Context(), person(i%4), surface.Meta)
			assert.NoError(t, err)
			leases[i] = lease
		})
	}
	wg.Wait()
	assert.EqualValues(t, 4, b.admits.Load(), "one question a credential")
	assert.EqualValues(t, 1, b.builds.Load(), "one build a surface")
	assert.Equal(t, pool.Stats{Credentials: 4, Toolsets: 1, InFlight: 40}, b.Stats())
	for _, l := range leases {
		assert.Same(t, leases[0].Toolset, l.Toolset)
		l.Release()
	}
}

func TestLeastRecentlyUsedMakesRoom(t *testing.T) {
	b := newBench(t, pool.Options{Max: 2})
	b.visit(t, 1)
	b.visit(t, 2)
	b.visit(t, 1)
	b.visit(t, 3) // pushes out 2
	require.EqualValues(t, 3, b.admits.Load())
	b.visit(t, 1)
	assert.EqualValues(t, 3, b.admits.Load(), "1 is still held")
	b.visit(t, 2)
	assert.EqualValues(t, 4, b.admits.Load(), "2 was pushed out")
	assert.Equal(t, 2, b.Stats().Credentials)
}

func TestThoseInUseAreTheLastToLeave(t *testing.T) {
	b := newBench(t, pool.Options{Max: 2})
	busy := b.acquire(t, 1, surface.Dynamic)
	b.visit(t, 2)
	b.visit(t, 3) // 1 is older than 2 but in use
	b.acquire(t, 1, surface.Dynamic).Release()
	assert.EqualValues(t, 3, b.admits.Load())

	other := b.acquire(t, 3, surface.Dynamic)
	b.visit(t, 4) // both are in use: the older one leaves
	assert.Equal(t, 2, b.Stats().Credentials)
	assert.NotNil(t, busy.Toolset, "a lease is good until it is released")
	busy.Release()
	other.Release()
}

func TestToolsAreDroppedWithTheLastCredential(t *testing.T) {
	b := newBench(t, pool.Options{IdleTimeout: time.Minute})
	b.visit(t, 1)
	b.tick(30 * time.Second)
	b.visit(t, 2)
	b.tick(30 * time.Second)
	b.Sweep()
	assert.Equal(t, pool.Stats{Credentials: 1, Toolsets: 1}, b.Stats())
	b.tick(30 * time.Second)
	b.Sweep()
	assert.Equal(t, pool.Stats{}, b.Stats())
	b.visit(t, 1)
	assert.EqualValues(t, 2, b.builds.Load(), "built anew for the next")
}

func TestToolsOutliveACredentialWhoseRequestIsInProgress(t *testing.T) {
	b := newBench(t, pool.Options{Max: 1})
	lease := b.acquire(t, 1, surface.Meta)
	b.visit(t, 2)
	assert.Equal(t, 2, b.Stats().Toolsets, "meta is in use by a request, dynamic by the credential held")
	lease.Release()
	assert.Equal(t, 1, b.Stats().Toolsets)
}

func TestRequestInProgressIsNotIdle(t *testing.T) {
	b := newBench(t, pool.Options{IdleTimeout: time.Minute})
	lease := b.acquire(t, 1, surface.Dynamic)
	b.tick(time.Hour)
	b.Sweep()
	assert.Equal(t, 1, b.Stats().Credentials)
	lease.Release()
	b.tick(59 * time.Second)
	b.Sweep()
	assert.Equal(t, 1, b.Stats().Credentials, "idle since the request ended, not since it began")
	b.tick(time.Second)
	b.Sweep()
	assert.Zero(t, b.Stats().Credentials)
}

func TestRefusedCredentialIsNotHeld(t *testing.T) {
	b := newBench(t, pool.Options{})
	b.admitErr = &upstream.AdmissionError{Status: 401, Reason: "no"}
	_, err := b.Acquire(t.Context(), person(1), surface.Dynamic)
	require.ErrorIs(t, err, b.admitErr)
	assert.Equal(t, pool.Stats{}, b.Stats())
	assert.Zero(t, b.builds.Load(), "nothing is built for a stranger")
}

func TestRefusalIsRememberedForAMoment(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		asked  int32
	}{
		{"refused", 401, 1},
		{"forbidden", 403, 1},
		{"GitLab down", 502, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, pool.Options{})
			b.admitErr = &upstream.AdmissionError{Status: tt.status}
			for range 3 {
				_, err := b.Acquire(t.Context(), person(1), surface.Dynamic)
				require.ErrorIs(t, err, b.admitErr)
			}
			assert.Equal(t, tt.asked, b.admits.Load())
			b.admitErr = nil
			b.tick(5 * time.Second)
			b.visit(t, 1)
			assert.Equal(t, tt.asked+1, b.admits.Load(), "asked again")
		})
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	b := newBench(t, pool.Options{})
	b.admitErr = &upstream.AdmissionError{Status: 401}
	ask := func(n int) {
		_, err := b.Acquire(t.Context(), person(n), surface.Dynamic)
		require.ErrorIs(t, err, b.admitErr)
	}
	for n := range 1025 { // one more than are remembered: the others are forgotten
		ask(n)
	}
	ask(1024)
	assert.EqualValues(t, 1025, b.admits.Load())
	ask(0)
	assert.EqualValues(t, 1026, b.admits.Load())
	b.tick(time.Minute)
	b.Sweep()
	ask(0)
	assert.EqualValues(t, 1027, b.admits.Load())
}

func TestFailedBuildIsTheRequestsFailureOnly(t *testing.T) {
	fail := errors.New("no tools")
	b := newBench(t, pool.Options{Build: func(surface.Kind) (*toolset.Toolset, error) { return nil, fail }})
	_, err := b.Acquire(t.Context(), person(1), surface.Dynamic)
	require.ErrorIs(t, err, fail)
	assert.Equal(t, pool.Stats{Credentials: 1}, b.Stats())
}

func TestCallerMayGiveUp(t *testing.T) {
	b := newBench(t, pool.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Acquire(ctx, person(1), surface.Dynamic)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSessionBelongsToItsCredentialAndSurface(t *testing.T) {
	b := newBench(t, pool.Options{})
	owner := b.acquire(t, 1, surface.Dynamic)
	owner.OpenSession("s", func() {})
	assert.Equal(t, 1, b.Stats().Sessions)

	for _, tt := range []struct {
		name  string
		lease *pool.Lease
		id    string
		want  bool
	}{
		{"its owner", b.acquire(t, 1, surface.Dynamic), "s", true},
		{"its owner, another surface", b.acquire(t, 1, surface.Meta), "s", false},
		{"somebody else", b.acquire(t, 2, surface.Dynamic), "s", false},
		{"another session", b.acquire(t, 1, surface.Dynamic), "t", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.lease.JoinSession(tt.id, true))
			tt.lease.Release()
		})
	}
	b.acquire(t, 2, surface.Dynamic).ForgetSession("s")
	assert.Equal(t, 1, b.Stats().Sessions, "nobody else ends it")
	owner.ForgetSession("s")
	assert.Zero(t, b.Stats().Sessions)
	owner.Release()
}

func TestSessionsEnd(t *testing.T) {
	closed := make(chan string, 10)
	open := func(t *testing.T, b *bench, n int, id string) {
		t.Helper()
		lease := b.acquire(t, n, surface.Dynamic)
		lease.OpenSession(id, func() { closed <- id })
		lease.Release()
	}
	t.Run("with their credential", func(t *testing.T) {
		b := newBench(t, pool.Options{Max: 1})
		open(t, b, 1, "a")
		b.visit(t, 2)
		assert.Equal(t, "a", <-closed)
		assert.Zero(t, b.Stats().Sessions)
	})
	t.Run("by time, but not while in use", func(t *testing.T) {
		b := newBench(t, pool.Options{SessionTimeout: time.Minute})
		open(t, b, 1, "b")
		lease := b.acquire(t, 1, surface.Dynamic)
		require.True(t, lease.JoinSession("b", true))
		b.tick(time.Hour)
		b.Sweep()
		assert.Equal(t, 1, b.Stats().Sessions)
		lease.Release()
		b.tick(time.Minute)
		b.Sweep()
		assert.Equal(t, "b", <-closed)
		assert.Equal(t, pool.Stats{Credentials: 1, Toolsets: 1}, b.Stats())
	})
	t.Run("at once if their credential has left already", func(t *testing.T) {
		b := newBench(t, pool.Options{Max: 1})
		lease := b.acquire(t, 1, surface.Dynamic)
		b.visit(t, 2)
		lease.OpenSession("c", func() { closed <- "c" })
		assert.Equal(t, "c", <-closed)
		assert.Zero(t, b.Stats().Sessions)
		lease.Release()
	})
	t.Run("after their calls, whatever their streams do", func(t *testing.T) {
		b := newBench(t, pool.Options{Max: 1})
		open(t, b, 1, "e")
		stream, call := b.acquire(t, 1, surface.Dynamic), b.acquire(t, 1, surface.Dynamic)
		require.True(t, stream.JoinSession("e", false))
		require.True(t, call.JoinSession("e", true))
		b.visit(t, 2)
		assert.Zero(t, b.Stats().Sessions, "nobody joins it any more")
		assert.Empty(t, closed)
		call.Release()
		assert.Equal(t, "e", <-closed)
		stream.Release()
		assert.Empty(t, closed, "it is closed once")
	})
	t.Run("with the pool", func(t *testing.T) {
		b := newBench(t, pool.Options{})
		open(t, b, 1, "d")
		b.Close()
		assert.Equal(t, "d", <-closed)
		assert.Equal(t, pool.Stats{}, b.Stats())
	})
}

func TestRevokedCredentialLeaves(t *testing.T) {
	closed := make(chan struct{})
	no := &upstream.AdmissionError{Status: 401}
	b := newBench(t, pool.Options{})
	lease := b.acquire(t, 1, surface.Dynamic)
	lease.OpenSession("s", func() { close(closed) })
	b.revoke(no)
	b.revoke(no) // by another call that was in progress
	<-closed
	assert.Equal(t, pool.Stats{Toolsets: 1, InFlight: 1}, b.Stats(), "the request in progress keeps its tools")
	lease.Release()
	assert.Equal(t, pool.Stats{}, b.Stats())

	_, err := b.Acquire(t.Context(), person(1), surface.Dynamic)
	require.ErrorIs(t, err, no)
	assert.EqualValues(t, 1, b.admits.Load(), "GitLab has just said so")
	b.tick(5 * time.Second)
	b.visit(t, 1)
	assert.EqualValues(t, 2, b.admits.Load())
}

func TestEachCredentialHasARateOfItsOwn(t *testing.T) {
	b := newBench(t, pool.Options{NewLimiter: func() *rate.Limiter { return rate.NewLimiter(0, 1) }})
	one, two := b.acquire(t, 1, surface.Dynamic), b.acquire(t, 2, surface.Dynamic)
	assert.True(t, one.Allow())
	assert.False(t, one.Allow())
	assert.True(t, two.Allow())
	one.Release()
	two.Release()
}

// TestCrowd has more credentials than room ask at once, and looks whether all is accounted for at the end.
func TestCrowd(t *testing.T) {
	b := newBench(t, pool.Options{Max: 3, IdleTimeout: time.Minute})
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 100 {
				kind := []surface.Kind{surface.Dynamic, surface.Meta, surface.Individual}[j%3]
				lease, err := b.Acquire(t.Context(), person((i+j)%8), kind)
				if err != nil {
					failed.Store(&err)
					return
				}
				lease.OpenSession(fmt.Sprint(i, "/", j), func() {})
				lease.Release()
			}
		})
	}
	wg.Wait()
	require.Nil(t, failed.Load())
	assert.LessOrEqual(t, b.Stats().Credentials, 3)
	b.tick(time.Hour)
	b.Sweep()
	assert.Equal(t, pool.Stats{}, b.Stats())
}
