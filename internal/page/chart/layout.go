package chart

// Width is that of every picture, in px.
const Width = 760

// Measures of a picture in px.
const (
	wide      = float64(Width)
	margin    = 14.0
	gap       = 26.0 // between panels, room for the halves of two ticks' texts
	inset     = 9.0  // between the ends of a horizontal axis and the frame
	tickSize  = 5.0
	headRoom  = 24.0 // of a line above a panel
	barSize   = 11.0
	rowGap    = 10.0
	bandGap   = 22.0
	dotRow    = 27.0
	iconSize  = 32.0
	stackHigh = 150.0
)

// A frame is a rectangle in px from the top left.
type frame struct{ left, top, right, bottom float64 }

func (f frame) width() float64  { return f.right - f.left }
func (f frame) height() float64 { return f.bottom - f.top }

// A layout is where the parts of a chart stand.
type layout struct {
	title, note, foot          []string
	legend                     []entry
	series                     []string
	x                          scale
	bands                      []strip
	axisTop, noteTop, footTop  float64
	left, right, bottom, width float64 // of the panels together, and of one
}

// An entry is a series in the legend.
type entry struct {
	name      string
	left, top float64
}

// A strip is where a band stands.
type strip struct {
	y      scale
	top    float64 // of what is written above the panels
	labels int     // lines that are written above them
	frames []frame
}

// layout places everything from the top down.
func (c *Chart) layout() *layout {
	l := &layout{title: titles.wrap(c.Title, wide-2*margin), series: c.series()}
	top := margin + float64(len(l.title))*titles.leading() + 4
	top = l.placeLegend(top)
	l.left, l.right = margin+c.gutter(), wide-margin-gap/2
	columns := float64(len(c.Bands[0].Panels))
	l.width = (l.right - l.left - (columns-1)*gap) / columns
	for i, b := range c.Bands {
		top = l.placeBand(c, b, top)
		if i < len(c.Bands)-1 {
			top += bandGap
		}
	}
	l.axisTop = top
	if c.hasXAxis() {
		top += tickSize + plain.leading()
	}
	if c.X.Label != "" {
		top += plain.leading()
	}
	l.x = c.xScale(l.width)
	l.note, l.foot = plain.wrap(c.Note, wide-2*margin), small.wrap(c.Foot, wide-2*margin)
	l.noteTop = top + 10
	l.footTop = l.noteTop + float64(len(l.note))*plain.leading() + 6
	l.bottom = l.footTop + float64(len(l.foot))*small.leading() + margin
	return l
}

// placeLegend lets entries flow over as many lines as they need, and returns
// where these end. A single series is named by the title and needs no legend.
func (l *layout) placeLegend(top float64) float64 {
	if len(l.series) < 2 {
		return top + 6
	}
	left := margin
	for _, name := range l.series {
		needs := iconSize + 6 + plain.width(name)
		if left > margin && left+needs > wide-margin {
			left, top = margin, top+headRoom
		}
		l.legend = append(l.legend, entry{name, left, top})
		left += needs + 20
	}
	return top + headRoom + 8
}

// placeBand places the panels of a band, and returns where they end.
func (l *layout) placeBand(c *Chart, b Band, top float64) float64 {
	s := strip{top: top, labels: b.labels()}
	top += float64(s.labels) * headRoom
	top += 5
	if s.labels < 2 {
		top += 4 // for the upper half of the highest tick's text
	}
	high := c.panelHeight(b)
	for i := range b.Panels {
		left := l.left + float64(i)*(l.width+gap)
		s.frames = append(s.frames, frame{left, top, left + l.width, top + high})
	}
	s.y = b.yScale(high)
	l.bands = append(l.bands, s)
	top += high
	if b.has(func(p Panel) bool { return p.Stack != nil }) {
		top += tickSize + plain.leading() // each stack has columns of its own
	}
	return top
}

// has reports whether any panel of the band is so.
func (b Band) has(so func(Panel) bool) bool {
	for _, p := range b.Panels {
		if so(p) {
			return true
		}
	}
	return false
}

// labels counts the lines above the panels: the label of the vertical axis, the
// titles, and the labels of marks, none of which may stand over a figure.
func (b Band) labels() int {
	n := 0
	if b.Y.Label != "" {
		n++
	}
	if b.has(func(p Panel) bool { return p.Title != "" }) {
		n++
	}
	if b.hasMarks() {
		n++
	}
	return n
}

