package bench_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The order of the keys in the names of benchmarks and of tests.
var (
	benchmarkKeys = []string{"subject", "transport", "surface", "telemetry|creds|load|calls|sessions|endpoint|setting", "side|look|value"}
	testKeys      = []string{"transport", "surface"}
)

var keyed = regexp.MustCompile(`^(?:\^|\.\*)?([a-z]+)=`)

// alignFilter rewrites a -bench or -run pattern so that each key=value element stands at its key's
// place in a name. Package testing matches elements by position alone, so that Point/surface=meta
// would match nothing; with this, keys may be left out and given in any order. A pattern in which any
// element after the first is not a known key=value is returned as it is.
func alignFilter(pattern string, keys []string) string {
	alternatives := splitOutsideBrackets(pattern, '|')
	for i, alternative := range alternatives {
		alternatives[i] = alignAlternative(alternative, keys)
	}
	return strings.Join(alternatives, "|")
}

func alignAlternative(pattern string, keys []string) string {
	elements := splitOutsideBrackets(pattern, '/')
	places := make([]string, len(keys))
	last := -1
	for _, element := range elements[1:] {
		place := placeOf(element, keys)
		if place < 0 || places[place] != "" {
			return pattern
		}
		places[place], last = element, max(last, place)
	}
	return strings.Join(append(elements[:1:1], places[:last+1]...), "/")
}

func placeOf(element string, keys []string) int {
	m := keyed.FindStringSubmatch(element)
	if m == nil {
		return -1
	}
	return slices.IndexFunc(keys, func(k string) bool { return slices.Contains(strings.Split(k, "|"), m[1]) })
}

// splitOutsideBrackets splits a regular expression at sep where it is not inside () or [].
func splitOutsideBrackets(s string, sep byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case sep:
			if depth == 0 {
				parts, start = append(parts, s[start:i]), i+1
			}
		}
	}
	return append(parts, s[start:])
}

func TestAlignFilter(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{".", "."},
		{"Point", "Point"},
		{"Point/surface=meta", "Point///surface=meta"},
		{"Series/.*surface=meta", "Series///.*surface=meta"},
		{"Point/surface=meta/transport=http", "Point//transport=http/surface=meta"},
		{"Point/transport=(stdio|http)/telemetry=on", "Point//transport=(stdio|http)//telemetry=on"},
		{"Noise/look=", "Noise/////look="},
		{"Series/creds=10$|Point/surface=meta", "Series////creds=10$|Point///surface=meta"},
		{"Point/subject=x/transport=http", "Point/subject=x/transport=http"},
		{"Point/whatever/surface=meta", "Point/whatever/surface=meta"},
		{"Point/surface=a/surface=b", "Point/surface=a/surface=b"},
		{`Point/surface=[m/]eta\/`, `Point///surface=[m/]eta\/`},
	} {
		assert.Equal(t, tt.want, alignFilter(tt.in, benchmarkKeys), tt.in)
	}
	assert.Equal(t, "Surface//surface=meta", alignFilter("Surface/surface=meta", testKeys))
}
