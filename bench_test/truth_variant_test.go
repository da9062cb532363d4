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
