package meter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummaryIsWeightedByTime(t *testing.T) {
	t.Parallel()
	began := time.Unix(100, 0)
	at := func(s int, rss int64, cpu time.Duration) Reading {
		return Reading{
			At: began.Add(time.Duration(s) * time.Second), RSS: rss, CPU: cpu,
			Threads: s, Descriptors: 10 - s, Processes: 1,
		}
	}
	var i integral
	for _, r := range []Reading{at(0, 100, 5*time.Second), at(1, 100, 6*time.Second), at(9, 200, 9*time.Second), at(10, 200, 10*time.Second)} {
		i.add(r)
	}
	s := i.summary()
	assert.Equal(t, int64((100+8*150+200)/10), s.Mean)
	assert.Equal(t, int64(200), s.Max)
	assert.Equal(t, 4, s.N)
	assert.Equal(t, 8*time.Second, s.Gap)
	assert.Equal(t, 5*time.Second, s.CPU())
	assert.InDelta(t, 0.5, s.Cores(), 1e-9)
	assert.Equal(t, []int{10, 10, 1}, []int{s.MaxThreads, s.MaxDescriptors, s.MaxProcesses})

	var one integral
	one.add(at(0, 7, 0))
	assert.Equal(t, int64(7), one.summary().Mean)
}

func TestSamplerSamples(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	tree := newTree(t, c.pid)
	s := StartSampler(tree, time.Millisecond)
	c.tell("hold %d", 32*mib)
	c.tell("burn %d", 50*time.Millisecond)
	sum, err := s.Stop()
	require.NoError(t, err)
	assert.Greater(t, sum.N, 5)
	assert.GreaterOrEqual(t, sum.CPU(), 50*time.Millisecond)
	assert.Greater(t, sum.Max-sum.First.RSS, int64(30*mib))
	assert.Equal(t, 1, sum.MaxProcesses)
}

func TestSamplerReportsTheEndOfTheProcess(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	s := StartSampler(newTree(t, c.pid), time.Millisecond)
	c.kill()
	<-s.done
	sum, err := s.Stop()
	require.ErrorIs(t, err, ErrEnded)
	assert.Positive(t, sum.N)
	assert.Positive(t, sum.Mean)
}
