package stat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mcpbench/internal/stat"
)

func TestTogether(t *testing.T) {
	const pass, fail, open = stat.Pass, stat.Fail, stat.Inconclusive
	for _, tt := range []struct {
		of   []stat.Verdict
		want stat.Verdict
	}{
		{nil, open},
		{[]stat.Verdict{pass}, pass},
		{[]stat.Verdict{pass, pass}, pass},
		{[]stat.Verdict{pass, open}, open},
		{[]stat.Verdict{open, pass}, open},
		{[]stat.Verdict{open, fail, pass}, fail},
		{[]stat.Verdict{pass, "unheard of"}, open},
	} {
		assert.Equal(t, tt.want, stat.Together(tt.of...), tt.of)
	}
}
