package bench_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/ instead of comparing them")

const (
	metricsStart = "<!-- metrics: this table is written by `go test ./bench_test -run TestMetricsDocumented -update` -->\n"
	metricsEnd   = "<!-- /metrics -->"
)

// TestMetricsDocumented keeps the table of metrics in docs/method.md equal to the one the record is
// held to.
func TestMetricsDocumented(t *testing.T) {
	methodBlock(t, metricsStart, metricsEnd).hold(t, metricsTable())
}

func metricsTable() string {
	var b strings.Builder
	b.WriteString("\n| metric | of | better | meaning |\n|---|---|---|---|\n")
	for _, m := range record.Metrics() {
		better := map[record.Direction]string{record.Lower: "lower", record.Higher: "higher"}[m.Better]
		if m.Exact {
			better = strings.TrimPrefix(better+", exact", ", ")
		}
		var kinds []string
		for _, k := range m.Kinds {
			kinds = append(kinds, string(k))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Unit, strings.Join(kinds, ", "), better, m.Meaning)
	}
	return b.String() + "\n"
}

var makeCommand = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)

// TestDocumentedTargetsExist asks make for every target that a document tells people to use.
func TestDocumentedTargetsExist(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	found := 0
	for _, path := range append(documents, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "peers", "README.md")) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range makeCommand.FindAllStringSubmatch(codeOf(string(text)), -1) {
			found++
			assert.Regexp(t, `(?m)^`+m[1]+`:`, string(makefile), "%s tells people to run make %s", path, m[1])
		}
	}
	assert.Greater(t, found, 5, "the commands are found at all")
}

// codeOf returns what a Markdown text marks as code, by backquotes or by its indentation.
func codeOf(text string) string {
	var code strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			code.WriteString(part + "\n")
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "    ") {
			code.WriteString(line + "\n")
		}
	}
	return code.String()
}

// TestReadmeShowsWhatIsPublished holds the sample in the README to a page that is drawn from a record.
func TestReadmeShowsWhatIsPublished(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	m := regexp.MustCompile(`\]\((results/[^)]*/page/README\.md)\)`).FindStringSubmatch(string(readme))
	require.NotNil(t, m, "README.md links to the page that its sample is from")
	page, err := os.ReadFile(filepath.Join(root, m[1]))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (stdio|http), .*$`).FindAllString(string(readme), -1)
	assert.Len(t, rows, 6)
	for _, row := range rows {
		assert.Contains(t, string(page), row, "the README's sample is not what is published: copy the rows from the page")
	}
}
