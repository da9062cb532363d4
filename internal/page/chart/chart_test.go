package chart

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

var themes = []Theme{Light, Dark}

// exact is a value without an interval.
func exact(at float64) Value { return Value{At: at, Lo: at, Hi: at, Says: "exactly"} }

// about is a value with one.
func about(at float64) Value {
	return Value{At: at, Lo: at * 0.8, Hi: at * 1.3, Says: "about <this> & \"that\""}
}

func ref(v Value) *Value { return &v }

func hollow(v Value) Value {
	v.Doubted = true
	return v
}

const foot = "Host: reference, Example CPU at 2.60 GHz, 2 logical, linux/amd64, server on CPU 1. Build: v0.1.0, commit 0123456789ab. Measured: 2026-11-30, 3 rounds. Method: closed loop."

func bars() *Chart {
	return &Chart{Name: "bars", Title: "Bars of <things>", Alt: "Two rows & one without.", Foot: foot, Note: "Hollow: doubted.",
		X: Axis{Label: "Memory, MiB"}, Bands: []Band{{Panels: []Panel{{Bars: &Bars{
			Series: []string{"Idle", "Peak under load"},
			Rows: []Row{
				{"stdio, dynamic", []*Value{nil, ref(about(120))}},
				{"http, individual", []*Value{ref(exact(17.5)), ref(hollow(about(260)))}},
				{"http, meta", []*Value{nil, nil}},
			}}}}}}}
}

func dots() *Chart {
	c := bars()
	c.Name, c.X.Log = "dots", true
	second := c.Bands[0].Panels[0]
	second.Title = "Again"
	c.Bands[0].Panels = append(c.Bands[0].Panels, second)
	return c
}

func lines() *Chart {
	climb := func(name string, by float64) Line {
		l := Line{Name: name}
		for _, x := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
			l.Points = append(l.Points, Point{x, about(3 * math.Pow(x, by))})
		}
		l.Points[4].Doubted = true
		return l
	}
	panel := func(title string, mark *Mark) Panel {
		return Panel{Title: title, Mark: mark, Lines: []Line{climb("p50", 0.4), climb("p99", 0.7),
			{Name: "p99", Points: []Point{{2000, exact(90)}, {5000, exact(200)}}}}}
	}
	return &Chart{Name: "lines", Title: "Lines in four panels with a title that is so long that it takes a second line of its own", Alt: "Rising lines.", Foot: foot,
		X: Axis{Label: "Credentials (log scale)", Log: true},
		Bands: []Band{
			{Y: Axis{Label: "Calls a second"}, Panels: []Panel{panel("dynamic", &Mark{40, "Knee at 40"}), panel("meta", &Mark{1, "Knee at 1 or below"})}},
			{Y: Axis{Label: "Latency, ms (log scale)", Log: true}, Panels: []Panel{panel("", &Mark{At: 40}), panel("", nil)}},
		}}
}

func stack() *Chart {
	return &Chart{Name: "stack", Title: "Parts of a whole", Alt: "Columns.", Foot: foot, X: Axis{Label: "Credentials"},
		Bands: []Band{{Y: Axis{Label: "Share, %"}, Panels: []Panel{{Title: "dynamic", Stack: &Stack{
			Parts: []string{"Heap", "Files", "Remainder"},
			Columns: []Column{
				{"1", "25.7", []Value{exact(60), exact(45), exact(-5)}},
				{"10,000", "1,040", []Value{hollow(exact(80)), exact(8), exact(12)}},
			}}}}}}}
}

func samples() []*Chart { return []*Chart{bars(), dots(), lines(), stack()} }

func svg(t *testing.T, c *Chart, theme Theme) string {
	t.Helper()
	picture, err := c.SVG(theme)
	require.NoError(t, err)
	return string(picture)
}

func TestGoldenPictures(t *testing.T) {
	for _, c := range samples() {
		for _, theme := range themes {
			path := filepath.Join("testdata", c.File(theme))
			picture := svg(t, c, theme)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(picture), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), picture, "%s: look at it, then go test -update", path)
		}
	}
}

func TestDrawingTwiceIsTheSame(t *testing.T) {
	for i, c := range samples() {
		first := svg(t, c, Dark)
		assert.Equal(t, first, svg(t, c, Dark))
		assert.Equal(t, first, svg(t, samples()[i], Dark))
	}
}

// Two pictures of a chart in one document must not share an identifier.
func TestIdentifiersNameChartAndTheme(t *testing.T) {
	assert.Contains(t, svg(t, bars(), Light), `id="bars-light-title"`)
	assert.Contains(t, svg(t, bars(), Dark), `aria-labelledby="bars-dark-title bars-dark-desc"`)
	assert.Equal(t, 2, strings.Count(svg(t, bars(), Dark), " id="))
}

