package chart

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// A spot is a place of the picture that says what it is when pointed at.
type spot struct {
	frame
	round bool
	says  string
}

// spotRadius is how near to a point one has to come.
const spotRadius = 6

func (s spot) svg() string {
	shape := fmt.Sprintf(`rect class="point" x="%.1f" y="%.1f" width="%.1f" height="%.1f"`, s.left, s.top, s.width(), s.height())
	end := "rect"
	if s.round {
		shape = fmt.Sprintf(`circle class="point" cx="%.1f" cy="%.1f" r="%d"`, (s.left+s.right)/2, (s.top+s.bottom)/2, spotRadius)
		end = "circle"
	}
	return fmt.Sprintf("<%s><title>%s</title></%s>\n", shape, html.EscapeString(s.says), end)
}

// families are fonts of the same widths as the one that the text was measured
// in, and what there is where none of them is.
const families = "Liberation Sans, Arimo, Arial, Helvetica, sans-serif"

// Every text names its font as the canvas knows it, which is said once for all
// of them instead, with families that more readers have.
var fonts = strings.NewReplacer(
	"font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;", "",
	"font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;", "font-weight:bold;",
)

// finished makes a picture of its own out of what the canvas wrote: with a size
// in px, a title and a description for those who do not see it, and the spots.
// Identifiers carry the chart's name and theme, so that several pictures may
// stand in one document.
func (d *drawing) finished(written []byte) ([]byte, error) {
	from, to := bytes.Index(written, []byte("<g ")), bytes.LastIndex(written, []byte("</svg>"))
	if from < 0 || to < from {
		return nil, fmt.Errorf("the canvas wrote no picture: %.60q", written)
	}
	id := d.chart.Name + "-" + d.theme.String()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="%s-title %s-desc"`, id, id)
	fmt.Fprintf(&b, ` width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="%s">`+"\n", wide, d.height, wide, d.height, families)
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title>\n", id, html.EscapeString(d.chart.Title))
	fmt.Fprintf(&b, "<desc id=\"%s-desc\">%s</desc>\n", id, html.EscapeString(d.chart.Alt))
	b.WriteString(fonts.Replace(string(written[from:to])))
	b.WriteString("<g fill-opacity=\"0\" pointer-events=\"all\">\n")
	for _, s := range d.spots {
		b.WriteString(s.svg())
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes(), nil
}
