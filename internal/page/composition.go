package page

import "slices"

// A moment is one at which a resident set was taken apart.
type moment struct{ words, whole, prefix string }

var moments = []moment{
	{"As the load ends", "load-RSS-bytes", "load-"},
	{"At rest, with clients connected", "rest-RSS-bytes", "rest-"},
}

// parts of a resident set, by the runtime's account but for the last.
var parts = []struct{ head, suffix string }{
	{"Heap in use", "inuse-bytes"},
	{"Freed and kept", "free-bytes"},
	{"Stacks", "stacks-bytes"},
	{"Runtime", "runtime-bytes"},
	{"Files", "file-bytes"},
}

// composition shows what the resident set of each step is made of, and what
// that leaves over.
func (l *Ladder) composition() []Block {
	blocks := []Block{text("**What the resident set is made of**, MiB, medians. Files are resident pages by the kernel's account, all other parts are by the runtime's own: " +
		"address space that it obtained, of which not every page need be resident. Freed memory that is kept is the collector's reserve. " +
		"The remainder is the resident set less all parts: above zero for what neither account names, such as the program's variables, below zero where more was " +
		"obtained than is resident.")}
	for _, at := range moments {
		m := &tableMaker{notesAt: notesOfSection}
		blocks = append(blocks, text(at.words+":"))
		blocks = append(blocks, tables(m.composition(l.Steps, at))...)
	}
	return blocks
}

// composition fills the table with what the steps' resident sets are made of at
// one moment.
func (m *tableMaker) composition(steps []*Scenario, at moment) *Table {
	m.table = Table{Head: []string{"Credentials", "Resident set"}, Names: 1}
	for _, part := range parts {
		m.table.Head = append(m.table.Head, part.head)
	}
	m.table.Head = append(m.table.Head, "Remainder")
	for _, s := range steps {
		m.compositionRow(s, at)
	}
	return m.finish()
}

// compositionRow adds a step. Its remainder is of the row as it stands, since
// the median of what rounds leave over would not add up with other medians.
func (m *tableMaker) compositionRow(s *Scenario, at moment) {
	figures := []Figure{s.Figure(at.whole)}
	for _, part := range parts {
		figures = append(figures, s.Figure(at.prefix+part.suffix))
	}
	row := []Cell{m.name(s)}
	for _, f := range figures {
		row = append(row, m.cell(f, mib, Figure.middle))
	}
	m.table.Rows = append(m.table.Rows, append(row, m.remainder(figures[0], figures[1:])))
}

// remainder is what parts leave of a whole.
func (m *tableMaker) remainder(whole Figure, parts []Figure) Cell {
	if !whole.Known() {
		return m.none(whole.Absent)
	}
	left, refs := whole.Median, slices.Clone(whole.Refs)
	for _, part := range parts {
		if !part.Known() {
			return m.none(part.Absent)
		}
		left -= part.Median
		refs = append(refs, part.Refs...)
	}
	return Cell{Text: asFineAs(mib.figure(whole.Median), left/mib.Factor), Value: left, Known: true, Refs: refs}
}
