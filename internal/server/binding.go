package server

import (
	"context"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"mcpbench/internal/server/limit"
	"mcpbench/internal/server/toolset"
)

// A binding says for whom a request is answered and with which tools. One protocol server serves all
// credentials and all surfaces, so what belongs to a request travels in its context; a session keeps the
// context of the request that opened it.
type binding struct {
	client *gitlab.Client
	tools  func(context.Context) (*toolset.Toolset, error)
	// opened, if set, is told of a session that this request opened and how to close it.
	opened func(id string, closeSession func())
}

type bindingKey struct{}

func withBinding(ctx context.Context, b *binding) context.Context {
	return context.WithValue(ctx, bindingKey{}, b)
}

// bound returns the binding of a request. There is none only by a mistake in this package.
func bound(ctx context.Context) *binding {
	return ctx.Value(bindingKey{}).(*binding)
}

// always returns tools that are there already.
func always(tools *toolset.Toolset) func(context.Context) (*toolset.Toolset, error) {
	return func(context.Context) (*toolset.Toolset, error) { return tools, nil }
}

// limits are the bounds of a process that serves one credential.
type limits struct {
	gate  *limit.Gate
	allow func() error
}

// newLimits returns the bounds that c sets.
func newLimits(c Config) limits {
	limiter := limit.NewLimiter(c.RateLimit)
	return limits{
		gate: limit.NewGate(c.MaxConcurrent),
		allow: func() error {
			if !limit.Allow(limiter) {
				return limit.ErrRate(c.RateLimit)
			}
			return nil
		},
	}
}

// enter lets a call pass or returns the error that refuses it. After a pass, leave must follow.
func (l limits) enter() error {
	if err := l.allow(); err != nil {
		return err
	}
	if !l.gate.Enter() {
		return limit.ErrBusy()
	}
	return nil
}

func (l limits) leave() { l.gate.Leave() }
