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
	for _, p := range Points() {
		require.NoError(t, p.Validate(subject))
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

func TestPointValidate(t *testing.T) {
	whole := func() *Subject {
		return &Subject{
			Name:       "x",
			Transports: map[Transport]*Launch{HTTP: {}},
			Surfaces:   map[Surface]*SurfaceSpec{"dynamic": {}},
			Telemetry:  &Option{},
		}
	}
	point := Point{Transport: HTTP, Surface: "dynamic", Telemetry: true}
	for _, tt := range []struct {
		name   string
		change func(*Subject)
		want   string
	}{
		{"whole", func(*Subject) {}, ""},
		{"no transport", func(s *Subject) { delete(s.Transports, HTTP) }, `no transport "http"`},
		{"no surface", func(s *Subject) { delete(s.Surfaces, "dynamic") }, `no surface "dynamic"`},
		{"no telemetry", func(s *Subject) { s.Telemetry = nil }, "no telemetry settings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := whole()
			tt.change(s)
			checkError(t, point.Validate(s), tt.want)
		})
	}
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
