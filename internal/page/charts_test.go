package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// chartsOf are the charts of a record's page by name, and the names in order.
func chartsOf(t *testing.T, rec *record.Record) (map[string]*chart.Chart, []string) {
	t.Helper()
	doc, err := Draw(rec)
	require.NoError(t, err)
	by := make(map[string]*chart.Chart)
	var names []string
	for _, c := range doc.Charts() {
		require.NotContains(t, by, c.Name)
		by[c.Name] = c
		names = append(names, c.Name)
	}
	return by, names
}

// A lettered is a text of a picture and the room it takes, from the top left.
type lettered struct {
	text                     string
	left, top, right, bottom float64
}

// A pictured is what a test sees of a picture.
type pictured struct {
	width, height float64
	texts         []lettered
	says          []string // what points say when pointed at
}

var (
	sizeForm = regexp.MustCompile(`font-size:([0-9.]+)px`)
	boxForm  = regexp.MustCompile(`^0 0 ([0-9.]+) ([0-9.]+)$`)
)

// look reads a picture, which fails unless it is well-formed.
func look(t *testing.T, svg []byte) *pictured {
	t.Helper()
	p := &pictured{}
	var within []xml.StartElement
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			within = append(within, token.Copy())
			if token.Name.Local == "svg" {
				box := boxForm.FindStringSubmatch(xmlAttribute(token, "viewBox"))
				require.NotNil(t, box)
				p.width, p.height = number64(t, box[1]), number64(t, box[2])
			}
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			p.take(t, within, string(token))
		}
	}
}

func (p *pictured) take(t *testing.T, within []xml.StartElement, text string) {
	t.Helper()
	if len(within) == 0 {
		return
	}
	switch at := within[len(within)-1]; {
	case at.Name.Local == "text":
		p.texts = append(p.texts, p.placed(t, at, text))
	case at.Name.Local == "title" && len(within) > 2:
		p.says = append(p.says, text)
	}
}

// placed is where a text stands: it is written upside down into a picture that
// is upside down.
func (p *pictured) placed(t *testing.T, at xml.StartElement, text string) lettered {
	t.Helper()
	style := xmlAttribute(at, "style")
	size := number64(t, sizeForm.FindStringSubmatch(style)[1])
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if strings.Contains(style, "bold") {
		f.Weight = xfont.WeightBold
	}
	face := font.DefaultCache.Lookup(f, vg.Length(size))
	x, baseline := number64(t, xmlAttribute(at, "x")), p.height+number64(t, xmlAttribute(at, "y"))
	return lettered{text, x, baseline - 0.72*size, x + face.Width(text).Points(), baseline + 0.21*size}
}

func xmlAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return v
}

var everyChart = []string{"memory-per-scenario", "admitting", "start-and-first-list", "latency-per-method",
	"memory-over-credentials", "admitting-over-credentials", "throughput-and-latency", "cpu-per-call", "composition", "latency-distribution"}

// Every chart of the sample, in either theme, is a picture that stands alone and
// in which all text can be read.
func TestChartsCanBeRead(t *testing.T) {
	by, names := chartsOf(t, sample(t, pointsPath, seriesPath))
	assert.ElementsMatch(t, everyChart, names)
	for _, name := range names {
		for _, theme := range []chart.Theme{chart.Light, chart.Dark} {
			t.Run(name+" "+theme.String(), func(t *testing.T) {
				svg, err := by[name].SVG(theme)
				require.NoError(t, err)
				again, err := by[name].SVG(theme)
				require.NoError(t, err)
				assert.Equal(t, string(svg), string(again))
				assert.NotContains(t, string(svg), "href")
				assert.NotContains(t, string(svg), "url(")
				legible(t, look(t, svg))
			})
		}
	}
}

// legible holds that no text is cut or written over.
func legible(t *testing.T, p *pictured) {
	t.Helper()
	assert.InDelta(t, chart.Width, p.width, 0)
	for i, a := range p.texts {
		assert.True(t, a.left >= 0 && a.right <= p.width && a.top >= 0 && a.bottom <= p.height, "%q is outside the picture: %+v", a.text, a)
		for _, b := range p.texts[:i] {
			apart := a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
			assert.True(t, apart, "%q and %q touch: %+v, %+v", a.text, b.text, a, b)
		}
	}
}

// all are the values of a chart.
func all(c *chart.Chart) []chart.Value {
	var values []chart.Value
	for _, b := range c.Bands {
		values = append(values, valuesOf(b.Panels)...)
		for _, p := range b.Panels {
			if p.Stack == nil {
				continue
			}
			for _, col := range p.Stack.Columns {
				values = append(values, col.Values...)
			}
		}
	}
	return values
}

