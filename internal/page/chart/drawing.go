package chart

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A drawing is a chart while it is drawn.
type drawing struct {
	palette
	*layout
	chart  *Chart
	theme  Theme
	canvas *vgsvg.Canvas
	height float64 // px
	spots  []spot
}

// SVG draws the chart; the same chart gives the same bytes. It refuses a chart
// that is not well formed.
func (c *Chart) SVG(t Theme) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Name, err)
	}
	l := c.layout()
	d := &drawing{palette: t.palette(), layout: l, chart: c, theme: t, height: math.Ceil(l.bottom)}
	d.canvas = vgsvg.New(vg.Length(wide), vg.Length(d.height))
	d.draw()
	var b bytes.Buffer
	if _, err := d.canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Name, err)
	}
	svg, err := d.finished(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Name, err)
	}
	return svg, nil
}

func (d *drawing) draw() {
	all := d.within(frame{0, 0, wide, d.height})
	all.SetColor(d.paper)
	all.Fill(all.Path())
	d.paragraph(d.title, titles, d.ink, margin)
	for _, e := range d.legend {
		d.entry(e)
	}
	for i, b := range d.chart.Bands {
		d.band(b, d.bands[i], i == len(d.chart.Bands)-1)
	}
	d.paragraph(d.note, plain, d.ink, d.noteTop)
	d.paragraph(d.foot, small, d.muted, d.footTop)
}

// point is a place in px from the top left, as the canvas has it.
func (d *drawing) point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(d.height - y)}
}

// within is the part of the canvas inside the frame.
func (d *drawing) within(f frame) draw.Canvas {
	return draw.Canvas{Canvas: d.canvas, Rectangle: vg.Rectangle{Min: d.point(f.left, f.bottom), Max: d.point(f.right, f.top)}}
}

// entry draws a series in the legend, as it looks in the panels.
func (d *drawing) entry(e entry) {
	l := d.lookOf(e.name)
	c := d.within(frame{e.left, e.top, e.left + iconSize, e.top + headRoom})
	middle := c.Center()
	switch d.kind() {
	case lineKind:
		c.StrokeLine2(l.stroke(), c.Min.X, middle.Y, c.Max.X, middle.Y)
		l.mark(c, d.paper, middle, false)
	case dotKind:
		l.mark(c, d.paper, middle, false)
	default:
		d.box(c, l, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: middle.Y - 6}, Max: vg.Point{X: c.Max.X - 2, Y: middle.Y + 6}}, false)
	}
	d.write(e.name, plain, d.ink, e.left+iconSize+6, e.top+headRoom/2+plain.lowered(), rightward)
}

type kind int

const (
	lineKind kind = iota
	dotKind
	boxKind
)

// kind is how the panels show figures.
func (d *drawing) kind() kind {
	first := d.chart.Bands[0].Panels[0]
	switch {
	case first.Stack != nil, first.Bars != nil && !d.chart.X.Log:
		return boxKind
	case first.Bars != nil:
		return dotKind
	}
	return lineKind
}

func (d *drawing) lookOf(name string) look {
	return d.look(max(slices.Index(d.series, name), 0))
}

// band draws the panels of a band, the scale at the left of the first, and under
// the last band that of all.
func (d *drawing) band(b Band, s strip, last bool) {
	d.above(b, s)
	for i, p := range b.Panels {
		f := s.frames[i]
		d.panel(p, f, s.y)
		if i == 0 {
			d.leftScale(p, f, s.y)
		}
		if last && p.Stack == nil {
			d.lowerScale(f)
		}
	}
	if last && d.chart.X.Label != "" {
		bottom := d.axisTop + plain.leading()
		if d.chart.hasXAxis() {
			bottom += tickSize + plain.leading()
		}
		d.write(d.chart.X.Label, plain, d.muted, (d.left+d.right)/2, bottom-2, centred)
	}
}

// above writes what stands over the panels.
func (d *drawing) above(b Band, s strip) {
	baseline := s.top + plain.size + 2
	if b.Y.Label != "" {
		d.write(b.Y.Label, plain, d.muted, margin, baseline, rightward)
		baseline += headRoom
	}
	for i, p := range b.Panels {
		f := s.frames[i]
		if p.Title != "" {
			d.write(p.Title, heads, d.ink, f.left, baseline, rightward)
		}
		if p.Mark != nil && p.Mark.Label != "" {
			d.markLabel(*p.Mark, f)
		}
	}
}

// markLabel writes what a mark says, as near over it as the panel is wide.
func (d *drawing) markLabel(m Mark, f frame) {
	half := plain.width(m.Label) / 2
	at := f.left + inset + d.x.place(m.At)
	at = max(min(at, f.right-half), f.left+half)
	d.write(m.Label, plain, d.ink, at, f.top-8, centred)
}

// panel draws a plot in its frame, whose axes are drawn apart, since panels
// share them.
func (d *drawing) panel(p Panel, f frame, y scale) {
	plotted := plot.New()
	plotted.BackgroundColor = nil
	plotted.HideAxes()
	inner := f
	switch {
	case p.Stack != nil:
		y.set(&plotted.Y)
		plotted.X.Min, plotted.X.Max, plotted.X.Padding = 0, float64(d.chart.columns()), 0
		plotted.Add(gridY{d, y, 0}, stackPlotter{d, *p.Stack})
	case p.Bars != nil:
		inner.left, inner.right = f.left+inset, f.right-inset
		d.x.set(&plotted.X)
		plotted.Y.Min, plotted.Y.Max, plotted.Y.Padding = -float64(len(p.Bars.Rows)), 0, 0 // the first row is at the top
		plotted.Add(gridX{d}, barPlotter{d, *p.Bars})
	default:
		inner.left, inner.right = f.left+inset, f.right-inset
		d.x.set(&plotted.X)
		y.set(&plotted.Y)
		plotted.Add(gridX{d}, gridY{d, y, inset}, markPlotter{d, p.Mark}, linePlotter{d, p.Lines})
	}
	plotted.Draw(d.within(inner))
}
