package shared_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/server/shared"
)

func TestBuiltOnceForAllAndDroppedWithTheLast(t *testing.T) {
	var builds atomic.Int32
	start := make(chan struct{})
	vs := shared.New(func(k string) (*string, error) {
		<-start
		builds.Add(1)
		return &k, nil
	})

	const users = 20
	got := make([]*string, users)
	var wg sync.WaitGroup
	for i := range users {
		wg.Go(func() {
			v, err := vs.Acquire(t.Context(), "a")
			assert.NoError(t, err)
			got[i] = v
		})
	}
	close(start)
	wg.Wait()

	assert.EqualValues(t, 1, builds.Load())
	for _, v := range got {
		assert.Same(t, got[0], v)
	}
	for range users {
		assert.Equal(t, 1, vs.Len())
		vs.Release("a")
	}
	assert.Zero(t, vs.Len())

	_, err := vs.Acquire(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, 2, builds.Load(), "a dropped value is built anew")
}

func TestKeysAreApart(t *testing.T) {
	vs := shared.New(func(k int) (int, error) { return k * 10, nil })
	for _, k := range []int{1, 2} {
		v, err := vs.Acquire(t.Context(), k)
		require.NoError(t, err)
		assert.Equal(t, k*10, v)
	}
	assert.Equal(t, 2, vs.Len())
}

func TestFailureIsNotRemembered(t *testing.T) {
	fail := true
	vs := shared.New(func(string) (int, error) {
		if fail {
			return 0, errors.New("no")
		}
		return 7, nil
	})
	_, err := vs.Acquire(t.Context(), "a")
	require.EqualError(t, err, "no")
	assert.Zero(t, vs.Len())

	fail = false
	v, err := vs.Acquire(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, 7, v)
}

func TestWaiterMayGiveUp(t *testing.T) {
	start := make(chan struct{})
	vs := shared.New(func(string) (int, error) { <-start; return 1, nil })
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err := vs.Acquire(ctx, "a")
	require.ErrorIs(t, err, gone)
	assert.Zero(t, vs.Len(), "nobody waits for it any more")

	close(start)
	_, err = vs.Acquire(t.Context(), "a")
	require.NoError(t, err)
}

func TestReleaseWithoutAcquirePanics(t *testing.T) {
	vs := shared.New(func(string) (int, error) { return 1, nil })
	assert.Panics(t, func() { vs.Release("a") })
}