func TestMarkupIsEscaped(t *testing.T) {
	picture := svg(t, bars(), Light)
	assert.Contains(t, picture, `<title id="bars-light-title">Bars of &lt;things&gt;</title>`)
	assert.Contains(t, picture, `<desc id="bars-light-desc">Two rows &amp; one without.</desc>`)
	assert.Contains(t, picture, `<title>about &lt;this&gt; &amp; &#34;that&#34;</title>`)
}

// Every value can be pointed at.
func TestEveryValueSaysWhatItIs(t *testing.T) {
	for name, want := range map[string]struct {
		chart *Chart
		spots int
	}{"bars": {bars(), 3}, "dots": {dots(), 6}, "lines": {lines(), 4 * 22}, "stack": {stack(), 6}} {
		assert.Equal(t, want.spots, strings.Count(svg(t, want.chart, Light), `class="point"`), name)
	}
}

func TestTheCanvasMustHaveDrawn(t *testing.T) {
	_, err := (&drawing{chart: bars(), layout: &layout{}}).finished([]byte("nothing"))
	require.ErrorContains(t, err, `the canvas wrote no picture: "nothing"`)
}

func TestRefuses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		of    func() *Chart
		spoil func(*Chart)
		want  string
	}{
		{"a name", bars, func(c *Chart) { c.Name = "A b" }, "small letters"},
		{"no title", bars, func(c *Chart) { c.Title = "" }, "without a title"},
		{"no words for it", bars, func(c *Chart) { c.Alt = "" }, "alternative text"},
		{"no bands", bars, func(c *Chart) { c.Bands = nil }, "without panels"},
		{"no panels", bars, func(c *Chart) { c.Bands[0].Panels = nil }, "without panels"},
		{"panels short", lines, func(c *Chart) { c.Bands[1].Panels = c.Bands[1].Panels[:1] }, "differ in how many panels"},
		{"kinds mixed", dots, func(c *Chart) { c.Bands[0].Panels[1].Bars = nil }, `"Again" holds lines, and others bars`},
		{"rows differ", dots, func(c *Chart) {
			c.Bands[0].Panels[1].Bars = &Bars{Series: []string{"Idle"}, Rows: []Row{{"other", []*Value{nil}}}}
		}, "other rows than the panel beside it"},
		{"row short", bars, func(c *Chart) { c.Bands[0].Panels[0].Bars.Rows[0].Values = nil }, `row "stdio, dynamic" has 0 values for 2 series`},
		{"column short", stack, func(c *Chart) { c.Bands[0].Panels[0].Stack.Columns[0].Values = nil }, `column "1" has 0 values for 3 parts`},
		{"not a number", bars, func(c *Chart) { c.Bands[0].Panels[0].Bars.Rows[0].Values[1].At = math.NaN() }, "is no value"},
		{"beside its interval", bars, func(c *Chart) { c.Bands[0].Panels[0].Bars.Rows[0].Values[1].Lo = 300 }, "120 is not from 300"},
		{"zero on a logarithmic axis", lines, func(c *Chart) { c.Bands[1].Panels[0].Lines[0].Points[0].Value = exact(0) }, "0 has no place on a logarithmic axis"},
		{"mark at zero", lines, func(c *Chart) { c.Bands[0].Panels[0].Mark.At = 0 }, "0 has no place"},
		{"endless part", stack, func(c *Chart) { c.Bands[0].Panels[0].Stack.Columns[0].Values[0].At = math.Inf(1) }, `column "1": +Inf`},
		{"parts on a logarithmic axis", stack, func(c *Chart) { c.Bands[0].Y.Log = true }, "do not add up"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tc.of()
			tc.spoil(c)
			_, err := c.SVG(Light)
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, "chart ")
		})
	}
}

// A legend takes as many lines as it needs.
func TestLegendsFlow(t *testing.T) {
	c := bars()
	for range 8 {
		b := c.Bands[0].Panels[0].Bars
		b.Series = append(b.Series, strings.Repeat("long ", 5+len(b.Series)))
		for i := range b.Rows {
			b.Rows[i].Values = append(b.Rows[i].Values, ref(exact(1)))
		}
	}
	tops := make(map[float64]bool)
	for _, e := range c.layout().legend {
		tops[e.top] = true
		assert.LessOrEqual(t, e.left+iconSize+6+plain.width(e.name), wide-margin)
	}
	assert.Greater(t, len(tops), 3)
}

// A chart of one value, or of none where there are others, is still a chart.
func TestFewValues(t *testing.T) {
	for _, log := range []bool{false, true} {
		c := lines()
		c.X.Log, c.Bands = log, []Band{{Y: Axis{Log: log}, Panels: []Panel{{Lines: []Line{{Name: "one", Points: []Point{{5, exact(7)}}}}}}}}
		assert.Contains(t, svg(t, c, Light), `r="6"`)
		c.Bands[0].Panels[0].Lines = nil
		assert.NotContains(t, svg(t, c, Light), `r="6"`)
	}
}
