package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAllSeries(t *testing.T) {
	subject, err := Load(Default)
	require.NoError(t, err)
	all := AllSeries(nil, DefaultStepDuration)
	require.Len(t, all, 3)
	for i, want := range []struct {
		surface        Surface
		last, inFlight int
		steps          int
	}{{"dynamic", 10000, 1, 13}, {"meta", 1000, 4, 10}, {"individual", 1000, 2, 10}} {
		steps := all[i].Steps
		assert.Equal(t, want.surface, all[i].Surface)
		require.Len(t, steps, want.steps)
		last := steps[len(steps)-1]
		assert.Equal(t, Step{want.surface, want.last, want.inFlight, 10 * time.Second}, last)
		assert.LessOrEqual(t, last.Connections(), 10000, "descriptors bound the ladder")
		for _, step := range steps {
			require.NoError(t, step.Validate(subject))
		}
	}
	assert.Equal(t, "subject=x/transport=http/surface=meta/creds=2", all[1].Steps[1].Name("x"))
	assert.Equal(t, []Step{{"meta", 7, 4, time.Second}}, AllSeries([]int{7}, time.Second)[1].Steps)
	assert.Len(t, AllSeries(nil, time.Second)[1].Steps, 10, "the ladder is not changed by those who use it")
}

func TestOffers(t *testing.T) {
	all := Offers(time.Second)
	require.Len(t, all, 9)
	assert.Equal(t, Offer{Step{"dynamic", 100, 4, time.Second}, 50}, all[0])
	assert.Equal(t, "subject=x/transport=http/surface=individual/load=95pct", all[8].Name("x"))
}

func TestStepValidate(t *testing.T) {
	s := &Subject{Name: "x", Transports: map[Transport]*Launch{HTTP: {}}, Surfaces: map[Surface]*SurfaceSpec{"meta": {}}}
	require.ErrorContains(t, Step{Surface: "meta"}.Validate(s), "no [many]")
	require.ErrorContains(t, Step{Surface: "none"}.Validate(s), "no surface")
}

func TestParseCreds(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []int
		err  string
	}{
		{"", nil, ""},
		{"1, 10,100", []int{1, 10, 100}, ""},
		{"0", nil, "positive"},
		{"x", nil, "positive"},
		{"5,5", nil, "ascending"},
		{"5,2", nil, "ascending"},
	} {
		got, err := ParseCreds(tt.in)
		checkError(t, err, tt.err)
		assert.Equal(t, tt.want, got, tt.in)
	}
}
