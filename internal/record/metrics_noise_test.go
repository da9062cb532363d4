package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNoiseIsOfWhatItRepeats(t *testing.T) {
	for _, tt := range []struct {
		name, repeated string
		measures       Kind
	}{
		{"Noise/subject=s/transport=http/surface=meta/telemetry=off/side=a", "Point/subject=s/transport=http/surface=meta/telemetry=off", Point},
		{"Noise/subject=s/transport=http/surface=meta/creds=100/side=b", "Series/subject=s/transport=http/surface=meta/creds=100", Series},
		{"Noise/subject=s/transport=http/surface=meta/creds=100/look=on", "Series/subject=s/transport=http/surface=meta/creds=100", Series},
		{"Point/subject=s/side=a", "Point/subject=s/side=a", Point},
		{"Open/subject=s/load=50pct", "Open/subject=s/load=50pct", Open},
	} {
		r := Result{Name: tt.name}
		assert.Equal(t, tt.measures, r.Measures(), tt.name)
		assert.Equal(t, tt.repeated, r.Repeated(), tt.name)
	}
}
