package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoise(t *testing.T) {
	subject, err := Load(Default)
	require.NoError(t, err)
	var names []string
	for _, p := range NoisePoints(subject) {
		names = append(names, p.Name("x"))
	}
	assert.Equal(t, []string{
		"subject=x/transport=stdio/surface=dynamic/telemetry=off",
		"subject=x/transport=http/surface=dynamic/telemetry=off",
		"subject=x/transport=http/surface=meta/telemetry=off",
		"subject=x/transport=http/surface=individual/telemetry=off",
	}, names)
	assert.Equal(t, []Step{{"meta", 20, 4, time.Second}}, NoiseSteps(subject, time.Second))

	delete(subject.Transports, HTTP)
	assert.Len(t, NoisePoints(subject), 1)
	assert.Empty(t, NoiseSteps(subject, time.Second))
}
