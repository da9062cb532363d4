package bench_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// sized measures what a pattern selects, as fast as it can be, and returns the results by their names without what
// all of them share.
func sized(t *testing.T, pattern, subject, binary string) map[string]record.Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.txt")
	out, err := measuring(t, pattern, "-subject="+subject, "-binary="+binary, "-record="+path,
		"-step-duration=1s", "-rest-window=200ms", "-return-wait=100ms", "-answer-bytes=1000000").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	results := make(map[string]record.Result)
	for _, r := range rec.Results {
		for _, m := range record.MetricsOf(r.Kind()) {
			_, measured := r.Value(m.Unit)
			assert.True(t, measured || r.Absent[m.Unit] != "", "%s: %s is neither measured nor absent", r.Name, m.Unit)
		}
		results[string(r.Kind())+" "+lastPart(r.Name)] = r
	}
	return results
}

// lastPart is the last element of a name.
func lastPart(name string) string { return filepath.Base(name) }

// value is a figure that has to be there.
func value(t *testing.T, r record.Result, unit string) float64 {
	t.Helper()
	amount, ok := r.Value(unit)
	require.True(t, ok, "%s: %s: %s", r.Name, unit, r.Absent[unit])
	return amount
}

// TestSizingOfTheServer measures each kind in its smallest form.
func TestSizingOfTheServer(t *testing.T) {
	s := requireSuite(t)
	if s.subject.Sizing.SurfaceURL == "" || s.subject.Sizing.Endpoints["health"] == nil {
		t.Skipf("subject %s says nothing of what is measured here", s.subject.Name)
	}
	got := sized(t, strings.Join([]string{
		"Image", "Endpoint/endpoint=(health|discover)", "Ladder/calls=(0|8|44)$", "Configs/surface=dynamic.meta$",
		"Sweep/setting=(gitlab-max-conns|max-http-clients|gitlab-latency)/value=(1|16|20ms)$",
		"Sweep/setting=pool-idle-timeout/value=100ms$",
	}, "|"), opts.subject, s.build.path)
	require.Len(t, got, 11)

	assert.Greater(t, value(t, got["Image subject=gitlab-mcp"], "binary-bytes"), value(t, got["Image subject=gitlab-mcp"], "image-layer-bytes"), "the layer is compressed")
	for _, endpoint := range []string{"Endpoint endpoint=health", "Endpoint endpoint=discover"} {
		assert.Positive(t, value(t, got[endpoint], "calls/s"), endpoint)
		assert.Regexp(t, `^(server|suite|none): the server used \d+% of its processors and the suite \d+%$`, got[endpoint].Identity[record.KeyLimit])
	}

	none, heavy := got["Ladder calls=0"], got["Ladder calls=44"]
	assert.Equal(t, "no call was made", none.Absent["peak-RSS-bytes"])
	assert.InDelta(t, 44, value(t, heavy, "calls"), 0)
	assert.Greater(t, value(t, heavy, "reply-bytes"), 1e6, "the answer is in the reply")
	assert.Greater(t, value(t, heavy, "peak-RSS-bytes"), value(t, heavy, "start-RSS-bytes")+12*1e6, "of twelve at once")
	assert.Less(t, value(t, heavy, "rest-heap-bytes"), value(t, none, "rest-heap-bytes")+1e6, "none of the answers is held")

	config := got["Configs creds=16"]
	assert.InDelta(t, 171, value(t, config, "tools"), 0, "of both surfaces")
	assert.Less(t, value(t, config, "rest-heap-bytes"), 1.5*value(t, config, "first-heap-bytes"), "one catalog of each for all credentials")

	assert.Positive(t, value(t, got["Sweep value=16"], "admissions/call"), "64 credentials are too many for 16")
	assert.InDelta(t, 14.5/15, value(t, got["Sweep value=100ms"], "admissions/call"), 0.51/15, "after each pause, and perhaps before the first call")
	assert.Zero(t, value(t, got["Sweep value=1"], "admissions/call"))
	assert.Equal(t, "5ms", got["Sweep value=1"].SettingsOf()["gitlab-latency"])
	assert.Equal(t, "20ms", got["Sweep value=20ms"].SettingsOf()["gitlab-latency"])
	assert.GreaterOrEqual(t, value(t, got["Sweep value=20ms"], "call-p50-ns"), float64(20*time.Millisecond))
	assert.InDelta(t, 500, value(t, got["Sweep value=20ms"], "offered-calls/s"), 0)
}

