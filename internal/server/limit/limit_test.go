package limit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"mcpbench/internal/server/limit"
)

func TestGateHoldsItsBound(t *testing.T) {
	gate := limit.NewGate(3)
	var in, most, refused atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 100 {
				if !gate.Enter() {
					refused.Add(1)
					continue
				}
				now := in.Add(1)
				for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				in.Add(-1)
				gate.Leave()
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, most.Load(), int64(3))
	for range 3 {
		assert.True(t, gate.Enter(), "all room is given back")
	}
	assert.False(t, gate.Enter())
}

func TestOpenGates(t *testing.T) {
	for name, gate := range map[string]*limit.Gate{"nil": nil, "zero": {}, "no bound": limit.NewGate(0)} {
		t.Run(name, func(t *testing.T) {
			for range 1000 {
				assert.True(t, gate.Enter())
			}
			gate.Leave()
		})
	}
}

func TestLimiter(t *testing.T) {
	assert.True(t, limit.Allow(limit.NewLimiter(0)))
	l := limit.NewLimiter(0.001)
	assert.True(t, limit.Allow(l), "the first of a slow rate passes")
	assert.False(t, limit.Allow(l))
	assert.Equal(t, 5, limit.NewLimiter(4.2).Burst())
}

func TestRefusals(t *testing.T) {
	assert.JSONEq(t, `{"retryAfterSeconds":1}`, string(limit.ErrBusy().Data))
	assert.EqualValues(t, -32005, limit.ErrBusy().Code)
	assert.JSONEq(t, `{"retryAfterSeconds":4}`, string(limit.ErrRate(0.3).Data))
	assert.EqualValues(t, -32029, limit.ErrRate(0.3).Code)
	assert.Equal(t, time.Second, limit.RetryAfterRate(100))
	assert.Equal(t, "2", limit.Seconds(1100*time.Millisecond))
}
