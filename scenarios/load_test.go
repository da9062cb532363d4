package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is the smallest subject file that is whole.
const small = `
name = "small"
title = "A small server"
runtime = "other"
protocol = "2025-06-18"
[build]
command = "small-server"
[heap]
reader = "none"
[transports.stdio]
args = ["serve"]
grace = "1500ms"
[surfaces.all]
tools = 3
[surfaces.all.calls.read]
tool = "get"
contains = ["name"]
`

func TestEverySubjectLoads(t *testing.T) {
	require.Contains(t, Names(), Default)
	for _, name := range Names() {
		s, err := Load(name)
		require.NoError(t, err, name)
		assert.Equal(t, name, s.Name, "the file is called after the subject")
	}
}

func TestLoadFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.WriteFile(path, []byte(small), 0o600))
	s, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, "small", s.Name)
	assert.Equal(t, 1500*time.Millisecond, s.Transports[Stdio].Grace.Std())

	_, err = Load("no-such-subject")
	require.ErrorContains(t, err, Default, "the error lists what exists")
	_, err = Load(filepath.Join(t.TempDir(), "absent.toml"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, replace, with, want string
	}{
		{"whole", "", "", ""},
		{"syntax", "[build]", "[build", "toml"},
		{"unknown key", `title =`, "colour = \"red\"\ntitle =", `unknown key "colour"`},
		{"name", `"small"`, `"Small One"`, "name"},
		{"title", `"A small server"`, `""`, "title is missing"},
		{"runtime", `"other"`, `""`, "runtime is missing"},
		{"protocol", `"2025-06-18"`, `""`, "protocol is missing"},
		{"heap reader", `reader = "none"`, `reader = "guess"`, "heap.reader"},
		{"heap address", `reader = "none"`, `reader = "go-pprof"`, "heap.address"},
		{"two builds", `command =`, "package = \"./x\"\ncommand =", "one of package and command"},
		{"no build", `command = "small-server"`, "", "one of package and command"},
		{"duration", "1500ms", "fast", "use a form like"},
		{"no grace", `grace = "1500ms"`, "", "grace is missing"},
		{"unknown transport", "[transports.stdio]", "[transports.pigeon]", "use stdio or http"},
		{"http without url", "[transports.stdio]", "[transports.http]", "needs url"},
		{"no tools", "tools = 3", "tools = 0", "tools must be"},
		{"unknown call", "calls.read", "calls.reed", "unknown call"},
		{"no read", "calls.read", "calls.find", "calls.read is missing"},
		{"no tool", `tool = "get"`, "", "tool is missing"},
		{"route alone", `tool = "get"`, "tool = \"get\"\nroute = \"GET /x\"", "go together"},
		{"TLS without url", "[build]", "[tls]\n[build]", "tls: needs url and ready"},
		{"nothing expected", `contains = ["name"]`, "", "contains is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(strings.Replace(small, tt.replace, tt.with, 1)))
			checkError(t, err, tt.want)
		})
	}
}

func TestParseNeedsTransportsAndSurfaces(t *testing.T) {
	head, rest, _ := strings.Cut(small, "[transports.stdio]")
	_, err := Parse([]byte(head))
	require.ErrorContains(t, err, "transports is empty")
	launch, _, _ := strings.Cut(rest, "[surfaces.all]")
	_, err = Parse([]byte(head + "[transports.stdio]" + launch))
	require.ErrorContains(t, err, "surfaces is empty")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	for _, name := range Names() {
		data, err := read(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err == nil {
			require.NoError(t, s.validate(), "what parses is valid")
		}
	})
}
