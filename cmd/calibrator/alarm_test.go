package main

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAlarm has many wait at once for instants in no order. None may be woken early, and all have to be. How late
// they were is told: a test cannot know what else the machine does.
func TestAlarm(t *testing.T) {
	a, err := newAlarm()
	require.NoError(t, err)
	const sleepers = 300
	late := make([]time.Duration, sleepers)
	var waiting sync.WaitGroup
	begun := time.Now()
	for i := range sleepers {
		at := begun.Add(time.Duration(rand.Int64N(int64(100 * time.Millisecond))))
		waiting.Go(func() {
			a.until(at)
			late[i] = time.Since(at)
		})
	}
	waiting.Wait()
	var sum time.Duration
	for _, l := range late {
		assert.GreaterOrEqual(t, l, time.Duration(0), "woken early")
		sum += l
	}
	t.Logf("late by %v on average", sum/sleepers)
	a.until(begun) // which is past
	before := time.Now()
	a.wait(20 * time.Millisecond)
	assert.GreaterOrEqual(t, time.Since(before), 20*time.Millisecond)
	require.NoError(t, a.close())
}
