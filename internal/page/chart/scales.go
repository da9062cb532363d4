package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// gridX is the lines across a panel at the ticks of the horizontal axis.
type gridX struct{ *drawing }

// Plot draws the lines that have a text under them. That from which bars begin
// stands out.
func (g gridX) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, t := range g.x.ticks {
		ink := g.grid
		if t.At == 0 && g.kind() == boxKind {
			ink = g.muted
		}
		if t.Label != "" {
			c.StrokeLine2(solid(ink, 1), x(t.At), c.Min.Y, x(t.At), c.Max.Y)
		}
	}
}

// gridY is the lines across a panel at the ticks of the vertical axis, which
// reach out of it by some px on either side.
type gridY struct {
	*drawing
	scale scale
	out   float64
}

// Plot draws the lines that have a text beside them. That at zero, from which
// figures are seen to rise, stands out.
func (g gridY) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	left, right := c.Min.X-vg.Length(g.out), c.Max.X+vg.Length(g.out)
	for _, t := range g.scale.ticks {
		ink := g.grid
		if t.At == 0 {
			ink = g.muted
		}
		if t.Label != "" {
			c.StrokeLine2(solid(ink, 1), left, y(t.At), right, y(t.At))
		}
	}
}

// leftScale is what stands left of the first panel: names of rows, or the ticks
// of the band.
func (d *drawing) leftScale(p Panel, f frame, y scale) {
	if p.Bars != nil {
		for i, row := range p.Bars.Rows {
			middle := f.top + (float64(i)+0.5)*f.height()/float64(len(p.Bars.Rows))
			d.write(row.Name, plain, d.ink, f.left-8, middle+plain.lowered(), leftward)
		}
		return
	}
	c := d.within(f)
	for _, t := range y.ticks {
		at := f.bottom - y.place(t.At)
		from := d.point(f.left-length(t), at)
		c.StrokeLine2(solid(d.muted, 1), from.X, from.Y, c.Min.X, from.Y)
		d.write(t.Label, plain, d.ink, f.left-tickSize-3, at+plain.lowered(), leftward)
	}
}

// lowerScale is the horizontal axis under a panel.
func (d *drawing) lowerScale(f frame) {
	c := d.within(f)
	c.StrokeLine2(solid(d.muted, 1), c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	for _, t := range d.x.ticks {
		at := f.left + inset + d.x.place(t.At)
		to := d.point(at, f.bottom+length(t))
		c.StrokeLine2(solid(d.muted, 1), to.X, c.Min.Y, to.X, to.Y)
		d.write(t.Label, plain, d.ink, at, f.bottom+tickSize+plain.size, centred)
	}
}

// length is that of a tick's line.
func length(t Tick) float64 {
	if t.Label == "" {
		return tickSize / 2
	}
	return tickSize
}

// markPlotter is the line of a mark, if there is one.
type markPlotter struct {
	*drawing
	mark *Mark
}

// Plot draws it over the whole height.
func (m markPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	if m.mark == nil {
		return
	}
	x, _ := p.Transforms(&c)
	sty := solid(m.ink, 1.2)
	sty.Dashes = []vg.Length{5, 3}
	c.StrokeLine2(sty, x(m.mark.At), c.Min.Y, x(m.mark.At), c.Max.Y)
}
