package chart

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A lettering is how a piece of text is set.
type lettering struct {
	size float64 // px
	bold bool
}

// Sizes at which a picture can still be read at half of its own.
var (
	titles = lettering{21, true}
	heads  = lettering{16, true}
	plain  = lettering{15.5, false}
	small  = lettering{13.5, false}
)

// face looks the font up. Liberation Sans has the widths of Arial and
// Helvetica, one of which nearly every reader has.
func (l lettering) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		f.Weight = xfont.WeightBold
	}
	return font.DefaultCache.Lookup(f, vg.Length(l.size))
}

// width is that of the text in px.
func (l lettering) width(s string) float64 {
	face := l.face()
	return face.Width(s).Points()
}

// widest is the width of the widest text.
func (l lettering) widest(texts []string) float64 {
	most := 0.0
	for _, s := range texts {
		most = max(most, l.width(s))
	}
	return most
}

// lowered is how far below the middle of a line its baseline is.
func (l lettering) lowered() float64 { return 0.36 * l.size }

// leading is the distance between two lines of text.
func (l lettering) leading() float64 { return 1.3 * l.size }

// wrap breaks the text into lines that are no wider than room, unless a word
// alone is.
func (l lettering) wrap(s string, room float64) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		last := len(lines) - 1
		if last >= 0 && l.width(lines[last]+" "+word) <= room {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// Where a text stands to its place: what part of its width lies left of it.
const (
	leftward  = 1.0
	centred   = 0.5
	rightward = 0.0
)

// write sets a text with its baseline at a place in px from the top left.
func (d *drawing) write(s string, l lettering, ink color.RGBA, x, baseline, anchor float64) {
	d.canvas.SetColor(ink)
	d.canvas.FillString(l.face(), d.point(x-anchor*l.width(s), baseline), s)
}

// paragraph sets lines of text under each other, from top on.
func (d *drawing) paragraph(lines []string, l lettering, ink color.RGBA, top float64) {
	for i, line := range lines {
		d.write(line, l, ink, margin, top+l.size+float64(i)*l.leading(), rightward)
	}
}
