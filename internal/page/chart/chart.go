// Package chart draws figures as SVG pictures, by gonum.org/v1/plot: bars, lines
// and stacks, in panels that share their axes, for a light and for a dark page.
//
// It draws what it is given and computes no figure: what a value is, how it
// reads and whether it is to be believed is decided where the chart is made. The
// same chart gives the same bytes. It refuses what a picture would get wrong,
// such as a value without a place on a logarithmic axis. A picture refers to
// nothing outside itself, so that it may stand in a page without a network.
package chart

// A Chart is a picture of figures: a title, a legend, panels and a foot.
type Chart struct {
	Name  string // of its file, without .svg: small letters, digits and hyphens
	Title string
	Alt   string // what there is to see, for those who do not
	Foot  string // what the figures belong to: machine, build, method, date
	Note  string // how to read the picture, if that needs saying
	X     Axis   // of all panels
	Bands []Band // from top to bottom
}

// File is the name of the picture's file for a theme.
func (c *Chart) File(t Theme) string {
	if t == Dark {
		return c.Name + "-dark.svg"
	}
	return c.Name + ".svg"
}

// A Band is panels beside each other that share the vertical axis.
type Band struct {
	Y      Axis    // of lines and stacks; bars have rows in its place
	Panels []Panel // from left to right, as many as every other band has
}

// A Panel is one plot. It holds one of lines, bars and a stack, and of these
// what all panels of its chart hold.
type Panel struct {
	Title string
	Lines []Line
	Bars  *Bars
	Stack *Stack
	Mark  *Mark
}

// An Axis has a label and a scale.
type Axis struct {
	Label string
	Log   bool
	Ticks []Tick               // where they do not stand at round figures
	Write func(float64) string // how the figure of a tick reads; as Go writes it if nil
}

// A Tick is a place on an axis, and what is written there.
type Tick struct {
	At    float64
	Label string // nothing is written, and the tick is short, if it is empty
}

// A Value is what is drawn of one figure.
type Value struct {
	At      float64 // in the axis's unit
	Lo, Hi  float64 // ends of its interval; both are At where there is none
	Says    string  // what it is in full, shown to who points at it
	Doubted bool    // drawn hollow, and no part of a line
}

// A Line is a series of points. Lines of one name look the same, and so go on
// after a gap.
type Line struct {
	Name   string
	Points []Point // from left to right
}

// A Point is a value at a place of the horizontal axis.
type Point struct {
	X float64
	Value
}

// Bars are rows of values along the horizontal axis. On a logarithmic axis,
// where the length of a bar would mean nothing, they are drawn as dots.
type Bars struct {
	Series []string
	Rows   []Row // from top to bottom
}

// A Row is what the series of some bars come to for one thing.
type Row struct {
	Name   string
	Values []*Value // one a series; nil where there is none
}

// A Stack is columns that are divided into the same parts.
type Stack struct {
	Parts   []string
	Columns []Column // from left to right
}

// A Column is a whole in its parts. What is below zero hangs from the axis. One
// that is empty is a gap.
type Column struct {
	Name   string  // under the axis
	Total  string  // above the column
	Values []Value // one a part
}

func (c Column) gap() bool { return c.Name == "" && c.Total == "" && len(c.Values) == 0 }

// A Mark is a line across a panel.
type Mark struct {
	At    float64 // on the horizontal axis
	Label string  // above the panel
}
