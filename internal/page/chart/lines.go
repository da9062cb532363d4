package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// linePlotter draws lines with the intervals of their points.
type linePlotter struct {
	*drawing
	lines []Line
}

// Plot draws all lines, then all points, so that no line hides one.
func (l linePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	place := func(pt Point) vg.Point { return vg.Point{X: x(pt.X), Y: y(pt.At)} }
	for _, line := range l.lines {
		var through []vg.Point
		for _, pt := range line.Points {
			if !pt.Doubted {
				through = append(through, place(pt))
			}
		}
		c.StrokeLines(l.lookOf(line.Name).stroke(), through)
	}
	for _, line := range l.lines {
		look := l.lookOf(line.Name)
		for _, pt := range line.Points {
			l.whisker(c, look.ink, whiskerSize, vg.Point{X: x(pt.X), Y: y(pt.Lo)}, vg.Point{X: x(pt.X), Y: y(pt.Hi)})
			look.mark(c, l.paper, place(pt), pt.Doubted)
			l.spotAt(place(pt), pt.Says)
		}
	}
}

const (
	whiskerSize = 1.3 // of its line
	capSize     = 3   // how far its ends reach to either side
)

// whisker draws an interval from one place to another.
func (d *drawing) whisker(c draw.Canvas, ink color.RGBA, width float64, from, to vg.Point) {
	if from == to {
		return
	}
	sty := solid(ink, width)
	c.StrokeLine2(sty, from.X, from.Y, to.X, to.Y)
	for _, end := range []vg.Point{from, to} {
		if from.X == to.X {
			c.StrokeLine2(sty, end.X-capSize, end.Y, end.X+capSize, end.Y)
		} else {
			c.StrokeLine2(sty, end.X, end.Y-capSize, end.X, end.Y+capSize)
		}
	}
}

// spotAt lets a point say what it is.
func (d *drawing) spotAt(at vg.Point, says string) {
	x, y := at.X.Points(), d.height-at.Y.Points()
	d.spots = append(d.spots, spot{frame{x, y, x, y}, true, says})
}

// spotOver lets a rectangle say what it is.
func (d *drawing) spotOver(r vg.Rectangle, says string) {
	d.spots = append(d.spots, spot{frame{r.Min.X.Points(), d.height - r.Max.Y.Points(), r.Max.X.Points(), d.height - r.Min.Y.Points()}, false, says})
}
