package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPointsAreTheEightOfThePage(t *testing.T) {
	subject, err := Load(Default)
	require.NoError(t, err)
	var names []string
	for _, p := range Points(subject) {
		names = append(names, p.Name(subject.Name))
		assert.GreaterOrEqual(t, p.Calls(), minCallsPerMethod, p.Name(subject.Name))
		assert.GreaterOrEqual(t, p.Rounds, minRounds, p.Name(subject.Name))
	}
	assert.Equal(t, []string{
		"subject=gitlab-mcp/transport=stdio/surface=dynamic/telemetry=off",
		"subject=gitlab-mcp/transport=stdio/surface=meta/telemetry=off",
		"subject=gitlab-mcp/transport=stdio/surface=individual/telemetry=off",
		"subject=gitlab-mcp/transport=stdio/surface=dynamic/telemetry=on",
		"subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=off",
		"subject=gitlab-mcp/transport=http/surface=meta/telemetry=off",
		"subject=gitlab-mcp/transport=http/surface=individual/telemetry=off",
		"subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=on",
	}, names)
}

func TestPointsFollowTheSubject(t *testing.T) {
	s := &Subject{Transports: map[Transport]*Launch{Stdio: {}}, Surfaces: map[Surface]*SurfaceSpec{
		"core": {Tools: 9}, "all": {Tools: 118}, "also-9": {Tools: 9},
	}}
	var got []string
	for _, p := range Points(s) {
		got = append(got, p.Name("x"))
	}
	assert.Equal(t, []string{
		"subject=x/transport=stdio/surface=also-9/telemetry=off",
		"subject=x/transport=stdio/surface=core/telemetry=off",
		"subject=x/transport=stdio/surface=all/telemetry=off",
	}, got, "no HTTP, no telemetry, and surfaces by their number of tools")
}

func TestDefaultSubjectSaysHowLargeItsListingsAre(t *testing.T) {
	subject, err := Load(Default)
	require.NoError(t, err)
	for name, surface := range subject.Surfaces {
		assert.Positive(t, surface.ListingBytes, name)
		for _, call := range CallNames() {
			if call != CallFind {
				assert.Contains(t, surface.Calls, call, name)
			}
		}
	}
}

// checkError asserts that err holds want, or that there is none where want is empty.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, want)
}
