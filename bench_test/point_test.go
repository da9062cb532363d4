package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpbench/fakegitlab"
	"mcpbench/fakegitlab/otlp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// BenchmarkPoint measures each point scenario: what the subject costs idle, with one client, with all
// of them, and while all of them call.
func BenchmarkPoint(b *testing.B) {
	for _, p := range scenarios.Points() {
		name := p.Name(bench.subject.Name)
		b.Run(name, func(b *testing.B) { bench.point(b, p, "Point/"+name) })
	}
}

// point measures one scenario and records what came of it.
func (s *suite) point(b *testing.B, p scenarios.Point, name string) {
	b.Helper()
	s.progress.begin(strings.TrimPrefix(name, "Point/subject="+s.subject.Name+"/"))
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	if err := p.Validate(s.subject); err != nil {
		b.Fatal(err)
	}
	run := newPointRun(b, s, p, name)
	if err := run.measure(b.Context()); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	for _, unit := range run.sheet.unmeasured() {
		b.Errorf("%s: %s was not measured, and nothing says why", name, unit)
	}
	if err := s.writer.Write(run.sheet.result); err != nil {
		b.Fatal(err)
	}
	run.sheet.report(b)
	if run.broken != nil {
		b.Fatalf("%s: %v", name, run.broken)
	}
	verdict = "ok"
	if doubts := run.sheet.result.Certificate; len(doubts) > 0 {
		verdict = "measured, but: " + strings.Join(doubts, "; ")
	}
}

// pointRun is one scenario while it is measured.
type pointRun struct {
	b      *testing.B
	suite  *suite
	point  scenarios.Point
	gitlab *fakegitlab.Server
	// receiver takes the subject's telemetry; nil where that is off.
	receiver *otlp.Receiver
	surface  *scenarios.SurfaceSpec
	requests requests
	people   *population
	sheet    *sheet
	// broken is why the scenario fails although it could be measured to its end.
	broken error
}

func newPointRun(b *testing.B, s *suite, p scenarios.Point, name string) *pointRun {
	b.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{Latency: s.gitlabLatency})
	b.Cleanup(gitlab.Close)
	vars := standInVars(gitlab)
	var receiver *otlp.Receiver
	if p.Telemetry {
		receiver = otlp.New(otlp.Options{Needles: []string{gitlab.Token(0)}})
		b.Cleanup(receiver.Close)
		vars["otlp"] = receiver.URL()
	}
	surface := s.subject.Surfaces[p.Surface]
	built, err := buildRequests(s.subject, surface, vars)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	config := s.config()
	config[record.KeyMethod] = pointMethod
	config[record.KeySettings] = fmt.Sprintf("gitlab-latency=%s clients=%d rounds-per-method=%d", s.gitlabLatency, p.Clients, p.Rounds)
	return &pointRun{
		b: b, suite: s, point: p, gitlab: gitlab, receiver: receiver, surface: surface, requests: built,
		sheet: newSheet(name, config, s.identity()),
		people: &population{suite: s, token: gitlab.Token, launch: launch{
			name: name, transport: p.Transport, surface: p.Surface, telemetry: p.Telemetry,
			cpus: s.cpus.subject, vars: vars,
		}},
	}
}

// pointMethod says in the record how the figures of a point scenario came about.
const pointMethod = "closed loop, one method at a time, all clients at once; " +
	"HDR histogram of 3 figures, nearest-rank percentiles, order-statistics intervals of 95%"

// standInVars are the placeholders that the GitLab stand-in gives values to.
func standInVars(gitlab *fakegitlab.Server) scenarios.Vars {
	project := gitlab.Project(0)
	return scenarios.Vars{
		"gitlab": gitlab.URL(), "gitlab_api": gitlab.APIURL(),
		"project_id": fmt.Sprint(project.ID), "project": project.Name,
	}
}

// measure goes through the phases of the scenario. Every reading belongs to one of them.
func (r *pointRun) measure(ctx context.Context) error {
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
	}{{"idle", r.idle}, {"admit", r.admit}, {"load", r.load}, {"settle", r.settle}, {"close", r.close}} {
		r.suite.progress.phase("%s", phase.name)
		if err := phase.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	return nil
}
