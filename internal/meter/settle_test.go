package meter

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeHeap answers from fields and counts the collections it was asked for.
type fakeHeap struct {
	live        HeapReading
	err         error
	failAt      int // the collection that fails with err; 0 is none
	collections int
	onCollect   func(n int)
}

func (h *fakeHeap) Collect(context.Context) error {
	h.collections++
	if h.onCollect != nil {
		h.onCollect(h.collections)
	}
	if h.collections == h.failAt {
		return h.err
	}
	return nil
}

func (h *fakeHeap) Collected(ctx context.Context) (HeapReading, error) {
	if err := h.Collect(ctx); err != nil {
		return HeapReading{}, err
	}
	return h.live, nil
}

func (h *fakeHeap) Live(context.Context) (HeapReading, error) {
	if h.failAt == 0 {
		return h.live, h.err
	}
	return h.live, nil
}

func (h *fakeHeap) Goroutines(context.Context) (int, error) { return 0, errors.ErrUnsupported }

func (h *fakeHeap) CPUProfile(context.Context, time.Duration, io.Writer) error {
	return errors.ErrUnsupported
}
func (h *fakeHeap) HeapProfile(context.Context, io.Writer) error { return errors.ErrUnsupported }

// clock makes readings 100 ms apart, the values of the resident set coming from f.
func clock(f func(at time.Duration) int64) func() (Reading, error) {
	var at time.Duration
	began := time.Unix(0, 0)
	return func() (Reading, error) {
		r := Reading{At: began.Add(at), RSS: f(at)}
		at += 100 * time.Millisecond
		return r, nil
	}
}

func quickly() SettleOptions { return SettleOptions{Every: time.Microsecond}.withDefaults() }

func TestAwaitRest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rss  func(at time.Duration) int64
		want Settled
	}{
		"at rest from the start": {
			func(time.Duration) int64 { return 100 * mib },
			Settled{Rested: true, RSS: 100 * mib, Waited: 3 * time.Second},
		},
		"within 1% of a large set": {
			func(at time.Duration) int64 { return 100*mib + int64(at/(100*time.Millisecond)%2)*mib },
			Settled{Rested: true, RSS: 100 * mib, Waited: 3 * time.Second},
		},
		"within 256 KiB of a small set": {
			func(at time.Duration) int64 { return mib + int64(at/(100*time.Millisecond)%2)*256<<10 },
			Settled{Rested: true, RSS: mib, Waited: 3 * time.Second},
		},
		"falls, pauses for less than the window, falls": {
			func(at time.Duration) int64 {
				return map[bool]int64{true: 300, false: 10}[at < 2*time.Second] * mib
			},
			Settled{Rested: true, RSS: 10 * mib, Took: 2 * time.Second, Waited: 5 * time.Second},
		},
		"never comes to rest": {
			func(at time.Duration) int64 { return 10*mib + int64(at/time.Millisecond)*1024 },
			Settled{RSS: 10*mib + 30000*1024, Took: 30 * time.Second, Waited: 30 * time.Second},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := awaitRest(t.Context(), clock(test.rss), nil, rest{options: quickly()})
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func bytes64(n int64) *int64 { return &n }

// A runtime that pauses in giving memory back for longer than the window is found out by its account, and one
// that has no account by a collection.
func TestStillnessIsConfirmed(t *testing.T) {
	t.Parallel()
	account := func(idle, released int64) HeapReading {
		return HeapReading{InUse: bytes64(10 * mib), Idle: bytes64(idle * mib), Released: bytes64(released * mib)}
	}
	for name, test := range map[string]struct {
		live        HeapReading
		wakes       bool // a collection makes the resident set fall
		rss         int64
		collections int
		waited      time.Duration
	}{
		"gave back all it means to": {account(201, 200), false, 300, 0, 3 * time.Second},
		"pauses":                    {account(200, 0), true, 10, 2, 9200 * time.Millisecond},
		"keeps it, says it is free": {account(200, 0), false, 300, 1, 6100 * time.Millisecond},
		"has no account":            {HeapReading{}, false, 300, 1, 6100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rss := int64(300)
			h := &fakeHeap{live: test.live, onCollect: func(int) {
				if test.wakes {
					rss = 10
				}
			}}
			got, err := awaitRest(t.Context(), clock(func(time.Duration) int64 { return rss * mib }), h, rest{options: quickly()})
			require.NoError(t, err)
			assert.True(t, got.Rested)
			assert.Equal(t, test.rss*mib, got.RSS)
			assert.Equal(t, test.collections, h.collections)
			assert.Equal(t, test.waited, got.Waited)
		})
	}
}

func TestSettleFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	still := clock(func(time.Duration) int64 { return mib })
	done, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := awaitRest(t.Context(), still, &fakeHeap{err: broken}, rest{options: quickly()})
	require.ErrorIs(t, err, broken)
	_, err = awaitRest(t.Context(), still, &fakeHeap{err: broken, failAt: 1}, rest{options: quickly()})
	require.ErrorIs(t, err, broken)
	_, err = awaitRest(t.Context(), func() (Reading, error) { return Reading{}, broken }, nil, rest{options: quickly()})
	require.ErrorIs(t, err, broken)
	_, err = awaitRest(done, still, nil, rest{options: SettleOptions{Every: time.Hour}.withDefaults()})
	require.ErrorIs(t, err, context.Canceled)

	tree := newTree(t, startChild(t).pid)
	brief := SettleOptions{Every: time.Millisecond, Window: 5 * time.Millisecond}
	for _, h := range []*fakeHeap{
		{err: broken, failAt: 1}, {err: broken, failAt: 2},
		{err: broken, failAt: 3}, {err: broken, failAt: 4}, {err: broken},
	} {
		_, err = Settle(t.Context(), tree, h, brief)
		require.ErrorIs(t, err, broken)
	}
	s, err := Settle(t.Context(), tree, nil, brief)
	require.NoError(t, err)
	assert.Nil(t, s.Heap)
}
