package meter

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	mib        = 1 << 20
	eventually = 10 * time.Second
	tick       = time.Millisecond
)

// known is the bound within which a known answer has to be found.
const known = 0.02

func TestCPUIsFound(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	tree := newTree(t, c.pid)
	for _, burn := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		clock, before := c.number("cpu"), read(t, tree)
		c.tell("burn %d", burn)
		after, burnt := read(t, tree), time.Duration(c.number("cpu")-clock)
		assert.GreaterOrEqual(t, burnt, burn)
		// The two brackets differ by the child's reading and answering of a line, 0.1 ms or so.
		found := after.CPU - before.CPU
		assert.InDelta(t, burnt, found, known*float64(burnt)+float64(300*time.Microsecond), "%v burnt, %v found", burnt, found)
		t.Logf("burnt %v, found %v (%+.2f%%)", burnt, found, 100*(float64(found)/float64(burnt)-1))
	}
}

func TestPeakIsFoundWhereSamplesMissIt(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	tree := newTree(t, c.pid)
	c.tell("spike %d", 400*mib) // forgotten by the reset
	require.NoError(t, tree.ResetPeak())
	before := read(t, tree).RSS
	sampler := StartSampler(tree, time.Hour)
	c.tell("spike %d", 200*mib)
	seen, err := sampler.Stop()
	require.NoError(t, err)
	peak, err := tree.Peak()
	require.NoError(t, err)
	assert.Less(t, seen.Max, before+100*mib)
	assert.InEpsilon(t, 200*mib, peak-before, known)
	t.Logf("200 MiB for 20 ms, found %.2f MiB", float64(peak-before)/mib)
}

// A root, its child and its grandchild, each with a size and a CPU time of its own; then the grandchild ends,
// and another comes and goes between two readings.
func TestTreeIsFound(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	c.tell("child")
	c.tell("tell child")
	tree := newTree(t, c.pid)
	levels := []string{"", "tell ", "tell tell "}
	for _, to := range levels { // a process that is asked for the first time grows on its own account
		c.tell("%shold %d", to, mib)
		c.tell("%sburn %d", to, 10*time.Millisecond)
		c.tell("%sopen 1", to)
	}
	before := read(t, tree)
	require.Equal(t, 3, before.Processes)
	clock := func() time.Duration {
		return time.Duration(c.number("cpu") + c.number("tell cpu") + c.number("tell tell cpu"))
	}
	for i, to := range levels {
		c.tell("%shold %d", to, (i+1)*32*mib)
		c.tell("%sburn %d", to, (i+1)*50*int(time.Millisecond))
		c.tell("%sopen %d", to, 10)
	}
	all := read(t, tree)
	assert.InEpsilon(t, clock(), all.CPU, known)
	assert.InEpsilon(t, 192*mib, all.RSS-before.RSS, known)
	assert.Equal(t, 30, all.Descriptors-before.Descriptors)
	assert.GreaterOrEqual(t, all.Threads, 3)
	t.Logf("CPU %v, found %v; 192 MiB, found %.2f MiB", clock(), all.CPU, float64(all.RSS-before.RSS)/mib)

	gone := time.Duration(c.number("tell end")) // by its parent's account, the end itself included
	rest := read(t, tree)
	alive := func() time.Duration { return time.Duration(c.number("cpu") + c.number("tell cpu")) }
	assert.Equal(t, 2, rest.Processes)
	assert.InEpsilon(t, alive()+gone, rest.CPU, known, "the ended grandchild stays in the account")
	assert.InEpsilon(t, 96*mib, rest.RSS-before.RSS*2/3, 0.05)

	c.tell("tell child")
	c.tell("tell tell burn %d", 200*time.Millisecond)
	gone += time.Duration(c.number("tell end"))
	unseen := read(t, tree)
	// What was never seen is known from its parent's account, which is told in ticks of 10 ms.
	assert.InDelta(t, alive()+gone, unseen.CPU, float64(2*userTick)+float64(time.Millisecond))
	t.Logf("CPU with an unseen child %v, found %v", alive()+gone, unseen.CPU)
}

func TestPeakAndBreakdownOfATree(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	c.tell("child")
	tree := newTree(t, c.pid)
	c.tell("hold %d", mib) // what comes with the first command is not to count
	c.tell("tell hold %d", mib)
	before, err := tree.Breakdown()
	require.NoError(t, err)
	c.tell("hold %d", 40*mib)
	c.tell("tell hold %d", 80*mib)
	after, err := tree.Breakdown()
	require.NoError(t, err)
	require.Len(t, after.Processes, 2)
	// The share of the binary changes when children of other tests, which map it too, come and go.
	own := func(b Breakdown) int64 { return b.PSS - *b.File }
	assert.InEpsilon(t, 120*mib, own(after)-own(before), known)
	assert.InEpsilon(t, 120*mib, *after.Anon-*before.Anon, known)
	assert.Greater(t, after.RSS, after.PSS, "the two share a binary")
	assert.Positive(t, *after.File)
	assert.Equal(t, "child", after.Processes[0].Command)
	assert.NotEqual(t, c.pid, after.Processes[0].PID, "the larger comes first")
	peak, err := tree.Peak()
	require.NoError(t, err)
	assert.InEpsilon(t, after.RSS, peak, known)
}

func TestSettleFindsWhatIsRetained(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	h := GoPprof(c.tell("pprof"))
	tree := newTree(t, c.pid)
	before, err := LiveHeap(t.Context(), h)
	require.NoError(t, err)
	small := read(t, tree).RSS

	c.tell("retain %d", 32*mib)
	c.tell("waste %d", 256*mib)
	full := read(t, tree).RSS
	require.Greater(t, full-small, int64(250*mib))
	s, err := Settle(t.Context(), tree, h, SettleOptions{})
	require.NoError(t, err)
	require.True(t, s.Rested, "%+v", s)
	retained := *s.Heap.Live - *before.Live
	assert.InEpsilon(t, 32*mib, retained, known)
	assert.Less(t, s.RSS, full/2, "the garbage went back to the system")
	assert.Less(t, s.Took, s.Waited)
	t.Logf("32 MiB retained, found %.2f MiB; resident %d → %d → %d MiB in %v (waited %v)",
		float64(retained)/mib, small/mib, full/mib, s.RSS/mib, s.Took.Round(time.Millisecond), s.Waited.Round(time.Millisecond))
}

func TestGoroutinesAreFound(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	h := GoPprof(c.tell("pprof"))
	said, err := strconv.Atoi(c.tell("goroutines 500"))
	require.NoError(t, err)
	found, err := h.Goroutines(t.Context())
	require.NoError(t, err)
	assert.Equal(t, said, found, "those that serve the question are not in it")
	assert.Greater(t, found, 500)
}

func BenchmarkTreeRead(b *testing.B) {
	c := startChild(b)
	tree := newTree(b, c.pid)
	before, err := SelfCPU()
	require.NoError(b, err)
	for b.Loop() {
		read(b, tree)
	}
	after, err := SelfCPU()
	require.NoError(b, err)
	b.ReportMetric(float64(after-before)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(read(b, tree).Threads), "threads")
}
