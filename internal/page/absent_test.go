package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// notMeasuredOf is the section of a record's page that says what there is not.
func notMeasuredOf(t *testing.T, rec *record.Record) string {
	t.Helper()
	_, section, found := strings.Cut(drawn(t, rec), "\n## What was not measured\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

func TestAbsentPartsAreNamed(t *testing.T) {
	said := notMeasuredOf(t, sampleRecord())
	assert.Contains(t, said, "- **Not in this record**, so that nothing here speaks of it: series of growing numbers of credentials and calls at a rate (`make bench-resources`); "+
		"binary and container image, cheap endpoints, ")
	for _, want := range []string{"other settings (`make sizing`)", "limits put to the test (`make prove-sizing`)", "the gate soak (`make soak`)",
		"the gate overload, more than the server admits (`make overload`)", "the gate abandoned, clients that go away (`make abandoned`)", "the noise floor (`make noise`)"} {
		assert.Contains(t, said, want)
	}
	assert.NotContains(t, said, "point scenarios (`")
	assert.NotContains(t, said, "in every part")
}

// What a record has is not said to be missing, whichever it is.
func TestPresentPartsAreNotNamed(t *testing.T) {
	v := &View{}
	for _, p := range recordParts {
		assert.Contains(t, v.absent(), p.words)
		v.all = append(v.all, record.Result{Name: string(p.kind) + "/subject=gitlab-mcp"})
		assert.NotContains(t, v.absent(), p.words)
	}
	assert.Empty(t, v.absent())
}

func TestPartsOfOtherBuildsAreNamed(t *testing.T) {
	rec := sampleSoak()
	last := &rec.Results[len(rec.Results)-1]
	last.Identity[record.KeySHA256], last.Identity[record.KeyBuild], last.Identity[record.KeyCommit] = "another", "v9", "fedcba9876543210"
	last.Identity[record.KeyDate] = "2026-12-24T00:00:00Z"
	assert.Contains(t, notMeasuredOf(t, rec), "- **The build of the figures in every part.** Measured with another: the gate soak on 2026-12-24 with v9, commit `fedcba987654`.\n")
}

// Whatever a record may lack, the page says how to measure it.
func TestEveryPartIsMeasuredAgain(t *testing.T) {
	_, again, _ := strings.Cut(drawn(t, wholeRecord()), "\n## Measuring again\n")
	for _, p := range recordParts {
		assert.Regexp(t, `(?m)^make `+p.by+`( |$)`, again, p.words)
	}
	for _, want := range []string{"make compare OLD=", "-old OLD -new NEW", "make check-bench-resources", "-bench 'Point/"} {
		assert.Contains(t, again, want)
	}
}
