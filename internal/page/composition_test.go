package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The parts of a resident set and the remainder are the whole, whatever rounds
// differ in.
func TestCompositionAddsUp(t *testing.T) {
	for _, l := range ladders(t, sampleSeries()) {
		for _, at := range moments {
			table := (&tableMaker{}).composition(l.Steps, at)
			require.Len(t, table.Rows, len(l.Steps))
			for _, row := range table.Rows {
				sum := 0.0
				for _, part := range row[2:] {
					require.True(t, part.Known)
					sum += part.Value
				}
				assert.InDelta(t, row[1].Value, sum, 1)
			}
		}
	}
}

func TestRemainder(t *testing.T) {
	figure := func(mebis float64) Figure {
		f := Figure{Unit: "load-RSS-bytes", Refs: []string{"r.txt:1"}}
		f.Median = mebis * mebi
		return f
	}
	missing := func(why string) Figure { return Figure{Absent: why} }
	for _, tc := range []struct {
		name  string
		whole Figure
		parts []Figure
		want  string
		notes []string
	}{
		{"positive", figure(10), []Figure{figure(4), figure(3)}, "3", nil},
		{"negative", figure(10), []Figure{figure(8), figure(7)}, "−5", nil},
		{"near zero", figure(74.26), []Figure{figure(70), figure(4.2)}, "0.1", nil},
		{"nothing to be seen", figure(614), []Figure{figure(600), figure(14.2)}, "0", nil},
		{"no whole", missing("an older suite"), []Figure{missing("x")}, "n/a", []string{"<sup>a</sup> n/a: an older suite."}},
		{"no part", figure(10), []Figure{figure(1), missing("no profile")}, "n/a", []string{"<sup>a</sup> n/a: no profile."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := &tableMaker{}
			cell := m.remainder(tc.whole, tc.parts)
			assert.Equal(t, tc.want, cell.Text)
			assert.Equal(t, tc.notes, m.finish().Notes)
			if cell.Known {
				assert.Len(t, cell.Refs, 3)
			}
		})
	}
}

// A record from before the resident set was read as the load ends has the parts
// all the same.
func TestCompositionOfAnOlderRecord(t *testing.T) {
	rec := sampleSeries()
	withhold(rec, "load-RSS-bytes", "an older suite")
	page := drawn(t, rec)
	assert.Contains(t, page, "| 1 | n/a <sup>a</sup> | 22.3 | 8.58 | 2.58 | 2.15 | 7.30 | n/a <sup>a</sup> |")
	assert.Contains(t, page, "<sup>a</sup> n/a: an older suite.")
}