// TestSizingFindsWhatIsSet has calls and sessions of the calibrator retain what is set, and finds it as the difference
// to a calibrator that retains nothing.
func TestSizingFindsWhatIsSet(t *testing.T) {
	subject, err := loadSubject("calibrator")
	require.NoError(t, err)
	built, err := resolveBuild(t.Context(), subject, "")
	require.NoError(t, err)
	const pattern = "Held/calls=64$|Session/sessions=50$|Sweep/setting=serve-at-once/value=(1|4)$"
	base := sized(t, pattern, variant(t), built.path)
	with := sized(t, pattern, variant(t, "-retain-call=50KiB", "-leak-goroutines=1", "-leak-descriptors=2", "-retain-session=20KiB"), built.path)
	for _, tt := range []struct {
		result, unit string
		want, within float64
	}{
		{"Held calls=64", "held-heap-bytes/call", 50 << 10, 2 << 10},
		{"Held calls=64", "held-goroutines/call", 1, 0},
		{"Held calls=64", "held-descriptors/call", 2, 0},
		{"Session sessions=50", "opened-heap-bytes/session", 20 << 10, 1 << 10},
		{"Session sessions=50", "opened-goroutines/session", 0, 0},
		{"Session sessions=50", "abandoned-heap-bytes/session", 20 << 10, 1 << 10},
		{"Session sessions=50", "ended-heap-bytes/session", 0, 1 << 10},
	} {
		found := value(t, with[tt.result], tt.unit) - value(t, base[tt.result], tt.unit)
		assert.InDelta(t, tt.want, found, tt.within, "%s: %s", tt.result, tt.unit)
	}
	// A call that is held has a connection to GitLab, but the one that was there before; a session has one of its own
	// until that is closed.
	held, session := base["Held calls=64"], base["Session sessions=50"]
	assert.InDelta(t, 63.0/64, value(t, held, "held-descriptors/call"), 1.0/64)
	assert.InDelta(t, 1, value(t, session, "opened-descriptors/session"), 0)
	assert.InDelta(t, 0, value(t, session, "abandoned-descriptors/session"), 0)
	for at, n := range map[string]float64{"Sweep value=1": 1, "Sweep value=4": 4} {
		// Five milliseconds a call, so many at once: more cannot be.
		assert.LessOrEqual(t, value(t, base[at], "calls/s"), 1.02*n/5e-3, at)
	}
}

// TestTruthOfASweep moves a setting that sets the calls a second, and one that does nothing, on processors that are kept
// awake: what waking one takes is a part of five milliseconds. Of three rounds that counts to which others' work did least.
func TestTruthOfASweep(t *testing.T) {
	if !*truth {
		t.Skip("no -truth: `make truth` runs this with nothing beside it")
	}
	defer keepAwake(t)()
	built, err := calibratorBuild()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "record.txt")
	out, err := measuring(t, "Sweep", "-subject="+variant(t), "-binary="+built.path, "-record="+path, "-step-duration=4s", "-rest-window=200ms", "-rounds=3").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rec, err := record.Read(path)
	require.NoError(t, err)
	of := func(setting, unit string) []float64 {
		var rounds []float64
		for _, r := range rec.Results {
			if r.Part("setting")+"="+r.Part("value") == setting {
				rounds = append(rounds, value(t, r, unit))
			}
		}
		require.Len(t, rounds, 3, setting)
		return rounds
	}
	one := slices.Max(of("serve-at-once=1", "calls/s"))
	assert.InEpsilon(t, 200, one, 0.1, "a call takes five milliseconds")
	for setting, n := range map[string]float64{"serve-at-once=2": 2, "serve-at-once=4": 4, "serve-at-once=10": 10} {
		found := slices.Max(of(setting, "calls/s"))
		t.Logf("%s: %.1f calls/s, and %.1f one at a time", setting, found, one)
		assert.InEpsilon(t, n, found/one, 0.05, setting)
	}
	for _, unit := range []string{"cpu-ns/call", "peak-RSS-bytes"} {
		assert.InEpsilon(t, slices.Min(of("nothing=1", unit)), slices.Min(of("nothing=2", unit)), 0.1, unit)
	}
}
