package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barPlotter draws rows of bars, or of dots on a logarithmic axis.
type barPlotter struct {
	*drawing
	bars Bars
}

// absent stands where a row has no value at all.
const absent = "n/a"

// Plot draws row by row, the first at the top.
func (b barPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, row := range b.bars.Rows {
		middle := y(-float64(i) - 0.5)
		if row.empty() {
			b.write(absent, plain, b.muted, c.Min.X.Points()+4, b.height-middle.Points()+plain.lowered(), rightward)
			continue
		}
		if b.chart.X.Log {
			b.dots(c, row, x, middle)
			continue
		}
		top := middle + vg.Length(float64(len(row.Values))*barSize/2)
		for n, v := range row.Values {
			if v != nil {
				b.bar(c, b.lookOf(b.bars.Series[n]), *v, x, top-vg.Length(float64(n)*barSize))
			}
		}
	}
}

func (r Row) empty() bool {
	for _, v := range r.Values {
		if v != nil {
			return false
		}
	}
	return true
}

// bar draws one, from zero, with the top edge given.
func (b barPlotter) bar(c draw.Canvas, l look, v Value, x func(float64) vg.Length, top vg.Length) {
	zero, end := x(0), x(v.At)
	middle := top - barSize/2
	r := vg.Rectangle{Min: vg.Point{X: min(zero, end), Y: top - barSize + 1}, Max: vg.Point{X: max(zero, end), Y: top}}
	b.box(c, l, r, v.Doubted)
	from, to := vg.Point{X: x(v.Lo), Y: middle}, vg.Point{X: x(v.Hi), Y: middle}
	b.whisker(c, b.paper, 3.5, from, to) // which parts the next from a bar of whatever colour
	b.whisker(c, b.ink, whiskerSize, from, to)
	b.spotOver(r, v.Says)
}

// dots draws the values of a row on one line, with that line.
func (b barPlotter) dots(c draw.Canvas, row Row, x func(float64) vg.Length, middle vg.Length) {
	c.StrokeLine2(solid(b.grid, 1), c.Min.X-inset, middle, c.Max.X+inset, middle)
	for n, v := range row.Values {
		if v == nil {
			continue
		}
		l, at := b.lookOf(b.bars.Series[n]), vg.Point{X: x(v.At), Y: middle}
		b.whisker(c, l.ink, whiskerSize, vg.Point{X: x(v.Lo), Y: middle}, vg.Point{X: x(v.Hi), Y: middle})
		l.mark(c, b.paper, at, v.Doubted)
		b.spotAt(at, v.Says)
	}
}

// box draws a filled rectangle, or a hollow one.
func (d *drawing) box(c draw.Canvas, l look, r vg.Rectangle, hollow bool) {
	if !hollow {
		c.SetColor(l.ink)
		c.Fill(r.Path())
		return
	}
	const width = 1.4
	inner := vg.Rectangle{Min: vg.Point{X: r.Min.X + width/2, Y: r.Min.Y + width/2}, Max: vg.Point{X: r.Max.X - width/2, Y: r.Max.Y - width/2}}
	c.SetLineStyle(solid(l.ink, width))
	c.Stroke(inner.Path())
}
