package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func variantsOf(all []Overload) (names []string) {
	for _, o := range all {
		names = append(names, o.Variant)
	}
	return names
}

func TestOverloads(t *testing.T) {
	s, err := Load(Default)
	require.NoError(t, err)
	all, leftOut := Overloads(s)
	assert.Equal(t, []string{"requests", "connections", "slow-gitlab", "credentials"}, variantsOf(all))
	assert.Empty(t, leftOut)
	assert.InEpsilon(t, 1280, all[0].Capacity(all[0].Latency), 1e-9)
	assert.Equal(t, "subject=gitlab-mcp/variant=requests/second=007", all[0].ReadingName(s.Name, 7))
	assert.True(t, all[0].Refuses())
	assert.False(t, all[1].Refuses())
	for _, o := range all {
		short := o.Short()
		assert.Equal(t, o.Connections/10, short.Connections)
		assert.Equal(t, o.Slower, short.Slower)
		assert.Less(t, short.Before+short.Ramp+short.During+short.After, 6*time.Second)
		assert.Greater(t, o.During, GiveUp, "long enough to see that connections are given up")
		assert.Greater(t, o.Credentials+1, o.Pool, "more credentials than are held")
		// Suite and subject each have a descriptor for a connection; the suite has the stand-in's as well.
		assert.Less(t, o.Connections+o.Idle+o.Trickling+o.Credentials+2*o.Bound, 18_000)
	}
}

func TestOverloadsThatASubjectLacks(t *testing.T) {
	c, err := Load("calibrator")
	require.NoError(t, err)
	all, leftOut := Overloads(c)
	assert.Equal(t, []string{"requests", "connections", "slow-gitlab"}, variantsOf(all))
	assert.Contains(t, leftOut["credentials"], "how credentials are bounded")
	c.Bounded = nil
	all, leftOut = Overloads(c)
	assert.Equal(t, []string{"connections"}, variantsOf(all))
	assert.Contains(t, leftOut["requests"], "[bounded]")
	delete(c.Transports, HTTP)
	all, leftOut = Overloads(c)
	assert.Empty(t, all)
	assert.Contains(t, leftOut["connections"], "not served over HTTP")
}
