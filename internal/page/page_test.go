package page

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

var update = flag.Bool("update", false, "write the sample record and the golden page anew")

func TestGoldenPage(t *testing.T) {
	if *update {
		updateSample(t)
	}
	doc, err := Draw(sample(t))
	require.NoError(t, err)
	const golden = "testdata/page/README.md"
	if *update {
		require.NoError(t, record.WriteFile(golden, doc.Markdown()))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(doc.Markdown()))
}
