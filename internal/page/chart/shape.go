package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A shape marks a point: a regular polygon, with one corner at a part of the
// full turn from three o'clock, or a circle if it has no corners.
type shape struct {
	corners int
	turn    float64
}

// radius is that of the circle around a polygon which covers as much as a
// circle of radius r does.
func (s shape) radius(r float64) float64 {
	n := float64(s.corners)
	return r * math.Sqrt(2*math.Pi/(n*math.Sin(2*math.Pi/n)))
}

func (s shape) path(at vg.Point, r float64) vg.Path {
	var p vg.Path
	if s.corners == 0 {
		p.Move(vg.Point{X: at.X + vg.Length(r), Y: at.Y})
		p.Arc(at, vg.Length(r), 0, 2*math.Pi)
		p.Close()
		return p
	}
	r = s.radius(r)
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
	markRadius = 4.9
	strokeSize = 1.8
)

// mark draws the look's shape at a place, filled or hollow.
func (l look) mark(c draw.Canvas, paper color.RGBA, at vg.Point, hollow bool) {
	if !hollow {
		c.SetColor(l.ink)
		c.Fill(l.shape.path(at, markRadius))
		return
	}
	p := l.shape.path(at, markRadius-0.5)
	c.SetColor(paper)
	c.Fill(p)
	c.SetLineStyle(solid(l.ink, 1.6))
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
