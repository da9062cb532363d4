package page

// What a page's figures and tables look like, for other documents that are
// made of records.

// Escape keeps text of a record from being read as Markdown or HTML.
func Escape(s string) string { return escape(s) }

// Significant writes a number as pages do: to three significant digits, whole
// numbers in full, thousands grouped.
func Significant(v float64) string { return significant(v) }

// Markdown renders the table without its notes.
func (t *Table) Markdown() string { return t.markdown() }

// ScaleOf returns the scale in which prose gives one amount of a metric.
func ScaleOf(unit string, amount float64) Scale { return scaleOf(unit, amount) }

// With writes the amount, of base units, with the scale's symbol.
func (s Scale) With(amount float64) string { return s.with(amount) }

// Spread writes the amount with the scale's symbol and, in brackets, the
// smallest and largest, unless they read the same.
func (s Scale) Spread(middle, least, most float64) string {
	from, to := s.figure(least), s.figure(most)
	if m := s.figure(middle); from == m && to == m {
		return s.with(middle)
	}
	return s.with(middle) + " (" + between(from, to) + ")"
}
