package main

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heapAlloc is the live heap: what two collections leave, since what a sync.Pool holds survives one.
func heapAlloc() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func totalAlloc() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

func TestExactly(t *testing.T) {
	for n, want := range map[int64]int64{1: 64, 64: 64, 65: 80, 10240: 10240, 51200: 51200, 51201: 51216, 1 << 20: 1 << 20} {
		assert.Equal(t, want, exactly(n), n)
	}
}

// TestSplit divides every size up to some pages, and some large ones: the parts are of sizes that are not rounded,
// add up, and are few enough for a holding.
func TestSplit(t *testing.T) {
	c := sizeClasses()
	require.NotEmpty(t, c)
	require.True(t, slices.IsSorted(c))
	check := func(n int64) {
		blocks := c.split(n)
		sum := int64(0)
		for _, b := range blocks {
			sum += b
			if !slices.Contains(c, b) {
				require.Zero(t, b%heapPage, "%d in %v", b, blocks)
				require.GreaterOrEqual(t, b, int64(largeObject))
			}
		}
		require.Equal(t, n, sum)
		require.LessOrEqual(t, len(blocks), maxBlocks, "%d is %v", n, blocks)
	}
	for n := int64(0); n < 160<<10; n += grain {
		check(n)
	}
	for n := int64(1 << 20); n < 300<<20; n = n*3/2/grain*grain + grain {
		check(n)
	}
}

func TestHoldingsAreExactOnTheHeap(t *testing.T) {
	c := sizeClasses()
	for _, tt := range []struct{ bytes, number int64 }{
		{1, 20000}, {80, 10000}, {1000, 2000}, {10 << 10, 400}, {50 << 10, 200}, {1 << 20, 20}, {1<<20 + 8, 20}, {5000000, 4},
	} {
		m := newMould(c, tt.bytes)
		require.Equal(t, exactly(tt.bytes), m.size)
		held := make([]*holding, tt.number)
		before := heapAlloc()
		for i := range held {
			held[i] = m.make()
		}
		grown := heapAlloc() - before
		assert.InEpsilon(t, tt.number*m.size, grown, 0.01, "%d of %d bytes", tt.number, tt.bytes)
		clear(held)
		assert.InDelta(t, 0, heapAlloc()-before, 0.01*float64(grown), "they are freed together")
		runtime.KeepAlive(held)
	}
}

func TestNothingIsHeld(t *testing.T) {
	m := newMould(sizeClasses(), 0)
	assert.Nil(t, m.make())
	assert.Zero(t, m.size)
}

func TestGarbage(t *testing.T) {
	s := newTestServer(t, "-garbage=100KiB")
	const calls = 50
	before := totalAlloc()
	for range calls {
		runtime.KeepAlive(s.garbage.make())
	}
	assert.InEpsilon(t, calls*(100<<10), totalAlloc()-before, 0.01)

	plain, wasteful := callGarbage(t), callGarbage(t, "-garbage=100KiB")
	assert.InEpsilon(t, 100<<10, wasteful-plain, 0.01)
}

// callGarbage is what a call allocates.
func callGarbage(t *testing.T, args ...string) int64 {
	t.Helper()
	s := newTestServer(t, args...)
	r, err := parseRequest([]byte(callMessage(1, "")))
	require.NoError(t, err)
	const calls = 50
	before := totalAlloc()
	for range calls {
		s.answer(t.Context(), token, r)
	}
	return (totalAlloc() - before) / calls
}
