package page

import (
	"fmt"
	"slices"

	"mcpbench/internal/record"
)

// proofs shows what the limits of the model are worth: what they ask for, and
// what was really needed.
func (v *View) proofs() []Block {
	if len(v.Proofs) == 0 {
		return nil
	}
	m := &tableMaker{table: Table{Names: 1, Head: []string{"Surface", "Credentials held", "Calls in flight", "Limit asked for, MiB",
		"Least that was enough, MiB", "Asked over needed", "Largest that was not, MiB", "Most charged, MiB", "Verdict"}}}
	for _, s := range v.Proofs {
		m.proofRow(s)
	}
	return slices.Concat([]Block{text("The server was started under the memory limit that the model gave for a load, with the runtime's own limit that goes " +
		"with it, and driven with exactly that load; then under halves between what was enough and what was not. " + proofSettings(v.Proofs[0]) +
		"Charged is what the kernel counted against the limit at once, pages of files included, of which it gives some up before it refuses more. " +
		"A model that asks for less than was needed, or for more than half as much again, fails.")},
		tables(m.finish()), paragraphs(v.builtOtherwise(v.Proofs[0])))
}

// proofSettings say how a limit was enforced, and how often it had to do.
func proofSettings(s *Scenario) string {
	settings := s.All[0].SettingsOf()
	how := map[string]string{
		"cgroup1": "a cgroup of version 1 enforced it", "cgroup2": "a cgroup of version 2 enforced it",
		"watched": "nothing enforced it here, so the kernel's high-water mark was held against it",
	}[settings["limit-by"]]
	if how == "" {
		how = "enforced by " + escape(settings["limit-by"])
	}
	return fmt.Sprintf("A limit was enough where the server served %s of %s under it; %s. ", escape(settings["lives"]), escape(settings["lives"]), how)
}

func (m *tableMaker) proofRow(s *Scenario) {
	in := func(unit string) Cell { return m.cell(s.Figure(unit), mib, Figure.middle) }
	count := func(unit string) Cell { return m.cell(s.Figure(unit), plain, Figure.middle) }
	asked, needed := s.Figure("asked-limit-bytes"), s.Figure("needed-limit-bytes")
	ratio := m.none(needed.Absent)
	if asked.Known() && needed.Known() {
		ratio = Cell{Text: significant(asked.Median / needed.Median), Value: asked.Median / needed.Median, Known: true, Refs: withAll(asked.Refs, needed.Refs)}
	}
	last := s.Results[len(s.Results)-1]
	name := m.name(s)
	name.Text = escape(s.Surface)
	m.table.Rows = append(m.table.Rows, []Cell{name, count("clients"), count("inflight"), in("asked-limit-bytes"), in("needed-limit-bytes"),
		ratio, in("fatal-limit-bytes"), in("charged-bytes"), {Text: verdictWords(last.About(record.KeyVerdict))}})
}
