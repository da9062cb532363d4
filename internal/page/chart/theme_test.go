package chart

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// linear is the light of a colour, from 0 to 1 a channel (IEC 61966-2-1).
func linear(c color.RGBA) [3]float64 {
	var out [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		s := float64(v) / 255
		if out[i] = s / 12.92; s > 0.04045 {
			out[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is that of WCAG 2.2.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		l := linear(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func TestContrast(t *testing.T) {
	assert.InDelta(t, 21, contrast(rgb(0xffffff), rgb(0)), 0.01)
	for _, theme := range themes {
		p := theme.palette()
		assert.GreaterOrEqual(t, contrast(p.ink, p.paper), 7.0, theme)
		assert.GreaterOrEqual(t, contrast(p.muted, p.paper), 4.5, theme)
		for i, ink := range p.inks {
			assert.GreaterOrEqual(t, contrast(ink, p.paper), 3.0, "%s: series %d", theme, i)
		}
	}
}

// How full red and green blindness turns light (Machado, Oliveira and Fernandes
// 2009, severity 1.0).
var sights = map[string][3][3]float64{
	"full":          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"without red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"without green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// lab is the colour as that sight has it, in CIE L*a*b* under D65.
func lab(c color.RGBA, sight [3][3]float64) [3]float64 {
	l := linear(c)
	var seen, xyz [3]float64
	for i, row := range sight {
		seen[i] = min(max(row[0]*l[0]+row[1]*l[1]+row[2]*l[2], 0), 1)
	}
	for i, row := range [3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}} {
		xyz[i] = (row[0]*seen[0] + row[1]*seen[1] + row[2]*seen[2]) / []float64{0.9505, 1, 1.089}[i]
		if xyz[i] > 0.008856 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = 7.787*xyz[i] + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

// A difference of 2.3 is just seen; one in a picture has to be seen at once.
func TestSeriesDifferToEverySight(t *testing.T) {
	for _, theme := range themes {
		for name, sight := range sights {
			series := theme.palette().inks
			for i := range series {
				for j := range i {
					a, b := lab(series[i], sight), lab(series[j], sight)
					apart := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
					assert.GreaterOrEqual(t, apart, 14.0, "%s, sight %s: series %d and %d", theme, name, j, i)
				}
			}
		}
	}
}

// Shape and dash tell series apart where colour does not.
func TestLooksDiffer(t *testing.T) {
	p := Light.palette()
	for i := range p.inks {
		for j := range i {
			a, b := p.look(i), p.look(j)
			assert.NotEqual(t, a.shape, b.shape)
			assert.NotEqual(t, a.dashes, b.dashes)
			assert.NotEqual(t, a.ink, b.ink)
		}
	}
	assert.Equal(t, p.look(0), p.look(len(p.inks)))
}