// What a point says is what the record says, and it stands where that belongs.
func TestPointsSayWhatTheRecordSays(t *testing.T) {
	rec := sample(t, pointsPath, seriesPath)
	v, err := NewView(rec)
	require.NoError(t, err)
	by, _ := chartsOf(t, rec)
	for name, c := range by {
		svg, err := c.SVG(chart.Light)
		require.NoError(t, err)
		var want []string
		for _, value := range all(c) {
			want = append(want, value.Says)
			if !strings.Contains(value.Says, "Remainder") {
				assert.True(t, recorded(v, value), "%s: %s is not in the record (%v)", name, value.Says, value.At)
			}
		}
		require.NotEmpty(t, want)
		assert.ElementsMatch(t, want, look(t, svg).says, name)
	}
}

// recorded reports whether a value is a figure of the scenario that it names.
func recorded(v *View, value chart.Value) bool {
	name, amounts, _ := strings.Cut(value.Says, ": ")
	for _, s := range v.everything() {
		if !strings.HasPrefix(name, s.called()+", ") {
			continue
		}
		for _, of := range s.All[0].Values {
			f := s.Figure(of.Unit)
			for _, said := range []struct {
				text string
				of   float64
			}{{f.spread(fitting), f.Median}, {f.String(), f.Median}, {amount(f.Unit, f.Max), f.Max}} {
				if strings.HasPrefix(amounts, said.text+", ") && stands(value, said.of) {
					return true
				}
			}
		}
	}
	return false
}

// stands reports whether the value is the amount in some scale, a share of
// something, or a rate that the amount is the inverse of.
func stands(value chart.Value, amount float64) bool {
	if strings.Contains(value.Says, "% of ") {
		return true
	}
	if strings.Contains(value.Says, "one caller alone") {
		return math.Abs(value.At*amount/1e9-1) < 1e-9
	}
	for _, factor := range []float64{1, mib.Factor, 1e3, millis.Factor} {
		if math.Abs(value.At*factor-amount) <= 1e-9*math.Abs(amount) {
			return true
		}
	}
	return false
}

func TestChartsFollowTheRecord(t *testing.T) {
	rec := wholeRecord()
	change(rec, "Point/subject=gitlab-mcp/transport=http/surface=meta", "peak-RSS-bytes", to(777<<20))
	change(rec, "surface=dynamic/creds=1000", "peak-RSS-bytes", to(3<<30))
	by, _ := chartsOf(t, rec)
	assert.Contains(t, by["memory-per-scenario"].Alt, "777 MiB (meta)")
	assert.Contains(t, by["memory-over-credentials"].Alt, "3 GiB with 1,000 credentials")
	svg, err := by["memory-per-scenario"].SVG(chart.Light)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "<title>http, meta, Peak under load: 777 MiB, 3 rounds</title>")
}

// A chart without its figures is not there, and the others are.
func TestChartsAreLeftOut(t *testing.T) {
	for _, tc := range []struct {
		units []string
		lost  []string
	}{
		{[]string{"load-RSS-bytes"}, []string{"composition"}},
		{[]string{"load-free-bytes"}, []string{"composition"}},
		{[]string{"ready-ns", "first-list-ns", "first-call-ns", "warm-list-ns"}, []string{"start-and-first-list"}},
		{[]string{"idle-RSS-bytes", "one-RSS-bytes", "all-RSS-bytes"}, []string{"admitting", "admitting-over-credentials"}},
		{[]string{"call-p50-ns"}, []string{"latency-distribution"}},
		{[]string{"cpu-ns/call", "call-cpu-ns/call", "list-cpu-ns/call"}, []string{"cpu-per-call"}},
		{[]string{"inflight"}, []string{"throughput-and-latency"}},
	} {
		t.Run(strings.Join(tc.units, " "), func(t *testing.T) {
			rec := wholeRecord()
			for _, unit := range tc.units {
				withhold(rec, unit, "x")
			}
			_, names := chartsOf(t, rec)
			for _, name := range everyChart {
				assert.Equal(t, slices.Contains(tc.lost, name), !slices.Contains(names, name), name)
			}
		})
	}
	_, names := chartsOf(t, sampleRecord())
	assert.Equal(t, everyChart[:4], names)
	_, names = chartsOf(t, sampleSeries())
	assert.ElementsMatch(t, everyChart[4:], names)
	_, names = chartsOf(t, only(sampleSeries(), "Open/"))
	assert.Empty(t, names)
}

