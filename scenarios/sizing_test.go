package scenarios

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizingNames are the names of all that is measured for sizing.
func sizingNames(s *Subject, cpus int) []string {
	var names []string
	for _, r := range Rungs(s) {
		names = append(names, r.Name("x"))
	}
	for _, h := range HeldCalls(s) {
		names = append(names, h.Name("x", "calls"))
	}
	for _, h := range OpenSessions(s) {
		names = append(names, h.Name("x", "sessions"))
	}
	for _, p := range Probes(s) {
		names = append(names, p.Name("x"))
	}
	for _, c := range Configurations(s) {
		names = append(names, c.Name("x"))
	}
	for _, setting := range Settings(s, cpus) {
		names = append(names, setting.BenchmarkName("x"))
	}
	return names
}

func TestSizingOfTheDefaultSubject(t *testing.T) {
	s, err := Load(Default)
	require.NoError(t, err)
	names := sizingNames(s, 1)
	for _, want := range []string{
		"surface=dynamic/calls=0", "surface=dynamic/calls=44", "surface=dynamic/calls=1000", "surface=dynamic/calls=16",
		"surface=dynamic/sessions=400", "surface=dynamic/endpoint=health", "surface=dynamic/endpoint=version",
		"surface=dynamic/endpoint=discover", "surface=dynamic/endpoint=resources",
		"surface=individual/creds=16", "surface=dynamic+meta/creds=16", "surface=dynamic+meta+individual/creds=16",
		"surface=dynamic/setting=gitlab-max-conns/value=10", "surface=dynamic/setting=GOMAXPROCS/value=1",
	} {
		assert.Contains(t, names, "subject=x/transport=http/"+want)
	}
	assert.NotContains(t, names, "subject=x/transport=http/surface=dynamic/setting=GOMAXPROCS/value=2", "there is one processor")
	assert.Contains(t, sizingNames(s, 2), "subject=x/transport=http/surface=dynamic/setting=GOMAXPROCS/value=2")
	assert.Equal(t, Rung{"dynamic", 44, Burst}, Rungs(s)[4])
}

func TestSizingFollowsTheSubject(t *testing.T) {
	s, err := Load("calibrator")
	require.NoError(t, err)
	assert.Empty(t, Rungs(s), "it downloads nothing")
	assert.Equal(t, Surface("upstream"), HeldCalls(s)[0].Surface, "the reads of plain do not reach GitLab")
	assert.Empty(t, Configurations(s), "it has one surface at a time")
	assert.Len(t, Probes(s), 3)
	s.Protocol = "2025-11-25"
	assert.Len(t, Probes(s), 2, "that revision has no server/discover")
	s.Surfaces = map[Surface]*SurfaceSpec{"plain": s.Surfaces["plain"]}
	assert.Empty(t, HeldCalls(s))
	s.Transports = map[Transport]*Launch{Stdio: {}}
	assert.Empty(t, sizingNames(s, 8), "all of it is over HTTP")
}

func TestSettings(t *testing.T) {
	s, err := Load(Default)
	require.NoError(t, err)
	byName := map[string]Setting{}
	for _, setting := range Settings(s, 1) {
		byName[setting.Name+"="+setting.Value] = setting
	}
	conns, latency := byName["gitlab-max-conns=4"], byName["gitlab-latency=20ms"]
	assert.Equal(t, [2]int{1, 64}, [2]int{conns.Credentials, conns.Callers})
	assert.Equal(t, 5*time.Millisecond, *conns.Latency, "it stays")
	assert.Equal(t, 20*time.Millisecond, *latency.Latency, "it moves")
	assert.Equal(t, CallRead, conns.Call)
	assert.Nil(t, byName["GOGC=100"].Latency)
	assert.Equal(t, 400*time.Millisecond, byName["pool-idle-timeout=30m"].Pause.Std())
}

// sized is the smallest subject with a sweep, an endpoint and two surfaces.
const sized = small + `
[surfaces.other]
tools = 4
[surfaces.other.calls.read]
tool = "get"
contains = ["name"]
[surfaces.other.calls.find]
tool = "find"
contains = ["name"]
[sizing.endpoints.health]
url = "http://x"
contains = "ok"
[sizing.sweeps.GO_X]
args = ["--x={value}"]
values = ["1", "2"]
`

func TestSizingRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ replace, with, want string }{
		"whole":                 {"", "", ""},
		"find on a surface":     {"--x={value}\"]", "--x={value}\"]\ncall = \"find\"\nsurface = \"other\"", ""},
		"latency alone":         {`args = ["--x={value}"]`, "gitlab_latency = \"{value}ms\"", ""},
		"environment alone":     {`args = ["--x={value}"]`, "env = { X = \"{value}\" }", ""},
		"endpoint without url":  {`"http://x"`, `""`, "sizing.endpoints.health"},
		"endpoint without word": {`"ok"`, `""`, "sizing.endpoints.health"},
		"name":                  {"GO_X", `"a/b"`, "sizing.sweeps.a/b: use letters"},
		"one value":             {`"1", "2"`, `"1"`, "a sweep needs two"},
		"value twice":           {`"1", "2"`, `"1", "1"`, `value "1": use each once`},
		"value that ends in -1": {`"1", "2"`, `"1", "-1"`, `value "-1"`},
		"nothing moves":         {"{value}", "5", "depends on {value}"},
		"no such surface":       {"values =", "surface = \"nope\"\nvalues =", `surface "nope"`},
		"call on all surfaces":  {"values =", "call = \"find\"\nvalues =", `surface all has no call "find"`},
		"below zero":            {"values =", "callers = -1\nvalues =", "below zero"},
		"more credentials":      {"values =", "credentials = 65\nvalues =", "each credential needs a caller"},
		"pause alone":           {"values =", "pause = \"1s\"\nvalues =", "a pause goes with"},
		"rate and calls":        {"values =", "rate = 1.5\ncalls = 2\nvalues =", "exclude each other"},
		"latency of what":       {"values =", "gitlab_latency = \"{value}\"\nvalues =", "gitlab_latency with value \"1\""},
		"processors":            {"values = [\"1\"", "cpus = true\nvalues = [\"x\"", `value "x": no number of processors`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, sized, tt.replace)
			_, err := Parse([]byte(strings.Replace(sized, tt.replace, tt.with, 1)))
			checkError(t, err, tt.want)
		})
	}
}
