package page

import (
	"strconv"
	"strings"

	"mcpbench/internal/record"
)

// Sized are the figures that sizing rests on, by kind, in the order of the
// record.
type Sized map[record.Kind][]*Scenario

// sizedKinds are the kinds of sizing in the order of the page.
var sizedKinds = []record.Kind{
	record.Image, record.Endpoint, record.Ladder, record.Held, record.Session, record.Configs, record.Sweep,
}

// sizedBy are the parts of names that say how many there were of what a line
// is laid through.
var sizedBy = map[record.Kind]string{record.Held: "calls", record.Session: "sessions"}

// sizedOf arranges the results of sizing, or says why rounds of one name are no
// repetitions.
func sizedOf(results []record.Result) (Sized, error) {
	sized := make(Sized)
	for _, kind := range sizedKinds {
		sized[kind] = scenariosOf(kind, results)
		for _, s := range sized[kind] {
			if err := sameSettings(s.All); err != nil {
				return nil, err
			}
			s.Credentials, _ = strconv.Atoi(s.All[0].Part(sizedBy[kind])) // zero where there is no line
			s.Label = sizedLabel(s)
		}
	}
	return sized, nil
}

// sizedLabel is what tables call a result of sizing.
func sizedLabel(s *Scenario) string {
	part := s.All[0].Part
	switch s.Kind {
	case record.Endpoint:
		return endpointWords(part("endpoint"))
	case record.Ladder:
		return rungWords(s)
	case record.Held:
		return part("calls") + " held"
	case record.Session:
		return part("sessions") + " sessions"
	case record.Configs:
		return strings.ReplaceAll(s.Surface, "+", ", ")
	case record.Sweep:
		return part("value")
	default:
		return s.Subject
	}
}

// endpointWords name a cheap endpoint.
func endpointWords(endpoint string) string {
	switch endpoint {
	case "discover":
		return "server/discover"
	case "resources":
		return "resources/list"
	default:
		return "/" + endpoint
	}
}

// any is one of the results, or nil if there are none.
func (z Sized) any() *Scenario {
	for _, kind := range sizedKinds {
		if len(z[kind]) > 0 {
			return z[kind][0]
		}
	}
	return nil
}

// part finds the scenario of a kind whose name gives a key a value, or nil.
func (z Sized) part(kind record.Kind, key, value string) *Scenario {
	for _, s := range z[kind] {
		if s.All[0].Part(key) == value {
			return s
		}
	}
	return nil
}

// sizedRows fills the table with a row for each scenario, by its label.
func (m *tableMaker) sizedRows(head string, scenarios []*Scenario, columns []column) *Table {
	m.table = Table{Head: []string{head}, Names: 1}
	for _, c := range columns {
		m.table.Head = append(m.table.Head, c.head)
	}
	for _, s := range scenarios {
		name := m.name(s)
		name.Text = escape(s.Label)
		row := []Cell{name}
		for _, c := range columns {
			row = append(row, m.cell(s.Figure(c.unit), c.scale, c.show))
		}
		m.table.Rows = append(m.table.Rows, row)
	}
	return m.finish()
}
