package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docBlock is a stretch of docs/method.md that is written by a test, with what stands before and after it.
type docBlock struct{ path, before, text, after string }

// methodBlock finds what stands between two marks.
func methodBlock(t *testing.T, start, end string) docBlock {
	t.Helper()
	root, err := moduleRoot()
	require.NoError(t, err)
	b := docBlock{path: filepath.Join(root, "docs", "method.md")}
	before, rest, ok := strings.Cut(readFile(t, b.path), start)
	require.True(t, ok, "%s has lost the mark %q", b.path, start)
	text, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has lost the mark %q", b.path, end)
	b.before, b.text, b.after = before+start, text, end+after
	return b
}

// rewrite puts another text between the marks.
func (b docBlock) rewrite(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(b.path, []byte(b.before+text+b.after), 0o644))
}

// hold compares the text with what it is to be, or makes it that with -update.
func (b docBlock) hold(t *testing.T, want string) {
	t.Helper()
	if *update {
		b.rewrite(t, want)
		return
	}
	assert.Equal(t, want, b.text, "run: go test ./bench_test -run %s -update", t.Name())
}
