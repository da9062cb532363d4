package bench_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// BenchmarkNoise measures the build against itself, and what looking at it costs. It takes as long as all point
// scenarios together, for figures that change with the host and not with the build, so that it is measured only
// where -bench names it.
func BenchmarkNoise(b *testing.B) {
	if !named(record.Noise) {
		b.Skip("left out: -bench has to name Noise")
	}
	for _, r := range bench.repetitions(bench.round) {
		b.Run(r.name, func(b *testing.B) { r.measure(b, "Noise/"+r.name) })
	}
}

// named reports whether -bench asks for a kind by name, and not just with a pattern that it matches.
func named(kind record.Kind) bool {
	return strings.Contains(flag.Lookup("test.bench").Value.String(), string(kind))
}

// repetition is one benchmark of the noise: its name below Noise, and what measures it under a full name.
type repetition struct {
	name    string
	measure func(b *testing.B, name string)
}

// repetitions are those of one round in their order. The sides differ in nothing but their names. Each is a whole
// pass, as a build is in a comparison, and goes first every other time, so that a slow change of the host falls on
// both alike.
func (s *suite) repetitions(round int) []repetition {
	var all []repetition
	for _, side := range sides(round) {
		part := "/" + record.PartSide + "=" + side
		for _, p := range scenarios.NoisePoints(s.subject) {
			all = append(all, repetition{p.Name(s.subject.Name) + part, func(b *testing.B, name string) {
				b.Helper()
				s.point(b, p, name)
			}})
		}
		for _, step := range s.noiseSteps {
			all = append(all, repetition{step.Name(s.subject.Name) + part, func(b *testing.B, name string) {
				b.Helper()
				(&climb{suite: s}).step(b, name, step, nil)
			}})
		}
	}
	for _, step := range s.noiseSteps {
		all = append(all, repetition{step.Name(s.subject.Name) + lookBoth, func(b *testing.B, name string) {
			b.Helper()
			s.look(b, name, step)
		}})
	}
	return all
}

// sides are both sides of a round, in the order of ABBA.
func sides(round int) []string {
	if round%2 == 0 {
		return []string{"b", "a"}
	}
	return []string{"a", "b"}
}

// TestNoiseTakesTurns holds the noise to its order, and to be measured only where it is asked for.
func TestNoiseTakesTurns(t *testing.T) {
	subject, err := loadSubject(scenarios.Default)
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{subject: subject, noiseSteps: scenarios.NoiseSteps(subject, scenarios.DefaultStepDuration)}
	order := func(round int) string {
		var sides []string
		for _, r := range s.repetitions(round) {
			sides = append(sides, r.name[strings.LastIndex(r.name, "=")+1:])
		}
		return strings.Join(sides, " ")
	}
	assert.Equal(t, "a a a a a b b b b b on,off", order(1))
	assert.Equal(t, "b b b b b a a a a a on,off", order(2))
	assert.Equal(t, order(1), order(3))
	assert.NotContains(t, strings.Join(s.names(), "\n"), "Noise", "nobody asked for it")
}
