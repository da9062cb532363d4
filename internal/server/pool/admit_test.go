package pool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/upstream"
)

// TestAnswerThatCameInBetweenIsTaken is about a request that did not find its credential held, and comes to
// ask GitLab just when the question of another request has been answered.
func TestAnswerThatCameInBetweenIsTaken(t *testing.T) {
	asked := 0
	p := New(Options{Max: 2, Admit: func(context.Context, upstream.Credential, func(error)) (*gitlab.Client, error) {
		asked++
		return &gitlab.Client{}, nil
	}})
	c := upstream.NewCredential(upstream.PrivateToken, "t")
	for range 2 {
		e, err := p.use(c.Key())
		require.NoError(t, err)
		require.Nil(t, e, "neither of two requests finds it")
	}
	first, err := p.admit(t.Context(), c.Key(), c)
	require.NoError(t, err)
	second, err := p.admit(t.Context(), c.Key(), c)
	require.NoError(t, err)
	assert.Same(t, first, second)
	assert.Equal(t, 1, asked)
}
