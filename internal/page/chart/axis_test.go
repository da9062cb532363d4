package chart

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// labels are what is written at ticks, and dots for those without.
func labels(ticks []Tick) string {
	var out []string
	for _, t := range ticks {
		if t.Label == "" {
			t.Label = "."
		}
		out = append(out, t.Label)
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	wide := func(s string) float64 { return 8 * float64(len(s)) }
	for _, tc := range []struct {
		name   string
		axis   Axis
		span   span
		length float64
		want   string
	}{
		{"decade", Axis{Log: true}, span{1, 10}, 300, "1 2 5 10"},
		{"decades", Axis{Log: true}, span{1, 1000}, 200, "1 . . 10 . . 100 . . 1000"},
		{"decades with room", Axis{Log: true}, span{1, 1000}, 600, "1 2 5 10 20 50 100 200 500 1000"},
		{"many decades", Axis{Log: true}, span{1, 1e6}, 180, "1 . . . . . 100 . . . . . 10000 . . . . . 1000000"},
		{"no room at all", Axis{Log: true}, span{1, 1e6}, 20, "1 . . . . . . . . 1000 . . . . . . . . 1000000"},
		{"fractions", Axis{Log: true}, span{0.05, 3}, 400, "0.05 0.1 0.2 0.5 1 2 5"},
		{"line", Axis{}, span{0, 97}, 300, "0 20 40 60 80 100"},
		{"narrow line", Axis{}, span{0, 97}, 60, "0 50 100"},
		{"small", Axis{}, span{0, 0.27}, 300, "0 0.05 0.1 0.15 0.2 0.25 0.3"},
		{"below zero", Axis{}, span{-5, 105}, 400, "-20 0 20 40 60 80 100 120"},
		{"as told", Axis{Write: func(v float64) string { return "n" + strconv.Itoa(int(v)) }}, span{0, 3}, 300, "n0 n0 n1 n1 n2 n2 n3"},
		{"given", Axis{Ticks: []Tick{{0, "none"}, {1, "one"}, {9, "out"}}}, span{0, 2}, 300, "none one"},
		{"given and crowded", Axis{Ticks: []Tick{{0, "none"}, {1, "one"}, {2, "two"}}}, span{0, 2}, 45, "none two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, labels(tc.axis.rounded(tc.span, tc.length, wide).ticks))
		})
	}
}

// The ends of an axis are round figures, or what there is.
func TestEnds(t *testing.T) {
	size := func(string) float64 { return 10 }
	for _, tc := range []struct {
		name           string
		axis           Axis
		span           span
		rounded, exact span
	}{
		{"linear", Axis{}, span{3, 97}, span{0, 100}, span{3, 97}},
		{"below zero", Axis{}, span{-3, 50}, span{-10, 50}, span{-3, 50}},
		{"log", Axis{Log: true}, span{3, 97}, span{2, 100}, span{3, 97}},
		{"log, round", Axis{Log: true}, span{0.5, 50}, span{0.5, 50}, span{0.5, 50}},
		{"one value", Axis{}, span{4, 4}, span{0, 5}, span{3, 5}},
		{"zero", Axis{}, span{0, 0}, span{0, 1}, span{0, 1}},
		{"one value, log", Axis{Log: true}, span{4, 4}, span{2, 10}, span{2, 8}},
		{"nothing", Axis{}, nothing(), span{0, 1}, span{0, 1}},
		{"nothing, log", Axis{Log: true}, nothing(), span{1, 10}, span{1, 10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.rounded, tc.axis.rounded(tc.span, 100, size).span)
			assert.Equal(t, tc.exact, tc.axis.exactly(tc.span, 100, size).span)
		})
	}
}

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{"a"}, plain.wrap(" a ", 5))
	assert.Empty(t, plain.wrap("", 100))
	assert.Equal(t, []string{"incomprehensibilities", "as", "they", "are"}, plain.wrap("incomprehensibilities as they are", 10))
	for _, line := range plain.wrap(strings.Repeat("some words ", 50), 200) {
		assert.LessOrEqual(t, plain.width(line), 200.0)
	}
}
