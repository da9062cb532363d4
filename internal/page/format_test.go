package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormatForOtherDocuments(t *testing.T) {
	assert.Equal(t, `a\|b &lt;c>`, Escape("a|b <c>"))
	assert.Equal(t, "| a | b |\n| --- | ---: |\n| x | 1 <sup>a</sup> |\n",
		(&Table{Head: []string{"a", "b"}, Names: 1, Rows: [][]Cell{{{Text: "x"}, {Text: "1", Mark: "a"}}}}).Markdown())
	assert.Equal(t, "12.5 ms", ScaleOf("ready-ns", 12.5e6).With(12.5e6))
	ms := ScaleOf("ready-ns", 12.5e6)
	assert.Equal(t, "12.5 ms (11–14)", ms.Spread(12.5e6, 11e6, 14e6))
	assert.Equal(t, "12.5 ms", ms.Spread(12.5e6, 12.5e6, 12.5001e6))
	assert.Equal(t, "1 KiB (−1 to 2)", ScaleOf("x-bytes", 1024).Spread(1024, -1024, 2048))
}