// What is doubted is drawn hollow, said to be, and carries no words.
func TestDoubtedIsHollow(t *testing.T) {
	rec := wholeRecord()
	by, _ := chartsOf(t, rec)
	for name, c := range by {
		assert.NotContains(t, c.Alt, "Doubted", name)
		assert.NotContains(t, c.Note, "Hollow", name)
		for _, v := range all(c) {
			require.False(t, v.Doubted, name)
		}
	}
	doubt(rec, "Point/subject=gitlab-mcp/transport=http/surface=individual", "late sends")
	doubt(rec, "surface=individual/creds=500", "late sends")
	by, _ = chartsOf(t, rec)
	for name, called := range map[string]string{"memory-per-scenario": "http, individual", "latency-per-method": "http, individual",
		"memory-over-credentials": "http, individual, 500 credentials", "composition": "http, individual, 500 credentials"} {
		before, after, found := strings.Cut(by[name].Alt, "Doubted, so that no statement uses it, and drawn hollow: "+called+".")
		assert.True(t, found, by[name].Alt)
		assert.Empty(t, after)
		assert.NotContains(t, before, "with 500 credentials")
		assert.Contains(t, by[name].Note, "Hollow: doubted")
		for _, v := range all(by[name]) {
			assert.Equal(t, strings.HasPrefix(v.Says, called+","), v.Doubted, v.Says)
		}
	}
}

// No figure of the words for a chart may be typed: where every value of the
// record changes, all of them do, but for how many credentials there were.
func TestNoFigureOfAChartIsTyped(t *testing.T) {
	figures := func(rec *record.Record) []string {
		var found []string
		by, names := chartsOf(t, rec)
		for _, name := range names {
			words := regexp.MustCompile(`p50|p99|99 in 100|[0-9,]+ credentials?`).ReplaceAllString(by[name].Alt, "")
			for _, n := range number.FindAllString(words, -1) {
				found = append(found, name+": "+n)
			}
		}
		return found
	}
	before, changed := wholeRecord(), wholeRecord()
	units := make(map[string]bool)
	for _, r := range changed.Results {
		for _, v := range r.Values {
			units[v.Unit] = true
		}
	}
	for i, unit := range sortedKeys(units) {
		change(changed, everywhere, unit, times(2.3+0.011*float64(i)))
	}
	was, is := figures(before), figures(changed)
	require.Greater(t, len(is), 60)
	require.Len(t, is, len(was))
	for i, figure := range is {
		assert.NotEqual(t, was[i], figure)
	}
}

// What is withheld is not in the words, and all else is.
func TestWordsLeaveOutWhatIsWithheld(t *testing.T) {
	rec := wholeRecord()
	withhold(rec, "call-p99-ns", "too few calls")
	by, _ := chartsOf(t, rec)
	assert.Equal(t, "How latency is distributed.", by["latency-distribution"].Alt)
	assert.NotContains(t, by["latency-per-method"].Alt, "99 in 100")
	assert.Contains(t, by["latency-per-method"].Alt, "half of the calls")
}

func TestFootsSayWhatFiguresBelongTo(t *testing.T) {
	by, _ := chartsOf(t, wholeRecord())
	assert.Equal(t, "Host: reference, Example CPU at 2.60 GHz, 2 logical, linux/amd64, server on CPU 1. Build: v0.1.0, commit 0123456789ab. "+
		"Measured: 2026-11-30, 2 to 3 rounds. Method: closed loop, one method at a time, all clients at once.", by["memory-per-scenario"].Foot)
	assert.Contains(t, by["memory-over-credentials"].Foot, "2 to 3 rounds. Method: closed loop, tools/call and tools/list in turn.")
	assert.Contains(t, by["latency-distribution"].Foot, "in turn; open loop, latency from the intended start.")

	bare, _ := chartsOf(t, bareRecord())
	assert.Equal(t, "Measured: 1 round.", bare["memory-per-scenario"].Foot)
}

// bareRecord says nothing but a figure.
func bareRecord() *record.Record {
	return &record.Record{Results: []record.Result{{Name: "Point/transport=http/surface=meta", Iterations: 1,
		Values: []record.Value{{Unit: "peak-RSS-bytes", Amount: 5 << 20}}}}}
}

