package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stackPlotter draws columns in their parts.
type stackPlotter struct {
	*drawing
	stack Stack
}

// columnShare is what a column takes of its place.
const columnShare = 0.7

// Plot stacks the parts of each column from zero, those above it upwards and
// those below it downwards.
func (s stackPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, col := range s.stack.Columns {
		if col.gap() {
			continue
		}
		middle := x(float64(i) + 0.5)
		half := columnShare / 2 * (x(1) - x(0))
		above, below := 0.0, 0.0
		for n, v := range col.Values {
			from := &above
			if v.At < 0 {
				from = &below
			}
			a, b := y(*from), y(*from+v.At)
			*from += v.At
			r := vg.Rectangle{Min: vg.Point{X: middle - half, Y: min(a, b)}, Max: vg.Point{X: middle + half, Y: max(a, b)}}
			s.part(c, s.lookOf(s.stack.Parts[n]), r, v)
		}
		top := s.height - y(above).Points()
		s.write(col.Total, plain, s.ink, middle.Points(), top-4, centred)
		s.write(col.Name, plain, s.ink, middle.Points(), s.height-c.Min.Y.Points()+tickSize+plain.size-2, centred)
	}
}

// part draws one, with a line of paper between it and the next.
func (s stackPlotter) part(c draw.Canvas, l look, r vg.Rectangle, v Value) {
	s.box(c, l, r, v.Doubted)
	if !v.Doubted {
		c.StrokeLine2(solid(s.paper, 0.8), r.Min.X, r.Min.Y, r.Max.X, r.Min.Y)
	}
	s.spotOver(r, v.Says)
}
