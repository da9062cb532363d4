package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A shape marks a point: a regular polygon, with one corner at a part of the
// full turn from three o'clock.
type shape struct {
	corners int
	turn    float64
}

// A shape with few corners covers less than a circle around it does.
func (s shape) radius(r float64) float64 {
	const circle = math.Pi
	n := float64(s.corners)
	area := n / 2 * math.Sin(2*math.Pi/n) // of the polygon in a circle of radius 1
	return r * math.Sqrt(circle/area)
}

func (s shape) path(at vg.Point, r float64) vg.Path {
	r = s.radius(r)
	var p vg.Path
	for i := range s.corners {
		sin, cos := math.Sincos(2 * math.Pi * (s.turn + float64(i)/float64(s.corners)))
		corner := vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
		if i == 0 {
			p.Move(corner)
			continue
		}
		p.Line(corner)
	}
	p.Close()
	return p
}

const (
	markRadius = 4.2
	strokeSize = 1.8
)

// mark draws the look's shape at a place, filled or hollow.
func (l look) mark(c draw.Canvas, paper color.RGBA, at vg.Point, hollow bool) {
	fill := l.ink
	if hollow {
		fill = paper
	}
	p := l.shape.path(at, markRadius)
	c.SetColor(fill)
	c.Fill(p)
	c.SetLineStyle(solid(l.ink, 1.5))
	c.Stroke(p)
}

// solid is a line without gaps.
func solid(ink color.RGBA, width float64) draw.LineStyle {
	return draw.LineStyle{Color: ink, Width: vg.Length(width)}
}

// stroke is the line of a series.
func (l look) stroke() draw.LineStyle {
	s := solid(l.ink, strokeSize)
	for _, d := range l.dashes {
		s.Dashes = append(s.Dashes, vg.Length(d))
	}
	return s
}