func TestWhiskersAreExplained(t *testing.T) {
	by, _ := chartsOf(t, wholeRecord())
	assert.Equal(t, "Whiskers span the rounds.", by["memory-per-scenario"].Note)
	assert.Equal(t, "The whiskers of a percentile span the 95% intervals of all rounds.", by["latency-per-method"].Note)
	assert.Contains(t, by["memory-over-credentials"].Note, "loaded otherwise than most")
	bare, _ := chartsOf(t, bareRecord())
	assert.Empty(t, bare["memory-per-scenario"].Note)

	rec := sampleRecord()
	for round := 4; round <= 6; round++ {
		for i, s := range scenes()[:4] {
			rec.Results = append(rec.Results, sampleResult(s, i, round))
		}
	}
	by, _ = chartsOf(t, rec)
	assert.Equal(t, "Whiskers are the 95% interval, or span the rounds where these are too few for one.", by["memory-per-scenario"].Note)
	by, _ = chartsOf(t, only(rec, "transport=stdio"))
	assert.Equal(t, "Whiskers are the 95% interval.", by["memory-per-scenario"].Note)
}

func TestAxesAreLogarithmicOverDecades(t *testing.T) {
	value := func(lo, hi float64) chart.Value { return chart.Value{Lo: lo, Hi: hi} }
	assert.True(t, axis("x", mib, []chart.Value{value(1, 2), value(19, 20)}).Log)
	assert.Equal(t, "x, MiB (log scale)", axis("x", mib, []chart.Value{value(1, 20)}).Label)
	assert.False(t, axis("x", plain, []chart.Value{value(1, 19)}).Log)
	assert.False(t, axis("x", plain, []chart.Value{value(0, 1000)}).Log, "zero has no logarithm")
	assert.False(t, axis("x", plain, nil).Log)
	assert.Equal(t, "−1,500", onAxis(-1500))
	assert.Equal(t, "0.05", onAxis(0.05))
}

func TestKneesAreMarked(t *testing.T) {
	by, _ := chartsOf(t, sampleSeries())
	c := by["throughput-and-latency"]
	for i, p := range c.Bands[0].Panels {
		require.NotNil(t, p.Mark)
		assert.Regexp(t, `^Knee at (most )?[0-9.]+$`, p.Mark.Label)
		assert.Equal(t, &chart.Mark{At: p.Mark.At}, c.Bands[1].Panels[i].Mark)
	}
	rec := sampleSeries()
	withhold(rec, "calls/s", "x")
	assert.Nil(t, unlabelled(ladders(t, rec)["meta"].kneeMark()))
}

func TestPicturesInMarkdown(t *testing.T) {
	block := Block{Chart: &chart.Chart{Name: "some-name", Alt: `Less than "5" & <more>.`}}
	assert.Equal(t, "<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"charts/some-name-dark.svg\">\n"+
		"<img src=\"charts/some-name.svg\" width=\"760\" alt=\"Less than &#34;5&#34; &amp; &lt;more&gt;.\">\n</picture>\n", block.markdown())
}

// More surfaces than stand abreast go into further bands.
func TestManyPanels(t *testing.T) {
	panels := func(n int) []chart.Panel { return make([]chart.Panel, n) }
	for _, tc := range []struct{ panels, columns, bands int }{{1, 1, 1}, {3, 3, 1}, {6, 3, 2}, {4, 3, 4}, {4, 2, 2}} {
		assert.Len(t, inBands(panels(tc.panels), tc.columns), tc.bands, fmt.Sprint(tc))
	}
}

// BenchmarkDrawCharts draws every chart of the sample in both themes: a page
// has to be drawn in less than two seconds.
func BenchmarkDrawCharts(b *testing.B) {
	doc, err := Draw(wholeRecord())
	require.NoError(b, err)
	for b.Loop() {
		for _, c := range doc.Charts() {
			for _, theme := range []chart.Theme{chart.Light, chart.Dark} {
				_, err := c.SVG(theme)
				require.NoError(b, err)
			}
		}
	}
}

// Steps that were loaded otherwise stand apart from the others.
func TestCompositionHasAGapBeforeStepsLoadedOtherwise(t *testing.T) {
	by, _ := chartsOf(t, wholeRecord())
	gaps := make(map[string][]string)
	for _, b := range by["composition"].Bands {
		columns := b.Panels[0].Stack.Columns
		for i, col := range columns {
			if col.Name == "" {
				gaps[b.Panels[0].Title] = append(gaps[b.Panels[0].Title], columns[i-1].Name+" | "+columns[i+1].Name)
			}
		}
	}
	assert.Equal(t, map[string][]string{"http, dynamic": {"1,000 | 2,000"}}, gaps)
	assert.Contains(t, by["composition"].Note, "across a gap")
	by, _ = chartsOf(t, only(wholeRecord(), "surface=meta"))
	assert.NotContains(t, by["composition"].Note, "gap")
}
