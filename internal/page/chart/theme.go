package chart

import "image/color"

// A Theme is the page that a picture stands on.
type Theme int

// The themes.
const (
	Light Theme = iota
	Dark
)

// String is the theme's name in identifiers.
func (t Theme) String() string {
	if t == Dark {
		return "dark"
	}
	return "light"
}

// A palette is the colours of a theme. The paper is drawn, not left out: a
// page may be dark where the reader's system is light. Text keeps a contrast of
// 4.5 to 1 with it, and what carries figures 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
type palette struct {
	paper, ink, muted, grid color.RGBA
	inks                    []color.RGBA // of series
}

// palette returns the colours of the theme. Inks differ for readers
// who tell red from green badly or not at all, neighbours in lightness too, and
// follow Okabe and Ito (Color Universal Design, 2008) as far as the paper lets
// them.
func (t Theme) palette() palette {
	if t == Dark {
		return palette{paper: rgb(0x0f1419), ink: rgb(0xe6eaee), muted: rgb(0xaab4be), grid: rgb(0x2d353e), inks: []color.RGBA{
			rgb(0x4aa3f0), rgb(0xe8743b), rgb(0x2fb98a), rgb(0xf0e442), rgb(0xd99ad0), rgb(0xd9e1e9)}}
	}
	return palette{paper: rgb(0xffffff), ink: rgb(0x1b1f24), muted: rgb(0x555d66), grid: rgb(0xe1e4e8), inks: []color.RGBA{
		rgb(0x0073b9), rgb(0xff4d00), rgb(0x00653c), rgb(0x71a023), rgb(0xa64a8c), rgb(0x444e58)}}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// A look is how a series is told from the others: by its colour, and for those
// who see none by its shape and dash.
type look struct {
	ink    color.RGBA
	shape  shape
	dashes []float64 // px; none is a solid line
}

var (
	shapes = []shape{{0, 0}, {4, 0.125}, {3, 0.25}, {4, 0.25}, {3, 0.75}, {6, 0.25}}
	dashes = [][]float64{nil, {8, 4}, {2, 3}, {10, 3, 2, 3}, {14, 4}, {5, 2}}
)

// look returns how the series of that number is drawn. With more series than
// colours they begin again.
func (p palette) look(n int) look {
	return look{p.inks[n%len(p.inks)], shapes[n%len(shapes)], dashes[n%len(dashes)]}
}