func (b Band) hasMarks() bool {
	return b.has(func(p Panel) bool { return p.Mark != nil && p.Mark.Label != "" })
}

// hasXAxis reports whether there is one for all panels.
func (c *Chart) hasXAxis() bool { return c.Bands[0].Panels[0].Stack == nil }

// panelHeight is how high a panel of the band is.
func (c *Chart) panelHeight(b Band) float64 {
	first := b.Panels[0]
	switch {
	case first.Bars != nil:
		return rowGap + float64(len(first.Bars.Rows))*c.rowHeight(*first.Bars)
	case first.Stack != nil:
		return stackHigh
	case len(b.Panels) > 1:
		return 175
	}
	return 240
}

// rowHeight is what a row of bars takes with the gap after it.
func (c *Chart) rowHeight(b Bars) float64 {
	if c.X.Log {
		return dotRow
	}
	return float64(len(b.Series))*barSize + rowGap
}

// gutter is the room left of the panels, for names of rows or texts of ticks.
func (c *Chart) gutter() float64 {
	var texts []string
	for _, b := range c.Bands {
		if b.Panels[0].Bars != nil {
			texts = append(texts, b.Panels[0].rows()...)
			continue
		}
		for _, t := range b.yScale(c.panelHeight(b)).ticks {
			texts = append(texts, t.Label)
		}
	}
	return plain.widest(texts) + tickSize + 6
}

// series are the names in the legend, in the order in which they come.
func (c *Chart) series() []string {
	var names []string
	seen := make(map[string]bool)
	for _, b := range c.Bands {
		for _, p := range b.Panels {
			for _, name := range p.series() {
				if !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (p Panel) series() []string {
	switch {
	case p.Bars != nil:
		return p.Bars.Series
	case p.Stack != nil:
		return p.Stack.Parts
	}
	var names []string
	for _, l := range p.Lines {
		names = append(names, l.Name)
	}
	return names
}

// xScale is the horizontal scale of every panel. Lines run from end to end of
// it, bars from one round figure to another.
func (c *Chart) xScale(width float64) scale {
	s := nothing()
	for _, b := range c.Bands {
		for _, p := range b.Panels {
			p.spanX(&s)
		}
	}
	if c.Bands[0].Panels[0].Bars != nil {
		return c.X.rounded(s, width-2*inset, plain.width)
	}
	return c.X.exactly(s, width-2*inset, plain.width)
}

func (p Panel) spanX(s *span) {
	if p.Mark != nil {
		s.take(p.Mark.At)
	}
	for _, l := range p.Lines {
		for _, pt := range l.Points {
			s.take(pt.X)
		}
	}
	if p.Bars == nil {
		return
	}
	for _, row := range p.Bars.Rows {
		for _, v := range row.Values {
			if v != nil {
				s.take(v.At, v.Lo, v.Hi)
			}
		}
	}
}

// yScale is the vertical scale of the band. Columns take no more of it than they
// need, since it is read from their parts.
func (b Band) yScale(height float64) scale {
	s := nothing()
	for _, p := range b.Panels {
		p.spanY(&s)
	}
	size := func(string) float64 { return plain.size }
	if b.Panels[0].Stack != nil {
		s.take(0)
		return b.Y.exactly(s, height, size)
	}
	return b.Y.rounded(s, height, size)
}

func (p Panel) spanY(s *span) {
	for _, l := range p.Lines {
		for _, pt := range l.Points {
			s.take(pt.At, pt.Lo, pt.Hi)
		}
	}
	if p.Stack == nil {
		return
	}
	for _, col := range p.Stack.Columns {
		above, below := col.ends()
		s.take(above*1.12, below) // with room for the total
	}
}

// columns is how many places there are for columns, in each panel as many.
func (c *Chart) columns() int {
	most := 1
	for _, b := range c.Bands {
		for _, p := range b.Panels {
			if p.Stack != nil {
				most = max(most, len(p.Stack.Columns))
			}
		}
	}
	return most
}

// ends is how far a column reaches above and below zero.
func (c Column) ends() (above, below float64) {
	for _, v := range c.Values {
		above += max(v.At, 0)
		below += min(v.At, 0)
	}
	return above, below
}
