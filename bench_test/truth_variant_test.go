package bench_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/require"
)

// variant writes a subject file of the calibrator with further arguments, and with what must then be so.
func variant(t *testing.T, more ...string) string {
	t.Helper()
	return writeSubject(t, calibratorFile(t, more))
}

// truthSubject writes one that has sweeps of known numbers of calls as well: one, twenty at once, and twenty times ten.
func truthSubject(t *testing.T, more ...string) string {
	t.Helper()
	file := calibratorFile(t, more)
	sweeps := file["sizing"].(map[string]any)["sweeps"].(map[string]any)
	for name, of := range map[string]struct{ callers, calls int }{"single": {1, 1}, "once": {20, 1}, "often": {20, 10}} {
		sweeps[name] = map[string]any{
			// The calibrator does not know the variable.
			"env": map[string]any{"CALIBRATOR_NOTHING": "{value}"}, "values": []string{"1", "2"},
			"surface": "upstream", "callers": of.callers, "calls": of.calls,
		}
	}
	return writeSubject(t, file)
}

// calibratorFile is what the subject file says, with further arguments.
func calibratorFile(t *testing.T, more []string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "scenarios", "subjects", "calibrator.toml"))
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, toml.Unmarshal(data, &file))
	for _, s := range file["surfaces"].(map[string]any) {
		surface := s.(map[string]any)
		args, _ := surface["args"].([]any)
		for _, arg := range more {
			// The surface's own come last on the command line, and the last one counts.
			args = append(args, arg)
			expect(t, surface, arg)
		}
		surface["args"] = args
	}
	return file
}

func writeSubject(t *testing.T, file map[string]any) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, toml.NewEncoder(&b).Encode(file))
	path := filepath.Join(t.TempDir(), "calibrator.toml")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// expect changes what a surface must show by what an argument makes of it.
func expect(t *testing.T, surface map[string]any, arg string) {
	t.Helper()
	name, value, _ := strings.Cut(arg, "=")
	key := map[string]string{"-tools": "tools", "-listing-bytes": "listing_bytes"}[name]
	if key == "" && name != "-upstream" {
		return
	}
	n, err := strconv.Atoi(value)
	require.NoError(t, err)
	if key != "" {
		surface[key] = n
		return
	}
	for _, call := range surface["calls"].(map[string]any) {
		// A call that has no route asks nobody anything.
		if call := call.(map[string]any); call["route"] != nil {
			call["upstream"] = n
		}
	}
}
