package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/scenarios"
)

// What takes long is left out unless it is asked for by name.
func TestSizingHasToBeNamed(t *testing.T) {
	subject, err := loadSubject(scenarios.Default)
	require.NoError(t, err)
	s := &suite{subject: subject, cpus: spawn.Split{Subject: []int{1}}}
	assert.Empty(t, s.sizingNames(), "no test asks for benchmarks")
	for _, kind := range sizingKinds() {
		assert.NotEmpty(t, s.sizes(kind), kind)
		assert.NotEmpty(t, record.MetricsOf(kind), kind)
	}
	assert.Empty(t, s.sizes(record.Point))
}

func TestLimitOf(t *testing.T) {
	cpus := spawn.Split{Suite: []int{0}, Subject: []int{1, 2}}
	for want, spent := range map[string]spending{
		"server: the server used 95% of its processors and the suite 30%": {cpu: 1900 * time.Millisecond, suite: 300 * time.Millisecond},
		"suite: the server used 40% of its processors and the suite 96%":  {cpu: 800 * time.Millisecond, suite: 960 * time.Millisecond},
		"none: the server used 40% of its processors and the suite 60%":   {cpu: 800 * time.Millisecond, suite: 600 * time.Millisecond},
		"suite: the server used 91% of its processors and the suite 99%":  {cpu: 1820 * time.Millisecond, suite: 990 * time.Millisecond},
	} {
		assert.Equal(t, want, limitOf(&loadTotal{wall: time.Second, spent: spent}, cpus))
	}
}

// What cannot be read is absent, and so is what would be computed from it.
func TestStandWithoutAHeap(t *testing.T) {
	tr := &trial{sheet: newSheet("Held/calls=4", nil, nil)}
	now := stand{"RSS-bytes": 5000, "descriptors": 9}
	tr.each(record.CallsHeld, stand{"RSS-bytes": 7000, "descriptors": 5}, now, 4)
	for unit, want := range map[string]float64{"held-RSS-bytes/call": -500, "held-descriptors/call": 1} {
		got, ok := tr.sheet.result.Value(unit)
		assert.True(t, ok, unit)
		assert.InDelta(t, want, got, 0, unit)
	}
	assert.Equal(t, map[string]string{"held-heap-bytes/call": noHeap, "held-goroutines/call": noHeap}, tr.sheet.result.Absent)
}

// Callers are shared out evenly, whatever their number.
func TestCallersOfASweep(t *testing.T) {
	conns := make([]mcp.Conn, 6) // three of either credential
	for i := range conns {
		conns[i] = new(mcp.HTTPConn)
	}
	r := &sweepRun{trial: &trial{people: &population{clients: conns}}, setting: scenarios.Setting{Sweep: scenarios.Sweep{Credentials: 2, Callers: 5}}}
	var order []int
	for _, caller := range r.callers() {
		for i, conn := range conns {
			if conn == caller.Conn {
				order = append(order, i)
			}
		}
	}
	assert.Equal(t, []int{0, 3, 1, 4, 2}, order)
}

// Credentials that are admitted again ask GitLab besides what calls cause; fewer requests than calls cause are wrong.
func TestReadmissionsAreCounted(t *testing.T) {
	subject := &scenarios.Subject{Transports: map[scenarios.Transport]*scenarios.Launch{scenarios.HTTP: {AdmissionRequests: 2}}}
	newRun := func(readmits bool) *sweepRun {
		return &sweepRun{trial: &trial{
			suite: &suite{subject: subject}, read: &scenarios.Call{Upstream: 1}, readmits: readmits, sheet: newSheet("Sweep/value=1", nil, nil),
		}}
	}
	r := newRun(true)
	r.checkUpstream(10, 16)
	require.NoError(t, r.broken)
	assert.InDelta(t, 3, r.admissions(), 0)
	r.checkUpstream(10, 11)
	_ = r.admissions()
	require.ErrorContains(t, r.broken, "7 requests reached GitLab that no call caused, and an admission takes 2")

	r = newRun(true)
	r.checkUpstream(10, 9)
	require.ErrorContains(t, r.broken, "9 requests reached GitLab where 10 reads must cause 10")
	r = newRun(false)
	r.checkUpstream(10, 11)
	require.ErrorContains(t, r.broken, "11 requests reached GitLab where 10 reads must cause 10")
}

func TestSweepsSayHowTheyWereLoaded(t *testing.T) {
	for want, w := range map[string]scenarios.Sweep{
		"credentials=1 callers=64 call=read load=5s":           {},
		"credentials=1 callers=64 call=read rate=12.5 load=5s": {Rate: 12.5},
		"credentials=1 callers=64 call=read calls=3 pause=1s":  {Calls: 3, Pause: scenarios.Duration(time.Second)},
	} {
		w.Credentials, w.Callers, w.Call = 1, 64, scenarios.CallRead
		assert.Equal(t, want, sweepSettings(scenarios.Setting{Sweep: w}))
		assert.NotEmpty(t, sweepMethod(scenarios.Setting{Sweep: w}))
	}
}

// Rungs wait together only while there is room for one more that takes half as much again as the largest.
func TestRungsFit(t *testing.T) {
	s := &suite{guards: guards{memory: 1000}, loaded: map[string]*rungRun{"a": {peak: 300}, "b": {peak: 100}}}
	assert.True(t, s.fits(400))
	assert.False(t, s.fits(401))
}

// Most of what calls added may be given back while the process stays larger than it was.
func TestGrowth(t *testing.T) {
	g := growth{before: 100, peak: 1100}
	for rss, want := range map[int64][2]bool{90: {true, true}, 105: {true, true}, 106: {true, false}, 150: {true, false}, 151: {false, false}} {
		assert.Equal(t, want, [2]bool{g.given(rss), g.back(rss)}, rss)
	}
	small := growth{before: 1000, peak: 1010}
	assert.True(t, small.given(1050), "noise of what there was before is no memory that was not given back")
	assert.False(t, small.given(1051))
}
