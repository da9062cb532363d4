package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func soakNames(paths []SoakPath) []string {
	var names []string
	for _, p := range paths {
		names = append(names, p.Name)
	}
	return names
}

func TestSoakPaths(t *testing.T) {
	server, err := Load(Default)
	require.NoError(t, err)
	paths, without := SoakPaths(server)
	assert.Empty(t, without)
	assert.Equal(t, []string{
		"call.dynamic", "list.dynamic", "resources.dynamic", "call.meta", "list.meta", "resources.meta",
		"call.individual", "list.individual", "resources.individual", "fresh", "health", "session", "tls",
	}, soakNames(paths))
	assert.InDelta(t, 15, paths[7].Rate, 0, "a large listing is asked for less often")

	server.Sizing.SurfaceURL, server.Sessions, server.TLS = "", nil, nil
	paths, without = SoakPaths(server)
	assert.Equal(t, []string{"call.dynamic", "list.dynamic", "resources.dynamic", "fresh", "health"}, soakNames(paths))
	assert.Equal(t, []string{"surfaces besides dynamic, which take a process each", "sessions", "TLS with HTTP/2"}, without)
}

func TestSoakScales(t *testing.T) {
	for _, s := range []Soak{ShortSoak(), NewSoak(1800 * 1e9)} {
		assert.InDelta(t, SoakReadings, s.Load.Seconds()/s.Every.Seconds(), 1)
		assert.Less(t, s.Again, s.Load)
		assert.Positive(t, s.Growth)
	}
}
