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
	all := AllSeries(subject, nil, DefaultStepDuration)
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
	}
	assert.Equal(t, "subject=x/transport=http/surface=meta/creds=2", all[1].Steps[1].Name("x"))
	assert.Equal(t, []Step{{"meta", 7, 4, time.Second}}, AllSeries(subject, []int{7}, time.Second)[1].Steps)
	assert.Len(t, AllSeries(subject, nil, time.Second)[1].Steps, 10, "the ladder is not changed by those who use it")
}

func TestNoSeriesForSomeSubjects(t *testing.T) {
	for name, change := range map[string]func(*Subject){
		"not over HTTP":        func(s *Subject) { delete(s.Transports, HTTP) },
		"not many credentials": func(s *Subject) { s.Many = nil },
	} {
		subject, err := Load(Default)
		require.NoError(t, err)
		change(subject)
		assert.Empty(t, AllSeries(subject, nil, time.Second), name)
		assert.Empty(t, Offers(subject, time.Second), name)
	}
}

func TestOffers(t *testing.T) {
	subject, err := Load(Default)
	require.NoError(t, err)
	all := Offers(subject, time.Second)
	require.Len(t, all, 9)
	assert.Equal(t, Offer{Step{"dynamic", 100, 4, time.Second}, 50}, all[0])
	assert.Equal(t, "subject=x/transport=http/surface=individual/load=95pct", all[8].Name("x"))
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
