package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// exactSeries is the made-up series of meta with memory that lies on lines without noise.
func exactSeries() *record.Record {
	const mega = 1 << 20
	rec := only(sampleSeries(), "surface=meta")
	for _, unit := range []string{"all-RSS-bytes", "rest-RSS-bytes", "rest-heap-bytes"} {
		grow(rec, unit, 20*mega, mega/32)
	}
	grow(rec, "peak-RSS-bytes", 60*mega, 2*mega)
	return rec
}

// residualsOf are those of the only series of a record, by what a sentence calls the load.
func residualsOf(t *testing.T, rec *record.Record) map[string]residual {
	t.Helper()
	v, err := NewView(rec)
	require.NoError(t, err)
	sizers, _ := v.sizers()
	require.Len(t, sizers, 1)
	by := make(map[string]residual)
	for _, r := range sizers[0].residuals() {
		by[r.place()] = r
	}
	return by
}

// A model that is exact is off nowhere; a step that took a tenth more than its line is off by that, and named.
func TestResiduals(t *testing.T) {
	rec := exactSeries()
	change(rec, "load=50pct", "peak-RSS-bytes", to(1e9))
	by := residualsOf(t, rec)
	require.Len(t, by, 13, "ten steps and three rates")
	for place, r := range by {
		off, ok := r.off()
		switch {
		case strings.Contains(place, "without pause"):
			assert.True(t, ok, place)
			assert.InDelta(t, 0, off, 1e-9, place)
			assert.InDelta(t, 1/Headroom, taken(r), 1e-9, place)
		case r.All[0].Part("load") == "50pct":
			assert.InDelta(t, 1e9/r.said.Memory.Middle-1, off, 1e-9, "open loops are held against the model, and do not make it")
		}
	}

	rec = only(exactSeries(), "creds=")
	change(rec, "creds=200", "peak-RSS-bytes", times(1.1))
	page := drawn(t, rec)
	assert.Contains(t, page, "`meta`: over 10 loads the memory of the model is off most at 200 credentials, without pause, by +10.0%; "+
		"the most that was taken of a limit is 88.0%, at 200 credentials, without pause.")
	assert.Regexp(t, `(?m)^\| meta \| 200 \| without pause \| 800 \|.*\| \+10.0% \| 88.0% \|`, page)
}

// What the model cannot say is absent with its reason, and what it says of a step by that step itself is no forecast.
func TestResidualsThatSayNothing(t *testing.T) {
	rec := only(sampleSeries(), "surface=dynamic")
	by := residualsOf(t, rec)
	assert.False(t, by["1,000 credentials, without pause"].own)
	assert.True(t, by["10,000 credentials, without pause"].own)
	page := drawn(t, rec)
	assert.Contains(t, page, "no forecast")

	change(rec, "load=95pct", "unsent-calls", to(1))
	for place, r := range residualsOf(t, rec) {
		if r.All[0].Part("load") == "95pct" {
			_, said := r.off()
			assert.False(t, said, place)
			_, said = r.used()
			assert.False(t, said, place)
			assert.Contains(t, r.said.NoMemory, "was seen to keep up")
		}
	}
	rec = only(exactSeries(), "creds=")
	withhold(rec, "loaded-cpu-cores", "held back")
	assert.Contains(t, drawn(t, rec), "n/a: held back")
	doubt(rec, everywhere, "doubted")
	assert.NotContains(t, drawn(t, rec), fitsHeading)
}
