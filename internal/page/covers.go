package page

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// Coverage is what a page was drawn from: how many rounds of each benchmark
// name. A page carries its own, unseen, so that a smaller record is known when
// it is about to replace it.
type Coverage map[string]int

// CoverageOf counts the rounds of a record.
func CoverageOf(rec *record.Record) Coverage {
	c := make(Coverage)
	for _, r := range rec.Results {
		if !isReading(r.Kind()) {
			c[r.Name]++
		}
	}
	return c
}

const covers = "covers "

// comment is the coverage as it stands at the end of a page.
func (c Coverage) comment() string {
	var b strings.Builder
	b.WriteString("<!--\n")
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%s%d %s\n", covers, c[name], name)
	}
	b.WriteString("-->\n")
	return b.String()
}

var coversLine = regexp.MustCompile(`(?m)^` + covers + `(\d+) (\S+)$`)

// ReadCoverage returns what a page that was drawn before covers: nothing, if it
// is not such a page.
func ReadCoverage(page []byte) Coverage {
	c := make(Coverage)
	for _, m := range coversLine.FindAllSubmatch(page, -1) {
		if rounds, err := strconv.Atoi(string(m[1])); err == nil {
			c[string(m[2])] = rounds
		}
	}
	return c
}

// Lost returns the names of which c has more rounds than next, one line each.
func (c Coverage) Lost(next Coverage) []string {
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if next[name] < c[name] {
			lost = append(lost, fmt.Sprintf("%s: %d rounds, published are %d", name, next[name], c[name]))
		}
	}
	return lost
}
