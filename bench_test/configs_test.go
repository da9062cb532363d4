package bench_test

import (
	"context"
	"fmt"
	"testing"

	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// configsMethod says in the record how the figures of a configuration came about.
const configsMethod = "every credential lists the tools of each surface once, on a connection for each; read at rest, collections forced, with one credential and with all"

// configuration measures several surfaces in one process.
func (s *suite) configuration(b *testing.B, name string, c scenarios.Configuration) {
	b.Helper()
	l := launch{name: name, transport: scenarios.HTTP, surface: c.Surfaces[0], clients: c.Creds}
	s.sizing(b, l, configsMethod, fmt.Sprintf("surfaces=%d", len(c.Surfaces)), func(t *trial) []phase {
		r := &configRun{trial: t, config: c}
		return []phase{{"idle", r.idle}, {"first", t.guarded(r.first)}, {"all", t.guarded(r.all)}, {"close", t.left}}
	})
}

// configRun is a measurement of several surfaces in one process.
type configRun struct {
	*trial
	config scenarios.Configuration
	// bytes and tools are the sums over the listings of one credential.
	bytes int64
	tools int
}

// idle reads a process that serves nobody.
func (r *configRun) idle(ctx context.Context) error {
	r.sheet.set("clients", float64(r.config.Creds))
	r.sheet.set("surfaces", float64(len(r.config.Surfaces)))
	if err := r.started(ctx); err != nil {
		return err
	}
	rss, err := r.people.resting(ctx)
	r.sheet.set("idle-RSS-bytes", rss)
	return err
}

// first has one credential use every surface.
func (r *configRun) first(ctx context.Context) error {
	if err := r.use(ctx, 0); err != nil {
		return err
	}
	r.sheet.set("list-bytes", float64(r.bytes))
	r.sheet.set("tools", float64(r.tools))
	settled, err := r.people.settle(ctx, restOptions())
	if err != nil {
		return err
	}
	r.sheet.set("first-RSS-bytes", float64(settled[0].RSS))
	r.sheet.optional("first-heap-bytes", liveHeap(settled), noHeap)
	return nil
}

// all has the other credentials do so as well.
func (r *configRun) all(ctx context.Context) error {
	for i := 1; i < r.config.Creds; i++ {
		if err := r.use(ctx, i); err != nil {
			return err
		}
	}
	r.checked()
	r.checkAdmission()
	_, err := r.rest(ctx, "rest-RSS-bytes", "rest-heap-bytes", "rest-ns")
	return err
}

// use has a credential list the tools of every surface, which must be as many and as large as they are on each alone.
func (r *configRun) use(ctx context.Context, credential int) error {
	in := r.people.instances[0]
	for _, surface := range r.config.Surfaces {
		spec := in.subject.Surfaces[surface]
		list, err := mcp.NewRequest(mcp.Spec{
			Label: string(record.List), Method: "tools/list", Version: in.version(),
			Expect: mcp.Expect{Tools: spec.Tools, Bytes: spec.ListingBytes},
		})
		if err != nil {
			return err
		}
		url, err := scenarios.Vars{"port": in.vars["port"], "surface": string(surface)}.Expand(in.subject.Sizing.SurfaceURL)
		if err != nil {
			return err
		}
		conn, err := in.dialAt(ctx, url, r.people.token(credential), in.version())
		if err != nil {
			return err
		}
		r.people.clients = append(r.people.clients, conn)
		var reply mcp.Reply
		conn.Do(ctx, list, &reply)
		if err := failure(list, &reply); err != nil {
			return fmt.Errorf("surface %s, credential %d: %w", surface, credential, err)
		}
		if credential == 0 {
			r.bytes += reply.Bytes
			r.tools += reply.Tools
		}
	}
	return nil
}
