package chart

import (
	"fmt"
	"image/color"
	"strings"
)

// property is the name of the nth colour of a palette in a style sheet.
func property(n int) string { return fmt.Sprintf("--chart-%d", n) }

// colours are those of the palette, each at the same place in every theme.
func (p palette) colours() []color.RGBA {
	return append([]color.RGBA{p.paper, p.ink, p.muted, p.grid}, p.inks...)
}

// hex is the colour as a picture has it.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// Style is the rule that a page needs for pictures which take their colours from
// it: each is that of the theme that shows.
func Style() string {
	light, dark := Light.palette().colours(), Dark.palette().colours()
	var b strings.Builder
	b.WriteString(".chart {")
	for n := range light {
		fmt.Fprintf(&b, " %s: light-dark(%s, %s);", property(n), hex(light[n]), hex(dark[n]))
	}
	b.WriteString(" }\n")
	return b.String()
}

// Inline draws the chart for a page that has the rule of Style: one picture for
// both themes, which differ in nothing but their colours.
func (c *Chart) Inline() ([]byte, error) {
	svg, err := c.SVG(Light)
	if err != nil {
		return nil, err
	}
	var pairs []string
	for n, colour := range Light.palette().colours() {
		for _, what := range []string{"fill:", "stroke:"} {
			pairs = append(pairs, what+hex(colour), what+"var("+property(n)+")")
		}
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(svg))), nil
}
